"""The world itself: made from a machine file, the same every time, and no story told in it."""

from dataclasses import replace
from typing import Any

import pytest
from launches import MODEL, NODES, ROOT, launch, log, make_world, start

from reaffirm.errors import (
    AuthenticationError,
    MachineFileError,
    NetworkError,
    NodeTimeoutError,
    UsageError,
)
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.exchange import HttpRequest
from reaffirm.nodes.simulated import World
from reaffirm.nodes.simulated.lines import wordings
from reaffirm.nodes.transport import Transport
from reaffirm.store.images import read_images
from reaffirm.store.machines import parse_machines, read_machines


def test_the_same_run_gives_the_same_bytes() -> None:
    """Two executed notebooks of one runbook would differ."""

    def story() -> list[str]:
        world = make_world()
        launch(world, "sglang")
        world.advance(600)
        texts = [log(world, "sglang", rank, stamps=True) for rank in (0, 1)]
        for node in NODES:
            world.transport(node).run(["docker", "rm", "-f", "sglang-head", "sglang-worker"])
        launch(world, "vllm", host_address=True)
        world.advance(600)
        texts += [log(world, "vllm", rank, stamps=True) for rank in (0, 1)]
        texts += [world.transport("spark-1").run(["docker", "inspect", "vllm-head"]).stdout]
        return [*texts, repr(world.requests)]

    assert story() == story()


def test_no_simulated_file_names_a_runbook() -> None:
    """An ending could depend on which runbook asks."""
    # A node program may be called like the runbook that sends it; its name says nothing of who asks.
    programs = {path.stem for path in (ROOT / "scripts/node").glob("*.py")}
    stems = {path.stem for path in (ROOT / "runbooks").glob("[!_]*.py")} - programs
    files = [
        *(ROOT / "src/reaffirm/nodes/simulated").rglob("*.*"),
        *(ROOT / "runbooks/nodes").glob("simulated*.toml"),
        *(ROOT / "docs/container-images").glob("*.md"),
        *(ROOT / "tests/simulated/specimens").rglob("*.*"),
    ]
    for path in files:
        if path.suffix in (".py", ".toml", ".md", ".txt"):
            text = path.read_text(encoding="utf-8")
            assert not [stem for stem in stems if stem in text], path


def test_every_line_says_how_it_is_known() -> None:
    """A made-up line would pass for one that was read in a released package."""
    assert {entry.known for entry in wordings()} == {"verified", "reported", "made-up"}
    assert {entry.style for entry in wordings()} == {"log", "nccl", "plain"}
    assert {entry.engine for entry in wordings()} == {"vllm", "sglang", "both"}


def test_a_simulated_transport_keeps_the_protocol() -> None:
    """A step could not use simulated nodes as it uses real ones."""
    transport: Transport = make_world().transport("spark-2")
    assert (transport.kind, transport.via) == (Kind.SIMULATED, Via.LIVE)
    assert transport.node.jump == "spark-1"
    before = transport.clock.now()
    answer = transport.run(["hostname"])
    assert (answer.stdout, answer.ok) == ("spark-2\n", True)
    assert before == answer.started < answer.ended == transport.clock.now()
    assert transport.run(["cat"], stdin="given\n").stdout == "given\n"
    with pytest.raises(NodeTimeoutError):
        transport.run(["sleep", "100"], timeout=5)
    stream = transport.follow(["sleep", "100"])
    assert stream.read(1.0) == []
    assert stream.exit is None
    while stream.exit is None:
        stream.read(200.0)
    assert stream.exit == 0
    transport.close()
    transport.close()


def test_nodes_share_one_clock() -> None:
    """Times of two nodes could not be compared."""
    world = make_world()
    first, second = (world.transport(name) for name in NODES)
    first.clock.sleep(100)
    assert second.clock.now() == first.clock.now() == 1775811600 + 100


def test_a_node_that_cannot_be_asked() -> None:
    """An unreachable machine and a refused key would be one error, or none."""
    world = make_world()
    start(world, "sglang", 1)
    stream = world.transport("spark-2").follow(["docker", "logs", "-f", "sglang-worker"])
    world.node("spark-2").unreachable = True
    with pytest.raises(NetworkError, match="spark-2: no route to"):
        world.transport("spark-2").run(["hostname"])
    with pytest.raises(NetworkError, match="spark-2: the connection was lost"):
        stream.read(1.0)
    world.node("spark-1").refuses_key = True
    with pytest.raises(AuthenticationError, match="does not take our key"):
        world.transport("spark-1").run(["hostname"])


def test_what_was_asked_can_be_looked_up() -> None:
    """A test could not see what a step sent."""
    world = make_world()
    world.transport("spark-1").run(["hostname"])
    world.transport("spark-2").run(["no-such-tool"])
    assert [(asked.node, asked.argv, asked.exit) for asked in world.requests] == [
        ("spark-1", ("hostname",), 0),
        ("spark-2", ("no-such-tool",), 127),
    ]


def test_killing_what_is_not_there() -> None:
    """A typing mistake in a test would go unnoticed."""
    world = make_world()
    with pytest.raises(KeyError, match="no process or container 'vllm-worker' on spark-2"):
        world.node("spark-2").kill("vllm-worker")
    with pytest.raises(UsageError, match="no simulated node named 'spark-3'"):
        world.node("spark-3")


def furnished(**changes: Any) -> World:
    """Return a world whose ``[world]`` table has other values for some keys."""
    machines = read_machines(ROOT / "runbooks/nodes/simulated.toml")
    table = {**machines.world, **changes}
    images = read_images(ROOT / "docs/container-images")
    return World.from_machines(replace(machines, world=table), images)


def test_a_machine_file_furnishes_each_node() -> None:
    """What a node has could not be set where its machine is described."""
    nodes = read_machines(ROOT / "runbooks/nodes/simulated.toml").world["nodes"]
    poor = {**nodes["spark-2"], "memory": 64, "free-disk": 10, "images": ["sglang"], "weights": []}
    world = furnished(
        nodes={**nodes, "spark-2": poor},
        forwarding=[["office-1", "office-2"]],
        durations={"shard": 1.5},
    )
    node = world.node("spark-2")
    assert (node.memory_total, node.disk_free, node.weights) == (64, 10 * 1024**3, {})
    assert list(node.images) == ["sglang"]
    assert list(world.node("spark-1").weights) == [MODEL]
    assert world.durations["shard"] == 1.5
    assert world.way(node, "192.0.2.21")[1] is world.node("spark-1").host


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"strat": 0}, "[world]: unknown key 'strat'; did you mean 'start'?"),
        ({"start": "soon"}, "[world.start]: a number of zero or more is needed, got 'soon'"),
        ({"nodes": {}}, "[world.nodes.spark-1]: there is no such table"),
        ({"nodes": {"spark-9": {}}}, "[world.nodes]: unknown key 'spark-9'; did you mean"),
        ({"durations": {"shards": 1}}, "[world.durations]: unknown key 'shards'; did you mean 'shard'?"),
        ({"durations": {"shard": -1}}, "[world.durations.shard]: a number of zero or more is needed, got -1"),
        ({"forwarding": ["office-1"]}, "[world.forwarding]: pairs of links are needed"),
        ({"forwarding": [["office-1", 2]]}, "[world.forwarding]: pairs of links are needed"),
        (
            {"forwarding": [["office-1", "office-3"]]},
            "[world.forwarding]: no interface is on a link 'office-3'; "
            "links here: cable, cable-twin, office-1, office-2",
        ),
        ({"weights": {"m": {"shards": 1}}}, "[world.weights.\"m\"]: the key 'architecture' is missing"),
    ],
)
def test_a_wrong_world_is_an_error_that_says_where(changes: dict[str, Any], words: str) -> None:
    """A typing mistake would silently leave the world as it was."""
    with pytest.raises(MachineFileError) as caught:
        furnished(**changes)
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("wieghts = []", "[world.nodes.spark-2]: unknown key 'wieghts'; did you mean 'weights'?"),
        ('weights = "none"', "[world.nodes.spark-2]: weights: a list of texts is needed, got 'none'"),
        ('weights = ["none"]', '[world.nodes.spark-2]: no table [world.weights."none"]; known: '),
        ('memory = "all"', "[world.nodes.spark-2]: memory: a number of zero or more is needed, got 'all'"),
    ],
)
def test_a_wrong_line_of_a_world_is_named(line: str, words: str) -> None:
    """Somebody would look through a hundred lines for the one that they have just changed."""
    text = (ROOT / "runbooks/nodes/simulated.toml").read_text(encoding="utf-8")
    text = text.replace('hostname = "spark-2"', line)
    number = text.splitlines().index(line) + 1
    images = read_images(ROOT / "docs/container-images")
    with pytest.raises(MachineFileError) as caught:
        World.from_machines(parse_machines(text, shown="x.toml", name="x"), images)
    assert caught.value.message.startswith(f"x.toml:{number}: {words}")


@pytest.mark.parametrize(
    ("interface", "words"),
    [
        ({"name": "eth0", "adress": "192.0.2.1/24"}, "unknown key 'adress'; did you mean 'address'?"),
        ({"name": "eth0", "address": "192.0.2.300/24"}, "an address such as 192.0.2.1/24 is needed"),
        ({"address": "192.0.2.1/24"}, "an interface needs a name"),
        ({"name": "eth0", "up": "yes"}, "up and virtual are true or false"),
    ],
)
def test_a_wrong_interface_is_an_error_that_says_where(interface: dict[str, Any], words: str) -> None:
    """A typing mistake in an address would look like a stall."""
    nodes = read_machines(ROOT / "runbooks/nodes/simulated.toml").world["nodes"]
    with pytest.raises(MachineFileError) as caught:
        furnished(nodes={**nodes, "spark-1": {"interfaces": [interface]}})
    assert f"[world.nodes.spark-1.interfaces, number 1]: {words}" in caught.value.message


SERVING = ROOT / "runbooks/nodes/simulated-serving.toml"


def test_a_world_begins_with_what_was_done_earlier() -> None:
    """A runbook that looks at a service would find none, or its log would hold what others asked."""
    machines = read_machines(SERVING)
    world = World.from_machines(machines, read_images(ROOT / "docs/container-images"))
    assert world.clock.now() == make_world().clock.now()
    assert world.requests == []
    head = world.transport("spark-1")
    assert head.http(HttpRequest("GET", "http://127.0.0.1:8000/health")).status == 200
    log = head.run(["docker", "logs", "--timestamps", "vllm-head"]).stdout
    assert log.startswith("2026-04-10T08:45"), "it was started a quarter of an hour before"


def test_the_serving_world_is_the_other_one_otherwise() -> None:
    """The two files would drift apart, and a difference between runs would come from nowhere."""
    serving = read_machines(SERVING)
    plain = read_machines(ROOT / "runbooks/nodes/simulated.toml")
    world = {key: value for key, value in serving.world.items() if key != "earlier"}
    assert replace(serving, name=plain.name, path=plain.path, world=world) == plain


@pytest.mark.parametrize(
    ("earlier", "words"),
    [
        ("now", "a list of tables is needed, got 'now'"),
        ([{"seconds": 5, "node": "spark-1"}], "number 1.: the key 'command' is missing"),
        ([{"seconds": 5, "node": "spark-3", "command": ["true"]}], "no node named 'spark-3'; known: spark-1"),
        ([{"second": 5, "node": "spark-1", "command": ["true"]}], "did you mean 'seconds'"),
        ([{"seconds": 5, "node": "spark-1", "command": "true"}], "a list of texts is needed"),
        (
            [{"seconds": 5, "node": "spark-1", "command": ["docker", "rm", "x"]}],
            "ended with status 1: .*No such",
        ),
    ],
)
def test_what_cannot_have_been_done_earlier(earlier: Any, words: str) -> None:
    """A typo would leave a world without the service that its file promises."""
    machines = read_machines(ROOT / "runbooks/nodes/simulated.toml")
    broken = replace(machines, world={**machines.world, "earlier": earlier})
    with pytest.raises(MachineFileError, match=words):
        World.from_machines(broken, read_images(ROOT / "docs/container-images"))
