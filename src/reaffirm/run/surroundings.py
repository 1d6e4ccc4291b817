"""What is around a run: the kernel's options and variables, and the signals that end it."""

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reaffirm.run.runbook import Runbook

# What decides where modules come from.
_DECIDES = ("sys.path", "sys.modules", "chdir", "%cd")


class Terminated(KeyboardInterrupt):
    """A signal that asks us to end. It unwinds like Ctrl-C, so that the notebook is saved."""

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {signal.Signals(number).name}")
        self.number = number


def kernel_options(runbook: Runbook) -> dict[str, Any]:
    """How the kernel is started and its outputs are read, where the caller does not say it."""
    wanted: dict[str, Any] = {"coalesce_streams": True}  # one output for one stream, so that two runs compare
    if runbook.notebook["metadata"]["kernelspec"]["name"] == "python3":
        # no warning on every start about plain text on the loopback interface; and a cell of the one line
        # `who: str = "x"` is a parameter, not IPython's magic %who
        wanted["extra_arguments"] = ["--log-level=CRITICAL", "--InteractiveShell.automagic=False"]
        if _warms(runbook):
            wanted["extra_arguments"].append("--ext=reaffirm.run.warm")
    return wanted


def _warms(runbook: Runbook) -> bool:
    """Whether the kernel may load the steps ahead: not where a cell decides where modules come from."""
    code = "\n".join(c["source"] for c in runbook.notebook["cells"] if c["cell_type"] == "code")
    return "reaffirm" in code and not any(word in code for word in _DECIDES)


@contextmanager
def environment(values: Mapping[str, Path | str | None]) -> Iterator[None]:
    """Set variables for the kernel; ``None`` unsets one that we were started with."""
    before = {name: os.environ.get(name) for name in values}
    try:
        for name, value in values.items():
            _set(name, None if value is None else os.fspath(value))
        yield
    finally:
        for name, old in before.items():
            _set(name, old)


def _set(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


@contextmanager
def ending_signals() -> Iterator[None]:
    """Let SIGTERM and a lost terminal unwind us like Ctrl-C does, unless somebody handles them already."""

    def end(number: int, _frame: object) -> None:
        raise Terminated(number)

    end.unwinds = True  # type: ignore[attr-defined]
    taken = []
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, end)
                taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold off a second Ctrl-C while the last write is under way."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
