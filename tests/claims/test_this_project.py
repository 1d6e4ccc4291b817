"""The claims of this project and its published runs: each verdict follows from them and from nothing else."""

from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest

from reaffirm.claims.board import Board, board
from reaffirm.model.claim import Evidence, Verdict
from reaffirm.site.material import Material, read_material

_ROOT = Path(__file__).parents[2]
_DECIDED = (Verdict.AFFIRMED, Verdict.REFUTED, Verdict.STALE)


@cache
def material() -> Material:
    """Records, runbooks and published runs of this repository."""
    return read_material(_ROOT, docs="docs", records="adrs", runbooks="runbooks")


@cache
def shown() -> Board:
    """The board on the day after the newest run."""
    day = max(run.when for run in material().published.runs).date() + timedelta(days=1)
    return board(material().records.records, material().published.evidence(), day)


def verdicts(evidence: tuple[Evidence, ...], days: int = 0) -> dict[str, str]:
    """Each claim's standing in words, with this evidence, so many days later."""
    later = shown().today + timedelta(days=days)
    rows = board(material().records.records, evidence, later).rows
    return {f"{row.record.id}/{row.claim.id}": str(row.standing) for row in rows}


def switched() -> list[Evidence]:
    """Facts that are true or false, of the runs that decide a claim, as far as a check names them."""
    named = {
        (row.standing.deciding.path, condition.fact)
        for row in shown().rows
        if row.standing.deciding and row.claim.check
        for condition in row.claim.check.conditions
    }
    every = material().published.evidence()
    return [one for one in every if (one.path, one.fact) in named and isinstance(one.value, bool)]


def test_there_is_something_to_look_at() -> None:
    """The tests below would pass over nothing."""
    found = {row.standing.verdict for row in shown().rows}
    assert {Verdict.AFFIRMED, Verdict.REHEARSED, Verdict.TOLD} <= found
    assert len(switched()) > 8


@pytest.mark.parametrize("one", switched(), ids=lambda one: f"{one.runbook}/{one.run}:{one.fact}")
def test_a_changed_fact_turns_exactly_the_claims_that_rest_on_it(one: Evidence) -> None:
    """A claim would stay affirmed though its run says otherwise, or another one would change with it."""
    every = material().published.evidence()
    changed = tuple(replace(e, value=not e.value) if e == one else e for e in every)
    before, after = verdicts(every), verdicts(changed)
    rest_on_it = {
        f"{row.record.id}/{row.claim.id}"
        for row in shown().rows
        if row.standing.deciding
        and row.standing.deciding.path == one.path
        and any(found.fact == one.fact for found in row.standing.deciding.found)
    }
    turned = {key for key in before if before[key] != after[key]}
    assert turned <= rest_on_it
    for row in shown().rows:
        key = f"{row.record.id}/{row.claim.id}"
        # what passed cannot pass any more; what failed may have failed for another reason as well
        if key in rest_on_it and str(row.standing).endswith(("affirmed", "(passed)")):
            assert key in turned


def test_the_clock_makes_stale_what_has_an_age() -> None:
    """Evidence of years ago would count as fresh."""
    later = verdicts(material().published.evidence(), days=4000)
    for row in shown().rows:
        key = f"{row.record.id}/{row.claim.id}"
        if row.standing.verdict in _DECIDED and row.claim.recheck_after:
            assert later[key].startswith("stale"), key
        elif row.standing.verdict not in _DECIDED:
            assert later[key] == str(row.standing), key


def test_simulated_evidence_alone_affirms_nothing_that_needs_more() -> None:
    """A run without any machine would affirm what only a machine can show."""
    simulated = tuple(e for e in material().published.evidence() if e.kind.weight == 0)
    assert simulated
    rows = board(material().records.records, simulated, shown().today).rows
    for row in rows:
        if row.claim.needs.weight > 0:
            assert row.standing.verdict not in _DECIDED, row.claim.id
