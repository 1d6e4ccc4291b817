"""Weighs the ways out of a stalled launch by what the run found about each. Sends nothing."""

from dataclasses import dataclass

from reaffirm.model.fact import Fact, FactValue
from reaffirm.model.report import Outcome, Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.steps.asking import Asker
from reaffirm.steps.result import StepResult, tell


@dataclass(frozen=True)
class ConcludeResult(StepResult):
    """What the run found about each way out; ``None`` where it could not tell."""

    sglang_joins_with_host_address: bool | None
    image_at_hand_serves: bool | None
    vllm_serves: bool | None


def conclude(cluster: Cluster, *, image_at_hand: str, vllm_image: str) -> ConcludeResult:
    """Lay the ways out side by side, from the facts that earlier steps of this run recorded.

    The first way out is judged by the launch whose facts begin with ``retry``, the last by ``launch``
    and ``verify``. A fact that is missing or unknown leaves its way out unknown.
    """
    facts = cluster.context.facts

    def value(name: str) -> FactValue:
        return facts[name].value if name in facts else None

    joins = _past_groups(value("retry.outcome"))
    at_hand = _truth(value(f"probe.{image_at_hand}.supports_model"))
    built = _truth(value(f"probe.{vllm_image}.supports_model"))
    parts = [value("launch.ready"), value("verify.reasoning"), value("verify.content")]
    serves = None if any(not isinstance(part, bool) for part in parts) else all(parts)
    upgraded = "no: the class is missing from vLLM's own registry" if at_hand is False else _word(at_hand)
    rows = (
        ("SGLang as it was first set up", _stalled(value("stall.outcome"), value("stall.last_stage"))),
        ("1. SGLang, each rank told its address", f"its groups form: {_word(joins)}"),
        (f"2. Transformers upgraded in {image_at_hand}", f"can serve the model: {upgraded}"),
        (
            f"3. {vllm_image}",
            f"has the class: {_word(built)}; serves, with reasoning and content: {_word(serves)}",
        ),
    )
    outcome = Outcome.UNKNOWN if serves is None else Outcome.PASS if serves else Outcome.FAIL
    found = {True: "serves the model", False: "does not serve the model", None: "was not seen to serve it"}
    summary = f"vLLM from {vllm_image} {found[serves]}"
    if joins:
        summary += (
            "; SGLang's groups form once each rank is told its address: it was not beyond configuration"
        )
    report = tell(
        cluster,
        Asker(),
        "conclude",
        outcome,
        summary,
        blocks=(Table(f"what this run ({cluster.kind}) found", ("way out", "found"), rows),),
        facts=(
            Fact("conclude.sglang_joins_with_host_address", joins),
            Fact("conclude.image_at_hand_serves", at_hand),
            Fact("conclude.vllm_serves", serves),
        ),
    )
    return ConcludeResult(report, joins, at_hand, serves)


def _past_groups(outcome: FactValue) -> bool | None:
    """A launch that is ready, or got to the goal its machines have, is past forming its groups."""
    if outcome in (Outcome.READY, Outcome.REACHED):
        return True
    return False if outcome == Outcome.STUCK else None


def _stalled(outcome: FactValue, stage: FactValue) -> str:
    if outcome is None:
        return "unknown"
    return f"{outcome}, last stage seen: {stage or 'none'}"


def _truth(value: FactValue) -> bool | None:
    return value if isinstance(value, bool) else None


def _word(value: bool | None) -> str:
    return {True: "yes", False: "no", None: "unknown"}[value]
