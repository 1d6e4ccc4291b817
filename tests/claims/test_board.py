"""The board: what is due, what asks to be reopened, and what of it is shown."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from reaffirm.claims.board import board
from reaffirm.model.claim import Check, Claim, Condition, Evidence, Expectation, Operator
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.record import Record, Status

_TODAY = date(2026, 11, 30)
_CHECK = Check("book", (Condition("a.value", Expectation({Operator.EQUALS: True})),))
_CLAIM = Claim("it-is-so", "It is so.", needs=Kind.LAB, check=_CHECK, recheck_after=30)


def record(**fields: Any) -> Record:
    """A record with the one claim."""
    return Record("adrs/0007-x.md", "0007", "X", Status.ACCEPTED, **({"claims": (_CLAIM,)} | fields))


def found(value: Any, kind: Kind = Kind.LAB, day: int = 29) -> Evidence:
    """The fact of the check as a run of this month found it."""
    when = datetime(2026, 11, day, tzinfo=UTC)
    return Evidence("a.value", value, "", kind, Via.LIVE, when, f"run-{day}", "book")


def test_moving_the_clock_makes_a_claim_due() -> None:
    """Evidence would stay fresh for ever, and nobody would be asked to look again."""
    evidence = [found(True)]
    assert board([record()], evidence, _TODAY).rows[0].due == ""
    [row] = board([record()], evidence, date(2027, 1, 30)).only(due=True).rows
    assert (str(row.standing), "to be checked again after 30" in row.due) == ("stale (passed)", True)


@pytest.mark.parametrize(("review_by", "overdue"), [("2026-11-30", False), ("2026-11-29", True)])
def test_a_review_is_due_after_its_day(review_by: str, overdue: bool) -> None:
    """A decision that wants to be looked at again would be forgotten, or nagged about a day too early."""
    shown = board([record(review_by=date.fromisoformat(review_by))], [found(True)], _TODAY)
    assert bool(shown.overdue) is overdue
    assert bool(shown.only(due=True).rows) is overdue


@pytest.mark.parametrize(
    ("value", "kind", "asks"),
    [
        (True, Kind.LAB, True),
        (True, Kind.SIMULATED, False),
        (False, Kind.LAB, False),
        (None, Kind.LAB, False),
    ],
)
def test_a_decision_asks_to_be_reopened_by_evidence_only(value: Any, kind: Kind, asks: bool) -> None:
    """A simulated run would reopen decisions, or a real one would not."""
    wish = Claim("reopen-when-1", "It has come.", needs=Kind.LAB, check=_CHECK)
    shown = board([record(reopen_when=(wish,))], [found(value, kind)], _TODAY)
    assert [one.asks for one in shown.reopen] == [asks]
    assert len(shown.only(due=True).reopen) == asks


def test_what_cannot_be_checked_is_never_due() -> None:
    """`recheck --due` would offer what no runbook can decide."""
    told = Claim("told", "Somebody said so.", told_by="account A")
    shown = board([record(claims=(told,), review_by=date(2020, 1, 1))], [], _TODAY)
    assert shown.only(due=True).rows == ()
    assert shown.overdue


def test_a_board_as_data_holds_what_it_rests_on() -> None:
    """A program that reads the board could not say which run a verdict follows from."""
    data = board([record()], [found(True), found(False, Kind.SIMULATED, 30)], _TODAY).as_json()
    [claim] = data["claims"]
    assert (claim["verdict"], claim["result"], claim["needs"]) == ("affirmed", "passed", "lab")
    assert claim["evidence"]["facts"] == {"a.value": {"value": True, "unit": ""}}
    assert [one["kind"] for one in claim["beside"]] == ["simulated"]
    assert claim["check"] == {"runbook": "book", "all": [{"fact": "a.value", "expect": {"equals": True}}]}
