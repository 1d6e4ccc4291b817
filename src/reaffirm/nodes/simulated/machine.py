"""One simulated node: its network, memory, disk, weights, images, processes, ports and containers."""

import hashlib
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from reaffirm.model.image import ContainerImage
from reaffirm.model.node import NodeSpec
from reaffirm.nodes.simulated.network import Host, Interface
from reaffirm.nodes.simulated.troubles import Troubles

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.container import Container
    from reaffirm.nodes.simulated.example_server import ExampleServer

GIB = 1024**3
#: The addresses that stand for "every address of this host".
ANY = ("0.0.0.0", "*", "::")  # noqa: S104


@dataclass
class Process:
    """A process. ``memory`` in GiB is what it holds and the page cache cannot give back."""

    pid: int
    name: str
    user: str
    memory: float = 0.0


@dataclass(frozen=True)
class Listener:
    """A listening TCP socket. ``wildcard`` is how ``ss`` shows one that listens everywhere."""

    address: str
    port: int
    process: str
    pid: int
    user: str

    def clashes(self, address: str, port: int) -> bool:
        """Whether nobody else can listen at that address and port."""
        return port == self.port and (address in ANY or self.address in ANY or address == self.address)


@dataclass
class Weights:
    """A model's files on one node.

    ``missing`` and ``cut`` name shards that are not there or are cut short. ``folder`` is set where the
    model lies in a folder of its own; otherwise it is in the Hugging Face cache.
    """

    model: str
    architecture: str
    model_type: str
    shards: int
    size: int
    folder: str = ""
    context: int = 262_144
    kv_bytes_per_token: int = 24_576
    state_bytes_per_sequence: int = 0
    missing: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """The files that the index names."""
        return [f"model-{n:05}-of-{self.shards:05}.safetensors" for n in range(1, self.shards + 1)]

    def sizes(self) -> dict[str, int]:
        """Return each file that is there with its size in bytes."""
        each, rest = divmod(self.size, self.shards)
        whole = {name: each + (rest if n == 0 else 0) for n, name in enumerate(self.names)}
        there = {name: size for name, size in whole.items() if name not in self.missing}
        return {name: size // 3 if name in self.cut else size for name, size in there.items()}

    def remove(self, *names: str) -> None:
        """Delete shards (all without a name)."""
        self.missing = sorted({*self.missing, *(names or self.names)})

    def truncate(self, *names: str) -> None:
        """Cut shards short."""
        self.cut = sorted({*self.cut, *names})

    def path(self, hf_cache: str) -> str:
        """Return the folder with the files on the node."""
        if self.folder:
            return self.folder
        revision = hashlib.sha1(self.model.encode(), usedforsecurity=False).hexdigest()
        folder = f"models--{self.model.replace('/', '--')}"
        return str(PurePosixPath(hf_cache, "hub", folder, "snapshots", revision))


class SimulatedNode:
    """The state of a node. Tests change it directly; commands read it."""

    def __init__(self, spec: NodeSpec, *, hostname: str, host: Host, hf_cache: str) -> None:
        self.spec = spec
        self.name = spec.name
        self.hostname = hostname
        self.host = host
        self.user = spec.user or "nvidia"
        self.home = "/root" if self.user == "root" else f"/home/{self.user}"
        self.hf_cache = hf_cache.replace("~", self.home, 1) if hf_cache.startswith("~") else hf_cache
        #: What the node calls itself resolves to; Ubuntu's installer writes this line into /etc/hosts.
        self.hostname_address = "127.0.1.1"
        self.memory_total = 121.69
        self.memory_system = 5.5
        self.page_cache = 14.5
        self.disk_free = 2500 * GIB
        self.gpu = "NVIDIA GB10"
        self.driver = "580.95.05"
        self.platform = "linux/arm64"
        self.files: dict[str, str] = {}
        self.images: dict[str, ContainerImage] = {}
        self.weights: dict[str, Weights] = {}
        self.containers: dict[str, Container] = {}
        self.listeners: list[Listener] = []
        self.processes: dict[int, Process] = {}
        self.example_servers: dict[int, ExampleServer] = {}
        #: What the lock of this node says, and of a lock that was broken; ``None``: there is none.
        self.lock: dict[str, Any] | None = None
        self.broken_lock: dict[str, Any] | None = None
        #: Set to make the node disappear from the network, or refuse our key.
        self.unreachable = False
        self.refuses_key = False
        #: What else is wrong with it just now, and how often it was started again.
        self.troubles = Troubles()
        self.boots = 1
        self._pid = 1000
        self._port = 36_000
        self.listen("0.0.0.0", 22, self.start("sshd", "root"))  # noqa: S104

    def interface(self, name: str) -> Interface:
        """Return a network device, to look at or to change."""
        return self.host.interface(name)

    # --- processes, memory, ports

    def start(self, name: str, user: str = "", *, memory: float = 0.0) -> Process:
        """Start a process; ``memory`` in GiB."""
        self._pid += 111
        process = Process(self._pid, name, user or self.user, memory)
        self.processes[process.pid] = process
        return process

    def end(self, pid: int) -> None:
        """End a process: its memory and its ports come free."""
        self.processes.pop(pid, None)
        self.example_servers.pop(pid, None)
        self.listeners = [listener for listener in self.listeners if listener.pid != pid]

    def kill(self, what: str | int) -> None:
        """Send SIGKILL to the process of that id, the container of that name, or processes of that name.

        Raises:
            KeyError: there is none.
        """
        if isinstance(what, str) and (container := self.containers.get(what)) is not None:
            container.kill()
            return
        pids = [p.pid for p in self.processes.values() if what in (p.pid, p.name)]
        if not pids:
            msg = f"no process or container {what!r} on {self.name}"
            raise KeyError(msg)
        for pid in pids:
            owner = next((c for c in self.containers.values() if c.running and c.pid == pid), None)
            if owner is not None:
                owner.kill()
            else:
                self.end(pid)

    def taken(self, address: str, port: int) -> bool:
        """Whether somebody listens there already."""
        return any(listener.clashes(address, port) for listener in self.listeners)

    def listen(self, address: str, port: int, process: Process) -> None:
        """Let a process listen on a port."""
        self.listeners.append(Listener(address, port, process.name, process.pid, process.user))

    def occupy(self, port: int, *, process: str = "python3", user: str = "", address: str = ANY[0]) -> int:
        """Let a process of somebody else's take a port; returns its id."""
        other = self.start(process, user)
        self.listen(address, port, other)
        return other.pid

    def occupy_memory(self, gib: float, *, process: str = "python3", user: str = "") -> int:
        """Let a process of somebody else's hold memory (GiB); returns its id."""
        return self.start(process, user, memory=gib).pid

    def free_port(self) -> int:
        """Return the next ephemeral port that nobody has."""
        self._port += 17
        while self.taken(ANY[0], self._port):
            self._port += 1
        return self._port

    @property
    def memory_used(self) -> float:
        """What system and processes hold (GiB), without the page cache."""
        return self.memory_system + sum(process.memory for process in self.processes.values())

    @property
    def memory_available(self) -> float:
        """What ``MemAvailable`` says (GiB): the page cache counts as free."""
        return max(self.memory_total - self.memory_used, 0.0)

    @property
    def memory_free(self) -> float:
        """What is really free (GiB): unified memory does not count the page cache as free for the GPU."""
        return max(min(self.memory_total - self.page_cache - self.memory_used, self.memory_available), 0.0)

    # --- files

    def exists(self, path: str) -> bool:
        """Whether a folder or file is there."""
        known = ["/tmp", "/var/lib/docker", "/usr/bin", self.home, self.hf_cache, *self.files]  # noqa: S108
        known += [weights.path(self.hf_cache) for weights in self.weights.values()]
        wanted = PurePosixPath(path)
        return any(wanted == at or wanted in at.parents for at in map(PurePosixPath, known))

    def find_weights(self, model: str, hf_cache: str) -> Weights | None:
        """Return the files of a model id in that cache, or of a folder on this node."""
        cache = hf_cache.replace("~", self.home, 1) if hf_cache.startswith("~") else hf_cache
        for weights in self.weights.values():
            here = weights.path(self.hf_cache)
            if model.rstrip("/") == here:
                return weights
            if (
                model == weights.model
                and not weights.folder
                and cache.rstrip("/") == self.hf_cache.rstrip("/")
            ):
                return weights
        return None

    # --- images

    def find_image(self, reference: str) -> ContainerImage | None:
        """Return the image of that reference or id, as the container engine resolves it."""
        for known, image in self.images.items():
            if with_tag(known) == with_tag(reference) or reference in (
                image_id(image),
                image_id(image)[7:19],
            ):
                return image
        return None

    def reference_of(self, image: ContainerImage) -> str:
        """Return what the image is called here, with its tag."""
        return next((with_tag(ref) for ref, held in self.images.items() if held is image), image.reference)

    def remove_image(self, name: str) -> None:
        """Remove an image by the name of its page or by its reference.

        Raises:
            KeyError: it is not here.
        """
        found = [ref for ref, image in self.images.items() if name in (ref, with_tag(ref), image.name)]
        if not found:
            raise KeyError(name)
        for ref in found:
            del self.images[ref]


def with_tag(reference: str) -> str:
    """Return a reference with the tag that is meant when there is none."""
    last = reference.rsplit("/", 1)[-1]
    return reference if ":" in last or "@" in last else f"{reference}:latest"


def image_id(image: ContainerImage) -> str:
    """Return the id of an image here: made from its facts, so equal facts have equal ids."""
    facts = (
        image.name,
        image.engine,
        image.engine_version,
        image.python,
        image.torch_version,
        image.transformers_version,
        image.platform,
        *image.registry.names,
    )
    return "sha256:" + hashlib.sha256("\0".join(facts).encode()).hexdigest()
