"""The SSH transport: real machines and the lab."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from reaffirm.clock import Clock, WallClock
from reaffirm.errors import NetworkError, NodeTimeoutError
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest
from reaffirm.model.node import Machines, NodeSpec
from reaffirm.nodes import ssh_http
from reaffirm.nodes.command_stream import CommandStream, timed_out
from reaffirm.nodes.lab_marker import LAB_MARKER, kind_by_marker
from reaffirm.nodes.loop_thread import LoopThread
from reaffirm.nodes.ssh_commands import RemoteCommand, end_all
from reaffirm.nodes.ssh_connections import CONNECT_SECONDS, LOGIN_SECONDS, Connections, connect_all
from reaffirm.nodes.transport import LineStream

# What ending a command and opening connections may take on top of a request's own limit (seconds).
_SPARE = 2 * (CONNECT_SECONDS + LOGIN_SECONDS) + 15

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
        marker = self.run(["cat", LAB_MARKER], timeout=20)
        self._kind = kind_by_marker(marker.stdout if marker.ok else "")

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
        return CommandStream(self._shared.thread, command, self._clock, timeout)

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
            raise timed_out(command, self._node.name, timeout) from error
        except asyncio.CancelledError:
            if command is not None:
                self._shared.thread.background(command.end())
            raise
        return Answer(status, out, err, started, max(started, self._clock.now()))

    async def _http(self, request: HttpRequest, timeout: float) -> HttpAnswer:
        link = await self._shared.connections.link(self._node)
        return await ssh_http.ask(link, self._clock, request, timeout)
