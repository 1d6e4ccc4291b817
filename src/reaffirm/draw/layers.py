"""Which nodes of a graph hang together, and in which layer each stands. Linear in the number of edges."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Component:
    """Nodes that hang together, by layer: every arrow leads down, except one that would close a circle."""

    layers: tuple[tuple[str, ...], ...]
    edges: tuple[tuple[str, str], ...]

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return sum(map(len, self.layers))


def components(edges: Iterable[tuple[str, str]]) -> list[Component]:
    """Return the parts of a graph that hang together, in the order in which their first edge comes.

    A node without an edge is in none. An edge from a node to itself is left out.
    """
    unique = [pair for pair in dict.fromkeys(edges) if pair[0] != pair[1]]
    beside: dict[str, list[str]] = {}
    for first, second in unique:
        beside.setdefault(first, []).append(second)
        beside.setdefault(second, []).append(first)
    part: dict[str, int] = {}
    parts: list[list[str]] = []
    for start in beside:
        if start in part:
            continue
        part[start] = len(parts)
        inside = [start]
        for node in inside:  # grows while it is gone through
            for other in beside[node]:
                if other not in part:
                    part[other] = len(parts)
                    inside.append(other)
        parts.append(inside)
    own: list[list[tuple[str, str]]] = [[] for _ in parts]
    for pair in unique:
        own[part[pair[0]]].append(pair)
    return [
        Component(_ordered(_layers(inside, pairs), pairs), tuple(pairs))
        for inside, pairs in zip(parts, own, strict=True)
    ]


def _layers(nodes: Sequence[str], edges: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Longest way from a node without a predecessor; of a circle the node that was named first begins."""
    after: dict[str, list[str]] = {}
    waiting = dict.fromkeys(nodes, 0)
    for first, second in edges:
        after.setdefault(first, []).append(second)
        waiting[second] += 1
    level: dict[str, int] = {}
    found = dict.fromkeys(nodes, 0)
    ready = [node for node in nodes if waiting[node] == 0]
    left = iter(nodes)
    while len(level) < len(nodes):
        if not ready:
            ready = [next(node for node in left if node not in level)]
        node = ready.pop()
        if node in level:
            continue
        level[node] = found[node]
        for other in after.get(node, ()):
            waiting[other] -= 1
            if other not in level:
                found[other] = max(found[other], level[node] + 1)
                if waiting[other] == 0:
                    ready.append(other)
    rows: list[list[str]] = [[] for _ in range(max(level.values()) + 1)]
    for node in nodes:
        rows[level[node]].append(node)
    return [row for row in rows if row]


def _ordered(rows: list[list[str]], edges: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Each node below the middle of those that lead to it, so that few arrows cross."""
    before: dict[str, list[str]] = {}
    for first, second in edges:
        before.setdefault(second, []).append(first)
    place: dict[str, float] = {}
    for row in rows:
        row.sort(key=lambda node: _middle(before.get(node, ()), place))
        place |= {node: number - (len(row) - 1) / 2 for number, node in enumerate(row)}
    return tuple(map(tuple, rows))


def _middle(others: Sequence[str], place: Mapping[str, float]) -> float:
    known = [place[one] for one in others if one in place]
    return sum(known) / len(known) if known else 0.0
