"""A worker that is started as soon as a command line names a runbook.

It loads IPython and the steps while the command loads papermill and reads the runbook.
"""

import atexit
from pathlib import Path

from reaffirm.run.worker_process import Worker

# What decides where modules come from: then nothing may be loaded before the cells.
_DECIDES = ("sys.path", "sys.modules", "chdir", "%cd")

_waiting: list[Worker] = []


def preloads(text: str) -> bool:
    """Whether a worker may load the steps ahead for a runbook with this text."""
    return "reaffirm" in text and not any(word in text for word in _DECIDES)


def start(runbook: Path) -> None:
    """Start a worker for a runbook, if that can be read; whatever goes wrong is told later."""
    try:
        text = runbook.read_text(encoding="utf-8", errors="replace")
        _waiting.append(Worker(preload=preloads(text)))
    except OSError:
        return
    if len(_waiting) == 1:
        atexit.register(_close)


def take(*, preload: bool) -> Worker:
    """Return the waiting worker, or a new one.

    Raises:
        OSError: none could be started.
    """
    while _waiting:
        worker = _waiting.pop()
        if worker.preloads == preload:
            return worker
        worker.close()
    return Worker(preload=preload)


def _close() -> None:
    while _waiting:
        _waiting.pop().close()
