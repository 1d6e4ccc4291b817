"""Brings a fault about in a process of its own: ``reaffirm run``, stopped in a step or hindered."""

import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from aftermath import all_gone, descendants, ended, of_run, problems, start, worker_of
from fault_table import Fault
from simulated_place import machine_file

#: How long a run may take in all, and how long a step is held so that it can be stopped in it (seconds).
_LONGEST, _HELD = 60.0, 30.0
#: What holds a step of the pivot: the first command with these words takes long.
HOLDS = {
    "a-clean-table": "docker ps",
    "before-anything-is-started": "df -B1",
    "first-try-sglang-set-up-as-it-was-then": "docker run -d",
    "save-then-clean-up": "docker rm",
    "what-is-in-the-vllm-image-at-hand": "docker run --rm",
    "launch-vllm": "vllm serve",
    "does-it-answer": "/v1/chat/completions",
}


@dataclass
class Hit:
    """How a process ended, and what it said."""

    step: str
    exit: int
    said: str
    ended: dict[str, object]
    problems: list[str]
    left: list[int]


def stopped_in(fault: Fault, step: str, folder: Path) -> Hit:
    """Run the pivot, hold it in a step, and send a signal to the runner or to its worker."""
    from dataclasses import replace

    held = replace(fault, mishaps=(*fault.mishaps, {"what": "slow", "command": HOLDS[step], "really": _HELD}))
    folder.mkdir(parents=True)
    file, notebook = machine_file(held, folder), folder / "out.ipynb"
    papermill = fault.how.get("with") == "papermill"
    words = ("-p", "nodes", str(file))
    process = start(f"runbooks/{fault.runbook}.py", notebook, *words, papermill=papermill)
    try:
        _wait_for(step, notebook, process)
        number = getattr(signal, f"SIG{fault.how['signal']}")
        target = worker_of(process.pid) if fault.how.get("target") == "worker" else process.pid
        assert target is not None, "there is no worker to stop"
        family = descendants(process.pid)
        if fault.how.get("target") == "group":
            os.killpg(process.pid, number)
        else:
            os.kill(target, number)
        said, _ = process.communicate(timeout=_LONGEST)
    except BaseException:
        process.kill()
        process.communicate()
        raise
    left = all_gone([pid for pid in {*family, *of_run(notebook)} if pid != process.pid])
    return Hit(step, process.returncode, said, ended(notebook), list(problems(notebook)), left)


def _wait_for(step: str, notebook: Path, process: "subprocess.Popen[str]") -> None:
    """Wait until the journal says that the step has begun and nothing more is recorded: it is held."""
    journal = notebook.with_suffix(".run") / "journal.jsonl"
    recording = notebook.with_suffix(".run") / "recording.jsonl"
    end = time.monotonic() + _LONGEST
    size, since = -1, time.monotonic()
    while time.monotonic() < end and process.poll() is None:
        time.sleep(0.02)
        if not journal.exists() or f'"step":"{step}"' not in journal.read_text(
            encoding="utf-8", errors="replace"
        ):
            continue
        now = recording.stat().st_size if recording.exists() else 0
        if now != size:
            size, since = now, time.monotonic()
        elif time.monotonic() - since > 0.3:
            return
    msg = f"the run was not held in {step}"
    raise AssertionError(msg)


def hindered(fault: Fault, folder: Path) -> Hit:
    """Run a runbook that cannot write what it wants to."""
    file, notebook = machine_file(fault, folder), folder / "out" / "out.ipynb"
    notebook.parent.mkdir()
    how: dict[str, object] = {}
    match fault.how["what"]:
        case "no-room":
            how["preexec_fn"] = _limited(int(fault.how["bytes"]))
        case "read-only":
            notebook.parent.chmod(0o555)
            if os.geteuid() == 0:  # root may write all the same, but not there
                notebook = Path("/sys/kernel/out.ipynb")
    process = start(f"runbooks/{fault.runbook}.py", notebook, "--nodes", str(file), **how)
    said, _ = process.communicate(timeout=_LONGEST)
    found = ended(notebook) if notebook.exists() else {}
    wrong = list(problems(notebook, completed=process.returncode == 0))
    (folder / "out").chmod(0o755)
    return Hit("", process.returncode, said, found, wrong, of_run(notebook))


def _limited(size: int) -> Callable[[], None]:
    """No file of the process may become larger: what a full disk or a quota does, without root."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def both_at_once(fault: Fault, folder: Path) -> Iterator[Hit]:
    """Run the same runbook twice at the same time."""
    file = machine_file(fault, folder)
    books = [folder / f"{name}.ipynb" for name in ("one", "other")]
    running = [start(f"runbooks/{fault.runbook}.py", book, "--nodes", str(file)) for book in books]
    for book, process in zip(books, running, strict=True):
        said, _ = process.communicate(timeout=_LONGEST)
        found = list(problems(book, completed=process.returncode == 0))
        yield Hit("", process.returncode, said, ended(book), found, of_run(book))


def by_the_runner(fault: Fault, folder: Path) -> Hit:
    """A fault of simulated nodes, by ``reaffirm run``."""
    file, notebook = machine_file(fault, folder), folder / "out.ipynb"
    words = [f"{name}={value}" for name, value in fault.parameters.items()]
    given = [word for pair in words for word in ("-p", *pair.split("=", 1))]
    process = start(f"runbooks/{fault.runbook}.py", notebook, "--nodes", str(file), *given)
    said, _ = process.communicate(timeout=_LONGEST)
    found = list(problems(notebook, completed=process.returncode == 0))
    return Hit("", process.returncode, said, ended(notebook), found, of_run(notebook))


def again(fault: Fault, folder: Path) -> Hit:
    """The same runbook with nothing in its way."""
    from dataclasses import replace

    folder.mkdir(parents=True, exist_ok=True)
    file, notebook = machine_file(replace(fault, mishaps=()), folder), folder / "again.ipynb"
    process = start(f"runbooks/{fault.runbook}.py", notebook, "--nodes", str(file))
    said, _ = process.communicate(timeout=_LONGEST)
    found = list(problems(notebook, completed=True))
    shutil.rmtree(folder / "out", ignore_errors=True)
    return Hit("", process.returncode, said, ended(notebook), found, of_run(notebook))
