"""Makes the world that the ``[world]`` table of a machine file describes."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from reaffirm.model.image import ContainerImage
from reaffirm.model.node import Machines, NodeSpec
from reaffirm.nodes.simulated.lines import durations
from reaffirm.nodes.simulated.machine import GIB, SimulatedNode, Weights
from reaffirm.nodes.simulated.mishaps import read_mishaps
from reaffirm.nodes.simulated.network import Host, Interface, Wires
from reaffirm.nodes.simulated.world import World
from reaffirm.nodes.simulated.world_reading import Reader

_WORLD = ("start", "docker", "forwarding", "nodes", "weights", "durations", "earlier", "mishaps")
_EARLIER = ("seconds", "node", "command")
_NODE = (
    "hostname",
    "interfaces",
    "memory",
    "system-memory",
    "page-cache",
    "free-disk",
    "gpu",
    "driver",
    "platform",
    "images",
    "weights",
    "files",
    "locked-by",
)
_INTERFACE = ("name", "up", "address", "addresses", "link", "gateway", "hca", "mtu", "metric", "virtual")
_WEIGHTS = (
    "architecture",
    "model-type",
    "shards",
    "bytes",
    "folder",
    "context",
    "kv-bytes-per-token",
    "state-bytes-per-sequence",
)


def furnish(machines: Machines, images: Mapping[str, ContainerImage], programs: Mapping[str, str]) -> World:
    """Make a world; see :meth:`World.from_machines`.

    Raises:
        MachineFileError: an unknown key or a value that cannot be meant.
    """
    reader = Reader(machines.path or machines.name, machines.lines)
    table = dict(machines.world)
    reader.keys(table, _WORLD, "world")
    nodes_table = reader.table(table.get("nodes", {}), "world.nodes")
    names = [spec.name for spec in machines.nodes]
    reader.keys(nodes_table, names, "world.nodes")
    weights = {
        model: _weights(reader, model, reader.table(entry, f'world.weights."{model}"'))
        for model, entry in reader.table(table.get("weights", {}), "world.weights").items()
    }
    nodes = {}
    for spec in machines.nodes:
        where = f"world.nodes.{spec.name}"
        if spec.name not in nodes_table:
            msg = "there is no such table, so nobody knows what this simulated node has"
            raise reader.wrong(where, msg)
        entry = reader.table(nodes_table[spec.name], where)
        nodes[spec.name] = _node(reader, machines, spec, entry, where, images, weights)
    took = {
        key: reader.number(value, f"world.durations.{key}")
        for key, value in reader.table(table.get("durations", {}), "world.durations").items()
    }
    reader.keys(took, tuple(durations()), "world.durations")
    forwarding = table.get("forwarding", [])
    _check_forwarding(reader, forwarding, nodes)
    earlier = _earlier(reader, table.get("earlier", []), nodes)
    mishaps = read_mishaps(reader, table.get("mishaps", []), nodes)
    begins = _start(reader, table.get("start", 0))
    world = World(
        start=begins - max((seconds for seconds, *_ in earlier), default=0.0),
        nodes=nodes,
        wires=Wires(frozenset(pair) for pair in forwarding),
        programs=programs,
        docker=str(table.get("docker", "28.3.3")),
        took=took,
    )
    _live_through(reader, world, earlier, begins)
    world.mishaps.coming.extend(mishaps)
    world.mishaps.begin(world)
    return world


def _check_forwarding(reader: Reader, forwarding: Any, nodes: Mapping[str, SimulatedNode]) -> None:
    """A link that nobody is on would be a router to nowhere, and look like a broken one."""
    where = "world.forwarding"
    if not isinstance(forwarding, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(link, str) for link in pair)
        for pair in forwarding
    ):
        raise reader.wrong(where, f"pairs of links are needed, got {forwarding!r}")
    links = sorted({device.link for node in nodes.values() for device in node.host.interfaces} - {""})
    for link in (link for pair in forwarding for link in pair):
        if link not in links:
            raise reader.wrong(where, f"no interface is on a link {link!r}; links here: {', '.join(links)}")


def _start(reader: Reader, value: Any) -> float:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp()
    return reader.number(value, "world.start")


_Earlier = tuple[float, str, list[str]]


def _earlier(reader: Reader, given: Any, nodes: Mapping[str, SimulatedNode]) -> list[_Earlier]:
    """Return what was done before the run began: (seconds before it, node, command), first things first."""
    if not isinstance(given, list):
        where = "world.earlier"
        raise reader.wrong(where, f"a list of tables is needed, got {given!r}")
    found = []
    for number, one in enumerate(given, 1):
        where = f"world.earlier, number {number}"
        entry = reader.table(one, where)
        reader.keys(entry, _EARLIER, where)
        for key in _EARLIER:
            if key not in entry:
                raise reader.wrong(where, f"the key {key!r} is missing")
        name = reader.text(entry["node"], where, "node")
        if name not in nodes:
            raise reader.wrong(where, f"no node named {name!r}; known: {', '.join(nodes)}")
        found.append(
            (
                reader.number(entry["seconds"], where, "seconds"),
                name,
                reader.texts(entry["command"], where, "command"),
            )
        )
    return sorted(found, key=lambda one: -one[0])


def _live_through(reader: Reader, world: World, earlier: Sequence[_Earlier], begins: float) -> None:
    """Let the world live up to the beginning of the run. Nothing that was asked until then is of the run."""
    for seconds, name, command in earlier:
        world.advance(begins - seconds - world.clock.now())
        answer = world.transport(name).run(command, timeout=max(seconds, 1.0))
        if not answer.ok:
            why = (answer.stderr or answer.stdout).strip().partition("\n")[0]
            where, said = "world.earlier", f"{' '.join(command[:3])} … ended with status {answer.exit}: {why}"
            raise reader.wrong(where, f"{name}: {said}")
    world.advance(begins - world.clock.now())
    world.requests.clear()


def _node(
    reader: Reader,
    machines: Machines,
    spec: NodeSpec,
    entry: dict[str, Any],
    where: str,
    images: Mapping[str, ContainerImage],
    weights: Mapping[str, Weights],
) -> SimulatedNode:
    reader.keys(entry, _NODE, where)
    interfaces = [Interface("lo", addresses=["127.0.0.1/8"], mtu=65536)]
    for number, given in enumerate(entry.get("interfaces", []), 1):
        at = f"{where}.interfaces, number {number}"
        interfaces.append(_interface(reader, reader.table(given, at), at))
    hostname = reader.text(entry.get("hostname", spec.name), where, "hostname")
    node = SimulatedNode(spec, hostname=hostname, host=Host(interfaces), hf_cache=machines.hf_cache)
    node.memory_total = reader.number(entry.get("memory", node.memory_total), where, "memory")
    node.memory_system = reader.number(entry.get("system-memory", node.memory_system), where, "system-memory")
    node.page_cache = reader.number(entry.get("page-cache", node.page_cache), where, "page-cache")
    node.disk_free = int(
        reader.number(entry.get("free-disk", node.disk_free / GIB), where, "free-disk") * GIB
    )
    node.gpu = reader.text(entry.get("gpu", node.gpu), where, "gpu")
    node.driver = reader.text(entry.get("driver", node.driver), where, "driver")
    node.platform = reader.text(entry.get("platform", node.platform), where, "platform")
    node.files = {
        path: reader.text(text, where) for path, text in reader.table(entry.get("files", {}), where).items()
    }
    if run := reader.text(entry.get("locked-by", ""), where, "locked-by"):
        node.lock = {"token": "of another run", "run": run}
    for name in reader.texts(entry.get("images", list(images)), where, "images"):
        if name not in images:
            known = ", ".join(images)
            msg = f"no page docs/container-images/{name}.md for this image; known: {known}"
            raise reader.wrong(where, msg, at="images")
        node.images[machines.images.get(name, images[name].reference)] = images[name]
    for model in reader.texts(entry.get("weights", list(weights)), where, "weights"):
        if model not in weights:
            known = ", ".join(weights)
            raise reader.wrong(where, f'no table [world.weights."{model}"]; known: {known}', at="weights")
        held = weights[model]
        node.weights[model] = Weights(
            held.model,
            held.architecture,
            held.model_type,
            held.shards,
            held.size,
            held.folder or (machines.models[model].path if model in machines.models else ""),
            held.context,
            held.kv_bytes_per_token,
            held.state_bytes_per_sequence,
        )
    return node


def _interface(reader: Reader, entry: dict[str, Any], where: str) -> Interface:
    reader.keys(entry, _INTERFACE, where)
    if "name" not in entry:
        msg = "an interface needs a name"
        raise reader.wrong(where, msg)
    addresses = entry.get("addresses", [entry["address"]] if "address" in entry else [])
    flags = {key: entry.get(key, default) for key, default in (("up", True), ("virtual", False))}
    if not all(isinstance(value, bool) for value in flags.values()):
        msg = "up and virtual are true or false"
        raise reader.wrong(where, msg)
    return Interface(
        name=reader.text(entry["name"], where, "name"),
        addresses=[reader.address(address, where) for address in addresses],
        link=reader.text(entry.get("link", ""), where, "link"),
        gateway=reader.text(entry.get("gateway", ""), where, "gateway"),
        hca=reader.text(entry.get("hca", ""), where, "hca"),
        mtu=reader.whole(entry.get("mtu", 1500), where, "mtu"),
        metric=reader.whole(entry.get("metric", 100), where, "metric"),
        **flags,
    )


def _weights(reader: Reader, model: str, entry: dict[str, Any]) -> Weights:
    where = f'world.weights."{model}"'
    reader.keys(entry, _WEIGHTS, where)
    for key in ("architecture", "shards", "bytes"):
        if key not in entry:
            raise reader.wrong(where, f"the key {key!r} is missing")
    return Weights(
        model=model,
        architecture=reader.text(entry["architecture"], where, "architecture"),
        model_type=reader.text(entry.get("model-type", ""), where, "model-type"),
        shards=max(reader.whole(entry["shards"], where, "shards"), 1),
        size=reader.whole(entry["bytes"], where, "bytes"),
        folder=reader.text(entry.get("folder", ""), where, "folder"),
        context=reader.whole(entry.get("context", 262_144), where, "context"),
        kv_bytes_per_token=max(
            reader.whole(entry.get("kv-bytes-per-token", 24_576), where, "kv-bytes-per-token"), 1
        ),
        state_bytes_per_sequence=reader.whole(
            entry.get("state-bytes-per-sequence", 0), where, "state-bytes-per-sequence"
        ),
    )
