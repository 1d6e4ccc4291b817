"""The nodes of the contract suite: simulated, this machine, loopback sshd, the lab, and replays."""

import json
import os
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sshd import Sshd, missing

from reaffirm.model.exchange import HttpRequest
from reaffirm.model.node import Machines, NodeSpec, Role, Way
from reaffirm.nodes import marks
from reaffirm.nodes.connect import simulated_nodes
from reaffirm.nodes.earlier import Earlier
from reaffirm.nodes.local import LocalTransport
from reaffirm.nodes.recorder import Recorder
from reaffirm.nodes.recording import recording
from reaffirm.nodes.recording_start import read_start
from reaffirm.nodes.replay import Replay
from reaffirm.nodes.resuming import Resuming
from reaffirm.nodes.ssh import open_nodes
from reaffirm.nodes.transport import Transport
from reaffirm.store.machines import read_machines

ROOT = Path(__file__).parents[2]
MODEL = "Qwen/Qwen3.5-122B-A10B-FP8"
LAB_CONFIG = Path("/var/lib/reaffirm-lab/ssh/config")

# Serves on the node: 200 with the request's own body, 404, and three chunks that come one after the other.
SERVER = """
import http.server, time
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        ok = self.path == "/ok"
        body = b"fine" if ok else b"not here"
        self.answer(200 if ok else 404, body)
    def do_POST(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        asked = self.rfile.read(int(self.headers["Content-Length"]))
        for part in (b"data: one \\xc3", b"\\xa9\\n\\n", b"data: " + asked + b"\\n\\n"):
            self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(part), part))
            self.wfile.flush()
            time.sleep(0.1)
        self.wfile.write(b"0\\r\\n\\r\\n")
    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
print(s.server_port, flush=True)
s.serve_forever()
"""


@dataclass(frozen=True)
class Web:
    """An HTTP server on the node: an address that answers, one that is not there, one that streams."""

    found: str
    absent: str
    stream: HttpRequest


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """One OpenSSH server for the whole session."""
    if reason := missing():
        pytest.skip(f"loopback: {reason}")
    server = Sshd(tmp_path_factory.mktemp("sshd")).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def loopback(sshd: Sshd) -> Iterator[Transport]:
    """One connection to it."""
    nodes = open_nodes(sshd.machines("loopback"))
    yield nodes["loopback"]
    close(nodes)


def lab_is_missing() -> str:
    """Return why the lab cannot be used; empty when it is up."""
    script = ROOT / "scripts" / "lab"
    if not script.is_file():
        return "scripts/lab is not there"
    try:
        status = subprocess.run(
            [sys.executable, str(script), "status"], capture_output=True, text=True, timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        return "`scripts/lab status` did not answer within 60 s"
    if status.returncode != 0:
        said = (status.stdout + status.stderr).strip().splitlines()
        return f"`scripts/lab status` says it is not up: {said[-1] if said else status.returncode}"
    return "" if LAB_CONFIG.is_file() else f"{LAB_CONFIG} is not there"


@pytest.fixture(scope="session")
def lab() -> Iterator[Mapping[str, Transport]]:
    """Both hosts of the lab."""
    if reason := lab_is_missing():
        pytest.skip(f"lab: {reason}")
    roles = (Role.HEAD, Role.WORKER)
    head, worker = (NodeSpec(f"spark-{n}", role, f"spark-{n}") for n, role in enumerate(roles, 1))
    nodes = open_nodes(Machines("lab", "lab", (head, worker), ssh_config=str(LAB_CONFIG)))
    yield nodes
    close(nodes)


@pytest.fixture
def simulated() -> Mapping[str, Transport]:
    """The two simulated Sparks, head first, fresh for each test."""
    machines = read_machines(ROOT / "runbooks" / "nodes" / "simulated.toml")
    return simulated_nodes(machines, None)


@pytest.fixture(scope="session")
def local() -> Iterator[Transport]:
    """This machine."""
    transport = LocalTransport(NodeSpec("here", Role.NONE, "here", transport=Way.LOCAL))
    yield transport
    transport.close()


#: Replays of what was recorded live there.
REPLAYS = {"replay": "loopback", "replay-local": "local", "resumed-local": "local"}


@pytest.fixture(
    params=[
        "simulated",
        "local",
        "loopback",
        pytest.param("lab", marks=pytest.mark.lab),
        *REPLAYS,
    ],
)
def node(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Transport]:
    """One node of each transport. A test gets a replay twice: recorded live, then replayed."""
    if request.param == "simulated":
        yield next(iter(request.getfixturevalue("simulated").values()))
        return
    if request.param == "lab":
        # The worker: it is reached through the head, so the jump is tested on the way.
        yield list(request.getfixturevalue("lab").values())[-1]
        return
    live: Transport = request.getfixturevalue(REPLAYS.get(request.param, request.param))
    if request.param not in REPLAYS:
        yield live
        return
    marks.forget()
    marks.cell_begins(1, "finished")
    yield recording(live, Recorder(tmp_path / "recording.jsonl", machines="loopback"))
    marks.forget()  # whatever is recorded by the next test begins in no cell


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Run a test of ``replay`` once on the recorded live node; then pytest runs it on the replay.

    ``resumed`` is the same with a node that would go live after the test.
    """
    callspec = getattr(pyfuncitem, "callspec", None)
    if callspec is not None and callspec.params.get("node") in REPLAYS:
        recorded = pyfuncitem.funcargs["node"]
        names = pyfuncitem._fixtureinfo.argnames
        pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
        recorded._recorder.close()
        path = pyfuncitem.funcargs["tmp_path"] / "recording.jsonl"
        if callspec.params["node"].startswith("resumed"):
            marks.cell_begins(1, "finished")
            live = {recorded.node.name: recorded._inner}
            earlier = Earlier("earlier", str(path.parent), 2, 2, "next")
            recorder = Recorder(Path(os.devnull), started=0.0)
            resuming = Resuming(earlier, read_start(path, 2), live, recorder)
            replay, transports = resuming.replay, resuming.transports
        else:
            replay = Replay(path)
            transports = replay.transports
        [pyfuncitem.funcargs["node"]] = transports.values()
        result = yield
        assert replay.left == 0
        if isinstance(pyfuncitem.funcargs["node"], type(recorded)):
            pyfuncitem.funcargs["node"]._recorder.close()
        return result
    return (yield)


@pytest.fixture
def web(request: pytest.FixtureRequest, node: Transport) -> Iterator[Web]:
    """An HTTP server on the node: a small one over SSH, the engine's own on simulated nodes."""
    param = request.node.callspec.params["node"]
    if param == "simulated":
        yield _engine(request.getfixturevalue("simulated"))
        return
    live: Transport = node if param == "lab" else request.getfixturevalue(REPLAYS.get(param, param))
    server = live.follow(["python3", "-c", SERVER])
    lines = server.read(20)
    assert lines, f"the test's HTTP server did not start: {server.exit}"
    base = f"http://127.0.0.1:{int(lines[0].text)}"
    yield Web(f"{base}/ok", f"{base}/nowhere", HttpRequest("POST", f"{base}/s", {"X-Test": "1"}, body="two"))
    server.close()


def _engine(nodes: Mapping[str, Transport]) -> Web:
    """Start vLLM on both simulated nodes and wait until it serves: nothing smaller serves HTTP there."""
    head, worker = nodes.values()
    address = {}
    for node in (head, worker):
        routes = json.loads(node.run(["ip", "-j", "addr"]).stdout)
        [address[node]] = (
            one["local"]
            for device in routes
            if device["ifname"].startswith("enp")
            for one in device["addr_info"]
            if one["family"] == "inet"
        )
    for rank, node in enumerate((head, worker)):
        cache = "/home/nvidia/.cache/huggingface:/root/.cache/huggingface"
        interface = "enp1s0f1np1"
        words = "docker run -d --name vllm --network host --ipc host --gpus all --device=/dev/infiniband"
        words += f" -v {cache} -e VLLM_HOST_IP={address[node]}"
        words += f" -e GLOO_SOCKET_IFNAME={interface} -e NCCL_SOCKET_IFNAME={interface}"
        words += f" vllm-qwen35 vllm serve {MODEL} --tensor-parallel-size 2 --nnodes 2 --node-rank {rank}"
        words += f" --master-addr {address[head]} --master-port 29501{' --headless' * rank}"
        words += " --host 0.0.0.0 --port 8000 --gpu-memory-utilization 0.7 --reasoning-parser qwen3"
        answer = node.run(words.split())
        assert answer.ok, answer.stderr
    base = "http://127.0.0.1:8000"
    for _ in range(200):
        if head.http(HttpRequest("GET", f"{base}/health")).status == 200:
            break
        head.clock.sleep(30)
    else:
        pytest.fail(head.run(["docker", "logs", "vllm"]).stdout)
    asked = {
        "model": MODEL,
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
        "max_tokens": 32,
    }
    stream = HttpRequest(
        "POST", f"{base}/v1/chat/completions", {"Content-Type": "application/json"}, json.dumps(asked)
    )
    return Web(f"{base}/v1/models", f"{base}/nowhere", stream)


def close(nodes: Mapping[str, Transport]) -> None:
    """Let go of every node."""
    for transport in nodes.values():
        transport.close()
