"""Lines of a running command, gathered in the background with the node's time of arrival."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from reaffirm.clock import Clock
from reaffirm.errors import NetworkError, NodeError, NodeTimeoutError
from reaffirm.model.exchange import Line
from reaffirm.nodes.loop_thread import CTRL_C_SECONDS, LoopThread

#: Lines of a followed log that wait to be read before the log has to wait (lines).
_MOST_LINES = 200_000
#: A longer line is cut into pieces (bytes).
_LONGEST_LINE = 1_000_000


class Command(Protocol):
    """A command that was started somewhere. ``doing`` is what it is, as people read it."""

    @property
    def node(self) -> str:
        """The name of the node."""
        ...

    @property
    def doing(self) -> str:
        """The command line."""
        ...

    @property
    def lost(self) -> bool:
        """Whether nobody can tell if it still runs."""
        ...

    async def part(self) -> bytes:
        """Return more of the output (both streams in one), nothing at its end or when it was lost."""
        ...

    async def status(self) -> int:
        """Return the exit status once all output was read; raises NodeError when nobody knows it."""
        ...

    async def end(self) -> None:
        """End the command and what it started. Ending twice is harmless."""
        ...


def timed_out(command: Command | None, node: str, timeout: float) -> NodeTimeoutError:
    """Return the error for a command that took too long."""
    if command is None:
        msg = f"{node} did not start the command within {timeout:g} s"
        return NodeTimeoutError(msg, node=node, hint="look at the machine's load, then try again")
    if command.lost:
        msg = (
            f"{command.doing} on {node} did not end within {timeout:g} s, and the connection answers nothing"
        )
        hint = (
            "look whether the machine hangs; the command may still run there, and is ended when we are back"
        )
        return NodeTimeoutError(msg, node=node, hint=hint)
    msg = f"{command.doing} on {node} did not end within {timeout:g} s and was ended there"
    return NodeTimeoutError(
        msg, node=node, hint="give it more time, or look on the machine what it waits for"
    )


class CommandStream:
    """See :class:`reaffirm.nodes.transport.LineStream`."""

    def __init__(self, thread: LoopThread, command: Command, clock: Clock, timeout: float) -> None:
        self._thread = thread
        self._command = command
        self._clock = clock
        self._timeout = timeout
        self._news = threading.Condition()
        self._lines: deque[Line] = deque()
        self._last = 0.0
        self._exit: int | None = None
        self._error: NodeError | None = None
        self._over = False
        self._closing = False
        thread.start(self._pump())

    @property
    def exit(self) -> int | None:
        """The exit status once the command has ended and all its lines were read."""
        with self._news:
            return None if self._lines else self._exit

    def read(self, seconds: float) -> list[Line]:
        """Return the lines that have come; the Protocol tells the rest."""
        with self._news:
            if seconds > 0:
                end = time.monotonic() + seconds
                while not (self._lines or self._over) and (left := end - time.monotonic()) > 0:
                    self._news.wait(min(left, CTRL_C_SECONDS))
            lines = list(self._lines)
            self._lines.clear()
            if not lines and self._error is not None:
                raise self._error
            return lines

    def close(self) -> None:
        """Stop following and end the command."""
        if self._closing:
            return
        self._closing = True
        if not self._thread.closed:
            with suppress(NodeError, TimeoutError):
                self._thread.call(self._command.end(), 15)

    async def _pump(self) -> None:
        status: int | None = None
        error: NodeError | None = None
        try:
            async with asyncio.timeout(self._timeout):
                await self._gather()
                status = await self._command.status()
        except TimeoutError:
            await self._command.end()
            error = timed_out(self._command, self._command.node, self._timeout)
        except NodeError as lost:
            error = lost
        except asyncio.CancelledError:
            error = NetworkError("the cluster was closed", hint="connect again")
            raise
        finally:
            with self._news:
                self._exit, self._error, self._over = status, error, True
                self._news.notify_all()

    async def _gather(self) -> None:
        rest = b""
        while part := await self._command.part():
            *whole, rest = (rest + part).split(b"\n")
            if len(rest) > _LONGEST_LINE:
                whole, rest = [*whole, rest], b""
            self._arrived(whole)
            while len(self._lines) > _MOST_LINES and not self._closing:
                await asyncio.sleep(0.05)
        if rest:
            self._arrived([rest])

    def _arrived(self, lines: Sequence[bytes]) -> None:
        if not lines:
            return
        with self._news:
            self._last = max(self._last, self._clock.now())
            self._lines.extend(
                Line(line.decode("utf-8", "replace").rstrip("\r"), self._last) for line in lines
            )
            self._news.notify_all()
