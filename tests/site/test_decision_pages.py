"""Pages of decisions: what readers see of claims, evidence, history and what took whose place."""

import shutil
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import markdown
import pytest
from article import Article
from decision_pages import HISTORY, pages, plan_of

from reaffirm.claims.board import board
from reaffirm.model.claim import Claim, Judged, Result, Standing, Verdict
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.record import Record, Status
from reaffirm.site.board import decisions_page
from reaffirm.site.graph import supersession
from reaffirm.site.hand_written import shown
from reaffirm.site.home import home_page
from reaffirm.site.make_records import page_of_record, still_true
from reaffirm.site.marks import verdict_bar
from reaffirm.site.state import MOST, State, Topic, overview, with_state
from reaffirm.store.published import read_published
from reaffirm.store.shown_facts import fact_cells

_GOLDEN = Path(__file__).parent / "golden/decisions"
_PROJECT = Path(__file__).parent / "specimens/project"
_HOSTILE = (
    'A `code` [x](javascript:alert(1)) "onload=alert(2) *b* | <script>alert(3)</script> {.c} &amp; ]( ${'
)
_EXTENSIONS = ["admonition", "attr_list", "tables", "toc", "pymdownx.details", "pymdownx.superfences"]


def _html(text: str) -> Article:
    body = text.split("---\n", 2)[-1] if text.startswith("---\n") else text
    return Article(f"<article>{markdown.markdown(body, extensions=_EXTENSIONS)}</article>")


def _many(count: int, **fields: object) -> list[Record]:
    return [
        Record(f"adr/{n:04d}-x.md", f"{n:04d}", f"Title {n}", Status.ACCEPTED, **fields)  # type: ignore[arg-type]
        for n in range(1, count + 1)
    ]


def _uris(records: list[Record]) -> dict[str, str]:
    return {one.key: f"decisions/{Path(one.path).name}" for one in records}


@pytest.mark.parametrize("name", ["decision", "superseded", "decisions", "still-true", "front"])
def test_pages_are_as_they_were(name: str) -> None:
    """A change of what pages look like would go unnoticed in a review."""
    expected = (_GOLDEN / f"{name}.md").read_text(encoding="utf-8")
    assert pages()[name] == expected, "if the change is meant: scripts/regen"


def test_a_stale_claim_says_since_when_and_what_to_run() -> None:
    """A reader would see that something is old, and not how old or what to do."""
    plan = plan_of(date(2026, 5, 20))
    page = page_of_record(plan, 0, HISTORY).markdown
    assert "| Stale since | 2026-05-03: the evidence is of 2026-02-01 |" in page
    found = still_true(plan)
    assert found is not None
    due = found.markdown.partition("**Now**")[2].partition("## ")[0]
    assert "108 days old, to be checked again after 90" in due
    assert "reaffirm recheck 0001 --claim fast-enough --nodes lab" in due


def test_a_rehearsal_whose_runbook_changed_says_so(tmp_path: Path) -> None:
    """A rehearsal of another runbook would pass for one of this."""
    plan = plan_of(date(2026, 2, 25))
    changed = {
        key: replace(one, deciding=replace(one.deciding, changed="the runbook")) if one.deciding else one
        for key, one in plan.standings.items()
    }
    page = page_of_record(replace(plan, standings=changed), 0, HISTORY).markdown
    assert "| Changed since | the runbook: the rehearsal was of what was there before |" in page


def test_each_fact_leads_to_the_cell_that_shows_it() -> None:
    """A reader would search a long notebook for the number that decided."""
    page = page_of_record(plan_of(date(2026, 2, 25)), 0, HISTORY).markdown
    assert "`latency.p95` = &#49;&#50;.5 ms ([cell " in page
    runs = read_published(_PROJECT / "docs/runs").runs
    assert all(dict(run.cells) == fact_cells(run.notebook()) for run in runs)
    assert any(run.cells for run in runs)


def test_records_without_claims_have_no_columns_filters_or_pages_for_them() -> None:
    """A team that has no claims yet would look at empty columns."""
    records = _many(6, date=date(2026, 1, 1))
    uris = _uris(records)
    state = State(records, board(records, (), date(2026, 2, 1)), uris)
    index = decisions_page(records, {}, uri="decisions/index.md", pages=uris).markdown
    assert "| Decision | Status | Date |" in index
    for word in ("data-rf-verdict", "data-rf-needs", "data-rf-tag", "rf-bar", "took whose place"):
        assert word not in index
    front = home_page(state, uris.values())
    assert "claim" not in front
    assert "rf-ask" not in front
    assert front.count("rf-tile") == 6


def test_of_very_many_records_the_front_page_has_the_newest_and_those_with_bad_news() -> None:
    """The front page of a thousand records would take minutes to read, or hide what is refuted."""
    claim = Claim("c", "It works.", path="adr/0001-x.md")
    records = _many(MOST + 50)
    records[0] = replace(records[0], claims=(claim,))
    records[-1] = replace(records[-1], date=date(2026, 1, 1))
    judged = Judged(Result.FAILED, Kind.REAL, Via.LIVE, datetime(2026, 1, 1, 12, tzinfo=UTC), "r", "b", "no")
    state = State(records, board(records, (), date(2026, 2, 1)), _uris(records))
    row = replace(state.board.rows[0], standing=Standing(Verdict.REFUTED, "no", judged))
    text = overview(replace(state, board=replace(state.board, rows=(row,))))
    assert text.count("rf-tile") <= 40
    assert "refuted: [It works.](decisions/0001-x.md#claim-c)" in text
    assert f"Title {MOST + 50}]" in text
    assert f"[All {MOST + 50} decisions](decisions/index.md)" in text


def test_topics_hold_every_record_once_and_what_fits_none_is_not_lost() -> None:
    """A record could be left out of the front page by its tags."""
    records = [replace(one, tags=(f"t{n % 3}",)) for n, one in enumerate(_many(6))]
    state = State(records, board(records, (), date(2026, 2, 1)), _uris(records))
    text = overview(state, [Topic("First", frozenset({"t1"})), Topic("Both", frozenset({"t1", "t2"}))])
    assert text.count("rf-tile") == 6
    assert [line for line in text.split("\n") if line.startswith("### ")] == [
        "### First", "### Both", "### Others"
    ]  # fmt: skip


def test_a_page_without_the_marker_stays_as_it_is() -> None:
    """Somebody's front page would change by itself."""
    state = State([], board([], (), date(2026, 2, 1)), {})
    assert with_state("# Mine\n\nWords.", state) == "# Mine\n\nWords."
    assert "no records yet" in with_state("<!-- reaffirm: state -->", state)


def test_the_marker_counts_on_the_page_at_the_top_and_on_no_other() -> None:
    """A page that explains the marker would show the state of every decision in its place."""
    plan, text = plan_of(date(2026, 2, 25)), "---\nhide: [toc]\n---\n# Toy\n\n<!-- reaffirm: state -->\n"
    front = shown(plan, "index.md", text)
    assert front.startswith('---\nhide: [toc]\n---\n# Toy\n\n<span class="rf-figures">')
    assert shown(plan, "how-to.md", text) == text


def test_what_took_whose_place_is_drawn_for_what_hangs_together_only() -> None:
    """A picture of a thousand boxes, or of a chain of a hundred, is none that anybody reads."""
    records = _many(1000)
    for first, last in ((0, 3), (10, 60)):
        for n in range(first, last):
            records[n] = replace(records[n], superseded_by=(f"{n + 2:04d}",), status=Status.SUPERSEDED)
    uris = _uris(records)
    named = {(one.key, ident): f"decisions/{ident}-x.md" for one in records for ident in one.superseded_by}
    text = supersession(records, uri="decisions/index.md", pages=uris, named=named)
    assert text.count('class="rf-node') == 4
    assert "and 1 that are not drawn" in text
    assert "[0011 Title 11](0011-x.md) gave way to [0012 Title 12](0012-x.md)" in text
    assert supersession(records, uri="decisions/index.md", pages=uris, named={}) == ""


def test_titles_tags_and_statuses_of_others_are_text_wherever_they_stand() -> None:
    """A title could run code in the browser of whoever reads the index, or break the table."""
    records = [
        replace(
            one, id=f"{n}", title=f"{_HOSTILE}{n}", status=Status.OTHER, status_raw=_HOSTILE, tags=(_HOSTILE,)
        )
        for n, one in enumerate(_many(6))
    ]
    records[1] = replace(records[1], supersedes=("0",))
    uris = _uris(records)
    state = State(records, board(records, (), date(2026, 2, 1)), uris, called={"adr": _HOSTILE, "b": "x"})
    named = {(records[1].key, "0"): uris[records[0].key]}
    index = decisions_page(records, {}, uri="decisions/index.md", pages=uris, named=named).markdown
    for text in (index, home_page(state), overview(state, [Topic(_HOSTILE)])):
        found = _html(text)
        assert found.dangers == []
        assert "alert(3)" in found.text
    assert _html(index).tags.count("tr") == 7
    assert _html(index).tags.count("svg") == 1


def test_a_row_of_marks_says_the_same_in_words() -> None:
    """Whoever sees no colours, or nothing, would not know the verdicts."""
    some = [Standing(Verdict.TOLD, ""), Standing(Verdict.REFUTED, ""), Standing(Verdict.TOLD, "")]
    assert 'aria-label="3 claims: 1 refuted, 2 told"' in verdict_bar(some)
    assert verdict_bar(some).count("<i ") == 3
    many = verdict_bar(some * 10)
    assert many.count("<i ") == 2
    assert "<small>20</small>" in many
    assert verdict_bar([]) == ""


def test_a_page_of_ones_own_stands_above_the_board(tmp_path: Path) -> None:
    """What somebody wrote for the page would be lost when it is made."""
    shutil.copytree(_PROJECT, tmp_path / "p")
    (tmp_path / "p/docs/still-true.md").write_text("# Still?\n\nSee [runs](runs/README.md).\n")
    board_ = still_true(plan_of(date(2026, 2, 25), tmp_path / "p"))
    assert board_ is not None
    assert "# Still true?\n\nSee [runs](runs/index.md).\n\n5 claims" in board_.markdown


def test_a_decision_far_down_its_text_stands_at_the_top_too() -> None:
    """A reader would scroll past claims and context before the decision itself."""
    plan = plan_of(date(2026, 2, 25))
    [first, *_] = plan.found.records
    outcome = 'Chosen option: "the cache", see [why](0002-no-cache.md).\n\nMore.\n'
    head = "```\n## Decision\n\nNo.\n```\n" + "Words.\n\n" * 12
    for body, expected in (
        (f"{head}## Decision Outcome\n\n{outcome}", True),
        (f"## Decision\n\n{outcome}", False),
        (f"{head}## Decision\n\n| a | b |\n|---|---|\n| {outcome} |\n", False),
        (head, False),
    ):
        found = replace(plan.material.records, records=(replace(first, body=body), *plan.found.records[1:]))
        page = page_of_record(replace(plan, material=replace(plan.material, records=found)), 0, HISTORY)
        start = page.markdown.partition('!!! abstract "What was decided"\n\n    ')[2]
        assert bool(start) is expected
        assert start.startswith("Chosen option:") is expected
        assert ("see [why](0002-no-cache.md).\n\n    <strong>Evidence</strong>" in start) is expected


def test_overdue_reviews_and_reasons_to_reopen_are_shown_where_people_look() -> None:
    """A decision that asks to be looked at again would ask in vain."""
    root = Path(__file__).parents[1] / "cli/specimens/claims"
    plan = plan_of(date(2027, 6, 1), root)
    assert [one.asks for one in plan.board.reopen] == [False]
    [wish] = plan.board.reopen
    judged = Judged(Result.PASSED, Kind.REAL, Via.LIVE, datetime(2027, 5, 1, tzinfo=UTC), "r", "b", "yes")
    asking = replace(wish, standing=Standing(Verdict.AFFIRMED, "yes", judged))
    key = (wish.record.key, wish.claim.id)
    asked = replace(
        plan,
        board=replace(plan.board, reopen=(asking,)),
        standings={**plan.standings, key: asking.standing},
    )
    front = with_state("<!-- reaffirm: state -->", State(plan.found.records, asked.board, plan.records))
    assert "0001 asks to be reopened: [More than a hundred things are in the cache.]" in front
    assert "review overdue since 2027-05-05: [0001 A cache of twenty]" in front
    board_ = still_true(asked)
    assert board_ is not None
    now = board_.markdown.partition("**Now**")[2].partition("## ")[0]
    assert "| review by 2027-05-05 | [0001 A cache of twenty]" in now
    assert "asks to be reopened" in now
    page = page_of_record(asked, 0, HISTORY).markdown
    assert '!!! warning "This decision asks to be looked at again"' in page
    late = page_of_record(plan, 0, HISTORY).markdown
    assert '!!! warning "Its review is overdue"' in late
    assert "overdue for 27 days" in late
