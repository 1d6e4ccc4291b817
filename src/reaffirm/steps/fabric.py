"""Finds the network between the nodes: looked for, not assumed."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network

from reaffirm.model.survey import FabricEnd, Interface, NodeFacts
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.transport import Transport
from reaffirm.steps.asking import Asker
from reaffirm.steps.survey import reaches


@dataclass(frozen=True)
class Fabric:
    """The network that was chosen: one end per node, head first; empty when there is none.

    ``tried`` tells of each candidate what came of it; ``risks`` are things that may not work tomorrow.
    """

    subnet: str = ""
    ends: tuple[FabricEnd, ...] = ()
    tried: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Candidate:
    subnet: IPv4Network
    links: tuple[Interface, ...]

    def address(self, place: int) -> str:
        return next(str(a.ip) for a in self.links[place].addresses if a.network == self.subnet)

    @property
    def with_rdma(self) -> bool:
        return all(link.rdma for link in self.links)


def candidates(facts: Sequence[NodeFacts], within: str = "") -> tuple[_Candidate, ...]:
    """Return the subnets on which every node has an interface that is up, those with RDMA first.

    ``within`` narrows them to a network such as ``192.168.200.0/24``. The default route's network comes last.
    """
    narrowed = IPv4Network(within, strict=False) if within else None
    found: dict[IPv4Network, list[Interface]] = {}
    for place, node in enumerate(facts):
        for link in node.interfaces:
            for address in link.addresses if link.up else ():
                links = found.setdefault(address.network, [])
                if len(links) == place:
                    links.append(link)
    shared = [
        _Candidate(subnet, tuple(links))
        for subnet, links in found.items()
        if len(links) == len(facts) and (narrowed is None or subnet.subnet_of(narrowed))
    ]
    office = {node.default_route for node in facts}
    shared.sort(key=lambda c: (not c.with_rdma, any(link.name in office for link in c.links)))
    return tuple(shared)


def twins(node: NodeFacts) -> tuple[str, ...]:
    """Name the RDMA interfaces of a node that are on one subnet: routing between them is ambiguous."""
    risks = []
    held: dict[IPv4Network, list[str]] = {}
    for link in node.interfaces:
        for address in link.addresses if link.up and link.rdma else ():
            held.setdefault(address.network, []).append(link.name)
    for subnet, names in held.items():
        if len(names) > 1:
            risks.append(
                f"{node.node}: {' and '.join(names)} are both on {subnet}; give each a subnet of its own"
            )
    return tuple(risks)


def find_fabric(asker: Asker, cluster: Cluster, facts: Sequence[NodeFacts]) -> Fabric:
    """Choose the network on which the nodes reach each other both ways; RDMA is preferred.

    ``facts`` are in the order of ``cluster.all``. One node alone takes its first interface with an address.
    """
    risks = tuple(risk for node in facts for risk in twins(node))
    tried: list[str] = []
    for candidate in candidates(facts, cluster.machines.fabric_subnet):
        problem = _problem(asker, cluster.all, candidate)
        names = ", ".join(f"{f.node}: {link.name}" for f, link in zip(facts, candidate.links, strict=True))
        tried.append(f"{candidate.subnet} ({names}): {problem or 'reached both ways'}")
        if not problem:
            return Fabric(str(candidate.subnet), _ends(facts, candidate), tuple(tried), risks)
    return Fabric("", (), tuple(tried), risks)


def _problem(asker: Asker, nodes: Sequence[Transport], candidate: _Candidate) -> str:
    """Return why the nodes do not reach each other there, or nothing."""
    for place, node in enumerate(nodes):
        for other in range(len(nodes)):
            if other == place or 0 not in (other, place):
                continue
            reached, how = reaches(asker, node, candidate.address(other))
            if not reached:
                return f"{node.node.name} does not reach {candidate.address(other)} ({how})"
    return ""


def _ends(facts: Sequence[NodeFacts], chosen: _Candidate) -> tuple[FabricEnd, ...]:
    shared = {c.subnet for c in candidates(facts)}
    ends = []
    for place, node in enumerate(facts):
        # Both halves of a port carry traffic when each has an address on a subnet of its own.
        devices = [chosen.links[place].rdma] + [
            link.rdma
            for link in node.interfaces
            if link.up and link != chosen.links[place] and any(a.network in shared for a in link.addresses)
        ]
        rdma = tuple(dict.fromkeys(device for device in devices if device)) if chosen.with_rdma else ()
        ends.append(FabricEnd(node.node, chosen.links[place].name, chosen.address(place), rdma))
    return tuple(ends)
