"""The table of verdicts, case by case from a file, and what must hold for any evidence."""

import tomllib
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from reaffirm.claims.verdict import standing
from reaffirm.model.claim import Check, Claim, Condition, Evidence, Expectation, Expected, Operator, Verdict
from reaffirm.model.evidence import Kind, Via

_CASES = tomllib.loads((Path(__file__).parent / "specimens/verdicts.toml").read_text())["case"]
_TODAY = date(2026, 6, 30)
_DECIDED = (Verdict.AFFIRMED, Verdict.REFUTED, Verdict.STALE)


def is_true(fact: str) -> Condition:
    """The condition that a fact equals true."""
    return Condition(fact, Expectation({Operator.EQUALS: True}))


def found(kind: str, day: str, value: Any = None, **other: str) -> Evidence:
    """One fact as a run found it."""
    return Evidence(
        fact=other.get("fact", "a.value"),
        value=value,
        unit="",
        kind=Kind(kind),
        via=Via(other.get("via", "live")),
        started=datetime.fromisoformat(day).replace(tzinfo=UTC),
        run=other.get("run", f"{day}-{kind}-{value}"),
        runbook=other.get("runbook", "book"),
        changed=other.get("changed", ""),
    )


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["name"])
def test_verdict(case: dict[str, Any]) -> None:
    """The board would say something that the evidence does not."""
    claim = Claim(
        id="it-is-so",
        says="It is so.",
        told_by=case.get("told-by", ""),
        needs=Kind(case.get("needs", "real")),
        check=Check("book", (is_true("a.value"),), given=tuple(map(is_true, case.get("given", ()))))
        if case.get("check", True)
        else None,
        recheck_after=case.get("recheck-after"),
        expected=Expected(case.get("decision-expects", "affirmed")),
    )
    evidence = [found(**one) for one in case.get("evidence", [])]
    today = date.fromisoformat(case["today"]) if "today" in case else _TODAY
    stands = standing(claim, evidence, today)
    assert str(stands) == case["verdict"]
    assert case.get("why", "") in stands.reason
    assert stands.against is case.get("against", stands.verdict is Verdict.REFUTED)
    if "deciding" in case:
        assert stands.deciding
        assert stands.deciding.started.date().isoformat() == case["deciding"]
    if "beside" in case:
        assert [one.started.date().isoformat() for one in stands.beside] == case["beside"]


def test_all_conditions_must_hold_in_one_run() -> None:
    """Half of one run and half of another would make a whole that never was."""
    claim = Claim("a", "A.", check=Check("book", (is_true("a.value"), is_true("b.value"))))
    halves = [found("real", "2026-06-01", True), found("real", "2026-06-02", True, fact="b.value")]
    assert standing(claim, halves, _TODAY).verdict is Verdict.UNKNOWN
    whole = [found("real", "2026-06-01", True), found("real", "2026-06-01", True, fact="b.value")]
    assert standing(claim, whole, _TODAY).verdict is Verdict.AFFIRMED


def test_one_condition_that_fails_is_enough() -> None:
    """A launch that failed has no answers to verify; it has failed all the same."""
    claim = Claim("a", "A.", check=Check("book", (is_true("a.value"), is_true("b.value"))))
    stands = standing(claim, [found("real", "2026-06-01", False)], _TODAY)
    assert stands.verdict is Verdict.REFUTED
    assert stands.reason == "a.value: false, expected true"


_EVIDENCE = some.builds(
    lambda kind, age, value: found(kind, (_TODAY - timedelta(days=age)).isoformat(), value),
    some.sampled_from([str(kind) for kind in Kind]),
    some.integers(-3, 400),
    some.sampled_from([True, False, None]),
)
_CLAIMS = some.builds(
    lambda needs, age: Claim(
        "a", "A.", needs=needs, check=Check("book", (is_true("a.value"),)), recheck_after=age
    ),
    some.sampled_from(Kind),
    some.none() | some.integers(1, 400),
)


@given(claim=_CLAIMS, before=some.lists(_EVIDENCE, max_size=6), more=some.lists(_EVIDENCE, max_size=6))
def test_evidence_of_a_lower_kind_decides_nothing(
    claim: Claim, before: list[Evidence], more: list[Evidence]
) -> None:
    """However often a simulator repeats what its author believes, the claim is no more true."""
    lower = [one for one in more if not one.kind.suffices(claim.needs)]
    first, second = standing(claim, before, _TODAY), standing(claim, before + lower, _TODAY)
    assert (first.verdict in _DECIDED) == (second.verdict in _DECIDED)
    if first.verdict in _DECIDED:
        assert (first.verdict, first.deciding) == (second.verdict, second.deciding)
    assert standing(claim, lower, _TODAY).verdict not in _DECIDED


@given(claim=_CLAIMS, evidence=some.lists(_EVIDENCE, max_size=8), seed=some.randoms(use_true_random=False))
def test_the_order_of_files_does_not_matter(claim: Claim, evidence: list[Evidence], seed: Any) -> None:
    """Two machines would show two boards."""
    shuffled = list(evidence)
    seed.shuffle(shuffled)
    first, second = standing(claim, evidence, _TODAY), standing(claim, shuffled, _TODAY)
    assert (first.verdict, first.result, first.reason) == (second.verdict, second.result, second.reason)


@given(claim=_CLAIMS, evidence=some.lists(_EVIDENCE, max_size=6))
def test_affirmed_rests_on_a_pass_of_the_needed_kind(claim: Claim, evidence: list[Evidence]) -> None:
    """The one thing that a reader relies on."""
    stands = standing(claim, evidence, _TODAY)
    if stands.verdict is Verdict.AFFIRMED:
        assert stands.deciding
        assert stands.deciding.kind.suffices(claim.needs)
        assert all(one.value is True for one in stands.deciding.found)
