"""Clocks: the wall for live nodes, a virtual one for simulated nodes and replay."""

import time
from typing import Protocol


class Clock(Protocol):
    """What a node says the time is. Seconds since 1970-01-01 UTC."""

    def now(self) -> float:
        """Return the node's time in seconds since the epoch."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let ``seconds`` pass on the node."""
        ...


# Goes on while a laptop sleeps, and never goes back; only Linux has it.
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class WallClock:
    """The real time, shifted by the node's offset so that it is the node's own (seconds).

    It is looked up once; from then on it goes on steadily. A clock that is set while a run waits (by hand, by
    NTP, at a leap second) neither lengthens a wait nor gives a step a time below zero.
    """

    def __init__(self, offset: float = 0.0) -> None:
        self.offset = offset
        self._began = time.time() - time.clock_gettime(_STEADY)

    def now(self) -> float:
        """Return the node's time in seconds since the epoch."""
        return self._began + time.clock_gettime(_STEADY) + self.offset

    def sleep(self, seconds: float) -> None:
        """Sleep for real."""
        if seconds > 0:
            time.sleep(seconds)


class VirtualClock:
    """A clock that only moves when somebody sleeps: ten minutes take no time, twice the same."""

    def __init__(self, start: float) -> None:
        self._now = start

    def now(self) -> float:
        """Return the virtual time in seconds since the epoch."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move the clock forward."""
        if seconds > 0:
            self._now = round(self._now + seconds, 6)

    def set(self, now: float) -> None:
        """Put the clock at a recorded time."""
        self._now = now
