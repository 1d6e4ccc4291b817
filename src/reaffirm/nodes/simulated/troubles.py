"""What is wrong with a simulated node just now, and what it therefore answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reaffirm.nodes.simulated.output import Output, not_found

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.machine import SimulatedNode

#: Docker 28, where nothing listens on its socket, and where the user is not in the group docker.
NO_DAEMON = (
    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"
)
NO_PERMISSION = (
    "permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: "
    'Get "http://%2Fvar%2Frun%2Fdocker.sock/v1.51/containers/json": dial unix /var/run/docker.sock: '
    "connect: permission denied"
)
DISK_FULL = (
    "docker: Error response from daemon: failed to create task for container: failed to create shim task: "
    "mkdir /run/containerd/io.containerd.runtime.v2.task/moby: no space left on device"
)
#: The words of coreutils under LANG=de_DE.UTF-8.
_GERMAN = {
    "No such file or directory": "Datei oder Verzeichnis nicht gefunden",
    "command not found": "Befehl nicht gefunden",
    "Mounted on": "Eingehängt auf",
    "Avail": "Verf.",
}


@dataclass
class Troubles:
    """The troubles of one node; a node without any answers as it is.

    ``docker`` is what every ``docker`` command says instead of working. ``silent`` and ``slow`` name
    commands (any part of their words) that never end, or take so many seconds more; ``lost`` those after
    which the connection drops though they were carried out; ``says`` those that answer something else.
    ``really`` is how long a command takes on the clock of the person who waits (seconds). ``lies`` are the
    paths at which the node's HTTP server lies, ``held`` the containers that cannot be removed.
    """

    docker: str = ""
    warning: str = ""
    warns_on: str = "stderr"
    german: bool = False
    disk_full: bool = False
    clock_ahead: float = 0.0
    missing: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    silent: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    slow: dict[str, float] = field(default_factory=dict)
    really: dict[str, float] = field(default_factory=dict)
    says: dict[str, Output] = field(default_factory=dict)
    lies: dict[str, str] = field(default_factory=dict)

    def instead(self, words: Sequence[str]) -> Output | None:
        """Return what a command answers because something is wrong; ``None`` where it simply runs."""
        line = " ".join(words)
        for part, output in self.says.items():
            if part in line:
                return output
        program = words[0].rsplit("/", 1)[-1] if words else ""
        if program in self.missing:
            return not_found(words[0])
        if program != "docker" or len(words) < 2:
            return None
        if self.docker:
            # `docker version` tells of the client all the same, and ends with status 1.
            told = "28.3.3\n" if words[1] == "version" else ""
            return Output(1, told, f"{self.docker}\n")
        if self.disk_full and words[1] == "run" and "--rm" not in words:
            return Output(125, "", f"{DISK_FULL}\n\nRun 'docker run --help' for more information\n")
        return None

    def dressed(self, words: Sequence[str], output: Output) -> Output:
        """Return an answer as this node words it."""
        out, err = output.stdout, output.stderr
        if not words:
            return output
        if self.german:
            for english, german in _GERMAN.items():
                out = out.replace(english, german) if words[0] == "df" else out
                err = err.replace(english, german)
        if self.warning and words[0] == "docker":
            if self.warns_on == "stdout":
                out = f"{self.warning}\n{out}"
            else:
                err = f"{self.warning}\n{err}"
        return Output(output.exit, out, err)

    def more(self, words: Sequence[str]) -> float:
        """Return how many seconds more a command takes; infinity where it never ends."""
        line = " ".join(words)
        if any(part in line for part in self.silent):
            return float("inf")
        return sum(seconds for part, seconds in self.slow.items() if part in line)

    def loses(self, words: Sequence[str]) -> bool:
        """Whether the connection drops before the answer of this command is back; it then comes back."""
        line = " ".join(words)
        for part in self.lost:
            if part in line:
                self.lost.remove(part)
                return True
        return False


def cannot_remove(node: "SimulatedNode", name: str) -> str:
    """Return why Docker cannot remove a container, or nothing."""
    if name not in node.troubles.held:
        return ""
    why = f"could not kill container: tried to kill container {name}, but did not receive an exit event"
    return f'Error response from daemon: cannot remove container "/{name}": {why}'
