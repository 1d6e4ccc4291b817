"""The transport to a simulated node: the one Protocol, answered by the state of the world."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reaffirm.clock import Clock
from reaffirm.errors import AuthenticationError, NetworkError, NodeTimeoutError
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest, Line
from reaffirm.model.node import NodeSpec
from reaffirm.nodes.simulated.container import Container
from reaffirm.nodes.simulated.docker_cli import Docker
from reaffirm.nodes.simulated.docker_run import DockerError
from reaffirm.nodes.simulated.docker_templates import log_text
from reaffirm.nodes.simulated.http_server import request as http_request
from reaffirm.nodes.simulated.machine import SimulatedNode
from reaffirm.nodes.simulated.node_programs import run_program
from reaffirm.nodes.simulated.shell import Output, answer

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World


class SimulatedTransport:
    """Talks to one node of a :class:`World`. See ``reaffirm.nodes.transport.Transport``."""

    kind = Kind.SIMULATED
    via = Via.LIVE

    def __init__(self, world: "World", node: SimulatedNode) -> None:
        self._world = world
        self._node = node

    @property
    def node(self) -> NodeSpec:
        """The node this talks to."""
        return self._node.spec

    @property
    def clock(self) -> Clock:
        """The clock that all nodes of the world share."""
        return self._world.clock

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        """Run one command to its end; see the Protocol."""
        from reaffirm.nodes.simulated.world import Asked

        self._there()
        words = tuple(str(word) for word in argv)
        started = self._world.clock.now()
        spend = _Budget(self._world, self._node, words, started + timeout)
        asked = len(self._world.requests)
        self._world.requests.append(Asked(self._node.name, words, started, None, stdin))
        output = self._answer(words, stdin, spend)
        spend(self._world.durations["command"])
        self._world.requests[asked] = Asked(self._node.name, words, started, output.exit, stdin)
        return Answer(output.exit, output.stdout, output.stderr, started, self._world.clock.now())

    def _answer(self, words: tuple[str, ...], stdin: str | None, spend: "_Budget") -> Output:
        world, node = self._world, self._node
        match words:
            case []:
                return Output(0)
            case ["docker", *rest]:
                return Docker(world, node, spend).answer(rest, stdin)
            case ["python3", "-", *rest]:
                program = next((name for name, text in world.programs.items() if text == stdin), "")
                return run_program(world, node, program, rest)
            case ["sleep", seconds]:
                spend(float(seconds))
                return Output(0)
            case _:
                return answer(world, node, words, stdin)

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> "SimulatedStream":
        """Start a command and read its lines as they come; see the Protocol."""
        from reaffirm.nodes.simulated.world import Asked

        self._there()
        words = tuple(str(word) for word in argv)
        now = self._world.clock.now()
        if words[:2] == ("docker", "logs") and any(
            word in ("-f", "--follow", "-ft", "-tf") for word in words
        ):
            docker = Docker(self._world, self._node, lambda _: None)
            self._world.requests.append(Asked(self._node.name, words, now, None))
            try:
                lines, name, _, stamps = docker.log_request(words[2:])
            except DockerError as error:
                output = Output(error.exit_status, "", error.text + "\n")
                return SimulatedStream(self._world, self._node, timeout, output=output)
            container = docker.find(name)
            skipped = len(container.logs) - len(lines)
            return SimulatedStream(
                self._world, self._node, timeout, container=container, stamps=stamps, position=skipped
            )
        if words[:1] == ("sleep",) and len(words) == 2:
            self._world.requests.append(Asked(self._node.name, words, now, None))
            over = now + float(words[1])
            return SimulatedStream(self._world, self._node, timeout, output=Output(0), over=over)
        told = self.run(words, timeout=timeout)
        return SimulatedStream(
            self._world, self._node, timeout, output=Output(told.exit, told.stdout, told.stderr)
        )

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        """Send one HTTP request from the node; see the Protocol."""
        from reaffirm.nodes.simulated.world import Asked

        self._there()
        started = self._world.clock.now()
        told = http_request(self._world, self._node, request, timeout)
        words = (request.method, request.url)
        self._world.requests.append(
            Asked(self._node.name, words, started, told.status, request.body, http=request)
        )
        return told

    def close(self) -> None:
        """Let go of the node; the world goes on."""

    def _there(self) -> None:
        """Stop where the node cannot be reached or does not let us in."""
        name, jump = self._node.name, self._world.nodes.get(self._node.spec.jump)
        if self._node.unreachable or (jump is not None and jump.unreachable):
            over = f" through {jump.name}" if jump is not None else ""
            msg = f"{name}: no route to {self._node.spec.address}{over}"
            raise NetworkError(msg, node=name, hint="check that the machine is on and the cable is in")
        if self._node.refuses_key:
            msg = f"{name}: {self._node.user}@{self._node.spec.address} does not take our key"
            raise AuthenticationError(msg, node=name, hint="copy your public key there with ssh-copy-id")


class _Budget:
    """Lets the time pass that a command takes, and ends the command when its limit is reached."""

    def __init__(self, world: "World", node: SimulatedNode, words: tuple[str, ...], deadline: float) -> None:
        self.world = world
        self.node = node
        self.words = words
        self.deadline = deadline

    def __call__(self, seconds: float) -> None:
        """Let that many seconds pass.

        Raises:
            NodeTimeoutError: the limit of the command falls into them.
        """
        left = self.deadline - self.world.clock.now()
        self.world.advance(max(min(seconds, left), 0.0))
        if seconds > left + 1e-6:
            msg = f"{self.node.name}: no end of '{' '.join(self.words)[:80]}' within its time limit"
            raise NodeTimeoutError(
                msg, node=self.node.name, hint="raise the limit, or look at the node by hand"
            )


class SimulatedStream:
    """The lines of a followed command; see ``reaffirm.nodes.transport.LineStream``."""

    def __init__(
        self,
        world: "World",
        node: SimulatedNode,
        timeout: float,
        *,
        container: Container | None = None,
        stamps: bool = False,
        position: int = 0,
        output: Output | None = None,
        over: float = 0.0,
    ) -> None:
        self._world = world
        self._node = node
        self._deadline = world.clock.now() + timeout
        self._container = container
        self._stamps = stamps
        self._next = position
        self._exit: int | None = None
        self._closed = False
        now = world.clock.now()
        self._ready = [Line(text, now) for text in _lines(output)] if output else []
        self._code = output.exit if output else 0
        # A command that only takes time ends when this moment has come.
        self._at = max(over, now)
        if over > now:
            world.schedule.after(over - now, lambda: None)

    @property
    def exit(self) -> int | None:
        """The exit status once all lines were read and the command has ended."""
        return self._exit

    def read(self, seconds: float) -> list[Line]:
        """Return the lines that have come, waiting at most ``seconds`` for the first.

        Raises:
            NodeTimeoutError: the limit of the command was reached.
            NetworkError: the node went away.
        """
        if self._closed or self._exit is not None:
            return []
        end = min(self._world.clock.now() + max(seconds, 0.0), self._deadline)
        self._world.advance(0.0)
        while True:
            if self._node.unreachable:
                msg = f"{self._node.name}: the connection was lost while a log was followed"
                raise NetworkError(
                    msg, node=self._node.name, hint="the container itself may still run; look there"
                )
            if lines := self._take():
                return lines
            if self._over() or end <= self._world.clock.now():  # all that falls before now has happened
                return []
            if not self._world.schedule.step(end):
                self._world.advance(end - self._world.clock.now())
                if not (lines := self._take()):
                    self._over()
                return lines

    def _take(self) -> list[Line]:
        if self._container is None:
            lines, self._ready = self._ready, []
            return lines
        new = self._container.logs[self._next :]
        self._next += len(new)
        return [Line(log_text(line, self._stamps), line.at) for line in new]

    def _over(self) -> bool:
        """Note the end of the command, once there is one."""
        container = self._container
        if container is None:
            if self._world.clock.now() >= self._at:
                self._exit = self._code
        elif container.status not in ("running", "restarting", "created"):
            self._exit = 0
        if self._exit is None and self._world.clock.now() >= self._deadline:
            msg = f"{self._node.name}: what was followed did not end within its time limit"
            raise NodeTimeoutError(
                msg, node=self._node.name, hint="raise the limit, or look at the node by hand"
            )
        return self._exit is not None

    def close(self) -> None:
        """Stop following."""
        self._closed = True


def _lines(output: Output) -> list[str]:
    return (output.stdout + output.stderr).splitlines()
