"""What failure pages say in a few words: sections, symptoms, lines made of patterns, data for the box."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from reaffirm.model.failure import OriginKind
from reaffirm.site.browser_patterns import browser_pattern
from reaffirm.site.failure_data import failure_data
from reaffirm.site.failure_index import failures_index
from reaffirm.site.failure_sections import in_brief, sections, shown
from reaffirm.site.failure_signs import Symptom, in_one_line, rail, signatures, status_badge, symptom
from reaffirm.site.pattern_words import as_line
from reaffirm.site.prose_words import words_and_code
from reaffirm.store.failures import read_failures

_ROOT = Path(__file__).parents[2]
MODES = {mode.id: mode for mode in read_failures((_ROOT / "docs/failures", "docs/failures")).modes}


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (r"scheduler died \(exit code: -9\)", "scheduler died (exit code: -9)"),
        (r"architectures \[.{0,300}\] are not supported", "architectures […] are not supported"),
        (r"[Aa]ddress already in use", "address already in use"),
        (r"cable (?:is )?gone", "cable (is )gone"),
        (r"(ERROR|FATAL): \d+", "(ERROR / FATAL): …"),
        (r"^a\b", "a"),
    ],
)  # fmt: skip
def test_a_pattern_is_shown_as_the_line_that_it_finds(pattern: str, line: str) -> None:
    """Somebody at night would have to read a regular expression."""
    assert as_line(pattern) == line


@pytest.mark.parametrize(
    ("pattern", "js"),
    [
        (r"a.b", r"a[^\n]b"),
        (r"\d\s", r"[0-9][\u{9}-\u{d}\u{20}]"),
        (r"[\S-]", r"[\u{0}-\u{8}\u{e}-\u{1f}\u{21}-\u{10ffff}\u{2d}]"),
        (r"x{,3}y{2}z*?", r"x{0,3}y{2}z{0,}?"),
        (r"a{x}]", r"a\u{7b}x\u{7d}\u{5d}"),
        ("é█", r"\u{e9}\u{2588}"),
        (r"(a|b)(?:c)$", r"(a|b)(?:c)$"),
    ],
)
def test_a_pattern_is_spelled_out_for_a_browser(pattern: str, js: str) -> None:
    """A browser would read a sign in its own way."""
    assert browser_pattern(pattern) == js


def test_the_remedy_comes_first_and_nothing_is_lost() -> None:
    """Somebody at night would scroll past the explanation; or a heading in a log would cut the page."""
    body = "## Meaning\n\nWhy.\n\n## Remedy\n\nDo *this*:\nnow.\n\n- or that\n\n"
    body += "## Examples\n\n```text\n## no heading\n```\n"
    parts = sections(body)
    assert list(parts) == ["", "Meaning", "Remedy", "Examples"]
    assert in_brief(parts) == "Do *this*: now."
    text = shown(parts, "FIRST", "THEN")
    order = [text.index(word) for word in ("## Remedy", "FIRST", "Do", "Why", "THEN", "## no heading")]
    assert order == sorted(order)
    assert in_brief({}) == ""
    assert shown({"": "", "Meaning": "x"}, "", "") == "## Meaning\n\nx"


def test_what_to_ask_first_stands_in_front_of_the_remedy() -> None:
    """Somebody at night would change things before knowing which of two failures it is."""
    parts = sections("## Meaning\n\nWhy.\n\n## Make sure\n\nASK\n\n## Remedy\n\nDO\n")
    text = shown(parts, "FIRST", "THEN")
    order = [text.index(word) for word in ("## Remedy", "FIRST", "ASK", "DO", "Why", "THEN")]
    assert order == sorted(order)
    assert "Make sure" not in text


def test_each_page_is_found_by_what_one_sees() -> None:
    """A silent stall would be listed among the crashes."""
    assert symptom(MODES["silent-stall-nccl"]) is Symptom.SILENCE
    assert symptom(MODES["port-taken"]) is Symptom.REFUSAL
    assert symptom(MODES["allreduce-fusion-crash"]) is Symptom.CRASH
    assert symptom(MODES["no-rdma-silent-tcp"]) is Symptom.DEGRADED
    stall = MODES["silent-stall-queue-address"]
    assert in_one_line(stall) == (
        "`CustomAllreduce is disabled because this process group spans across nodes`, then silence"
    )


def test_a_draft_of_made_up_examples_says_so() -> None:
    """A page that nobody has seen would look as well supported as one with logs of others."""
    draft = MODES["silent-stall-nccl"]
    assert draft.tested == "draft: rests on too little yet"
    invented = tuple(one for one in draft.examples if one.origin.kind is OriginKind.MADE_UP)
    assert invented
    alone = replace(draft, examples=invented)
    assert ">draft: examples made up only</span>" in status_badge(alone)
    assert "another question" in status_badge(MODES["worker-gone"])


def test_a_signature_says_in_words_when_it_fits() -> None:
    """A reader would see a list of patterns and not know which of them must hold."""
    text = signatures(MODES["silent-stall-queue-address"])
    assert "SGLang &gt;=0.5.10" in text
    assert "the furthest stage that every rank has reached is “Group created” (one may be further)" in text
    text = signatures(MODES["class-missing-from-registry"])
    assert "`Model architectures […] are not supported for now` (as a pattern: <code>" in text
    text = signatures(MODES["worker-gone"])
    assert "a container ended with status 137 or 143" in text


def test_the_picture_shows_where_the_launch_stops() -> None:
    """The stage would be a word that says nothing of what came before it."""
    text = rail("nccl")
    assert text.count("rf-rail-passed") == 3
    assert '<span class="rf-rail-here">NCCL joined' in text
    assert "rf-rail-here" not in rail("no-such-stage")


def test_a_hostile_page_breaks_neither_the_index_nor_the_data() -> None:
    """A title could run script on the index of a project that takes in other people's pages."""
    one = MODES["port-taken"]
    bad = "<script>alert(1)</script>|](x) `"
    hostile = replace(one, title=bad, stage="<b>", mistaken_for=(bad,))
    page = failures_index([hostile], uri="failures/index.md", heading=bad, introduction="")
    assert "<script>" not in page.markdown
    assert "<b>" not in page.markdown
    data = json.loads(failure_data([hostile], {one.id: [(bad, True)]}))
    assert data["pages"][0]["title"] == bad
    assert data["pages"][0]["remedy"] == [[bad, True]]


def test_a_remedy_in_brief_keeps_its_code_apart() -> None:
    """What somebody copies at night would break in two, or lose a sign."""
    assert words_and_code("Set `-e A=<own\naddress>`, *not* B.") == [
        ("Set ", False),
        ("-e A=<own address>", True),
        (", not B.", False),
    ]
    assert words_and_code("") == []


def test_a_site_without_failure_pages_has_an_index_without_a_box() -> None:
    """An empty box would promise what it cannot do."""
    page = failures_index([], uri="failures/index.md", heading="Failure modes", introduction="None yet.")
    assert "log-box" not in page.markdown
