"""One rank of a serving engine: a process in a container that must find its peers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from reaffirm.model.node import Engine
from reaffirm.nodes.simulated.container import Container
from reaffirm.nodes.simulated.engine_command import EngineCommand
from reaffirm.nodes.simulated.lines import Speaker
from reaffirm.nodes.simulated.machine import GIB, SimulatedNode, Weights
from reaffirm.nodes.simulated.network import Way

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World

#: The NCCL that a release brings; the last one that fits is said.
_NCCL = {Engine.SGLANG: "2.27.5", Engine.VLLM: "2.28.9"}


class EngineError(Exception):
    """The engine gives up. ``line`` is the cause as an id of ``lines.toml``, with the values to fill in."""

    def __init__(self, line: str, *, early: bool = False, **values: Any) -> None:
        super().__init__(line)
        self.line = line
        self.values = values
        self.early = early
        self.code = 1


def fail(line: str, *, early: bool = False, **values: Any) -> NoReturn:
    """Let the engine give up with that line of ``lines.toml``; ``early``: before its workers exist.

    Raises:
        EngineError: always.
    """
    raise EngineError(line, early=early, **values)


class Rank:
    """The state of one rank while it starts and serves."""

    def __init__(self, world: "World", container: Container, command: EngineCommand) -> None:
        self.world = world
        self.container = container
        self.command = command
        self.env = container.spec.env
        self.began = world.clock.now()
        self.speaker = Speaker(
            str(command.engine), container.image.engine_version, self.node.hostname, command.rank, 1
        )
        #: The ranks that met, by rank; one dict shared by all of them.
        self.members: dict[int, Rank] = {}
        self.listening = False
        self.gloo_address = ""
        self.nccl_address = ""
        self.nccl_interface = ""
        self.nccl_joined = False
        self.network = "Socket"
        self.queue: tuple[str, int] | None = None
        self.queue_joined = False
        #: Waiting in the hand-shake of the message queue: a bare receive that notices nothing.
        self.deaf = False
        self.ready = False

    @property
    def node(self) -> SimulatedNode:
        """The node it runs on."""
        return self.container.node

    @property
    def alive(self) -> bool:
        """Whether its process still runs, and the world still knows it as the one of its container."""
        return self.container.running and self.world.ranks.get(self.container.id) is self

    @property
    def world_size(self) -> int:
        """How many ranks there must be: one GPU on each node."""
        return self.command.nnodes

    @property
    def head(self) -> "Rank | None":
        """Rank 0 of those that met."""
        return self.members.get(0)

    @property
    def others(self) -> Iterator["Rank"]:
        """The other ranks that met, in their order."""
        return (self.members[number] for number in sorted(self.members) if self.members[number] is not self)

    def took(self, name: str) -> float:
        """Return how long something takes, in seconds (or how much, in GiB)."""
        return self.world.durations[name]

    def say(self, line: str, **values: Any) -> None:
        """Print one line in the wording of this engine's version; some versions print nothing."""
        text = self.speaker.say(line, self.world.clock.now(), {"rank": self.command.rank, **values})
        if text is not None:
            plain = line in ("server-process", "server-waiting", "server-complete", "server-running")
            errors = self.command.engine is Engine.SGLANG and not line.startswith(("nccl-", "gloo-connected"))
            self.container.log(text, "stderr" if plain or errors else "stdout")

    def debug(self, line: str, **values: Any) -> None:
        """Print a line that only shows with a log level of ``debug``."""
        level = self.command.options.get("log-level", "")
        if self.command.engine is Engine.VLLM:
            level = self.env.get("VLLM_LOGGING_LEVEL", "")
        if level.lower() == "debug":
            self.say(line, **values)

    def nccl(self, line: str, **values: Any) -> None:
        """Print a line of NCCL's, if it was asked to speak."""
        level = self.env.get("NCCL_DEBUG", "").upper()
        warning = line in ("nccl-no-interface", "nccl-no-route")
        if level in ("INFO", "TRACE") or (level == "WARN" and warning):
            self.say(line, **values)

    @property
    def nccl_version(self) -> str:
        """The version of NCCL that it loads."""
        return _NCCL[self.command.engine]

    def reaches(self, address: str, other: "Rank") -> bool:
        """Whether a packet to that address arrives at the other rank's node."""
        way, host = self.world.way(self.node, address)
        return way is Way.OPEN and host is other.node.host

    def default_address(self) -> str:
        """Return the address of the default route, as a UDP socket connected to 8.8.8.8 shows it."""
        return self.node.host.source_for("8.8.8.8") or "0.0.0.0"  # noqa: S104

    def weights(self) -> Weights:
        """Return the model's files as the container sees them.

        Raises:
            EngineError: they are not there, or are not mounted.
        """
        model, spec = self.command.model, self.container.spec
        if model.startswith(("/", "./", "~")):
            found = self.node.find_weights(spec.host_path(model), self.node.hf_cache)
            if found is None:
                fail("no-folder", early=True, model=model)
        else:
            cache = self.env.get("HF_HOME", "/root/.cache/huggingface")
            found = self.node.find_weights(model, spec.host_path(cache))
        if found is None or len(found.missing) >= found.shards:
            fail("no-weights", early=True)
        return found

    def per_rank(self, weights: Weights) -> float:
        """Return how much of the weights one rank holds (GiB)."""
        return weights.size / self.command.tensor_parallel_size / GIB

    def check_architecture(self, weights: Weights) -> None:
        """Stop where this image cannot serve the model's class.

        An engine that knows the class brings the configuration for it. Where it does not, Transformers
        must at least know the type of the model, or nothing even reads its ``config.json``.

        Raises:
            EngineError: the registry lacks the class, or Transformers lacks the type.
        """
        image = self.container.image
        if image.registry.has(weights.architecture) is not False:
            return
        if not self.world.transformers_knows(image.transformers_version, weights.model_type):
            fail("unknown-model-type", early=True, model_type=weights.model_type)
        names = ", ".join(f"'{name}'" for name in image.registry.names)
        fail("unsupported", early=True, architecture=weights.architecture, names=names)
