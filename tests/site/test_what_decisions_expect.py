"""What a verdict means for its decision: news that are good, bad, or none, wherever readers look."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from decision_pages import HISTORY, plan_of

from reaffirm.claims.board import board
from reaffirm.model.claim import Claim, Expected, Judged, Result, Standing, Verdict, verdict_words
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.record import DateOf, Record, Status
from reaffirm.site.evidence_words import evidence_sentence
from reaffirm.site.feed import Entry
from reaffirm.site.make_records import index, page_of_record, still_true
from reaffirm.site.marks import Sign, sign_of, verdict_bar
from reaffirm.site.rehearsals import rehearsed_remark
from reaffirm.site.state import State, overview
from reaffirm.site.still_true import still_true_page
from reaffirm.site.told_by import told_in_brief
from reaffirm.site.ways import Ways

_ROOT = Path(__file__).parents[2]
_DAY = date(2026, 2, 1)


def _judged(result: Result, kind: Kind = Kind.REAL) -> Judged:
    return Judged(result, kind, Via.LIVE, datetime(2026, 1, 1, 12, tzinfo=UTC), "r", "b", "why", path="p")


def _stands(verdict: Verdict, result: Result, expected: Expected, kind: Kind = Kind.REAL) -> Standing:
    return Standing(verdict, "why", _judged(result, kind), expected=expected, needs=Kind.REAL)


_SUPPORTS = _stands(Verdict.REFUTED, Result.FAILED, Expected.REFUTED)
_ALARM = _stands(Verdict.AFFIRMED, Result.PASSED, Expected.REFUTED)


def _state(stands: Standing, status: Status = Status.ACCEPTED) -> State:
    claim = Claim("c", "It would do.", path="adr/0001-x.md", expected=stands.expected)
    record = Record("adr/0001-x.md", "0001", "Title", status, claims=(claim,))
    shown = board([record], (), _DAY)
    row = replace(shown.rows[0], standing=stands)
    return State([record], replace(shown, rows=(row,)), {record.key: "decisions/0001-x.md"})


def test_a_refuted_assumption_of_what_was_rejected_is_no_alarm() -> None:
    """A reader would believe that a decision broke, while the run supports it."""
    assert sign_of(_SUPPORTS) is Sign.AS_EXPECTED
    assert not _SUPPORTS.against
    front = overview(_state(_SUPPORTS))
    assert "asks to be looked at" not in front
    assert "1 refuted as the decision expects" in front
    assert "none known to speak against a decision" in front
    assert 'class="rf-mark rf-refuted"' not in verdict_bar([_SUPPORTS])
    assert "1 refuted as the decision expects" in evidence_sentence([_SUPPORTS])


def test_an_affirmed_assumption_of_what_was_rejected_is_one() -> None:
    """The decision would rest on what a run showed to be false, in green."""
    front = overview(_state(_ALARM))
    assert "**What asks to be looked at**" in front
    assert "affirmed against what the decision expects: [It would do.](decisions/0001-x.md#claim-c)" in front
    assert "1 known to speak against its decision" in front
    given_up = overview(_state(_ALARM, Status.SUPERSEDED))
    assert "asks to be looked at" not in given_up


def test_the_board_begins_with_what_speaks_against_a_decision() -> None:
    """*Nothing is due* above a refuted claim reads as if all were well."""
    for stands in (_ALARM, _stands(Verdict.REFUTED, Result.FAILED, Expected.AFFIRMED)):
        state = _state(stands)
        page = still_true_page(state.board, Ways("still-true.md", state.pages))
        assert page is not None
        now = page.markdown.partition("**Now**")[2].partition("## Every claim")[0]
        assert f"{sign_of(stands).words}: look at the decision again" in now
        assert "No check is due" not in page.markdown
    state = _state(_SUPPORTS)
    page = still_true_page(state.board, Ways("still-true.md", state.pages))
    assert page is not None
    assert "[1 refuted as the decision expects](#refuted-as-expected)" in page.markdown
    assert "No claim that was decided speaks against its decision." in page.markdown


def test_a_lesser_run_that_could_not_tell_says_that_it_was_a_rehearsal() -> None:
    """*unknown* beside *lab* would pass for what the machines themselves said."""
    claim = Claim("c", "So.", needs=Kind.REAL)
    lesser = _stands(Verdict.UNKNOWN, Result.UNKNOWN, Expected.AFFIRMED, Kind.LAB)
    assert verdict_words(lesser, claim) == "unknown (rehearsal)"
    real = _stands(Verdict.UNKNOWN, Result.UNKNOWN, Expected.AFFIRMED)
    assert verdict_words(real, claim) == "unknown"


def test_times_stand_beside_what_changed_and_days_alone_last() -> None:
    """Of several changes of one day nobody could tell which came first."""
    state = _state(_SUPPORTS)
    at = datetime(2026, 1, 30, 9, 15, tzinfo=UTC)
    changes = [
        Entry("record:x", at.replace(hour=12), "A record", "decisions/0001-x.md", timed=False),
        Entry("run:x", at, "A run", "decisions/0001-x.md"),
        Entry("claim:x", at, "A verdict", "decisions/0001-x.md"),
        Entry("run:y", at.replace(hour=10), "A later run", "decisions/0001-x.md"),
    ]
    page = still_true_page(state.board, Ways("still-true.md", state.pages), changes)
    assert page is not None
    lately = page.markdown.partition("## What changed lately")[2]
    places = [lately.index(f"[{word}]") for word in ("A later run", "A verdict", "A run", "A record")]
    assert places == sorted(places)
    assert "09:15:00 UTC</span> [A run]" in lately
    assert "-   [A record]" in lately


def test_a_record_that_was_written_down_later_says_so() -> None:
    """The day of writing would pass for the day of the decision."""
    plan = plan_of(date(2026, 2, 25))
    first, *others = plan.found.records
    written = replace(plan.found, records=(replace(first, date_of=DateOf.WRITING), *others))
    later = replace(plan, material=replace(plan.material, records=written))
    assert "| Written down | 2026-" in page_of_record(later, 0, HISTORY).markdown
    assert "written down</small>" in index(later).markdown
    assert "| Date | 2026-" in page_of_record(plan, 0, HISTORY).markdown


def test_beside_a_rehearsal_stands_whose_figure_it_is() -> None:
    """22.6 GiB of a host of the lab would be read as the memory of the machines."""
    plan = plan_of(date(2026, 2, 25))
    told = {
        one.claim.id: rehearsed_remark(one.claim, one.standing, alone=True)
        for one in plan.board.rows
        if one.standing.verdict is Verdict.REHEARSED
    }
    assert told
    assert all(remark.startswith("rehearsed: the check runs; ") for remark in told.values())
    assert rehearsed_remark(Claim("c", "So."), _ALARM) == ""


def test_who_said_so_stands_in_the_words_of_the_record() -> None:
    """What was read in a package and what one account tells would be under one word."""
    rest = "…"
    assert told_in_brief("the released wheels (absent in 0.5.8)") == f"the released wheels{rest}"
    assert told_in_brief("account B; it gives no prompt") == f"account B{rest}"
    assert told_in_brief("the platform team.") == "the platform team"
    assert len(told_in_brief("word " * 60)) < 80


def test_claims_of_others_that_a_text_names_stand_beside_its_own() -> None:
    """The reason of a decision would be in another record, and its verdict on no page of this one."""
    plan = plan_of(date(2026, 12, 1), _ROOT)
    numbers = {record.id: number for number, record in enumerate(plan.found.records)}
    page = page_of_record(plan, numbers["0001"], HISTORY).markdown
    glance = page.partition("It rests also on")[2].partition("## Context")[0]
    assert "#claim-stall-is-beyond-configuration" in glance
    state = State(plan.found.records, plan.board, plan.records, elsewhere=plan.shelf.elsewhere)
    assert "claims of other records" in overview(state)


def test_the_board_of_this_project_has_no_false_alarm_and_its_own_pages_say_the_same() -> None:
    """The front page of this project would say that a decision broke which a run supports."""
    plan = plan_of(date(2026, 12, 1), _ROOT)
    assert [row.claim.id for row in plan.board.rows if row.standing.as_expected] == [
        "transformers-is-all-that-is-missing"
    ]
    assert not any(row.standing.against for row in plan.board.rows)
    board_ = still_true(plan)
    assert board_ is not None
    assert "{ #refuted-as-expected }" in board_.markdown
    assert "{ #refuted }" not in board_.markdown


def test_the_figure_of_a_lab_host_is_named_where_it_is_shown() -> None:
    """*22.6 GiB, passed* beside a claim about a Spark would be taken for its memory."""
    plan = plan_of(date(2026, 12, 1), _ROOT)
    [row] = [one for one in plan.board.rows if one.claim.id == "fp8-does-not-fit-one-spark"]
    remark = "rehearsed: the check runs; the figures are the lab host's, not those of the real machines"
    assert rehearsed_remark(row.claim, row.standing) == remark
    board_ = still_true(plan)
    assert board_ is not None
    assert f"<small>{remark}</small>" in board_.markdown
    number = [record.id for record in plan.found.records].index("0008")
    assert remark.capitalize().partition(";")[0] in page_of_record(plan, number, HISTORY).markdown
