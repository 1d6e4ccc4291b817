"""The guard in front of a node, on every transport: what a rule forbids has no effect there."""

from pathlib import Path

import pytest

from reaffirm.errors import ForbiddenError
from reaffirm.model.node import Machines
from reaffirm.model.report import Outcome
from reaffirm.model.rules import NameRule, Rules
from reaffirm.nodes.cluster import Cluster, RunContext
from reaffirm.nodes.transport import Transport
from reaffirm.steps import command, file


def _behind(node: Transport, rules: Rules) -> Cluster:
    machines = Machines("one", "one.toml", (node.node,), rules=rules)
    return Cluster(machines, {node.node.name: node}, RunContext(None, show=lambda bundle: None))


def test_a_read_only_node_is_looked_at_and_not_touched(node: Transport, tmp_path: Path) -> None:
    """The rule would hold in the tests of the guard only, and not where it counts."""
    cluster = _behind(node, Rules(read_only="one.toml:1"))
    name = node.node.name
    mark = str(tmp_path / "mark")
    for argv in (["touch", mark], ["sh", "-c", f"touch {mark}"], ["docker", "run", "-d", "--name", "x", "y"]):
        with pytest.raises(ForbiddenError, match=r"one\.toml:1 says read-only = true; nothing was sent"):
            command(cluster, argv, node=name, changes="writes files")
    assert command(cluster, ["hostname"], node=name).outcome is Outcome.PASS
    assert file(cluster, mark, node=name, exists=False).outcome is Outcome.PASS


def test_a_protected_name_is_refused_without_a_request(node: Transport) -> None:
    """The guard would have to ask a node before it could say no, and a node can be gone."""
    cluster = _behind(node, Rules(protected=(NameRule("protected", ("database",), "one.toml:2"),)))
    for argv in (["docker", "run", "-d", "--name", "database", "y"], ["sh", "-c", "docker stop database"]):
        with pytest.raises(ForbiddenError, match=r"one\.toml:2 protects 'database'"):
            command(cluster, argv, node=node.node.name, changes="runs a command")
    assert command(cluster, ["docker", "ps"], node=node.node.name, expect_exit=None).exit is not None
