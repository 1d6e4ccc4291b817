"""Pages read: what is right in them, and one line for each thing that is wrong."""

import shutil
from pathlib import Path

import pytest

from reaffirm.diagnose.prove import prove
from reaffirm.model.failure import OriginKind
from reaffirm.store.failures import read_failures
from reaffirm.store.patterns import read_pattern

SPECIMENS = Path(__file__).parent / "specimens"


def test_a_good_page_is_read_whole() -> None:
    """A signature would lose a condition, and match more than it should."""
    found = read_failures((SPECIMENS / "good", "docs/failures"))
    assert found.findings == ()
    assert list(prove(found.modes)) == []
    mode = found.get("lost-cable")
    assert mode is not None
    first, second = mode.signatures
    assert [pattern.text for pattern in first.all] == ["cable (?:is )?gone", r"port \d{1,2}"]
    assert [pattern.text for pattern in first.none] == ["cable is back"]
    assert second.silence is not None
    assert (second.silence.stage, second.silence.seconds) == ("nccl", 30)
    assert mode.also_called == ("no link",)
    assert str(mode.engines[0]) == "vllm >=0.17, <0.30"
    assert mode.path == "docs/failures/lost-cable.md"
    assert [example.hit for example in mode.examples] == [True, False, False, True]
    kinds = [example.origin.kind for example in mode.examples]
    assert kinds == [OriginKind.RUN, OriginKind.THREAD, OriginKind.MADE_UP, OriginKind.PACKAGE]
    assert mode.examples[1].origin.url == "https://github.com/owner/repo/issues/7"


def test_each_mistake_gets_one_line_with_its_place() -> None:
    """A newcomer would see a traceback, or search for the line."""
    found = read_failures((SPECIMENS / "bad", "bad"))
    assert found.modes == ()
    assert "\n".join(map(str, found.findings)) + "\n" == (SPECIMENS / "bad.txt").read_text(encoding="utf-8")


def test_a_wrong_page_hides_no_other(tmp_path: Path) -> None:
    """One typing mistake would switch all failure pages off."""
    shutil.copytree(SPECIMENS / "good", tmp_path / "pages")
    (tmp_path / "pages/new.md").write_text("---\nid: new\n---\n", encoding="utf-8")
    found = read_failures((tmp_path / "pages", "docs/failures"))
    assert {mode.id for mode in found.modes} == {"lost-cable", "lost-switch"}
    assert {finding.path for finding in found.findings} == {"docs/failures/new.md"}


def test_rivals_name_each_other(tmp_path: Path) -> None:
    """A launch would show one of two causes as if there were no other."""
    shutil.copy(SPECIMENS / "good/lost-cable.md", tmp_path)
    other = (SPECIMENS / "good/lost-switch.md").read_text(encoding="utf-8")
    (tmp_path / "lost-switch.md").write_text(other.replace("rivals: [lost-cable]\n", ""), encoding="utf-8")
    found = read_failures((tmp_path, "docs/failures"))
    assert [str(finding).split(";")[0] for finding in found.findings] == [
        "docs/failures/lost-cable.md:12: failure-rival docs/failures/lost-switch.md does not name it back"
    ]
    told = [str(finding) for finding in prove(found.modes)]
    assert told == [
        "docs/failures/lost-switch.md:19: failure-also example 1 matches lost-cable as well; "
        "narrow one of the signatures, or name each other as rivals"
    ]


def test_a_page_of_ones_own_replaces_ours(tmp_path: Path) -> None:
    """A team could not correct a page without a fork."""
    own = (SPECIMENS / "good/lost-switch.md").read_text(encoding="utf-8")
    (tmp_path / "lost-switch.md").write_text(own.replace("The switch is gone", "Ours"), encoding="utf-8")
    found = read_failures((tmp_path, "docs/failures"), (SPECIMENS / "good", "reaffirm:docs/failures"))
    assert {mode.id: mode.path for mode in found.modes} == {
        "lost-cable": "reaffirm:docs/failures/lost-cable.md",
        "lost-switch": "docs/failures/lost-switch.md",
    }


def test_examples_that_do_not_hold_are_named(tmp_path: Path) -> None:
    """A signature that no longer fits its own example would be published."""
    page = (SPECIMENS / "good/lost-cable.md").read_text(encoding="utf-8")
    page = page.replace("rivals: [lost-switch]\n", "").replace("    none: ['cable is back']\n", "")
    (tmp_path / "lost-cable.md").write_text(page.replace('silent="31"', 'silent="3"'), encoding="utf-8")
    (tmp_path / "x.md").write_text("---\nid: x\n---\n", encoding="utf-8")
    told = [str(finding) for finding in prove(read_failures((tmp_path, "d")).modes)]
    assert [line.split(";")[0] for line in told] == [
        "d/lost-cable.md:42: failure-near-miss example 2 matches",
        "d/lost-cable.md:55: failure-hit example 4 (silence) does not match "
        "(stage nccl, silent 3 s, version 0.17.0)",
    ]


def test_a_stage_that_does_not_exist_is_named(tmp_path: Path) -> None:
    """A signature that waits for a misspelt stage never matches."""
    page = (SPECIMENS / "good/lost-switch.md").read_text(encoding="utf-8")
    (tmp_path / "lost-switch.md").write_text(page.replace("stage: nccl", "stage: ncl"), encoding="utf-8")
    told = [str(finding) for finding in prove(read_failures((tmp_path, "d")).modes)]
    assert told[0] == "d/lost-switch.md:5: failure-stage unknown stage 'ncl'; did you mean 'nccl'?"
    assert "d/lost-switch.md:8: failure-stage unknown stage 'ncl'" in told[1]


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("plain words", "plain words"),
        (r"a\.b \(c\) long", "a.b (c) long"),
        (r"port: \d{1,5}, name", "port: "),
        ("(?:optional )?needed", "needed"),
        ("optiona?l", "option"),
        ("one|two", ""),
        ("(one|two) more", " more"),
        ("[Aa]ddress in use", "ddress in use"),
        ("[]x] after", " after"),
        (r"\d+ left", " left"),
        ("ab{2}cd", "cd"),
        ("a{x} b", "a{x} b"),
    ],
)
def test_the_literal_of_a_pattern_is_in_all_that_it_matches(pattern: str, literal: str) -> None:
    """A line that matches would be passed over because a word is looked for that it need not have."""
    assert read_pattern(pattern).literal == literal


@pytest.mark.parametrize(
    "pattern",
    [
        "(x+x+)+y",
        "(a|a)*b+c{2,}d*",
        r"(\w+\s?)*$",
        r"(a)\1",
        "(?i)x",
        "(?P<n>x)",
        r"\x41",
        "x{1,500}y{1,500}z",
    ],
)
def test_a_pattern_that_could_take_for_ever_is_refused(pattern: str) -> None:
    """One line of a log would hold up a launch for ever."""
    with pytest.raises(ValueError, match=r"repeat|refer|plain groups|not allowed|empty line"):
        read_pattern(pattern)
