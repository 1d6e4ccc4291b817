"""What a survey asks a node, against specimens in ``specimens/``: the shapes and words of the real tools."""

import json

import pytest
from launches import CACHE, SPECIMENS, launch, make_world

from reaffirm.nodes.simulated import World

SURVEY = {
    "hostname": ["hostname"],
    "ip-addr": ["ip", "-j", "addr"],
    "ip-route": ["ip", "-j", "route"],
    "ibdev2netdev": ["ibdev2netdev"],
    "nvidia-smi": ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
    "meminfo": ["cat", "/proc/meminfo"],
    "df": ["df", "-B1", "--output=avail,target", CACHE],
    "ss": ["ss", "-H", "-ltnp"],
    "docker-version": ["docker", "version", "--format", "{{.Client.Version}}"],
}


@pytest.fixture
def world() -> World:
    """The world that ships."""
    return make_world()


@pytest.mark.parametrize("name", SURVEY)
@pytest.mark.parametrize("node", ["spark-1", "spark-2"])
def test_the_survey_of_a_node(world: World, node: str, name: str) -> None:
    """A step that reads real tools could not read the simulated ones, or the other way round."""
    answer = world.transport(node).run(SURVEY[name])
    assert answer.exit == 0
    expected = (SPECIMENS / "survey" / f"{node}.{name}.txt").read_text(encoding="utf-8")
    assert answer.stdout == expected


def test_a_node_without_the_tools_says_so(world: World) -> None:
    """A machine without a GPU or RDMA would look like a Spark."""
    node = world.node("spark-1")
    node.gpu = ""
    for interface in node.host.interfaces:
        interface.hca = ""
    for argv in (SURVEY["nvidia-smi"], SURVEY["ibdev2netdev"], ["no-such-tool"]):
        answer = world.transport("spark-1").run(argv)
        assert (answer.exit, answer.stdout) == (127, "")
        assert answer.stderr == f"bash: line 1: {argv[0]}: command not found\n"


def test_an_interface_that_goes_down_shows(world: World) -> None:
    """The survey would show the fabric as up while nothing can pass."""
    world.node("spark-1").interface("enp1s0f1np1").up = False
    transport = world.transport("spark-1")
    devices = {device["ifname"]: device for device in json.loads(transport.run(["ip", "-j", "addr"]).stdout)}
    assert devices["enp1s0f1np1"]["operstate"] == "DOWN"
    assert "rocep1s0f1 port 1 ==> enp1s0f1np1 (Down)" in transport.run(["ibdev2netdev"]).stdout
    routes = json.loads(transport.run(["ip", "-j", "route"]).stdout)
    assert "enp1s0f1np1" not in {route["dev"] for route in routes}


def test_a_foreign_process_shows_its_port_and_its_memory(world: World) -> None:
    """Preflight could not name who holds a port."""
    node, transport = world.node("spark-1"), world.transport("spark-1")
    before = transport.run(["cat", "/proc/meminfo"]).stdout
    pid = node.occupy(8000, process="uvicorn")
    node.occupy_memory(10.0)
    listening = transport.run(SURVEY["ss"]).stdout
    assert f'users:(("uvicorn",pid={pid},fd=3))' in listening
    assert ":8000 " in listening
    free = [
        int(next(row for row in text.splitlines() if row.startswith("MemFree")).split()[1])
        for text in (before, transport.run(["cat", "/proc/meminfo"]).stdout)
    ]
    assert free[0] - free[1] == 10 * 1024 * 1024


def test_ports_and_memory_of_a_container_come_free_with_it(world: World) -> None:
    """Cleanup would find ports and memory still taken, or never taken at all."""
    transport = world.transport("spark-1")
    before = {name: transport.run(SURVEY[name]).stdout for name in ("ss", "meminfo")}
    launch(world, "vllm", host_address=True)
    world.advance(3600)
    running = {name: transport.run(SURVEY[name]).stdout for name in ("ss", "meminfo")}
    assert ":8000 " in running["ss"]
    assert ":29501 " in running["ss"]
    assert "users:" not in running["ss"]  # root's sockets; the login user sees no process
    assert running["meminfo"] != before["meminfo"]
    assert transport.run(["docker", "rm", "-f", "vllm-head"]).stdout == "vllm-head\n"
    assert {name: transport.run(SURVEY[name]).stdout for name in ("ss", "meminfo")} == before


def test_a_path_that_is_not_there(world: World) -> None:
    """A wrong cache folder would seem to have space."""
    transport = world.transport("spark-1")
    answer = transport.run(["df", "-B1", "--output=avail,target", "/no/such/folder"])
    assert (answer.exit, answer.stdout) == (1, "")
    assert answer.stderr == "df: /no/such/folder: No such file or directory\n"
    assert transport.run(["cat", "/no/such/file"]).stderr == "cat: /no/such/file: No such file or directory\n"
