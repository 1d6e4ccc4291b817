"""A failure page that was read before is what it was: kept from one process to the next, and never longer."""

import shutil
from pathlib import Path

import pytest

from reaffirm.model.failure import FailureMode
from reaffirm.store import failure_examples, failures
from reaffirm.store.failures import read_failure

PAGES = sorted(
    path
    for path in (Path(__file__).parents[2] / "docs" / "failures").glob("*.md")
    if path.name not in ("README.md", "index.md") and not path.name.startswith("_")
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept from before the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def read(path: Path) -> FailureMode:
    """Read a page that has no findings."""
    mode, findings = read_failure(path, shown=f"docs/failures/{path.name}")
    assert mode is not None
    assert findings == ()
    return mode


def said(mode: FailureMode) -> list[tuple[str, str, str]]:
    """The patterns of a page: compiled or not, they mean the same."""
    patterns = (p for one in mode.signatures for p in (*one.all, *one.any, *one.none))
    return [(p.text, p.literal, str(p.regex.search(p.literal))) for p in patterns]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_kept_page_says_what_the_page_says(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A launch would be told of another failure the second time."""
    first = read(path)
    monkeypatch.setattr(failure_examples, "read_examples", lambda *_: pytest.fail("parsed again"))
    again = read(path)
    assert said(again) == said(first)
    about = [[(s.line, s.engines, s.silence, s.ended) for s in one.signatures] for one in (first, again)]
    assert about[0] == about[1]
    others = {name: value for name, value in vars(first).items() if name != "signatures"}
    assert {name: value for name, value in vars(again).items() if name != "signatures"} == others


def test_a_page_that_was_edited_is_read_again(tmp_path: Path) -> None:
    """Whoever mends a page would look at the old one."""
    path = tmp_path / PAGES[0].name
    shutil.copy(PAGES[0], path)
    title = read(path).title
    path.write_text(path.read_text(encoding="utf-8").replace(title, "Quite another title"), encoding="utf-8")
    assert read(path).title == "Quite another title"


def test_what_is_wrong_with_a_page_is_told_each_time(tmp_path: Path) -> None:
    """Lint would be silent about a page from its second run on."""
    path = tmp_path / PAGES[0].name
    path.write_text(
        PAGES[0].read_text(encoding="utf-8").replace("## Remedy", "## Remedies"), encoding="utf-8"
    )
    first, again = read_failure(path), read_failure(path)
    assert {finding.code for finding in first[1]} == {"failure-section"}
    assert again == first


def test_what_is_kept_in_another_form_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of another version would break every launch."""
    first = read(PAGES[0])
    monkeypatch.setattr("reaffirm.store.kept_failures.kept", lambda *_: {"of": "another form"})
    assert read(PAGES[0]).examples == first.examples
    assert failures.read_failure(PAGES[0])[0] is not None
