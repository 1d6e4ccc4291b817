"""Dry runs: what a runbook would send where. Nothing is sent, no node is reached, nothing is written.

Whatever a step would send goes to a listener. The answers that decide what comes next are those of a
simulated world: that of the machine file, or Sparks that stand in for the machines it names.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from reaffirm.clock import Clock
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest, Sent
from reaffirm.model.node import Machines, NodeSpec
from reaffirm.nodes.cluster import Cluster, RunContext
from reaffirm.nodes.effects import NONE, effect_of
from reaffirm.nodes.secret_variables import learn
from reaffirm.nodes.simulated import World
from reaffirm.nodes.simulated.stand_in import StandIn
from reaffirm.nodes.transport import LineStream, Transport
from reaffirm.redact import redact, redact_header, redact_words
from reaffirm.store.images import read_images
from reaffirm.store.node_programs import node_programs
from reaffirm.store.project import Project, image_folders

#: Told of each request as plain data.
Listener = Callable[[dict[str, Any]], None]


@dataclass
class _State:
    listener: Listener | None = None
    stand_ins: tuple[StandIn, ...] = ()


_state = _State()


def listen(listener: Listener) -> None:
    """Tell ``listener`` of each request from now on."""
    _state.listener = listener
    _state.stand_ins = ()


def tell(what: dict[str, Any]) -> None:
    """Tell the listener, if there is one."""
    if _state.listener is not None:
        _state.listener(what)


def assume_containers(names: Sequence[str]) -> None:
    """Let containers of these names be there, on machines that a stand-in stands for."""
    for stand_in in _state.stand_ins:
        if new := stand_in.hold(names):
            tell({"op": "assumed", "what": f"containers named {', '.join(new)} are there"})


@contextmanager
def assumed_service() -> Iterator[None]:
    """Let a service answer where nobody does, unless this run has started one itself."""
    for stand_in in _state.stand_ins:
        stand_in.serves = True
    try:
        yield
    finally:
        for stand_in in _state.stand_ins:
            stand_in.serves = False


def dry_cluster(machines: Machines, project: Project | None, *, consent: str, runbook: str) -> Cluster:
    """Return nodes that send nothing.

    Raises:
        MachineFileError: the world of the machine file is wrong.
    """
    images = {}
    for folder in reversed(image_folders(project)):  # the project's own pages win
        images.update(read_images(folder))
    programs = node_programs(project)
    simulated = bool(machines.world)
    stand_in = None if simulated else StandIn(machines, images, programs)
    if stand_in is not None:
        _state.stand_ins += (stand_in,)
    world = stand_in.world if stand_in else World.from_machines(machines, images, programs)
    names = {text: name for name, text in programs.items()}
    nodes = {n.name: _Dry(n, world.transport(n.name), names, stand_in) for n in machines.nodes}
    tell({"op": "connect", "machines": machines.name, "nodes": list(nodes), "simulated": simulated})
    context = RunContext(None, show=lambda _bundle: None)
    return _DryCluster(machines, nodes, context, consent=consent, runbook=runbook)


class _DryCluster(Cluster):
    """Nobody is asked for consent; what would need it is told."""

    def need_consent(
        self,
        action: str,
        targets: Iterable[str],
        *,
        containers: bool = True,
        rows: Sequence[Sequence[str]] = (),
    ) -> None:
        """Tell what would need consent, after the rules of the machine file were asked.

        Raises:
            ForbiddenError: the machine file forbids it.
        """
        every = tuple(targets)
        self.agreed.allow(action, every, containers=containers)
        wanted = [one for one in every if one not in self.agreed.given and not self.agreed.has(one)]
        if wanted and not self.machines.world:
            tell({"op": "consent", "action": action, "targets": wanted})


class _Dry:
    """One node to which nothing is sent; see :class:`reaffirm.nodes.transport.Transport`."""

    kind = Kind.SIMULATED
    via = Via.LIVE

    def __init__(
        self,
        node: NodeSpec,
        inner: Transport,
        programs: dict[str, str],
        stand_in: StandIn | None,
    ) -> None:
        self.node = node
        self._inner = inner
        self._programs = programs
        self._stand_in = stand_in

    @property
    def clock(self) -> Clock:
        return self._inner.clock

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        words = [str(word) for word in argv]
        self._say(words, stdin)
        if self._stand_in is None:
            return self._inner.run(words, stdin=stdin, timeout=timeout)
        self._stand_in.assume(self.node.name, words, stdin)
        answer = self._inner.run(words, stdin=stdin, timeout=timeout)
        if answer.exit == 127:  # a command that no simulated node knows: it is there, and says nothing
            return Answer(0, "", "", answer.started, answer.ended)
        return answer

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> LineStream:
        words = [str(word) for word in argv]
        self._say(words, None)
        return self._inner.follow(words, timeout=timeout)

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        how = ["-I"] if request.method == "HEAD" else ["-N", "-X", request.method]
        learn()  # as before a request that is recorded
        words = ["curl", "-sS", *how, redact(request.url)]
        for name, value in request.headers.items():
            words += ["-H", f"{name}: {redact_header(name, value)}"]
        if request.body is not None:
            words += ["-d", redact(request.body)]
        asks = request.method in ("GET", "HEAD", "OPTIONS") or request.url.endswith("/completions")
        self._tell("http", Sent(self.node.name, tuple(words)), "" if asks else "may change")
        answer = self._inner.http(request, timeout=timeout)
        assumed = (
            self._stand_in.serve(request, answer.started) if self._stand_in and not answer.status else None
        )
        return assumed or answer

    def close(self) -> None:
        """There is nothing to let go of."""

    def _say(self, words: list[str], stdin: str | None) -> None:
        learn()  # as before a request that is recorded
        clean, program = list(redact_words(words)), self._programs.get(stdin or "", "")
        for at, word in enumerate(words):
            if word in self._programs:  # python3 -c TEXT
                program = self._programs[word]
                clean[at] = word
            elif (name := self._container(word)) is not None:
                clean[at] = name
        self._tell("run", Sent(self.node.name, tuple(clean), program), does(words, stdin))

    def _container(self, word: str) -> str | None:
        """The name of a container whose id a stand-in made up: that id is nowhere else."""
        return None if self._stand_in is None or len(word) < 12 else self._stand_in.name_of(word)

    def _tell(self, op: str, sent: Sent, what: str) -> None:
        tell({"op": op, "node": sent.node, "shell": sent.shell, "effect": what})


def does(argv: Sequence[str], stdin: str | None = None) -> str:
    """Return what a command does: ``removes``, ``changes`` or ``may change``; empty where it only looks."""
    found = effect_of(argv, stdin)
    if found == NONE:
        return ""
    if found.destructive:
        return "removes"
    return "changes" if found.known else "may change"
