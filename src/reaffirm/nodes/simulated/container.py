"""Containers: their life cycle, and their logs that grow in virtual time."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reaffirm.model.image import ContainerImage
from reaffirm.nodes.simulated.schedule import Life, Task

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.machine import SimulatedNode
    from reaffirm.nodes.simulated.schedule import Schedule

SIGKILLED = 137


@dataclass(frozen=True)
class RunSpec:
    """What ``docker run`` was told."""

    image: str
    command: tuple[str, ...] = ()
    name: str = ""
    entrypoint: str = ""
    detach: bool = False
    remove: bool = False
    interactive: bool = False
    env: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    mounts: tuple[tuple[str, str, str], ...] = ()
    devices: tuple[str, ...] = ()
    gpus: str = ""
    network: str = "bridge"
    ipc: str = "private"
    shm_size: str = ""
    ulimits: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    restart: str = "no"
    privileged: bool = False
    workdir: str = ""
    user: str = ""

    def host_path(self, inside: str) -> str:
        """Return where a path inside the container lies on the node; empty when it is not mounted."""
        for source, target, _ in self.mounts:
            if inside == target or inside.startswith(target.rstrip("/") + "/"):
                return source + inside[len(target.rstrip("/")) :]
        return ""


@dataclass(frozen=True)
class LogLine:
    """One line that a container printed: ``stream`` is ``stdout`` or ``stderr``."""

    at: float
    stream: str
    text: str


class Container:
    """One container on one node. ``begin`` gives the life of its main process, anew for each start."""

    def __init__(
        self, node: "SimulatedNode", schedule: "Schedule", spec: RunSpec, image: ContainerImage, number: int
    ) -> None:
        self.node = node
        self.schedule = schedule
        self.spec = spec
        self.image = image
        self.id = hashlib.sha256(f"{node.name}/{spec.name}/{number}".encode()).hexdigest()
        self.name = spec.name or f"quiet_{self.id[:8]}"
        self.created = schedule.now()
        self.started = 0.0
        self.finished = 0.0
        self.status = "created"
        self.exit_code = 0
        self.error = ""
        self.restarts = 0
        self.pid = 0
        self.logs: list[LogLine] = []
        self.begin: Callable[[Container], Life] | None = None
        #: Called with the container when its main process has ended.
        self.ended: Callable[[Container], None] | None = None
        self._task: Task | None = None
        self._wanted = False

    @property
    def running(self) -> bool:
        """Whether its main process is alive."""
        return self.status == "running"

    def start(self) -> None:
        """Start the main process."""
        process = self.node.start(self.process_name, "root")
        self.pid = process.pid
        self.status, self.started, self.exit_code, self.error = "running", self.schedule.now(), 0, ""
        self._wanted = True
        if self.begin is not None:
            self._task = self.schedule.start(self.begin(self))

    @property
    def process_name(self) -> str:
        """What the main process is called in a list of processes."""
        words = [word for word in (self.spec.entrypoint, *self.spec.command) if word]
        return words[0].rsplit("/", 1)[-1][:15] if words else "sh"

    def log(self, text: str, stream: str = "stdout") -> None:
        """Print text; each line becomes a line of the log."""
        now = self.schedule.now()
        self.logs.extend(LogLine(now, stream, line) for line in text.split("\n"))

    def hold(self, gib: float) -> None:
        """Let the main process hold this much memory more (GiB)."""
        if (process := self.node.processes.get(self.pid)) is not None:
            process.memory += gib

    def listen(self, address: str, port: int) -> None:
        """Let the main process listen on a port."""
        self.node.listen(address, port, self.node.processes[self.pid])

    def exit(self, code: int) -> None:
        """End the main process with that status; its memory and ports come free."""
        if not self.running:
            return
        self.status, self.exit_code, self.finished = "exited", code, self.schedule.now()
        self.node.end(self.pid)
        self.pid = 0
        if self._task is not None:
            self._task.cancel()
        if self.ended is not None:
            self.ended(self)
        if self._restarts(code):
            pause = 0.1 * 2 ** min(self.restarts, 9)
            self.status = "restarting"
            self.schedule.after(pause, self._restart)

    def become(self, life: Life) -> None:
        """Let the main process do something else from now on, such as give up."""
        if self._task is not None:
            self._task.cancel()
        self._task = self.schedule.start(life)

    def kill(self) -> None:
        """End it as SIGKILL does."""
        self.exit(SIGKILLED)

    def stop(self) -> None:
        """Note that somebody asked for its end, so that no policy restarts it."""
        self._wanted = False

    def _restarts(self, code: int) -> bool:
        policy, _, limit = self.spec.restart.partition(":")
        if not self._wanted:
            return False
        if policy == "on-failure":
            return code != 0 and (not limit or self.restarts < int(limit))
        return policy in ("always", "unless-stopped")

    def _restart(self) -> None:
        if self.status == "restarting" and self._wanted:
            self.restarts += 1
            self.start()
