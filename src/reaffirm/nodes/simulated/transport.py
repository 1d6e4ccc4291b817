"""The transport to a simulated node: the one Protocol, answered by the state of the world."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from reaffirm.clock import Clock
from reaffirm.errors import AuthenticationError, NetworkError, NodeTimeoutError
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.exchange import Answer, Chunk, HttpAnswer, HttpRequest
from reaffirm.model.node import NodeSpec
from reaffirm.nodes.simulated.docker_cli import Docker
from reaffirm.nodes.simulated.docker_run import DockerError
from reaffirm.nodes.simulated.http_server import request as http_request
from reaffirm.nodes.simulated.machine import SimulatedNode
from reaffirm.nodes.simulated.node_programs import run_program
from reaffirm.nodes.simulated.output import Output
from reaffirm.nodes.simulated.shell import answer
from reaffirm.nodes.simulated.stream import SimulatedStream

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World


class SimulatedTransport:
    """Talks to one node of a :class:`World`. See ``reaffirm.nodes.transport.Transport``."""

    kind = Kind.SIMULATED
    via = Via.LIVE

    def __init__(self, world: "World", node: SimulatedNode) -> None:
        self._world = world
        self._node = node
        # As over SSH, how far the node's clock is ahead is asked once, at the beginning.
        self._ahead = node.troubles.clock_ahead
        self._clock = AheadClock(world.clock, self._ahead) if self._ahead else world.clock

    @property
    def node(self) -> NodeSpec:
        """The node this talks to."""
        return self._node.spec

    @property
    def clock(self) -> Clock:
        """The clock that all nodes of the world share, or what makes this node's of it."""
        return self._clock

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        """Run one command to its end; see the Protocol."""
        from reaffirm.nodes.simulated.world import Asked

        words = tuple(str(word) for word in argv)
        self._asked(words)
        started = self._world.clock.now()
        spend = _Budget(self._world, self._node, words, started + timeout)
        asked = len(self._world.requests)
        self._world.requests.append(Asked(self._node.name, words, started, None, stdin))
        spend(self._node.troubles.more(words))
        output = self._node.troubles.instead(words) or self._answer(words, stdin, spend)
        output = self._node.troubles.dressed(words, output)
        spend(self._world.durations["command"])
        self._world.requests[asked] = Asked(self._node.name, words, started, output.exit, stdin)
        self._still_there(words)
        ended = self._world.clock.now() + self._ahead
        return Answer(output.exit, output.stdout, output.stderr, started + self._ahead, ended)

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

        words = tuple(str(word) for word in argv)
        self._asked(words)
        now = self._world.clock.now()
        if words[:2] == ("docker", "logs") and any(
            word in ("-f", "--follow", "-ft", "-tf") for word in words
        ):
            docker = Docker(self._world, self._node, lambda _: None)
            self._world.requests.append(Asked(self._node.name, words, now, None))
            if (spoilt := self._node.troubles.instead(words)) is not None:
                return SimulatedStream(self._world, self._node, timeout, output=spoilt)
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

        self._asked((request.method, request.url))
        started = self._world.clock.now()
        told = http_request(self._world, self._node, request, timeout)
        words = (request.method, request.url)
        self._world.requests.append(
            Asked(self._node.name, words, started, told.status, request.body, http=request)
        )
        self._still_there(words)
        return shifted(told, self._ahead)

    def close(self) -> None:
        """Let go of the node; the world goes on."""

    def _asked(self, words: tuple[str, ...]) -> None:
        """Let go wrong what waits for this request, then see that the node is there."""
        self._world.mishaps.asked(self._world, self._node.name, words)
        self._there()
        line = " ".join(words)
        if really := max((s for part, s in self._node.troubles.really.items() if part in line), default=0.0):
            time.sleep(really)

    def _still_there(self, words: tuple[str, ...]) -> None:
        """Stop where the node went away, or its connection dropped, before the answer was back."""
        if self._node.troubles.loses(words) or self._node.unreachable:
            msg = f"the connection to {self._node.name} dropped during {' '.join(words)[:80]}"
            hint = "look whether the machine is up; the command may still run there"
            raise NetworkError(msg, node=self._node.name, hint=hint)

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


class AheadClock:
    """The world's clock as a node has it that is ``ahead`` of it (seconds)."""

    def __init__(self, clock: Clock, ahead: float) -> None:
        self._clock = clock
        self._ahead = ahead

    def now(self) -> float:
        """Return the node's time in seconds since the epoch."""
        return self._clock.now() + self._ahead

    def sleep(self, seconds: float) -> None:
        """Let time pass on all nodes."""
        self._clock.sleep(seconds)


def shifted(answer: HttpAnswer, ahead: float) -> HttpAnswer:
    """Return an answer with the times of a node whose clock is ``ahead`` (seconds)."""
    if not ahead:
        return answer
    chunks = tuple(Chunk(chunk.data, chunk.at + ahead) for chunk in answer.chunks)
    return replace(answer, chunks=chunks, started=answer.started + ahead, ended=answer.ended + ahead)


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
