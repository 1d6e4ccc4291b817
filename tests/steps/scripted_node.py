"""A node that answers from a script: commands by their first words, logs by time, HTTP by path."""

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reaffirm.clock import VirtualClock
from reaffirm.errors import NetworkError
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest, Line
from reaffirm.model.node import Machines, NodeSpec, Role
from reaffirm.nodes.cluster import Cluster, RunContext

MODEL = "Qwen/Qwen3.5-122B-A10B-FP8"
WANTED = "Qwen3_5MoeForConditionalGeneration"

Told = str | tuple[int, str, str] | Callable[["ScriptedNode", Sequence[str]], "Told"]
Http = Callable[[HttpRequest, float], HttpAnswer]


class ScriptedStream:
    """The lines of a log, each at its time."""

    def __init__(self, node: "ScriptedNode", lines: Sequence[tuple[float, str]], end: float | None) -> None:
        self._node, self._lines, self._end = node, list(lines), end
        self.closed = False

    @property
    def exit(self) -> int | None:
        """0 once the time of the end has come and all was read."""
        over = self._end is not None and self._node.clock.now() >= self._end
        return 0 if over and not self._lines else None

    def read(self, seconds: float) -> list[Line]:
        """Return the lines whose time has come."""
        now = self._node.clock.now()
        due = [Line(text, at) for at, text in self._lines if at <= now]
        self._lines = [(at, text) for at, text in self._lines if at > now]
        return due

    def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True


class ScriptedNode:
    """Answers commands from ``script``; the longest matching beginning wins; others do not exist (127)."""

    via = Via.LIVE

    def __init__(self, spec: NodeSpec, clock: VirtualClock, kind: Kind = Kind.SIMULATED) -> None:
        self.node, self.clock, self.kind = spec, clock, kind
        self.script: dict[str, Told] = {}
        self.asked: list[str] = []
        self.containers: dict[str, dict[str, Any]] = {}
        self.starts: dict[str, tuple[list[tuple[float, str]], float | None, int]] = {}
        self.streams: list[ScriptedStream] = []
        self.gone = False
        self.answer_http: Http = lambda request, now: HttpAnswer(0, {}, (), now, now, "connection refused")

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        """Answer one command; it takes a tenth of a second."""
        if self.gone:
            msg = f"{self.node.name} cannot be reached: no route"
            raise NetworkError(msg, node=self.node.name)
        started = self.clock.now()
        self.asked.append(shlex.join(argv))
        told = self._told(list(argv), stdin or "")
        while callable(told):
            told = told(self, argv)
        self.clock.sleep(0.1)
        exit_status, out, err = (0, told, "") if isinstance(told, str) else told
        return Answer(exit_status, out, err, started, self.clock.now())

    def _told(self, argv: list[str], stdin: str) -> Told:
        line = " ".join(argv[:3] if argv[:3] == ["docker", "run", "-d"] else argv)
        if argv[:2] == ["python3", "-"] or "-i" in argv:
            line += " < " + stdin.partition('"""')[2].partition("\n")[0]
        keys = [key for key in self.script if all(part in line for part in key.split(" … "))]
        if keys:
            return self.script[max(keys, key=len)]
        match argv:
            case ["docker", "ps", *_]:
                return "".join(f"{name}\n" for name in sorted(self.containers))
            case ["docker", "inspect", word]:
                if (name := self.named(word)) in self.containers:
                    return json.dumps([self._state(self.containers[name])])
                name = word
                return (1, "[]\n", f"Error: No such object: {name}\n")
            case ["docker", "inspect", "--format", "{{json .State}}", name]:
                if name in self.containers:
                    return json.dumps(self._state(self.containers[name])["State"])
                return (1, "\n", f"Error: No such object: {name}\n")
            case ["docker", "logs", "--timestamps", name]:
                return f"2026-01-01T00:00:00Z a line of {name}\n"
            case ["docker", "inspect", "--format", "{{.Name}}", word]:
                if (name := self.named(word)) in self.containers:
                    return f"/{name}\n"
                return (1, "\n", f"Error: No such object: {word}\n")
            case ["docker", "rm", "-f", word]:
                if (name := self.named(word)) not in self.containers:
                    return (1, "", f"Error response from daemon: No such container: {word}\n")
                self.containers.pop(name)
                return f"{word}\n"
            case ["docker", "run", "-d", "--name", name, *rest]:
                self.containers[name] = {
                    "began": self.clock.now(),
                    "argv": rest,
                    "label": rest[1].partition("=")[2],
                    "id": f"c0ffee{len(self.asked):06}",
                }
                return f"{self.containers[name]['id']}\n"
        return (127, "", f"{argv[0]}: command not found\n")

    def named(self, word: str) -> str:
        """Return the name of the container with that id; else the word."""
        return next((name for name, one in self.containers.items() if one.get("id") == word), word)

    def _state(self, container: Mapping[str, Any]) -> dict[str, Any]:
        end = container.get("end")
        running = end is None or self.clock.now() < end
        labels = {"org.reaffirm.runbook": container["label"]} if container.get("label") is not None else {}
        return {
            **({"Id": container["id"]} if "id" in container else {}),
            "State": {
                "Status": "running" if running else "exited",
                "ExitCode": 0 if running else container["exit"],
            },
            "Config": {"Labels": labels, "Image": "an-image", "Cmd": container.get("argv", [])},
        }

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> ScriptedStream:
        """Follow the log that ``starts`` has for the container; times there count from its start."""
        self.asked.append(shlex.join(argv))
        name = argv[-1]
        lines, end, status = self.starts.get(name, ([], None, 0))
        container = self.containers[name]
        began = container["began"]
        if end is not None:
            container["end"], container["exit"] = began + end, status
        stream = ScriptedStream(self, [(began + at, text) for at, text in lines], end and began + end)
        self.streams.append(stream)
        return stream

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        """Answer from ``answer_http``."""
        self.asked.append(f"{request.method} {request.url}")
        return self.answer_http(request, self.clock.now())

    def close(self) -> None:
        """Nothing to let go of."""


def machines(**more: Any) -> Machines:
    """A machine file of two nodes."""
    nodes = (NodeSpec("spark-1", Role.HEAD, "a"), NodeSpec("spark-2", Role.WORKER, "b"))
    return Machines(name="two", path="two.toml", nodes=nodes, hf_cache="/cache", **more)


def pair(
    directory: Path | None = None, kind: Kind = Kind.SIMULATED, consent: str = "", **more: Any
) -> tuple[Cluster, ScriptedNode, ScriptedNode, list[dict[str, Any]]]:
    """A cluster of two healthy scripted nodes, and the list of what it shows."""
    clock = VirtualClock(1_700_000_000.0)
    file = machines(**more)
    head, worker = (ScriptedNode(spec, clock, kind) for spec in file.nodes)
    for place, node in enumerate((head, worker), 12):
        node.script |= healthy(node.node.name, place)
    shown: list[dict[str, Any]] = []
    context = RunContext(directory, show=shown.append)
    cluster = Cluster(file, {"spark-1": head, "spark-2": worker}, context, consent=consent, runbook="a_test")
    return cluster, head, worker, shown


def healthy(name: str, place: int) -> dict[str, Told]:
    """What a healthy node with a fabric, an office network and one image answers."""
    links = [
        {"ifname": "lo", "flags": ["LOOPBACK", "UP"], "link_type": "loopback", "addr_info": []},
        link("fab0", f"192.0.2.{place}", 24),
        link("office", f"198.51.100.{place}", 24),
    ]
    routes = [{"dst": "default", "dev": "office"}, {"dst": "192.0.2.0/24", "dev": "fab0"}]
    weights = {
        "found": True,
        "cache": "/cache",
        "path": "/cache/hub/x/snapshots/1",
        "files": 2,
        "bytes": 2 * 1024**3,
        "missing": [],
        "incomplete": [],
        "architectures": [WANTED],
        "digest": "sha256:0a",
    }
    image = [
        {
            "Id": "sha256:aa",
            "RepoDigests": ["img@sha256:bb"],
            "Architecture": "arm64",
            "Os": "linux",
            "Size": 7,
        }
    ]
    return {
        "hostname": f"{name}\n",
        "ip -j addr": json.dumps(links),
        "ip -j route": json.dumps(routes),
        "nvidia-smi": "NVIDIA GB10, 580.95\n",
        "ibdev2netdev": "roce0 port 1 ==> fab0 (Up)\nroce1 port 1 ==> fab1 (Down)\n",
        "cat /proc/meminfo": "MemTotal: 127600000 kB\nMemAvailable: 110000000 kB\n",
        "df -B1": "Avail Mounted on\n500000000000 /\n",
        "ss -H -ltnp": 'LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=1,fd=3))\n',
        "docker version": "28.1.0\n",
        "Tell which address": json.dumps({"address": f"198.51.100.{place}", "how": "default route"}),
        "Tell whether a TCP port": json.dumps({"reached": True, "how": "refused", "ms": 0.2}),
        "Tell whether the weights": json.dumps(weights),
        "docker image inspect": json.dumps(image),
    }


def link(name: str, address: str, prefix: int, state: str = "UP", mtu: int | None = 1500) -> dict[str, Any]:
    """One interface as ``ip -j addr`` tells it."""
    held = [{"family": "inet", "local": address, "prefixlen": prefix}]
    return {"ifname": name, "flags": ["BROADCAST", "UP"], "operstate": state, "mtu": mtu, "addr_info": held}
