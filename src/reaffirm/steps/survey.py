"""Asks a node about itself: interfaces, RDMA, GPU, memory, who listens. Used by preflight and launch."""

from reaffirm.model.exchange import Answer
from reaffirm.model.survey import NodeFacts
from reaffirm.nodes.transport import Transport
from reaffirm.steps import reading
from reaffirm.steps.asking import Asker, json_line, json_list, why_not

#: The exit status of a command that is not there.
NO_PROGRAM = 127


def survey(asker: Asker, node: Transport) -> NodeFacts:
    """Ask one node the whole list. What it does not tell is a gap, never a guess.

    Raises nothing: a node that stops answering half-way has gaps.
    """
    gaps: list[str] = []

    def text(what: str, *argv: str, quiet: bool = False) -> str:
        answer = asker.look(node, argv)
        if not answer.ok and not (quiet and answer.exit == NO_PROGRAM):
            gaps.append(f"{what}: {why_not(answer)}")
        return answer.stdout if answer.ok else ""

    hostname = text("hostname", "hostname").strip()
    links = _network(asker, node, gaps)
    names, driver = reading.gpus(
        text("GPU", "nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", quiet=True)
    )
    total, available = reading.memory(text("memory", "cat", "/proc/meminfo"))
    sockets = asker.look(node, ["ss", "-H", "-ltnp"])
    if not sockets.ok:
        gaps.append(f"listening ports: {why_not(sockets)}")
    docker = (
        text("docker", "docker", "version", "--format", "{{.Client.Version}}").strip().rpartition("\n")[2]
    )
    asked = asker.look(node, ["python3", "-"], program="advertised_address.py")
    if asked.exit == NO_PROGRAM:
        gaps.append(f"python3: {why_not(asked)}")
    address, how = _advertised(asked)
    return NodeFacts(
        node=node.node.name,
        hostname=hostname,
        interfaces=links.interfaces,
        default_route=links.default_route,
        gpus=names,
        driver=driver,
        memory_total=total,
        memory_available=available,
        listeners=reading.listeners(sockets.stdout) if sockets.ok else None,
        docker=docker,
        advertised=address,
        advertised_how=how,
        gaps=tuple(gaps),
    )


def survey_network(asker: Asker, node: Transport) -> NodeFacts:
    """Ask one node only what a launch needs: interfaces, RDMA and GPU."""
    gaps: list[str] = []
    links = _network(asker, node, gaps)
    answer = asker.look(node, ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    names, driver = reading.gpus(answer.stdout if answer.ok else "")
    return NodeFacts(
        node=node.node.name,
        interfaces=links.interfaces,
        default_route=links.default_route,
        gpus=names,
        driver=driver,
        gaps=tuple(gaps),
    )


def advertised_address(asker: Asker, node: Transport) -> tuple[str | None, str]:
    """Ask which address an engine on that node would advertise by itself: (address or None, how)."""
    return _advertised(asker.look(node, ["python3", "-"], program="advertised_address.py"))


def _advertised(answer: Answer) -> tuple[str | None, str]:
    told = json_line(answer)
    if told is None:
        return None, why_not(answer)
    address = told.get("address")
    return (str(address) if address else None), str(told.get("how", ""))


def reaches(
    asker: Asker, node: Transport, address: str, port: int = 22, seconds: float = 3.0
) -> tuple[bool | None, str]:
    """Ask whether a node reaches a TCP port: (reached, how). Refused counts; ``None`` is unknown."""
    argv = ["python3", "-", address, str(port), f"{seconds:g}"]
    answer = asker.look(node, argv, program="reach.py", timeout=seconds + 30)
    told = json_line(answer)
    if told is None or not isinstance(told.get("reached"), bool):
        return None, why_not(answer)
    return told["reached"], str(told.get("how", ""))


def _network(asker: Asker, node: Transport, gaps: list[str]) -> NodeFacts:
    addresses = asker.look(node, ["ip", "-j", "addr"])
    routes = asker.look(node, ["ip", "-j", "route"])
    devices = asker.look(node, ["ibdev2netdev"])
    links, ways = json_list(addresses), json_list(routes)
    if not addresses.ok or links is None:
        gaps.append(f"interfaces: {why_not(addresses)}")
    if not routes.ok or ways is None:
        gaps.append(f"routes: {why_not(routes)}")
    rdma = reading.rdma_devices(devices.stdout) if devices.ok else {}
    return NodeFacts(
        node=node.node.name,
        interfaces=reading.interfaces(links or (), rdma),
        default_route=reading.default_route(ways or ()),
    )
