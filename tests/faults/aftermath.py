"""Looks at what a run left behind that was killed: is all of it readable, true, and found by a cleanup?"""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import nbformat

from reaffirm.images.plan import LABEL
from reaffirm.nodes.recording_format import read_tape
from reaffirm.run.journal import events

ROOT = Path(__file__).parents[2]
REAFFIRM = (sys.executable, "-c", "import sys; from reaffirm.cli.main import main; sys.exit(main())")
#: What stands in the recording of a pivot once a step is over: another witness than the journal.
WITNESSES = {
    "a-clean-table": '"docker","ps"',
    "before-anything-is-started": '"argv":["df"',
    "first-try-sglang-set-up-as-it-was-then": '"--name","sglang-head"',
    "launch-vllm": '"--name","vllm-head"',
    "does-it-answer": "/v1/chat/completions",
}
#: The names that the pivot and `cleanup_containers` know.
NAMES = ("sglang-head", "sglang-worker", "vllm-head", "vllm-worker")
#: How long what ends a worker may take (seconds).
_GONE = 20.0


@cache
def project() -> Path:
    """Return a copy of the project's runbooks: what runs enter in their ledger is no part of the checkout."""
    root = Path(tempfile.mkdtemp(prefix="faults-")) / "project"
    atexit.register(shutil.rmtree, root.parent, ignore_errors=True)
    shutil.copytree(ROOT / "runbooks", root / "runbooks")
    for own in (Path(__file__).parent / "runbooks").glob("*.py"):
        shutil.copy(own, root / "runbooks")
    (root / "adrs").mkdir()
    return root


def start(
    runbook: str, notebook: Path, *words: str, papermill: bool = False, **how: Any
) -> "subprocess.Popen[str]":
    """Start ``reaffirm run`` (or ``papermill``) in a process group of its own."""
    argv = [*REAFFIRM, "run", runbook, "-o", str(notebook), *words]
    if papermill:
        argv = [sys.executable, "-m", "papermill", runbook, str(notebook), "--no-progress-bar", *words]
    return subprocess.Popen(
        argv,
        cwd=project(),
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        **how,
    )


def of_run(notebook: Path) -> list[int]:
    """Return the processes that work for the run of this notebook (by their environment)."""
    mark = f"REAFFIRM_RUN_DIR={notebook.with_suffix('.run')}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def descendants(pid: int) -> list[int]:
    """Return a process and all that it started, directly or not."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        parents.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found += parents.get(one, [])
    return found


def worker_of(pid: int) -> int | None:
    """Return the process in which the cells of a runner run, if there is one yet."""
    for one in descendants(pid)[1:]:
        try:
            if b"reaffirm.run.worker" in Path(f"/proc/{one}/cmdline").read_bytes():
                return one
        except OSError:
            continue
    return None


def all_gone(pids: list[int]) -> list[int]:
    """Wait until these processes have ended; return those that have not in time."""
    end = time.monotonic() + _GONE
    while (left := [pid for pid in pids if _alive(pid)]) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return False


def problems(notebook: Path, *, completed: bool = False) -> Iterator[str]:
    """Yield what is wrong with what a run left behind; nothing where all is as it must be."""
    folder = notebook.with_suffix(".run")
    recording = folder / "recording.jsonl"
    text = ""
    if recording.exists() and recording.stat().st_size:
        yield from _recording(recording)
        text = recording.read_text(encoding="utf-8", errors="replace")
    journal = folder / "journal.jsonl"
    done: dict[int, str] = {}
    if journal.exists():
        try:
            for event in events(journal):
                if event["op"] == "done":
                    done[event["cell"]] = event["status"]
                completed |= event["op"] == "end" and event["how"] == "completed"
        except Exception as error:
            yield f"journal: {error}"
    if notebook.exists() and notebook.stat().st_size:
        yield from _notebook(notebook, done, text, completed=completed)


def _recording(path: Path) -> Iterator[str]:
    """A last line that was cut off is as far as it got; everything before must be whole."""
    try:
        tape = read_tape(path, torn=True)
    except Exception as error:
        yield f"recording: {error}"
        return
    for event in tape.events:
        words = event.fields.get("argv", [])
        if words[:3] != ["docker", "run", "-d"]:
            continue
        name = words[words.index("--name") + 1] if "--name" in words else ""
        labelled = any(str(word).startswith(f"{LABEL}=") for word in words)
        if name not in NAMES or not labelled:
            yield f"a container was started that no cleanup would find: {' '.join(map(str, words))[:120]}"


def _notebook(path: Path, done: dict[int, str], recorded: str, *, completed: bool) -> Iterator[str]:
    try:
        book = nbformat.read(path, as_version=4)
        nbformat.validate(book)
    except Exception as error:
        yield f"notebook: {type(error).__name__}: {str(error)[:200]}"
        return
    cells = [c for c in book.cells if "papermill-error-cell-tag" not in c.metadata.get("tags", [])]
    for index, cell in enumerate(cells):
        status = cell.metadata.get("papermill", {}).get("status")
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        if status == "completed" and done.get(index) != "completed":
            yield f"notebook: cell {index} is said to be completed, the journal says {done.get(index)}"
        witness = WITNESSES.get(_slug(cells, index))
        if status == "completed" and witness and witness not in recorded:
            yield f"notebook: cell {index} is said to be completed, but the recording lacks {witness}"
    ended = book.metadata.get("reaffirm", {}).get("ended")
    if ended is not None and (ended["how"] == "completed") is not completed:
        yield f"notebook: it is said to have {ended['how']}"


def _slug(cells: list[Any], index: int) -> str:
    from reaffirm.run.cells import step_ids

    return step_ids(cells)[index]


def ended(notebook: Path) -> dict[str, Any]:
    """What the notebook says of the end of its run."""
    data = json.loads(notebook.read_text(encoding="utf-8"))
    found: dict[str, Any] = data["metadata"].get("reaffirm", {}).get("ended") or {}
    return found


def reached(notebook: Path) -> str:
    """The step that was running, by the journal; words for before the first and after the last."""
    journal = notebook.with_suffix(".run") / "journal.jsonl"
    if not journal.exists():
        return "before the first step"
    step = "before the first step"
    for event in events(journal):
        if event["op"] == "cell":
            step = event["step"]
        elif event["op"] == "end" and event["how"] == "completed":
            return "after the last step"
    return step
