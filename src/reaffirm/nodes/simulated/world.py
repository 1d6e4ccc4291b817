"""The simulated world: nodes, wires and time. It behaves; nothing in it knows how a story ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from packaging.version import InvalidVersion, Version

from reaffirm.clock import VirtualClock
from reaffirm.errors import UsageError
from reaffirm.model.exchange import HttpRequest
from reaffirm.model.image import ContainerImage
from reaffirm.model.node import Machines
from reaffirm.nodes.simulated.container import Container, RunSpec
from reaffirm.nodes.simulated.engine_command import BadCommandError, parse_engine
from reaffirm.nodes.simulated.image_copy import Offer
from reaffirm.nodes.simulated.lines import durations
from reaffirm.nodes.simulated.machine import SimulatedNode
from reaffirm.nodes.simulated.mishaps import Mishaps
from reaffirm.nodes.simulated.network import Host, Way, Wires
from reaffirm.nodes.simulated.plain_process import (
    foreign_life,
    has_engine,
    plain_life,
    refusing_life,
)
from reaffirm.nodes.simulated.rank import EngineError, Rank
from reaffirm.nodes.simulated.schedule import Schedule
from reaffirm.nodes.simulated.starting import engine_life, give_up
from reaffirm.nodes.simulated.transport import SimulatedTransport

#: The first Transformers release that knows a type of model. Verified in the released packages.
_TRANSFORMERS_SINCE = {"qwen3_5_moe": Version("5.2.0"), "qwen3_5": Version("5.2.0")}


@dataclass(frozen=True)
class Asked:
    """One request that came to a node. ``exit`` is the exit status, or the HTTP status."""

    node: str
    argv: tuple[str, ...]
    at: float
    exit: int | None
    stdin: str | None = None
    http: HttpRequest | None = None


class World:
    """Two nodes (or more) that tests can change and look into at any moment.

    Made from a machine file with :meth:`from_machines`. ``programs`` maps the names of the programs under
    ``scripts/node`` to their text: a simulated node recognises a program by its text and runs no other.
    """

    def __init__(
        self,
        *,
        start: float,
        nodes: Mapping[str, SimulatedNode],
        wires: Wires,
        programs: Mapping[str, str] | None = None,
        docker: str = "28.3.3",
        took: Mapping[str, float] | None = None,
    ) -> None:
        self.schedule = Schedule(start)
        self.nodes = dict(nodes)
        self.wires = wires
        self.programs = dict(programs or {})
        self.docker = docker
        self.durations = {**durations(), **(took or {})}
        #: Everything that was asked of any node, in order.
        self.requests: list[Asked] = []
        #: What runs in containers, by the container's id.
        self.ranks: dict[str, Rank] = {}
        #: Containers that dial an address and get no answer, with that address and port.
        self.dialling: dict[str, tuple[str, int]] = {}
        #: Containers whose rank has come to the end of its start.
        self.arrived: set[str] = set()
        #: Images that wait for a peer, by address and port.
        self.offers: dict[tuple[str, int], Offer] = {}
        #: What goes wrong, and when.
        self.mishaps = Mishaps()
        self._containers = 0

    @classmethod
    def from_machines(
        cls,
        machines: Machines,
        images: Mapping[str, ContainerImage],
        programs: Mapping[str, str] | None = None,
    ) -> "World":
        """Make the world that the ``[world]`` table of a machine file describes.

        Args:
            machines: the machine file.
            images: the pages of ``docs/container-images`` by name.
            programs: the text of the programs of ``scripts/node`` by file name.

        Raises:
            MachineFileError: the table has an unknown key or a value that cannot be meant.
        """
        from reaffirm.nodes.simulated.furnish import furnish

        return furnish(machines, images, programs or {})

    # --- looking and changing

    @property
    def clock(self) -> VirtualClock:
        """The clock that all nodes share (seconds since the epoch)."""
        return self.schedule.clock

    def node(self, name: str) -> SimulatedNode:
        """Return the state of a node.

        Raises:
            UsageError: there is none of that name.
        """
        if name not in self.nodes:
            msg = f"no simulated node named {name!r}"
            raise UsageError(msg, hint=f"known nodes: {', '.join(self.nodes)}")
        return self.nodes[name]

    def transport(self, name: str) -> SimulatedTransport:
        """Return the way to talk to a node, as the engine does with any node.

        Raises:
            UsageError: there is none of that name.
        """
        return SimulatedTransport(self, self.node(name))

    def advance(self, seconds: float) -> None:
        """Let time pass on all nodes."""
        self.schedule.advance(seconds)

    def put_image(self, image: ContainerImage) -> None:
        """Give every node this image in place of the one of the same name."""
        for node in self.nodes.values():
            found = [ref for ref, held in node.images.items() if held.name == image.name]
            for reference in found or [image.reference]:
                node.images[reference] = image

    def join_links(self, one: str, other: str) -> None:
        """Let a router forward between two links, as when both nodes are on one office network."""
        self.wires.forwarding.add(frozenset((one, other)))

    # --- what the parts of the world ask each other

    def way(self, source: SimulatedNode, address: str) -> tuple[Way, Host | None]:
        """Return how a packet from a node to an address fares, and the host that gets it."""
        return self.wires.way(source.host, address, [node.host for node in self.nodes.values()])

    def node_of(self, host: Host) -> SimulatedNode:
        """Return the node with that network side."""
        return next(node for node in self.nodes.values() if node.host is host)

    def rank_of(self, container: Container) -> Rank | None:
        """Return what runs in a container, if it is a rank of an engine."""
        return self.ranks.get(container.id)

    def transformers_knows(self, version: str, model_type: str) -> bool:
        """Whether that release of Transformers recognises a type of model."""
        since = _TRANSFORMERS_SINCE.get(model_type)
        try:
            return since is None or Version(version) >= since
        except InvalidVersion:
            return False

    def create(self, node: SimulatedNode, spec: RunSpec, image: ContainerImage) -> Container:
        """Create a container on a node without starting it; its command line says what will run in it."""
        self._containers += 1
        container = Container(node, self.schedule, spec, image, self._containers)
        container.ended = self._container_ended
        words = tuple(word for word in (spec.entrypoint, *spec.command) if word)
        if image.platform != node.platform:
            container.begin = foreign_life(words)
            node.containers[container.name] = container
            return container
        try:
            command = parse_engine(words, self.programs) if has_engine(image, words) else None
        except BadCommandError as error:
            container.begin = refusing_life(str(error))
        else:
            container.begin = plain_life(words) if command is None else engine_life(self, command)
        node.containers[container.name] = container
        return container

    def _container_ended(self, container: Container) -> None:
        self.dialling.pop(container.id, None)
        self.arrived.discard(container.id)
        rank = self.ranks.pop(container.id, None)
        if rank is None:
            return
        for other in list(rank.members.values()):
            if other is not rank and other.alive:
                self.schedule.after(self.durations["peer-lost"], partial(self._lost, other, rank))

    def _lost(self, rank: Rank, gone: Rank) -> None:
        """Let a rank notice that its peer is gone, unless it sits in a receive that notices nothing."""
        if not rank.alive or rank.deaf:
            return
        address = gone.gloo_address or gone.node.hostname_address
        error = EngineError("gloo-peer-closed", address=address, port=rank.node.free_port())
        rank.container.become(give_up(rank, error))
