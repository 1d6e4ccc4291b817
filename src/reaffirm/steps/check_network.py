"""The checks of preflight that are about the way between the nodes."""

from collections.abc import Sequence

from reaffirm.errors import NodeError
from reaffirm.model.node import Role
from reaffirm.model.survey import NodeFacts
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.transport import Transport
from reaffirm.steps.asking import Asker, why_not
from reaffirm.steps.check_rows import FAIL, PASS, UNKNOWN, WARNING, Checks, all_of
from reaffirm.steps.describe import boot_id
from reaffirm.steps.fabric import Fabric, find_fabric
from reaffirm.steps.survey import reaches, survey

#: What no launch can do without, and what to do where it does not answer.
_NEEDED = {
    "docker": "start Docker there (systemctl start docker), and let this user use it (group docker)",
    "python3": "install python3 there, 3.9 or newer; its standard library is enough",
}


def look_around(
    asker: Asker, cluster: Cluster, checks: Checks
) -> tuple[list[Transport], list[NodeFacts], Fabric, bool | None]:
    """Check what needs no image and no model: who answers, surveys, fabric, advertised addresses.

    Returns the nodes that answer, what each said, the fabric, and whether every advertised address is
    reached by its peer.
    """
    alive = [node for node in cluster.all if answers(asker, node, checks)]
    facts = [survey(asker, node) for node in alive]
    for node in facts:
        for gap in node.gaps:
            what, _, seen = gap.partition(": ")
            checks.add(
                node.node, what, FAIL if what in _NEEDED else UNKNOWN, seen, _NEEDED.get(what, "ask by hand")
            )
    one_machine(asker, alive, facts, checks)
    fabric = Fabric()
    if len(alive) == len(cluster.all):
        fabric = fabric_between(asker, cluster, facts, checks)
        same_mtu(fabric, facts, checks)
    else:
        checks.add("", "fabric", UNKNOWN, "not every node answers", "make all nodes answer first")
    return alive, facts, fabric, advertised(asker, alive, facts, checks)


def answers(asker: Asker, node: Transport, checks: Checks) -> bool:
    """Check that a node answers at all; when it does not, that is a row and not an error."""
    role = "head" if node.node.role is Role.HEAD else "worker"
    try:
        answer = asker.ask(node, ["hostname"])
    except NodeError as error:
        told = error.message.splitlines()[0] if error.message else type(error).__name__
        checks.add(
            node.node.name, "answers", FAIL, told, error.hint or "see that the node is up and reachable"
        )
        return False
    if not answer.ok:
        checks.add(node.node.name, "answers", FAIL, why_not(answer), "log in by hand and try 'hostname'")
        return False
    checks.add(node.node.name, "answers", PASS, f"{answer.stdout.strip()}, {role}")
    return True


def one_machine(asker: Asker, nodes: Sequence[Transport], facts: Sequence[NodeFacts], checks: Checks) -> None:
    """Check that two nodes are two machines. The kernels' ids are asked only where two host names agree."""
    names = [node.hostname for node in facts]
    boots: dict[tuple[str, str], str] = {}
    for transport, node in zip(nodes, facts, strict=True):
        if not node.hostname or names.count(node.hostname) < 2:
            continue
        boot = boot_id(asker, transport)
        other = boots.setdefault((node.hostname, boot), node.node)
        if other != node.node and boot:
            then = "correct 'address' in the machine file, or HostName in the ssh config"
            told = f"{other} and {node.node} are one machine, {node.hostname}"
            checks.add(node.node, "two machines", FAIL, told, then)


def fabric_between(asker: Asker, cluster: Cluster, facts: Sequence[NodeFacts], checks: Checks) -> Fabric:
    """Look for the network on which the nodes reach each other, and name what makes it fragile."""
    fabric = find_fabric(asker, cluster, facts)
    if fabric.ends:
        ends = ", ".join(f"{end.node} {end.interface} {end.address}" for end in fabric.ends)
        devices = ", ".join(sorted({device for end in fabric.ends for device in end.rdma}))
        checks.add("", "fabric", PASS, f"{fabric.subnet}: {ends}; RDMA: {devices or 'none'}")
    elif fabric.tried:
        then = "check cable, addresses and firewall on the interface that should be the fabric"
        checks.add("", "fabric", FAIL, "; ".join(fabric.tried), then)
    else:
        then = (
            "give the fabric interface of each node an address in one subnet (netplan), and see that it is up"
        )
        within = f" within {cluster.machines.fabric_subnet}" if cluster.machines.fabric_subnet else ""
        checks.add(
            "", "fabric", FAIL, f"no subnet{within} that all nodes share on an interface that is up", then
        )
    for risk in fabric.risks:
        checks.add("", "twin interfaces", WARNING, risk, "put the two halves of a port on different subnets")
    return fabric


def same_mtu(fabric: Fabric, facts: Sequence[NodeFacts], checks: Checks) -> None:
    """Check that the ends of the fabric agree on the size of a packet: else only small ones get through."""
    if len(fabric.ends) < 2:
        return
    links = {node.node: {link.name: link.mtu for link in node.interfaces} for node in facts}
    sizes = [links[end.node].get(end.interface) for end in fabric.ends]
    seen = ", ".join(
        f"{end.node} {end.interface}: {size or 'not told'}"
        for end, size in zip(fabric.ends, sizes, strict=True)
    )
    if None in sizes:
        checks.add("", "MTU", UNKNOWN, seen, "compare ip link show on the nodes by hand")
    elif len(set(sizes)) > 1:
        then = (
            "give both ends the same (netplan: mtu; now: ip link set dev NAME mtu SIZE): "
            "with two sizes a connection opens and then hangs on the first large packet"
        )
        checks.add("", "MTU", WARNING, seen, then)
    else:
        checks.add("", "MTU", PASS, seen)


def advertised(
    asker: Asker, alive: Sequence[Transport], facts: Sequence[NodeFacts], checks: Checks
) -> bool | None:
    """Check for each node whether its peers reach the address that an engine there would advertise."""
    verdicts: list[bool | None] = []
    for node, seen in zip(alive, facts, strict=True):
        if seen.advertised is None:
            checks.add(
                seen.node,
                "advertised address",
                UNKNOWN,
                seen.advertised_how,
                "set the host address variable",
            )
            verdicts.append(None)
            continue
        link = seen.owner_of(seen.advertised)
        where = (
            f"{seen.advertised} ({link.name if link else 'no interface of its own'}, {seen.advertised_how})"
        )
        peers = [peer for peer in alive if peer is not node and _pairs(peer, node)]
        told = [(peer.node.name, *reaches(asker, peer, seen.advertised)) for peer in peers]
        deaf = [f"{name} ({how})" for name, reached, how in told if reached is False]
        if deaf:
            then = (
                "an engine that is not told its own address may wait for ever: let launch set VLLM_HOST_IP / "
                "SGLANG_HOST_IP to the fabric address (its default)"
            )
            checks.add(
                seen.node, "advertised address", WARNING, f"{where}: not reached by {', '.join(deaf)}", then
            )
            verdicts.append(False)
        elif not told or any(reached is None for _, reached, _ in told):
            checks.add(
                seen.node,
                "advertised address",
                UNKNOWN,
                f"{where}: no peer could tell",
                "make all nodes answer",
            )
            verdicts.append(None)
        else:
            checks.add(seen.node, "advertised address", PASS, f"{where}: reached by {told[0][0]}")
            verdicts.append(True)
    return all_of(verdicts) if verdicts else None


def _pairs(one: Transport, other: Transport) -> bool:
    return Role.HEAD in (one.node.role, other.node.role)
