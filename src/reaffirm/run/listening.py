"""Listens to a worker while a cell runs: what it writes, what it shows, what it asks."""

import os
import select
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from reaffirm.redact import mark, remember, warming
from reaffirm.run.capture import JOIN_SECONDS, Capture
from reaffirm.run.channel import Message
from reaffirm.run.journal import Journal
from reaffirm.run.stopping import Stop, Stopping
from reaffirm.run.worker_process import PIPE_BYTES, Worker

#: Answers a question of a step, unless the run is being stopped, which the function that it gets tells.
Asker = Callable[[str, Callable[[], bool]], str | None]

#: Seconds between two looks at the clock.
TICK = 1.0
_PIECE = 1 << 18
#: Pieces of output between two cells that are kept for the next one.
_BETWEEN = 16


class Listening:
    """The runner's ear. ``gone``: the worker has closed its line, or died."""

    def __init__(self, worker: Worker, journal: Journal, stopping: Stopping, asker: Asker | None) -> None:
        self.gone = False
        self.error: Message | None = None
        self.capture: Capture | None = None
        self.began: float | None = None
        self._worker = worker
        self._journal = journal
        self._stopping = stopping
        self._asker = asker
        self._closed: set[int] = set()
        self._between: list[tuple[str, bytes]] = []
        self._done: Message | None = None
        self._idle = warming()

    def begin(self, capture: Capture) -> None:
        """A cell is about to be sent."""
        self.capture, self.error, self.began, self._done = capture, None, None, None
        between, self._between = self._between, []
        for stream, data in between:  # a thread of the cells before went on
            capture.feed(stream, data)

    def until_done(self, index: int, limit: float | None, changed: Callable[[], None]) -> Message | None:
        """Wait for the end of a cell; ``None`` when the worker ended before it.

        ``limit`` is in seconds. ``changed`` is called about every second.
        """
        shown = time.monotonic()
        while self._done is None and not self.gone:
            at = time.monotonic()
            late = limit is not None and self.began is not None and at - self.began >= limit
            if late and self._stopping.now is None:
                why = f"the cell did not end within its time limit of {limit:g} s"
                self._stopping.begin(Stop("timed out", why))
            if self._journal.failed and self._stopping.now is None:
                self._stopping.begin(Stop("failed", self._journal.failed))
            self._stopping.kill_if_late()
            if at - shown >= TICK:
                shown = at
                changed()
            self.look(self._patience(at, limit), index)
        self.drain()
        return self._done

    def _patience(self, at: float, limit: float | None) -> float:
        waits = [JOIN_SECONDS if self.capture and self.capture.waiting else TICK]
        if limit is not None and self.began is not None and self._stopping.now is None:
            waits.append(self.began + limit - at)
        if self._stopping.kill_at is not None:
            waits.append(self._stopping.kill_at - at)
        return max(min(waits), 0)

    def look(self, seconds: float, index: int | None) -> None:
        """Wait for what comes next on any line and take it. Without ``index`` no cell runs."""
        watched: list[Any] = [self._worker.line, self._worker.out, self._worker.err, self._stopping.wake]
        watched = [w for w in watched if w != -1 and w not in self._closed]
        ready = self._ready(watched, seconds)
        if self._stopping.wake in ready:
            with suppress(BlockingIOError):
                os.read(self._stopping.wake, 4096)
            if index is not None:
                self._stopping.tell()
        if not ready and self.capture is not None:
            self.capture.settle() if seconds >= TICK else self.capture.flush()
        read = self._read_pipes(ready)
        if self._worker.line not in ready:
            if read and len(ready) == read:
                time.sleep(0.001)  # more of it is coming: fewer, longer pieces
            return
        messages = self._worker.received()
        if messages is None:
            self.gone = True
            return
        for message in messages:
            self.drain()
            self._take(message, index)

    def _ready(self, watched: Sequence[Any], seconds: float) -> Sequence[Any]:
        """Wait for the first line on which something comes. Until then, do what will be needed later."""
        until = time.monotonic() + seconds
        while not (ready := select.select(watched, [], [], 0)[0]):
            left = until - time.monotonic()
            if left <= 0 or next(self._idle, None) is None:
                return select.select(watched, [], [], max(left, 0))[0]
        return ready

    def _read_pipes(self, ready: Sequence[Any]) -> int:
        read = 0
        for stream, descriptor in (("stdout", self._worker.out), ("stderr", self._worker.err)):
            if descriptor in ready:
                read += 1
                self._read(stream, descriptor)
        return read

    def drain(self) -> None:
        """Read all that was in the two pipes a moment ago; a program in the background may never stop."""
        for stream, descriptor in (("stdout", self._worker.out), ("stderr", self._worker.err)):
            left = PIPE_BYTES
            while left > 0 and (read := self._read(stream, descriptor)):
                left -= read

    def _read(self, stream: str, descriptor: int) -> int:
        if descriptor in self._closed:
            return 0
        try:
            data = os.read(descriptor, _PIECE)
        except BlockingIOError:
            return 0
        if not data:
            self._closed.add(descriptor)  # the worker closed it, or is gone; its line will say
        elif self.capture is not None:
            self.capture.feed(stream, data)
        elif len(self._between) < _BETWEEN:
            self._between.append((stream, data))
        return len(data)

    def _take(self, message: Message, index: int | None) -> None:
        """Write down what the worker tells of a cell, and answer it."""
        op, request = message["op"], message.pop("request", None)
        value = None
        match op:
            case "done":
                self._done = message | {"request": request}
                return  # answered once it is in the journal
            case "began":
                self.began = time.monotonic()  # the worker had things to load before
                self._stopping.cell_begins()
            case "display" | "update" | "result" | "error" | "clear" if index is not None:
                self._shown(message, index)
            case "secrets":  # it learnt them from a machine file, for example; they stay in memory
                remember(message["values"])
                mark(message["names"], message["patterns"])
            case "ask":
                value = self._asked(str(message["question"]))
        if request is not None:
            self._worker.send({"answers": request, "value": value})

    def _shown(self, message: Message, index: int) -> None:
        if self.capture is not None:
            self.capture.settle()
            if "data" in message:
                message = self.capture.bounded(message)
        if message["op"] == "error":
            stop = self._stopping.now
            if stop is not None and message["ename"] == "KeyboardInterrupt" and not message["evalue"]:
                message |= {"evalue": stop.why}  # by itself it does not say who interrupted the cell
            self.error = message
        self._journal.redacted({**message, "cell": index})

    def _asked(self, question: str) -> str | None:
        """Put a question to the person; the time that they take does not count as the cell's."""
        if self._asker is None or self._stopping.now is not None:
            return None
        at = time.monotonic()
        try:
            return self._asker(question, lambda: self._stopping.now is not None)
        except EOFError:
            return None
        finally:
            if self.began is not None:
                self.began += time.monotonic() - at

    def farewell(self, seconds: float) -> None:
        """Let the worker do what was registered for its end, and end."""
        if self.gone:
            return
        self._worker.send({"do": "finish"})
        until = time.monotonic() + seconds
        while not self.gone and time.monotonic() < until and self._stopping.signals_seen < 2:
            self.look(min(TICK, max(until - time.monotonic(), 0)), None)
        self._worker.wait(1)
        for stream, data in self._between:
            text = data.decode("utf-8", "replace")
            self._journal.redacted({"op": "after", "stream": stream, "text": text})
