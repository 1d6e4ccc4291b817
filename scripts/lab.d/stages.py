"""Progress for people: one line per stage with its seconds; and the lock that keeps two `up` apart."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager

from obstacles import CannotRunError
from places import LOCK


class Stage:
    """What a stage has to say for itself when it is over."""

    def __init__(self) -> None:
        self.said = "done"

    def say(self, text: str) -> None:
        """Replace the word at the end of the stage's line."""
        self.said = text


@contextmanager
def stage(name: str) -> Iterator[Stage]:
    """Print `name`, and when the block is over what it said and the seconds it took.

    Ctrl-C goes on with the name of the stage, for who tells the user.
    """
    print(f"{name:<28}", end=" ", flush=True)
    begun, this = time.monotonic(), Stage()
    try:
        yield this
    except KeyboardInterrupt as stop:
        print(f"INTERRUPTED {time.monotonic() - begun:6.1f} s", flush=True)
        stop.args = (name,)
        raise
    except BaseException:
        print(f"FAILED {time.monotonic() - begun:6.1f} s", flush=True)
        raise
    print(f"{time.monotonic() - begun:6.1f} s  {this.said}", flush=True)


@contextmanager
def alone(seconds: float = 5) -> Iterator[None]:
    """Hold the lab's lock; give up after `seconds` with the name `busy`."""
    with LOCK.open("w") as file:
        end = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    seen = f"another `scripts/lab` holds {LOCK}"
                    raise CannotRunError("busy", seen, "Wait until it is done, then try again.") from None
                time.sleep(0.2)
        yield
