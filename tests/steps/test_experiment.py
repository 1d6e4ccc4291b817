"""experiment: two arms that differ in one variable, and what follows from how they end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_node import MODEL, pair

from reaffirm.errors import StepFailedError, UsageError
from reaffirm.model.evidence import Kind
from reaffirm.model.report import Outcome
from reaffirm.nodes.cluster import Cluster, RunContext
from reaffirm.nodes.simulated import World
from reaffirm.steps import experiment
from reaffirm.steps.experiment import Boot, always, decides
from reaffirm.store.images import read_images
from reaffirm.store.machines import read_machines
from reaffirm.store.node_programs import node_programs

ROOT = Path(__file__).parents[2]
IMAGE = {"sglang": "sglang", "vllm": "vllm-qwen35"}


def _simulated() -> tuple[World, Cluster, list[dict[str, Any]]]:
    machines = read_machines(ROOT / "runbooks/nodes/simulated.toml")
    world = World.from_machines(machines, read_images(ROOT / "docs/container-images"), node_programs())
    shown: list[dict[str, Any]] = []
    nodes = {node.name: world.transport(node.name) for node in machines.nodes}
    return world, Cluster(machines, nodes, RunContext(None, show=shown.append)), shown


def _starts(world: World) -> list[tuple[str, ...]]:
    return [asked.argv for asked in world.requests if asked.argv[:3] == ("docker", "run", "-d")]


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_arms_differ_in_one_variable_and_take_turns(engine: str) -> None:
    """Two things would change at once, or what drifts would meet one arm only; nothing would be shown."""
    world, cluster, shown = _simulated()
    result = experiment(cluster, engine, image=IMAGE[engine], model=MODEL, boots=3)
    assert result.address_decides is True
    assert result.outcome is Outcome.PASS
    assert [(boot.arm, boot.number) for boot in result.boots] == [
        (arm, number) for number in (1, 2, 3) for arm in ("unset", "set")
    ]
    starts = _starts(world)
    assert len(starts) == 12
    variable = f"{engine.upper()}_HOST_IP="
    for unset, told in zip(starts[0:2], starts[2:4], strict=True):
        without = [word for word in told if not word.startswith(variable)]
        assert len(without) == len(told) - 1
        assert sorted([*unset, "-e"]) == sorted(without)
    assert starts[4:8] == starts[:4]
    assert not any(node.containers for node in world.nodes.values()), "nothing is left behind"
    shown_launches = [bundle for bundle in shown if "launch: " in str(bundle.get("text/plain"))]
    assert len(shown_launches) == 6


def test_the_trap_that_is_not_set() -> None:
    """The address would be blamed on machines where it makes no difference."""
    world, cluster, _ = _simulated()
    world.join_links("office-1", "office-2")
    result = experiment(cluster, "sglang", image="sglang", model=MODEL, boots=3)
    assert result.address_decides is False
    assert "makes no difference here" in result.report.summary


def test_one_boot_of_each_arm_concludes_nothing() -> None:
    """A race that ended well once would be told as a cure."""
    _, cluster, _ = _simulated()
    result = experiment(cluster, "sglang", image="sglang", model=MODEL)
    facts = {fact.name: fact.value for fact in result.facts}
    assert (facts["experiment.sglang.unset.stuck"], facts["experiment.sglang.set.past_groups"]) == (1, 1)
    assert facts["experiment.sglang.address_decides"] is None
    assert result.outcome is Outcome.UNKNOWN
    assert "nothing is concluded below 3" in result.report.summary


def _stuck(arm: str) -> Boot:
    return Boot(arm, 1, Outcome.STUCK, "group-created", 300)


def _past(arm: str) -> Boot:
    return Boot(arm, 1, Outcome.REACHED, "groups-joined", 0)


def _elsewhere(arm: str) -> Boot:
    return Boot(arm, 1, Outcome.STUCK, "group-formation", 300)


def _failed_late(arm: str) -> Boot:
    return Boot(arm, 1, Outcome.FAILED, "weights", 0)


@pytest.mark.parametrize(
    ("unset", "told", "answer"),
    [
        ([_stuck] * 3, [_past] * 3, True),
        ([_stuck] * 3, [_past, _past, _failed_late], True),
        ([_past] * 3, [_past] * 3, False),
        ([_stuck] * 3, [_stuck] * 3, False),
        ([_stuck, _stuck, _past], [_past] * 3, None),
        ([_stuck, _stuck, _elsewhere], [_past] * 3, None),
        ([_past] * 3, [_stuck] * 3, None),
        ([_stuck] * 2, [_past] * 2, None),
    ],
)
def test_what_follows_from_the_boots(
    unset: list[Callable[[str], Boot]], told: list[Callable[[str], Boot]], answer: bool | None
) -> None:
    """A mixed picture would be told as a clear one."""
    boots = [make("unset") for make in unset] + [make("set") for make in told]
    assert decides(boots, len(unset)) is answer


def test_one_opposite_ending_is_enough_against_always() -> None:
    """Two boots that ended well would make a rule, or a boot out of memory would break one."""
    assert always([True] * 3, [False] * 3) is True
    assert always([True] * 2, [False] * 2) is None
    assert always([True, False], [False, True]) is False
    assert always([True] * 3 + [False], [False] * 4) is None


def test_consent_is_asked_before_the_first_boot() -> None:
    """On real machines a boot of many minutes would end in a question, with containers left behind."""
    cluster, head, worker, _ = pair(kind=Kind.REAL)
    with pytest.raises(StepFailedError, match="no consent") as caught:
        experiment(cluster, "vllm", image="img", model=MODEL)
    assert "spark-1/experiment-head,spark-2/experiment-worker" in str(caught.value)
    assert not head.asked + worker.asked


def test_no_boot_is_no_experiment() -> None:
    """An empty table would pass for a finding."""
    cluster, head, _, _ = pair()
    with pytest.raises(UsageError, match="at least one boot, got 0"):
        experiment(cluster, "vllm", image="img", model=MODEL, boots=0)
    assert not head.asked
