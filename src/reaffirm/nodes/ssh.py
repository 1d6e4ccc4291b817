"""The SSH transport: real machines and the lab."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from reaffirm.clock import Clock, WallClock
from reaffirm.errors import NetworkError, NodeError, NodeTimeoutError
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest, Line
from reaffirm.model.node import Machines, NodeSpec
from reaffirm.nodes import ssh_http
from reaffirm.nodes.ssh_commands import RemoteCommand, end_all
from reaffirm.nodes.ssh_connections import CONNECT_SECONDS, LOGIN_SECONDS, Connections, connect_all
from reaffirm.nodes.ssh_thread import CTRL_C_SECONDS, LoopThread
from reaffirm.nodes.transport import LineStream

#: The file that ``scripts/lab`` puts on its hosts. A machine without it is a real one.
LAB_MARKER = "/etc/reaffirm-lab"
# What ending a command and opening connections may take on top of a request's own limit (seconds).
_SPARE = 2 * (CONNECT_SECONDS + LOGIN_SECONDS) + 15
#: Lines of a followed log that wait to be read before the log has to wait (lines).
_MOST_LINES = 200_000
#: A longer line is cut into pieces (bytes).
_LONGEST_LINE = 1_000_000

_T = TypeVar("_T")


def open_nodes(machines: Machines) -> Mapping[str, "SshTransport"]:
    """Connect to every machine and return one transport each, by name.

    Raises:
        NetworkError: a machine cannot be reached.
        AuthenticationError: it does not take our key, or its host key is not the known one.
        MachineFileError: the ssh config cannot be used.
    """
    shared = _Shared(machines)
    try:
        shared.call(connect_all(shared.connections, machines.nodes), _SPARE)
        transports = {node.name: SshTransport(node, shared) for node in machines.nodes}
        for transport in transports.values():
            transport.look()
    except BaseException:
        shared.close()
        raise
    shared.users = set(transports)
    return transports


class _Shared:
    """The thread and the connections that the nodes of one cluster share."""

    def __init__(self, machines: Machines) -> None:
        self.connections = Connections(machines)
        self.thread = LoopThread()
        self.users: set[str] = set()

    def call(self, work: Coroutine[Any, Any, _T], seconds: float) -> _T:
        if self.thread.closed:
            work.close()
            msg = "the cluster was closed"
            raise NetworkError(msg, hint="connect again")
        return self.thread.call(work, seconds)

    def release(self, node: str) -> None:
        self.users.discard(node)
        if not self.users:
            self.close()

    async def _end_all(self) -> None:
        await asyncio.gather(*(end_all(link) for link in self.connections.links))
        await self.thread.settle(5)

    def close(self) -> None:
        if not self.thread.closed:
            with suppress(TimeoutError):
                self.thread.call(self._end_all(), 15)
            with suppress(TimeoutError):
                self.thread.call(self.connections.close(), 10)
            self.thread.close()


class SshTransport:
    """One machine behind SSH; see :class:`reaffirm.nodes.transport.Transport`.

    ``round_trip`` is how long one command took there and back at the beginning (seconds): the
    node's clock is known to half of it.
    """

    via = Via.LIVE

    def __init__(self, node: NodeSpec, shared: _Shared) -> None:
        self._node = node
        self._shared = shared
        self._clock = WallClock()
        self._kind: Kind = Kind.REAL
        self.round_trip = 0.0

    @property
    def node(self) -> NodeSpec:
        """The node this talks to."""
        return self._node

    @property
    def kind(self) -> Kind:
        """``lab`` where the machine carries the lab's marker, else ``real``."""
        return self._kind

    @property
    def clock(self) -> Clock:
        """The node's clock: ours, shifted by what the node said at the beginning."""
        return self._clock

    def look(self) -> None:
        """Ask the machine for its time and for the lab's marker."""
        self.round_trip, offset = min(self._ask_time() for _ in range(3))
        # Within half a round trip nobody can tell the two clocks apart.
        self._clock.offset = offset if abs(offset) > self.round_trip / 2 else 0.0
        marked = self.run(["cat", LAB_MARKER], timeout=20).ok
        self._kind = Kind.LAB if marked else Kind.REAL

    def _ask_time(self) -> tuple[float, float]:
        """Return one round trip and how far the node's clock is ahead of ours (seconds)."""
        before = WallClock().now()
        answer = self.run(["date", "+%s.%N"], timeout=20)
        after = WallClock().now()
        try:
            said = float(answer.stdout.strip().removesuffix(".N"))
        except ValueError:
            said = (before + after) / 2
        return after - before, said - (before + after) / 2

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        """Run one command to its end; the protocol tells the errors."""
        return self._call(self._run(tuple(argv), stdin, timeout), timeout)

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> LineStream:
        """Start a command and read its lines as they come, for at most ``timeout`` seconds."""
        command = self._call(self._start(tuple(argv)), 0)
        return _SshStream(self._shared, command, self._clock, timeout)

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        """Send one HTTP request from the node, through the SSH connection."""
        return self._call(self._http(request, timeout), timeout)

    def close(self) -> None:
        """Let go of the machine; commands that still run there are ended."""
        self._shared.release(self._node.name)

    def _call(self, work: Coroutine[Any, Any, _T], timeout: float) -> _T:
        try:
            return self._shared.call(work, timeout + _SPARE)
        except TimeoutError as error:
            msg = f"{self._node.name}: no answer at all within {timeout + _SPARE:g} s"
            raise NodeTimeoutError(
                msg, node=self._node.name, hint="look whether the machine hangs"
            ) from error

    async def _start(self, argv: Sequence[str]) -> RemoteCommand:
        link = await self._shared.connections.link(self._node)
        return await asyncio.wait_for(RemoteCommand.start(link, argv, merged=True), CONNECT_SECONDS)

    async def _run(self, argv: Sequence[str], stdin: str | None, timeout: float) -> Answer:
        link = await self._shared.connections.link(self._node)
        started = self._clock.now()
        command: RemoteCommand | None = None
        try:
            async with asyncio.timeout(timeout):
                command = await RemoteCommand.start(link, argv)
                status, out, err = await command.collect(stdin)
        except TimeoutError as error:
            if command is not None:
                await command.end()
            raise timed_out(self._node.name, command, timeout) from error
        except asyncio.CancelledError:
            if command is not None:
                self._shared.thread.background(command.end())
            raise
        return Answer(status, out, err, started, max(started, self._clock.now()))

    async def _http(self, request: HttpRequest, timeout: float) -> HttpAnswer:
        link = await self._shared.connections.link(self._node)
        return await ssh_http.ask(link, self._clock, request, timeout)


def timed_out(node: str, command: RemoteCommand | None, timeout: float) -> NodeTimeoutError:
    """Return the error for a command that took too long."""
    if command is None:
        msg = f"{node} did not start the command within {timeout:g} s"
        return NodeTimeoutError(msg, node=node, hint="look at the machine's load, then try again")
    msg = f"{command.doing} on {node} did not end within {timeout:g} s and was ended there"
    return NodeTimeoutError(
        msg, node=node, hint="give it more time, or look on the machine what it waits for"
    )


class _SshStream:
    """Lines of a command, gathered in the background with the node's time of arrival."""

    def __init__(self, shared: _Shared, command: RemoteCommand, clock: Clock, timeout: float) -> None:
        self._shared = shared
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
        shared.thread.start(self._pump())

    @property
    def exit(self) -> int | None:
        with self._news:
            return None if self._lines else self._exit

    def read(self, seconds: float) -> list[Line]:
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
        if self._closing:
            return
        self._closing = True
        with suppress(NodeError, TimeoutError):
            self._shared.call(self._command.end(), 15)

    async def _pump(self) -> None:
        status: int | None = None
        error: NodeError | None = None
        try:
            async with asyncio.timeout(self._timeout):
                await self._gather()
                status = await self._command.status()
        except TimeoutError:
            await self._command.end()
            error = timed_out(self._command.link.target.node, self._command, self._timeout)
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
        while part := await self._part():
            *whole, rest = (rest + part).split(b"\n")
            if len(rest) > _LONGEST_LINE:
                whole, rest = [*whole, rest], b""
            self._arrived(whole)
            while len(self._lines) > _MOST_LINES and not self._closing:
                await asyncio.sleep(0.05)
        if rest:
            self._arrived([rest])

    async def _part(self) -> bytes:
        try:
            return await self._command.process.stdout.read(65536)
        except Exception:  # the missing exit status will tell
            return b""

    def _arrived(self, lines: Sequence[bytes]) -> None:
        if not lines:
            return
        with self._news:
            self._last = max(self._last, self._clock.now())
            self._lines.extend(
                Line(line.decode("utf-8", "replace").rstrip("\r"), self._last) for line in lines
            )
            self._news.notify_all()
