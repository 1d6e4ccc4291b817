"""How far a run is, on a terminal and in a log.

One line for each cell of code as it ends, and how its step did. On a terminal also a live line for the one
that runs; without one a line every minute of a long cell, so that a log shows that it is still alive.
"""

import os
import shutil
import sys
import time
from dataclasses import dataclass
from typing import TextIO

_HEARTBEAT = 60.0


@dataclass(frozen=True)
class Progress:
    """How far a run is. ``cell`` counts from 1; ``status`` is that of this cell, ``code`` whether it is
    one of code that the source has.

    ``outcome`` is that of the step of the cell that ended worst, else empty; ``seconds`` are those of the
    cell so far. ``step`` is the id that the cell gives itself, else empty.
    """

    cell: int
    of: int
    heading: str
    status: str
    code: bool
    seconds: float | None
    outcome: str = ""
    step: str = ""

    @property
    def title(self) -> str:
        """What the cell is called: its heading, and its own id where it has one."""
        return " · ".join(word for word in (self.heading, self.step) if word)


class Lines:
    """Tells of progress, line by line, on standard error."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._told: tuple[int, str] | None = None
        self._last = time.monotonic()

    def __call__(self, progress: Progress | None) -> None:
        """Tell of one change, or of another second."""
        if progress is None or not progress.code:
            return
        place = f"{progress.cell:>3}/{progress.of}"
        if progress.status == "running":
            self._running(place, progress)
            return
        if self._told == (progress.cell, progress.status):
            return
        self._told = (progress.cell, progress.status)
        mark = {"completed": progress.outcome or "ok", "failed": "FAILED"}.get(
            progress.status, progress.status
        )
        self._line(f"{place}  {mark}  {progress.title}  {progress.seconds or 0:.1f} s")

    def _running(self, place: str, progress: Progress) -> None:
        seconds = progress.seconds or 0
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            text = f"{place}  …  {progress.title}" + (f"  {seconds:.0f} s" if seconds >= 1 else "")
            self._write(f"{text[:width].ljust(width)}\r")
        elif time.monotonic() - self._last >= _HEARTBEAT:
            self._line(f"{place}  still running  {progress.title}  {seconds:.0f} s")

    def _line(self, text: str) -> None:
        self._last = time.monotonic()
        if self._live:
            text = text.ljust(shutil.get_terminal_size().columns - 1)
        self._write(f"{text}\n")

    def _write(self, text: str) -> None:
        """A closed terminal is no reason to fail."""
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            return
