"""The steps against the simulated world that comes with the project: the whole arc, twice."""

import json
from pathlib import Path
from typing import Any

import pytest

from reaffirm import steps
from reaffirm.model.fact import FactValue
from reaffirm.nodes.connect import connect

ROOT = Path(__file__).parents[2]
MODEL = "Qwen/Qwen3.5-122B-A10B-FP8"


def _arc(
    monkeypatch: pytest.MonkeyPatch, directory: Path
) -> tuple[list[dict[str, Any]], dict[str, FactValue]]:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("REAFFIRM_RUN_DIR", str(directory))
    cluster = connect("simulated", runbook="a_test")
    shown = []
    for result in (
        steps.preflight(cluster, images=["sglang", "vllm-node", "vllm-qwen35"], model=MODEL),
        steps.launch(cluster, "sglang", image="sglang", model=MODEL, host_address=False, facts="stall"),
        steps.cleanup(cluster, "sglang-head", "sglang-worker"),
        steps.probe_image(cluster, "vllm-node", model=MODEL),
        steps.launch(cluster, "sglang", image="sglang", model=MODEL, facts="retry"),
        steps.cleanup(cluster, "sglang-head", "sglang-worker", facts="after_retry"),
        steps.probe_image(cluster, "vllm-qwen35", model=MODEL),
        steps.launch(cluster, "vllm", image="vllm-qwen35", model=MODEL).expect("ready"),
        steps.verify(cluster, model=MODEL),
    ):
        shown.append(result._repr_mimebundle_())
    cluster.close()
    return shown, {name: fact.value for name, fact in cluster.context.facts.items()}


def test_whole_arc_ends_as_told_and_twice_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The runbook of the pivot would tell another story, or another one each time."""
    first, facts = _arc(monkeypatch, tmp_path / "one")
    second, _ = _arc(monkeypatch, tmp_path / "two")
    assert json.dumps(first) == json.dumps(second)
    expected = {
        "preflight.passed": True,
        "preflight.advertised_address_reachable": False,
        "stall.outcome": "stuck",
        "stall.last_stage": "group-created",
        "probe.vllm-node.supports_model": False,
        "retry.outcome": "ready",
        "probe.vllm-qwen35.supports_model": True,
        "launch.ready": True,
        "verify.reasoning": True,
        "verify.content": True,
    }
    assert {name: facts[name] for name in expected} == expected
    logs = sorted(
        path.relative_to(tmp_path / "one").as_posix() for path in (tmp_path / "one/logs").rglob("*.log")
    )
    assert "logs/spark-1/sglang-head.log" in logs
    assert "logs/spark-1/sglang-head-2.log" in logs
