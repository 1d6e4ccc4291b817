"""A long decision in brief: the options as its author lists them, and the sum of its evidence."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reaffirm.model.claim import Judged, Result, Standing, Verdict
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.record import Record, Status
from reaffirm.site.evidence_words import evidence_sentence
from reaffirm.site.record_gist import considered, gist

_LONG = "\n".join(["", "## Context", *(["words"] * 20)])
_RECORD = Record("adr/0001-x.md", "0001", "Title", Status.ACCEPTED)


def _standing(verdict: Verdict, kind: Kind | None = None) -> Standing:
    if kind is None:
        return Standing(verdict, "")
    when = datetime(2026, 2, 1, tzinfo=UTC)
    return Standing(verdict, "", deciding=Judged(Result.PASSED, kind, Via.LIVE, when, "run", "book", ""))


def _gist(options: str, outcome: str) -> str:
    body = f"{_LONG}\n\n## Considered Options\n\n{options}\n\n## Decision Outcome\n\n{outcome}\n"
    return gist(replace(_RECORD, body=body), {}, lambda target: target, None)


@pytest.mark.parametrize(
    ("options", "outcome", "marked"),
    [
        ("* One\n* Two: with words\n", 'Chosen option: "Two", because', "Two: with words"),
        ("1. `One` of *them*\n2. Two\n", 'Chosen option: "`One` of *them*".', "`One` of <em>them</em>"),
        ("* Keep\n* Do not keep\n", "Chosen option: “Keep”, because", "Keep"),
        ("* The one\n* The other\n", 'Chosen option: "The", because', ""),
        ("* One\n* Two\n", 'Chosen option: "A third", because', ""),
        ("* One\n* Two\n", "We go on.", ""),
    ],
)
def test_the_chosen_option_is_marked_and_none_where_it_is_not_certain(
    options: str, outcome: str, marked: str
) -> None:
    """An option that nobody chose would be shown as the decision."""
    shown = _gist(options, outcome)
    assert shown.count("-   ") == 2
    assert shown.count("(chosen)") == bool(marked)
    if marked:
        assert f"<strong>{marked}</strong> (chosen)" in shown


@pytest.mark.parametrize(
    "options",
    [
        "Only words.",
        "* One\n",
        "For this:\n\n* One\n* Two\n\nFor that:\n\n* Three\n* Four\n",
        "* " + "x" * 300,
    ],
)
def test_what_is_no_plain_list_of_options_is_not_shown_as_one(options: str) -> None:
    """Half of what was weighed would stand there as all of it."""
    assert considered(f"## Considered Options\n\n{options}\n\n## Decision\n") == []
    assert "Considered" not in _gist(options, "We go on.")


def test_the_sum_is_counted_and_says_that_nothing_is_of_real_machines() -> None:
    """A row of green signs from the lab would be read as a word about the machines."""
    lab = [
        _standing(Verdict.AFFIRMED, Kind.LAB),
        _standing(Verdict.AFFIRMED, Kind.LAB),
        _standing(Verdict.REHEARSED, Kind.SIMULATED),
        _standing(Verdict.TOLD),
    ]
    told = evidence_sentence(lab)
    assert told.startswith("2 of 4 claims affirmed (2 lab), 1 rehearsed (1 simulated), 1 told. No verdict")
    real = evidence_sentence([*lab, _standing(Verdict.AFFIRMED, Kind.REAL)])
    assert real == "3 of 5 claims affirmed (1 real by book, 2 lab), 1 rehearsed (1 simulated), 1 told."
    assert evidence_sentence([]) == ""
