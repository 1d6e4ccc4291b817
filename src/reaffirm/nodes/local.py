"""The local transport: the machine that this runs on, without SSH and without a shell."""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import httpcore

from reaffirm.clock import Clock, WallClock
from reaffirm.errors import NetworkError, NodeTimeoutError
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest, Line
from reaffirm.model.node import NodeSpec
from reaffirm.nodes.command_stream import CommandStream, timed_out
from reaffirm.nodes.http_reading import ByteStream, Reading
from reaffirm.nodes.http_request import check_request
from reaffirm.nodes.lab_marker import LAB_MARKER, kind_by_marker
from reaffirm.nodes.local_commands import LocalCommand, NotStartedError
from reaffirm.nodes.loop_thread import LoopThread
from reaffirm.nodes.transport import LineStream

#: What starting and ending a command may take on top of its own limit (seconds).
_SPARE = 15.0

_T = TypeVar("_T")


class LocalTransport:
    """This machine; see :class:`reaffirm.nodes.transport.Transport`.

    Commands run in the folder that was the working directory when it was opened: the root of the project.
    """

    via = Via.LIVE

    def __init__(self, node: NodeSpec) -> None:
        self._node = node
        self._clock = WallClock()
        self._folder = Path.cwd()
        self._thread = LoopThread()
        self._running: set[LocalCommand] = set()
        # A host of the lab stays one when somebody runs a runbook on it.
        marker = Path(LAB_MARKER)
        self._kind = kind_by_marker(marker.read_text(encoding="utf-8") if marker.is_file() else "")

    @property
    def node(self) -> NodeSpec:
        """The node this talks to."""
        return self._node

    @property
    def kind(self) -> Kind:
        """``real``, or ``lab`` where this machine carries the lab's marker."""
        return self._kind

    @property
    def clock(self) -> Clock:
        """The wall."""
        return self._clock

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        """Run one command to its end; the protocol tells the errors."""
        return self._call(self._run(tuple(argv), stdin, timeout), timeout)

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> LineStream:
        """Start a command and read its lines as they come, for at most ``timeout`` seconds."""
        try:
            command = self._call(self._start(tuple(argv), None, merged=True), 0)
        except NotStartedError as refused:
            return _Refused(str(refused), refused.status, self._clock.now())
        return CommandStream(self._thread, command, self._clock, timeout)

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        """Send one HTTP request from this machine."""
        check_request(request)
        return self._call(self._http(request, timeout), timeout)

    def close(self) -> None:
        """Let go; commands that still run are ended."""
        if not self._thread.closed:
            with suppress(TimeoutError):
                self._thread.call(self._end_all(), _SPARE)
            self._thread.close()

    def _call(self, work: Coroutine[Any, Any, _T], timeout: float) -> _T:
        if self._thread.closed:
            work.close()
            msg = "the cluster was closed"
            raise NetworkError(msg, node=self._node.name, hint="connect again")
        try:
            return self._thread.call(work, timeout + _SPARE)
        except TimeoutError as error:
            msg = f"{self._node.name}: no answer at all within {timeout + _SPARE:g} s"
            raise NodeTimeoutError(msg, node=self._node.name, hint="look at this machine's load") from error

    async def _start(self, argv: Sequence[str], stdin: str | None, *, merged: bool = False) -> LocalCommand:
        command = await LocalCommand.start(self._node.name, argv, self._folder, stdin=stdin, merged=merged)
        self._running = {one for one in self._running if one.process.poll() is None} | {command}
        return command

    async def _run(self, argv: Sequence[str], stdin: str | None, timeout: float) -> Answer:
        started = self._clock.now()
        command: LocalCommand | None = None
        try:
            async with asyncio.timeout(timeout):
                command = await self._start(argv, stdin)
                status, out, err = await command.collect()
        except NotStartedError as refused:
            status, out, err = refused.status, "", f"{refused}\n"
        except TimeoutError as error:
            if command is not None:
                await command.end()
            raise timed_out(command, self._node.name, timeout) from error
        except asyncio.CancelledError:
            if command is not None:
                self._thread.background(command.end())
            raise
        return Answer(status, out, err, started, max(started, self._clock.now()))

    async def _http(self, request: HttpRequest, timeout: float) -> HttpAnswer:
        started = self._clock.now()
        reading = Reading(self._clock)
        error = ""
        try:
            async with asyncio.timeout(timeout):
                await reading.read(_Backend(), request)
        except TimeoutError:
            error = f"no end within {timeout:g} s" if reading.status else f"no answer within {timeout:g} s"
        except httpcore.ConnectError as refused:
            error = str(refused)
        except (httpcore.NetworkError, httpcore.ProtocolError, OSError) as broken:
            error = f"broken off: {broken or type(broken).__name__}"
        ended = max(started, self._clock.now())
        chunks = tuple(reading.chunks)
        return HttpAnswer(reading.status, reading.headers, chunks, started, ended, error or reading.cut)

    async def _end_all(self) -> None:
        await asyncio.gather(*(one.end() for one in self._running if one.process.poll() is None))
        await self._thread.settle(5)


class _Refused:
    """The stream of a command that does not exist here."""

    def __init__(self, why: str, status: int, at: float) -> None:
        self._lines = [Line(why, at)]
        self._status = status

    @property
    def exit(self) -> int | None:
        return None if self._lines else self._status

    def read(self, seconds: float) -> list[Line]:
        lines, self._lines = self._lines, []
        return lines

    def close(self) -> None:
        """There is nothing to end."""


class _Backend(httpcore.AsyncNetworkBackend):
    """Opens TCP connections from this machine."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            reader, writer = await asyncio.open_connection(host, port)
        except OSError as error:
            # asyncio: "[Errno 111] Connect call failed ('127.0.0.1', 9)"
            why = "connection refused" if isinstance(error, ConnectionRefusedError) else str(error)
            msg = f"{host}:{port}: {why}"
            raise httpcore.ConnectError(msg) from error
        return ByteStream(reader, writer, (OSError,))
