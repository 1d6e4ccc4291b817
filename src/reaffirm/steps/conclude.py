"""Weighs the ways out of a stalled launch by what the run found about each. Sends nothing."""

from dataclasses import dataclass

from reaffirm.diagnose.stages import stage_book
from reaffirm.model.changes import Change
from reaffirm.model.fact import Fact, FactValue
from reaffirm.model.report import Outcome, Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.steps.asking import Asker
from reaffirm.steps.declaring import declares
from reaffirm.steps.result import StepResult, tell


@dataclass(frozen=True)
class ConcludeResult(StepResult):
    """What the run found about each way out; ``None`` where it could not tell."""

    sglang_joins_with_host_address: bool | None
    host_address_decides: bool | None
    image_at_hand_serves: bool | None
    vllm_serves: bool | None


@declares(Change.NOTHING)
def conclude(cluster: Cluster, *, image_at_hand: str, vllm_image: str) -> ConcludeResult:
    """Lay the ways out side by side, from the facts that earlier steps of this run recorded.

    The first way out is judged by the launch whose facts begin with ``retry``, against the one that begins
    with ``stall``: where that one did not stall, nothing follows about the address. The last is judged by
    ``launch`` and ``verify``. A fact that is missing or unknown leaves its way out unknown.
    """
    facts = cluster.context.facts

    def value(name: str) -> FactValue:
        return facts[name].value if name in facts else None

    first = _past_groups(value("stall.outcome"), value("stall.last_stage"))
    joins = _past_groups(value("retry.outcome"), value("retry.last_stage"))
    decides = joins if first is False else None
    at_hand = _truth(value(f"probe.{image_at_hand}.supports_model"))
    built = _truth(value(f"probe.{vllm_image}.supports_model"))
    parts = [value("launch.ready"), value("verify.reasoning"), value("verify.content")]
    serves = None if any(not isinstance(part, bool) for part in parts) else all(parts)
    upgraded = "no: the class is missing from vLLM's own registry" if at_hand is False else _word(at_hand)
    rows = (
        ("SGLang as it was first set up", _ended(value("stall.outcome"), value("stall.last_stage"))),
        (
            "1. SGLang, each rank told its address",
            f"its groups form: {_word(joins)}; the address decides: {_word(decides)}",
        ),
        (f"2. Transformers upgraded in {image_at_hand}", f"can serve the model: {upgraded}"),
        (
            f"3. {vllm_image}",
            f"has the class: {_word(built)}; serves, with reasoning and content: {_word(serves)}",
        ),
    )
    outcome = Outcome.UNKNOWN if serves is None else Outcome.PASS if serves else Outcome.FAIL
    found = {True: "serves the model", False: "does not serve the model", None: "was not seen to serve it"}
    summary = f"vLLM from {vllm_image} {found[serves]}"
    summary += f"; {_about_address(value('stall.outcome'), first, joins)}"
    report = tell(
        cluster,
        Asker(),
        "conclude",
        outcome,
        summary,
        blocks=(Table(f"what this run ({cluster.kind}) found", ("way out", "found"), rows),),
        facts=(
            Fact("conclude.sglang_joins_with_host_address", joins),
            Fact("conclude.host_address_decides", decides),
            Fact("conclude.image_at_hand_serves", at_hand),
            Fact("conclude.vllm_serves", serves),
        ),
    )
    return ConcludeResult(report, joins, decides, at_hand, serves)


def _past_groups(outcome: FactValue, stage: FactValue) -> bool | None:
    """Whether a launch got past forming its groups: false only when it fell silent before."""
    stages = stage_book().ids
    if outcome in (Outcome.READY, Outcome.REACHED):
        return True
    if stage in stages and stages.index(str(stage)) >= stages.index("groups-joined"):
        return True
    return False if outcome == Outcome.STUCK else None


def _about_address(control: FactValue, first: bool | None, joins: bool | None) -> str:
    """Say what the two tries of SGLang, one boot each, tell about the address together."""
    if first:
        return "SGLang's groups formed without its address as well, so nothing follows about the address"
    if first is None:
        ended = f"ended in {control}" if control else "is not known"
        return f"SGLang's first try {ended}, not in a stall, so nothing follows about the address"
    if joins:
        return (
            "SGLang stalled until each rank was told its address, then its groups formed: "
            "here it was not beyond configuration (one boot each)"
        )
    if joins is False:
        return "SGLang stalled with its address told as well: here the address alone does not mend it"
    return "SGLang stalled; what its address changes is not known, since the second try ended otherwise"


def _ended(outcome: FactValue, stage: FactValue) -> str:
    if outcome is None:
        return "unknown"
    return f"{outcome}, last stage seen: {stage or 'none'}"


def _truth(value: FactValue) -> bool | None:
    return value if isinstance(value, bool) else None


def _word(value: bool | None) -> str:
    return {True: "yes", False: "no", None: "unknown"}[value]
