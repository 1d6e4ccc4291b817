"""``reaffirm.fact``: what a notebook works out, and that it never passes for what a step found."""

import re
from typing import Any

import pytest

import reaffirm
from reaffirm.errors import UsageError
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.fact import FACTS_MIME, STEP_WORDS, Fact
from reaffirm.model.node import Machines, NodeSpec, Role
from reaffirm.model.report import facts_from_json
from reaffirm.nodes import cluster as clusters
from reaffirm.nodes import notebook_fact
from reaffirm.nodes.cluster import Cluster, RunContext


@pytest.fixture(autouse=True)
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """A process that connected to nothing, and what it shows."""
    bundles: list[dict[str, Any]] = []
    alone = RunContext(None, show=bundles.append)
    monkeypatch.setattr(notebook_fact, "_run", notebook_fact._Run(alone=alone))
    return bundles


def _connected(kind: Kind, shown: list[dict[str, Any]]) -> Cluster:
    class Node:
        node, via = NodeSpec("n", Role.HEAD, "n"), Via.LIVE

        def __init__(self) -> None:
            self.kind = kind

    context = RunContext(None, show=shown.append)
    cluster = Cluster(Machines("m", "", (Node.node,)), {"n": Node()}, context)  # type: ignore[dict-item]
    notebook_fact.joined(cluster)
    return cluster


def test_a_fact_says_that_the_notebook_worked_it_out(shown: list[dict[str, Any]]) -> None:
    """A reader would take an author's number for one that a step measured."""
    reaffirm.fact("search.recall", 0.93)
    reaffirm.fact("search.p95", 12.5, "ms")
    payload = shown[1][FACTS_MIME]
    assert payload["step"] == "fact"
    assert payload["facts"] == {"search.p95": {"value": 12.5, "unit": "ms", "by": "notebook"}}
    assert facts_from_json(payload["facts"]) == (Fact("search.p95", 12.5, "ms", "notebook"),)


def test_its_kind_is_the_lowest_of_what_the_run_connected_to(shown: list[dict[str, Any]]) -> None:
    """A number from a simulated run would be recorded as real."""
    reaffirm.fact("a.b", 1)
    _connected(Kind.REAL, shown)
    reaffirm.fact("a.c", 1)
    _connected(Kind.SIMULATED, shown)
    reaffirm.fact("a.d", 1)
    _connected(Kind.REAL, shown)
    reaffirm.fact("a.e", 1)
    assert [bundle[FACTS_MIME]["kind"] for bundle in shown] == ["real", "real", "simulated", "simulated"]


def test_what_a_step_found_is_not_filled_in_by_hand(shown: list[dict[str, Any]]) -> None:
    """A failed launch could be made ready with one line."""
    cluster = _connected(Kind.SIMULATED, shown)
    cluster.context.emit("launch", Kind.SIMULATED, [Fact("stall.ready", False)])
    for name in ("stall.ready", "launch.ready", "probe.x.supports_model"):
        with pytest.raises(UsageError):
            reaffirm.fact(name, True)
    assert cluster.context.facts["stall.ready"].value is False
    reaffirm.fact("a.b", 1)
    reaffirm.fact("a.b", 2)
    assert cluster.context.facts["a.b"].value == 2, "its own facts a notebook may find again"


@pytest.mark.parametrize(
    ("name", "value", "unit", "says"),
    [
        ("speed", 1, "", "dotted words"),
        ("A.b", 1, "", "dotted words"),
        (None, 1, "", "dotted words"),
        ("a.b", float("nan"), "", "not a number"),
        ("a.b", {"x": 1}, "", "got dict"),
        ("a.b", [1, 2], "", "got list"),
        ("a.b", "x" * 10_001, "", "10001"),
        ("a.b", "fast", "ms", "only numbers"),
        ("a.b", True, "ms", "only numbers"),
        ("a.b", 1, 3, "a unit is a word"),
    ],
    ids=str,
)
def test_what_is_no_fact_is_refused(
    name: Any, value: Any, unit: Any, says: str, shown: list[dict[str, Any]]
) -> None:
    """A claim would be judged by something that cannot be compared."""
    with pytest.raises(UsageError) as caught:
        reaffirm.fact(name, value, unit)
    assert says in caught.value.message
    assert caught.value.hint
    assert shown == []


def test_secrets_are_masked(shown: list[dict[str, Any]]) -> None:
    """A token would be published as a fact."""
    reaffirm.fact("a.b", "api_key=abcdefgh")
    reaffirm.fact("a.c", ["password=hunter2"])
    assert "abcdefgh" not in str(shown)
    assert "hunter2" not in str(shown)


def test_the_words_of_the_shipped_steps_are_taken() -> None:
    """A new step could be forged until somebody remembers the list."""
    from reaffirm import steps

    general = {"command", "http", "file"}
    functions = {name for name in steps.__all__ if name.islower()} - general
    words = {name if name == "copy_image" else re.sub("_images?$", "", name) for name in functions}
    assert words == STEP_WORDS
    assert clusters.FACTS_MIME == FACTS_MIME
