"""One scripted node without a role, as the general steps have it."""

from typing import Any

from scripted_node import ScriptedNode

from reaffirm.clock import VirtualClock
from reaffirm.model.evidence import Kind
from reaffirm.model.fact import FactValue
from reaffirm.model.node import Machines, NodeSpec, Role, Way
from reaffirm.nodes.cluster import Cluster, RunContext
from reaffirm.steps import StepResult


def alone(kind: Kind = Kind.REAL) -> tuple[Cluster, ScriptedNode]:
    """A cluster of one node, and the node."""
    spec = NodeSpec("here", Role.NONE, "here", transport=Way.LOCAL)
    node = ScriptedNode(spec, VirtualClock(1_700_000_000.0), kind)
    shown: list[dict[str, Any]] = []
    context = RunContext(None, show=shown.append)
    return Cluster(Machines("one", "one.toml", (spec,)), {"here": node}, context), node


def values(result: StepResult) -> dict[str, FactValue]:
    """The values of a result's facts by their whole names."""
    return {fact.name: fact.value for fact in result.facts}
