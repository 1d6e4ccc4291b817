"""conclude: what follows from the facts of a run, and what does not."""

import pytest
from scripted_node import pair

from reaffirm import steps
from reaffirm.model.evidence import Kind
from reaffirm.model.fact import Fact


@pytest.mark.parametrize(
    ("stall", "retry", "joins", "decides", "words"),
    [
        ("stuck group-created", "ready ready", True, True, "not beyond configuration"),
        ("stuck group-created", "reached groups-joined", True, True, "not beyond configuration"),
        ("stuck group-created", "stuck group-created", False, False, "does not mend it"),
        ("stuck group-created", "stuck weights", True, True, "not beyond configuration"),
        ("stuck group-created", "failed nccl", None, None, "is not known"),
        ("ready ready", "ready ready", True, None, "without its address as well"),
        ("stuck weights", "ready ready", True, None, "without its address as well"),
        ("failed nccl", "ready ready", True, None, "ended in failed, not in a stall"),
        ("timeout nccl", "stuck group-created", False, None, "ended in timeout, not in a stall"),
        ("", "ready ready", True, None, "first try is not known"),
    ],
)
def test_a_control_that_did_not_stall_proves_nothing(
    stall: str, retry: str, joins: bool | None, decides: bool | None, words: str
) -> None:
    """A run in which SGLang never stalled would be read as proof that its address was the cause."""
    cluster, *_ = pair()
    for prefix, told in (("stall", stall), ("retry", retry)):
        if told:
            outcome, stage = told.split()
            facts = (Fact(f"{prefix}.outcome", outcome), Fact(f"{prefix}.last_stage", stage))
            cluster.context.emit("launch", Kind.SIMULATED, facts)
    result = steps.conclude(cluster, image_at_hand="old", vllm_image="new")
    assert (result.sglang_joins_with_host_address, result.host_address_decides) == (joins, decides)
    assert str(result).splitlines()[2].startswith("conclude: ")
    assert words in result.report.summary
    assert ("configuration" in result.report.summary) is (decides is True)
