"""Runs the cells of a notebook in a worker and writes down what happens, event by event, as it happens.

The record is true whatever ends the run: a cell that never began is pending, and one that ran too long, was
interrupted or took its process with it says so. After the first cell that does not end well only cells with
the tag ``finally`` run, in order; how they end does not hide how that one did.
"""

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reaffirm.redact import mark, remember
from reaffirm.run.capture import Capture
from reaffirm.run.cells import heading_at, is_finally, number_of, source_of, step_ids, tags_of, timeout_of
from reaffirm.run.channel import Message
from reaffirm.run.ending import Ending
from reaffirm.run.journal import Journal, now
from reaffirm.run.part import is_skipped
from reaffirm.run.worker_process import Worker

#: Seconds that an interrupted cell has to tidy up before its process is killed.
GRACE = 30.0
#: Seconds that the functions which a runbook registered for the end of its process may take.
_FAREWELL = 30.0
#: Seconds between two looks at the clock, and between two writes of the journal while text comes in.
_TICK = 1.0
_JOIN = 0.05
_PIECE = 1 << 18
#: Pieces of output between two cells that are kept for the next one.
_BETWEEN = 16

#: Answers a question of a step, unless the run is being stopped, which the function that it gets tells.
Asker = Callable[[str, Callable[[], bool]], str | None]


@dataclass
class Limits:
    """``timeout``: seconds for each cell that names none itself, ``None``: no limit. ``grace``: see above."""

    timeout: float | None = None
    grace: float = GRACE


@dataclass
class Stop:
    """Why a cell is being stopped: ``status`` is what its cell will say. ``number`` is that of a signal."""

    status: str
    why: str
    number: int | None = None


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
    cells: Sequence[Mapping[str, Any]]
    limits: Limits = field(default_factory=Limits)
    folder: Path | None = None
    changed: Callable[[], None] = lambda: None
    asker: Asker | None = None
    log: Callable[[str, str], None] | None = None
    where: str = ""
    broken: Ending = field(default_factory=lambda: Ending("failed"))
    _running: int | None = None
    _began: bool = False
    _at: float = 0.0
    _closed: set[int] = field(default_factory=set)
    _between: list[tuple[str, bytes]] = field(default_factory=list)
    _error: Message | None = None
    _stop: Stop | None = None
    _stops: int = 0
    _kill_at: float | None = None
    _capture: Capture | None = None
    _replies: list[Message] = field(default_factory=list)
    _gone: bool = False
    _wake: tuple[int, int] = (-1, -1)

    def run(self, environment: Mapping[str, str | None], cwd: str | os.PathLike[str]) -> Outcome:
        """Run all cells; the worker has ended when this returns.

        Raises:
            DocumentError: a cell's ``timeout`` is none; nothing was run.
            OSError: the journal cannot be written.
        """
        cells = self.cells
        names = step_ids(cells)
        limits = [
            timeout_of(c, where=f"{self.where}, cell {number_of(cells, i)}") for i, c in enumerate(cells)
        ]
        began = time.monotonic()
        try:
            with self._signals():
                self.worker.send({"do": "begin", "environment": dict(environment), "cwd": os.fspath(cwd)})
                outcome = self._cells(cells, names, limits)
                self._farewell()
        except BaseException as error:
            self.worker.close()
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

    def _cut_off(self, cells: Sequence[Mapping[str, Any]], error: BaseException) -> None:
        """Say of the cell that was running that we could not follow it to its end."""
        how = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        why = str(error) or type(error).__name__
        why = f"the runner stopped: {type(error).__name__}: {error}" if how == "failed" else why
        index = self._running
        if index is None:
            self.broken = Ending(how, why=why)
            return
        with suppress(Exception):
            if self._capture is not None:
                self._capture.close()
        event = {"op": "done", "cell": index, "at": now(), "seconds": None, "status": how, "why": why}
        self.journal.redacted(event | {"count": None, "early": False})
        self.broken = Ending(how, number_of(cells, index), heading_at(cells, index), why)

    def _cells(
        self, cells: Sequence[Mapping[str, Any]], names: Sequence[str], limits: Sequence[float | None]
    ) -> Outcome:
        first: Outcome | None = None
        for index, cell in enumerate(cells):
            if cell["cell_type"] != "code" or not source_of(cell).strip() or is_skipped(cell):
                continue
            if first is not None and (self._gone or self._stops > 1 or not is_finally(cell)):
                continue
            if first is None and self._stop is not None:  # between two cells
                first = Outcome(Ending(*_how(self._stop), why=self._stop.why), self._stop)
                continue
            if first is not None:
                self._stop = None  # a finally cell has its own time
            status, why, early = self._cell(cells, index, names[index], limits[index])
            if first is None and (status != "completed" or early):
                place = (number_of(cells, index), heading_at(cells, index))
                how = {"killed": "kernel died", "timed out": "failed"}.get(status, status)
                first = Outcome(Ending(how, *place, why), self._stop, self._gone)
        return first or Outcome(Ending("completed"))

    def _cell(
        self, cells: Sequence[Mapping[str, Any]], index: int, name: str, limit: float | None
    ) -> tuple[str, str, bool]:
        cell = cells[index]
        number = number_of(cells, index)
        self.journal.write({"op": "cell", "cell": index, "number": number, "step": name, "at": now()})
        self._capture = Capture(self.journal, index, self.folder, f"{number:03d}-{name}"[:80])
        self._capture.log = self.log
        self._running, self._began, self._error = index, False, None
        between, self._between = self._between, []
        for stream, data in between:  # a thread of the cells before went on
            self._capture.feed(stream, data)
        self.changed()
        self._at = time.monotonic()
        order = {"do": "cell", "source": source_of(cell), "number": number, "step": name}
        self.worker.send(order)
        done = self._until_done(index, limit or self.limits.timeout)
        self._drain()
        seconds = done["seconds"] if done else round(time.monotonic() - self._at, 6)
        status, why, early = self._judged(cell, done)
        if done is None:
            self._tell_of_death(index, status, why)
        self._capture.close()
        self._capture = None
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
        if done is None:
            how = self._death()
            if self._stop is not None:
                late = f"{self._stop.why}; it went on when it was interrupted, and {how}"
                return self._stop.status, late, False
            return "killed", how, False
        if self._stop is not None:
            return self._stop.status, self._stop.why, False
        if done["ok"]:
            return "completed", "", False
        error = self._error or {"ename": done["error"] or "Error", "evalue": ""}
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
        if self._capture is not None:
            self._capture.settle()
        name = {"killed": "WorkerDied", "timed out": "CellTimeout"}.get(status, "KeyboardInterrupt")
        error = {"ename": name, "evalue": why, "traceback": [f"{name}: {why}"]}
        self.journal.redacted({"op": "error", "cell": index, **error})

    def _until_done(self, index: int, limit: float | None) -> Message | None:
        """Wait for the end of a cell; ``None`` when the worker ended before it."""
        self._kill_at = None
        shown = time.monotonic()
        while True:
            at = time.monotonic()
            if limit is not None and self._stop is None and self._began and at - self._at >= limit:
                text = f"{limit:g} s"
                self._begin_stop(Stop("timed out", f"the cell did not end within its time limit of {text}"))
            if self._kill_at is not None and at >= self._kill_at:
                self.worker.kill()
                self._kill_at = None
            if at - shown >= _TICK:
                shown = at
                self.changed()
            waits = [_JOIN if self._capture and self._capture.waiting else _TICK]
            waits += [] if limit is None or self._stop else [self._at + limit - at]
            waits += [] if self._kill_at is None else [self._kill_at - at]
            self._look(max(min(waits), 0), index)
            for reply in self._replies:
                if reply["op"] == "done":
                    self._replies.clear()
                    return reply
            if self._gone:
                return None

    def _look(self, seconds: float, index: int | None) -> None:
        """Wait for what comes next on any line and take it."""
        watched: list[Any] = [self.worker.line, self.worker.out, self.worker.err, self._wake[0]]
        watched = [w for w in watched if w != -1 and w not in self._closed]
        ready = select.select(watched, [], [], seconds)[0]
        if self._wake[0] in ready:
            with suppress(BlockingIOError):
                os.read(self._wake[0], 4096)
        if not ready and self._capture is not None:
            self._capture.settle() if seconds >= _TICK else self._capture.flush()
        read = self._read_pipes(ready)
        if self.worker.line not in ready:
            if read and len(ready) == read:
                time.sleep(0.001)  # more of it is coming: fewer, longer pieces
            return
        messages = self.worker.received()
        if messages is None:
            self._gone = True
            return
        for message in messages:
            self._drain()
            self._take(message, index)

    def _read_pipes(self, ready: Sequence[Any]) -> int:
        read = 0
        for stream, descriptor in (("stdout", self.worker.out), ("stderr", self.worker.err)):
            if descriptor in ready:
                read += 1
                self._read(stream, descriptor)
        return read

    def _drain(self) -> None:
        """Read both pipes until nothing is in them."""
        for stream, descriptor in (("stdout", self.worker.out), ("stderr", self.worker.err)):
            until = time.monotonic() + _TICK  # a program in the background may never stop
            while self._read(stream, descriptor) and time.monotonic() < until:
                pass

    def _read(self, stream: str, descriptor: int) -> bool:
        try:
            data = os.read(descriptor, _PIECE)
        except BlockingIOError:
            return False
        if not data:
            self._closed.add(descriptor)  # the worker closed it, or is gone; its line will say
        elif self._capture is not None:
            self._capture.feed(stream, data)
        elif len(self._between) < _BETWEEN:
            self._between.append((stream, data))
        return bool(data)

    def _take(self, message: Message, index: int | None) -> None:
        """Write down what the worker tells of a cell, and answer it."""
        op, request = message["op"], message.pop("request", None)
        if op == "done":
            self._replies.append(message | {"request": request})
            return  # answered once it is in the journal
        if op == "began":
            self._began, self._at = True, time.monotonic()  # the worker had things to load before
            if self._stop is not None:
                self.worker.interrupt()
            return
        value = None
        if index is not None and op in ("display", "update", "result", "error", "clear"):
            if self._capture is not None:
                self._capture.settle()
            if op == "error":
                self._error = message = self._explained(message)
            self.journal.redacted({**message, "cell": index})
        elif op == "secrets":  # it learnt them from a machine file, for example; they stay in memory
            remember(message["values"])
            mark(message["names"], message["patterns"])
        elif op == "ask":
            value = self._asked(str(message["question"]))
        if request is not None:
            self.worker.send({"answers": request, "value": value})

    def _explained(self, message: Message) -> Message:
        """``KeyboardInterrupt`` alone does not say who interrupted the cell."""
        if self._stop is not None and message["ename"] == "KeyboardInterrupt" and not message["evalue"]:
            return message | {"evalue": self._stop.why}
        return message

    def _asked(self, question: str) -> str | None:
        if self.asker is None or self._stop is not None:
            return None
        with suppress(EOFError, KeyboardInterrupt):
            return self.asker(question, lambda: self._stop is not None)
        return None

    def _begin_stop(self, stop: Stop) -> None:
        """Interrupt the cell; a second time kill its process."""
        if self._stop is None:
            self._stop = stop
            self._kill_at = time.monotonic() + self.limits.grace
            if self._began:  # else when it begins: before that nobody would hear it
                self.worker.interrupt()
        elif stop.number is not None:
            self.worker.kill()

    def _farewell(self) -> None:
        """Let the worker do what was registered for its end, and end."""
        if self._gone:
            return
        self.worker.send({"do": "finish"})
        until = time.monotonic() + _FAREWELL
        while not self._gone and time.monotonic() < until and self._stops < 2:
            self._look(min(_TICK, max(until - time.monotonic(), 0)), None)
        self.worker.wait(1)
        for stream, data in self._between:
            text = data.decode("utf-8", "replace")
            self.journal.redacted({"op": "after", "stream": stream, "text": text})

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Turn Ctrl-C, SIGTERM and a lost terminal into the interruption of the cell.

        Whoever handles one of these already goes on doing so.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        reads, writes = os.pipe()
        os.set_blocking(reads, False)
        os.set_blocking(writes, False)
        self._wake = (reads, writes)

        def stop(number: int, _frame: object) -> None:
            name = "Ctrl-C" if number == signal.SIGINT else f"signal {signal.Signals(number).name}"
            self._stops += 1
            self._begin_stop(Stop("interrupted", name, number))
            with suppress(OSError):
                os.write(writes, b"x")

        before = {}
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, stop)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(reads)
            os.close(writes)
            self._wake = (-1, -1)


def _how(stop: Stop) -> tuple[str]:
    return ("failed" if stop.status == "timed out" else stop.status,)


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
