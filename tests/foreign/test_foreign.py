"""Two repositories of other people, read and linted as they are."""

import json
import re
import sys
from datetime import date
from pathlib import Path

import pytest

from reaffirm.lint.baseline import new_ones, read_baseline, write_baseline
from reaffirm.lint.run import lint
from reaffirm.lint.subject import Subject
from reaffirm.store.reading.collection import read_collection
from reaffirm.store.reading.report import as_json

_HERE = Path(__file__).parent
sys.path.append(str(_HERE.parent / "dialects"))
_NAMES = ("quayside", "lumenfield")
#: Rules that may find nothing but what the table lists.
_EXACT = re.compile(r"link-(?:dead|anchor)|code-place-dead|supersede")


def _subject(name: str) -> Subject:
    root = _HERE / name
    return Subject(read_collection([root], root=root), root, root, date(2026, 6, 1))


def _table(name: str) -> list[tuple[str, int | None, str]]:
    """The rows of the findings that people wrote down: path, line (None: the file), what it is."""
    rows = []
    for line in (_HERE / f"{name}.findings.md").read_text(encoding="utf-8").splitlines():
        match = re.match(r"\| `(?P<path>[^`]+)` \| (?P<line>\d+|–) \|.*\| (?P<what>[^|]+) \|\Z", line)
        if match:
            number = None if match["line"] == "–" else int(match["line"])
            rows.append((match["path"], number, match["what"]))
    return rows


@pytest.mark.parametrize("name", _NAMES)
def test_a_foreign_repository_is_read_without_configuration(name: str) -> None:
    """A team could not use its own records as they are."""
    from differences import differences

    root = _HERE / name
    expected = json.loads((_HERE / f"{name}.expected.json").read_text(encoding="utf-8"))
    answer = as_json(read_collection([root], root=root))
    assert len(answer["records"]) >= 80
    assert list(differences(expected, answer)) == []


@pytest.mark.parametrize("name", _NAMES)
def test_lint_finds_what_people_found(name: str) -> None:
    """An inconsistency of real life would go unnoticed."""
    found = lint(_subject(name))
    lines = {(one.path, one.line) for one in found}
    paths = {one.path for one in found}
    missed = [
        (path, line, what)
        for path, line, what in _table(name)
        if (path, line) not in lines and not (line is None and path in paths)
    ]
    assert missed == []


@pytest.mark.parametrize("name", _NAMES)
def test_lint_finds_no_dead_link_that_is_alive(name: str) -> None:
    """False alarms teach people to look away."""
    listed = {(path, line) for path, line, _ in _table(name)}
    found = [one for one in lint(_subject(name)) if _EXACT.match(one.code)]
    assert [str(one) for one in found if (one.path, one.line) not in listed] == []


@pytest.mark.parametrize("name", _NAMES)
def test_a_baseline_leaves_only_what_is_new(name: str, tmp_path: Path) -> None:
    """A team with many old findings could never switch lint on."""
    found = lint(_subject(name))
    file = tmp_path / "baseline.json"
    assert write_baseline(file, found) == len(found)
    known = read_baseline(file)
    assert new_ones(found, known)[0] == ()
    new, gone = new_ones(found[1:], known)
    assert (new, gone.total()) == ((), 1)
