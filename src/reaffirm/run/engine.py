"""Runs the cells of a notebook in a worker and writes down what happens, event by event, as it happens.

The record is true whatever ends the run: a cell that never began is pending, and one that ran too long, was
interrupted or took its process with it says so. After the first cell that does not end well only cells with
the tag ``finally`` run, in order; how they end does not hide how that one did.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from reaffirm.run.capture import Capture
from reaffirm.run.cells import heading_at, is_finally, number_of, source_of, step_ids, tags_of, timeout_of
from reaffirm.run.channel import Message
from reaffirm.run.ending import Ending
from reaffirm.run.journal import Journal, now
from reaffirm.run.listening import Asker, Listening
from reaffirm.run.part import is_skipped
from reaffirm.run.stopping import Stop, Stopping
from reaffirm.run.worker_process import Worker

#: Seconds that an interrupted cell has to tidy up before its process is killed.
GRACE = 30.0
#: Seconds that the functions which a runbook registered for the end of its process may take.
_FAREWELL = 30.0

Cells = Sequence[Mapping[str, Any]]


@dataclass
class Limits:
    """``timeout``: seconds for each cell that names none itself, ``None``: no limit. ``grace``: see above."""

    timeout: float | None = None
    grace: float = GRACE


@dataclass
class Outcome:
    """How a run ended. ``stop`` is what ended it from outside; ``died`` whether its process went away."""

    ending: Ending
    stop: Stop | None = None
    died: bool = False


@dataclass
class Engine:
    """One execution of one notebook.

    ``cells`` are what is run, with their secrets; the journal has them without. ``changed`` is called after
    each change worth showing, at least every second of a long cell.
    """

    journal: Journal
    worker: Worker
    cells: Cells
    limits: Limits = field(default_factory=Limits)
    folder: Path | None = None
    changed: Callable[[], None] = lambda: None
    asker: Asker | None = None
    log: Callable[[str, str], None] | None = None
    where: str = ""
    broken: Ending = field(default_factory=lambda: Ending("failed"))
    _running: int | None = None
    _last: int | None = None

    def __post_init__(self) -> None:
        self._stopping = Stopping(self.worker, self.limits.grace)
        self._ear = Listening(self.worker, self.journal, self._stopping, self.asker)

    def run(self, environment: Mapping[str, str | None], cwd: str | os.PathLike[str]) -> Outcome:
        """Run all cells; the worker has ended when this returns.

        Raises:
            DocumentError: a cell's ``timeout`` is none; nothing was run.
        """
        cells = self.cells
        names = step_ids(cells)
        limits = [
            timeout_of(c, where=f"{self.where}, cell {number_of(cells, i)}") for i, c in enumerate(cells)
        ]
        began = time.monotonic()
        try:
            with self._stopping.signals():
                self.worker.send({"do": "begin", "environment": dict(environment), "cwd": os.fspath(cwd)})
                outcome = self._cells(cells, names, limits)
                self._ear.farewell(_FAREWELL)
        except BaseException as error:
            self.worker.close()
            with suppress(OSError):  # a full disk may be what stopped us
                self._cut_off(cells, error)
                self._end(self.broken, began)
            raise
        finally:
            self.worker.close()
        self._end(outcome.ending, began)
        return outcome

    def _end(self, ending: Ending, began: float) -> None:
        about = ending.as_json() | {"seconds": round(time.monotonic() - began, 6)}
        self.journal.redacted({"op": "end", "at": now(), "language_info": _language(), **about})

    def _cut_off(self, cells: Cells, error: BaseException) -> None:
        """Say of the cell that was running that we could not follow it to its end."""
        how = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        why = str(error) or type(error).__name__
        if isinstance(error, OSError):
            what = error.filename or "a file of the run"
            why = f"{what} cannot be written: {error.strerror or error}; make room, then run again"
        elif how == "failed":
            why = f"the runner stopped: {type(error).__name__}: {error}"
        index = self._running
        if index is None and self._last is not None:  # between two cells
            self.broken = Ending(how, number_of(cells, self._last), heading_at(cells, self._last), why)
            return
        if index is None:
            self.broken = Ending(how, why=why)
            return
        self.broken = Ending(how, number_of(cells, index), heading_at(cells, index), why)
        with suppress(Exception):
            if self._ear.capture is not None:
                self._ear.capture.close()
        event = {"op": "done", "cell": index, "at": now(), "seconds": None, "status": how, "why": why}
        self.journal.redacted(event | {"count": None, "early": False})

    def _cells(self, cells: Cells, names: Sequence[str], limits: Sequence[float | None]) -> Outcome:
        first: Outcome | None = None
        missed: list[str] = []
        for index, cell in enumerate(cells):
            if cell["cell_type"] != "code" or not source_of(cell).strip() or is_skipped(cell):
                continue
            over = self._ear.gone or self._stopping.signals_seen > 1
            if first is not None and (over or not is_finally(cell)):
                missed += [names[index]] if is_finally(cell) else []
                continue
            stop = self._stopping.now or (Stop("failed", failed) if (failed := self.journal.failed) else None)
            if first is None and stop is not None:  # between two cells
                first = Outcome(Ending(stop.status, why=stop.why), stop)
                if not is_finally(cell):
                    continue
            if first is not None:
                self._stopping.forget()  # a finally cell has its own time
            status, why, early = self._cell(cells, index, names[index], limits[index])
            if first is None and (status != "completed" or early):
                place = (number_of(cells, index), heading_at(cells, index))
                how = {"killed": "kernel died", "timed out": "failed"}.get(status, status)
                first = Outcome(Ending(how, *place, why), self._stopping.now, self._ear.gone)
        if first is not None and missed:
            why = f"{first.ending.why}; tagged finally, but not run: {', '.join(missed)}"
            first.ending = replace(first.ending, why=why)
        return first or Outcome(Ending("completed"))

    def _cell(self, cells: Cells, index: int, name: str, limit: float | None) -> tuple[str, str, bool]:
        cell = cells[index]
        number = number_of(cells, index)
        self.journal.write({"op": "cell", "cell": index, "number": number, "step": name, "at": now()})
        capture = Capture(self.journal, index, self.folder, f"{number:03d}-{name}"[:80])
        capture.log = self.log
        self._running = self._last = index
        self._ear.begin(capture)
        self._stopping.cell_is_sent()
        self.changed()
        sent = time.monotonic()
        self.worker.send({"do": "cell", "source": source_of(cell), "number": number, "step": name})
        done = self._ear.until_done(index, limit or self.limits.timeout, self.changed)
        seconds = done["seconds"] if done else round(time.monotonic() - (self._ear.began or sent), 6)
        status, why, early = self._judged(cell, done)
        if done is None:
            capture.settle()
            self._tell_of_death(index, status, why)
        capture.close()
        self._ear.capture = None
        count = (done or {}).get("count")
        event = {"op": "done", "cell": index, "at": now(), "seconds": seconds, "status": status}
        self.journal.redacted(event | {"why": why, "count": count, "early": early})
        if done is not None:
            self.worker.send({"answers": done["request"]})
        self._running = None
        self.changed()
        return status, why, early

    def _judged(self, cell: Mapping[str, Any], done: Message | None) -> tuple[str, str, bool]:
        """The status of a cell that has ended, why, and whether it ended the run without a failure."""
        stop = self._stopping.now
        if done is None:
            how = self._death()
            if stop is not None:
                late = f"{stop.why}; it went on when it was interrupted, and {how}"
                return stop.status, late, False
            return "killed", how, False
        if stop is not None:
            return stop.status, stop.why, False
        if done["ok"]:
            return "completed", "", False
        error = self._ear.error or {"ename": done["error"] or "Error", "evalue": ""}
        if error["ename"] == "SystemExit" and error["evalue"] in ("", "0", "None"):
            return "completed", "the cell called sys.exit(0)", True
        if "raises-exception" in tags_of(cell):
            return "completed", "", False
        return "failed", f"{error['ename']}: {error['evalue']}".rstrip(": "), False

    def _death(self) -> str:
        status = self.worker.wait(5)
        if status is None:
            return "the process of the notebook closed its line to the runner"
        if status < 0:
            try:
                name = signal.Signals(-status).name
            except ValueError:
                name = f"signal {-status}"
            return f"the Python process of the notebook died: killed by {name}"
        return f"the Python process of the notebook died: it ended by itself with status {status}"

    def _tell_of_death(self, index: int, status: str, why: str) -> None:
        """Show in the cell what no traceback will."""
        name = {"killed": "WorkerDied", "timed out": "CellTimeout"}.get(status, "KeyboardInterrupt")
        error = {"ename": name, "evalue": why, "traceback": [f"{name}: {why}"]}
        self.journal.redacted({"op": "error", "cell": index, **error})


def _language() -> dict[str, Any]:
    """What Jupyter's Python kernel says of its language."""
    return {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "nbconvert_exporter": "python",
        "pygments_lexer": "ipython3",
        "version": ".".join(str(part) for part in sys.version_info[:3]),
    }
