"""What stops a cell from outside: its time is up, Ctrl-C, SIGTERM, a lost terminal.

First the cell is interrupted, so that it can tidy up. When its time for that is up as well, or somebody
insists, its process is killed.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from reaffirm.run.worker_process import Worker


@dataclass
class Stop:
    """Why a cell is being stopped: ``status`` is what its cell will say. ``number`` is that of a signal."""

    status: str
    why: str
    number: int | None = None


class Stopping:
    """Stops the cell that runs. ``grace``: seconds that an interrupted cell has."""

    def __init__(self, worker: Worker, grace: float) -> None:
        self.now: Stop | None = None
        self.signals_seen = 0
        self.wake = -1
        self.kill_at: float | None = None
        self._untold = ""
        self._worker = worker
        self._grace = grace
        self._hears = False

    def cell_is_sent(self) -> None:
        """A cell is on its way to the worker, which hears nothing before it begins."""
        self._hears = False
        self.kill_at = None

    def cell_begins(self) -> None:
        """The cell has begun; what stopped it before that is told now."""
        self._hears = True
        if self.now is not None:
            self._worker.interrupt()

    def begin(self, stop: Stop) -> None:
        """Interrupt the cell; a second time kill its process."""
        if self.now is None:
            self.now = stop
            self.kill_at = time.monotonic() + self._grace
            if stop.number is not None:
                second = "a second Ctrl-C" if stop.number == signal.SIGINT else "a second signal"
                self._untold = (
                    f"{stop.why} was heard: the cell has {self._grace:g} s to tidy up; {second} kills it"
                )
            if self._hears:
                self._worker.interrupt()
        elif stop.number is not None:
            self._worker.kill()

    def tell(self) -> None:
        """Say that a signal was heard; not from its handler, which may stand in the midst of a write."""
        if self._untold:
            text, self._untold = self._untold, ""
            with suppress(OSError, ValueError):
                sys.stderr.write(f"\n{text}\n" if sys.stderr.isatty() else f"{text}\n")
                sys.stderr.flush()

    def kill_if_late(self) -> None:
        """Kill the process of a cell that did not end in its time after it was interrupted."""
        if self.kill_at is not None and time.monotonic() >= self.kill_at:
            self._worker.kill()
            self.kill_at = None

    def forget(self) -> None:
        """A cell that runs all the same has time of its own."""
        self.now = None
        self.kill_at = None

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Turn signals into the interruption of the cell; whoever handles one already goes on doing so."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        self.wake, writes = os.pipe()
        for end in (self.wake, writes):
            os.set_blocking(end, False)

        def stop(number: int, _frame: object) -> None:
            name = "Ctrl-C" if number == signal.SIGINT else f"signal {signal.Signals(number).name}"
            self.signals_seen += 1
            self.begin(Stop("interrupted", name, number))
            with suppress(OSError):
                os.write(writes, b"x")

        before = {}
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            handler = signal.getsignal(number)
            ours = getattr(handler, "unwinds", False)  # it would leave the cell no time to tidy up
            if ours or handler in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, stop)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(self.wake)
            os.close(writes)
            self.wake = -1
