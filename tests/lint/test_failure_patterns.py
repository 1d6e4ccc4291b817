"""What lint says of the patterns of failure pages."""

from datetime import date
from pathlib import Path

import pytest

from reaffirm.lint.run import lint
from reaffirm.lint.subject import Settings, Subject
from reaffirm.store.reading.collection import read_collection

_PAGE = """---
id: lost-disk
title: The disk is gone
status: draft
stage: weights
engines: {{vllm: any}}
signatures:
  - any:
    - '{pattern}'{remark}
---
"""


def codes(
    here: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, remark: str = "", **settings: tuple[str, ...]
) -> list[str]:
    """What lint finds in a repository with one page."""
    page = here / "docs/failures/lost-disk.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(_PAGE.format(pattern=pattern, remark=remark), encoding="utf-8")
    monkeypatch.chdir(here)
    collection = read_collection([Path()], root=Path())
    found = lint(Subject(collection, Path(), Path(), date(2026, 12, 1), Settings(**settings)))  # type: ignore[arg-type]
    return [f"{one.path}:{one.line} {one.code}" for one in found if one.code.startswith("failure")]


@pytest.mark.parametrize(
    "pattern",
    [
        r"(\w+ )+gone",  # catastrophic
        "(a|b)+ gone",
        r".*disk.*gone",
        "(?i)gone",  # a browser has no such flags
        "gone(?= away)",
        "(?<!not )gone",
        "(?P<what>disk) gone",
        r"(disk) \1",
        r"\Agone",
        r"gone\Z",
        r"\Bgone",
        "disk++ gone",  # no possessive repeats
        r"\x67one",
        "[[a]gone",  # a set in a set, to come in Python
        "^* gone",
        "a{3000} gone",
    ],
)
def test_a_pattern_that_a_browser_reads_otherwise_is_found(
    pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log box would say something else than the report of a launch, or hang the reader's tab."""
    assert codes(tmp_path, monkeypatch, pattern) == ["docs/failures/lost-disk.md:9 failure-pattern"]


@pytest.mark.parametrize(
    "pattern",
    [
        r"[Dd]isk \d{1,3} gone\.",
        "(disk|drive) gone$",
        r"a{,3} gone",
        "[]a-] gone",
        r"\{x} gone",
        "gone {",
        "é",
    ],
)
def test_what_both_read_alike_is_no_finding(
    pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People would have to rewrite patterns that are right."""
    assert codes(tmp_path, monkeypatch, pattern) == []


def test_it_is_silenced_as_every_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is meant as it is would fail the build for ever."""
    assert codes(tmp_path, monkeypatch, "(?i)gone", "  # lint: ignore failure-pattern") == []
    assert codes(tmp_path, monkeypatch, "(?i)gone", ignore=("failure-pattern",)) == []


def test_pages_of_other_people_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository with a folder docs/failures of its own would be full of findings."""
    page = tmp_path / "docs/failures/post-mortem.md"
    page.parent.mkdir(parents=True)
    page.write_text("# What happened\n\nMuch.\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    collection = read_collection([Path()], root=Path())
    found = lint(Subject(collection, Path(), Path(), date(2026, 12, 1)))
    assert [one for one in found if one.code.startswith("failure")] == []
