"""Every specimen is read as its expectation says."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from differences import differences

from reaffirm.lint.secret_scan import Looked, scan
from reaffirm.store.reading.collection import read_collection
from reaffirm.store.reading.report import as_json

_TESTS = Path(__file__).parents[1]
_SPECIMENS = sorted((_TESTS / "dialects").rglob("expected.json")) + sorted(
    (_TESTS / "hostile").rglob("expected.json")
)
sys.path.append(str(_TESTS / "hostile"))
_NOBODY = 65534


def _answer(folder: Path) -> dict[str, Any]:
    return as_json(read_collection([folder], root=folder))


@pytest.mark.parametrize(
    "expected", _SPECIMENS, ids=["/".join(path.parent.parts[-2:]) for path in _SPECIMENS]
)
def test_a_specimen_is_read_as_a_careful_person_would(expected: Path) -> None:
    """A record of this dialect would be read wrongly, or get lost."""
    wanted = json.loads(expected.read_text(encoding="utf-8"))
    answer = _answer(expected.parent)
    assert list(differences(wanted, answer)) == []
    text = json.dumps(answer)
    assert "CANARY" not in text


@pytest.mark.parametrize("part", ["names", "links", "clones", "special", "huge"])
def test_what_an_archive_would_not_carry(part: str, tmp_path: Path) -> None:
    """A link, a pipe or a huge file would hang the reader, or lead it out of the tree."""
    from build import build

    wanted = build(part, tmp_path)
    answer = _answer(tmp_path / "tree")
    assert list(differences(json.loads(json.dumps(wanted)), answer)) == []
    assert "CANARY" not in json.dumps(answer)


@pytest.fixture
def somebody() -> Iterator[Path]:
    """A folder, and no right to open what is closed: root would be stopped by nothing."""
    folder = Path(tempfile.mkdtemp(prefix="reaffirm-closed-"))
    user = os.geteuid()
    if user == 0:
        os.chown(folder, _NOBODY, -1)
        os.seteuid(_NOBODY)
    yield folder
    os.seteuid(user)
    for path in folder.rglob("*"):
        path.chmod(0o700)
    shutil.rmtree(folder)


def test_what_nobody_may_enter(somebody: Path) -> None:
    """A folder of another user would end `reaffirm lint`, `records` and `scan` in a traceback."""
    from build import build

    wanted = build("special", somebody)
    closed = somebody / "tree/docs/adr/half"  # its names can be listed, and nothing behind them be looked at
    closed.mkdir()
    (closed / "0006-x.md").write_text("# Title\n", encoding="utf-8")
    closed.chmod(0o444)
    wanted["problems"].append({"path": "docs/adr/half/0006-x.md", "line": None, "what": "no permission"})
    answer = _answer(somebody / "tree")
    assert list(differences(json.loads(json.dumps(wanted)), answer)) == []
    assert {"path": "docs/closed", "why": "cannot be read: Permission denied"} in answer["skipped"]
    looked = Looked()
    assert list(scan([somebody / "tree"], looked)) == []
    shut = {os.path.relpath(path, somebody / "tree/docs") for path in looked.unreadable}
    assert shut == {"closed", "adr/closed", "adr/half", "adr/0003-locked.md"}


def test_nothing_is_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tag in YAML would run a program on the reader's machine."""
    monkeypatch.chdir(tmp_path)
    _answer(_TESTS / "hostile/yaml-tags")
    assert list(tmp_path.iterdir()) == []


def test_a_cache_changes_nothing(tmp_path: Path) -> None:
    """A record read from the cache would differ from the file."""
    from reaffirm.store.reading.cache import Cache

    for expected in _SPECIMENS[::5]:
        folder = expected.parent
        fresh = _answer(folder)
        for _ in range(2):
            cache = Cache(folder, tmp_path)
            assert as_json(read_collection([folder], root=folder, cache=cache)) == fresh
        assert cache.entries


def test_two_processes_read_the_same(tmp_path: Path) -> None:
    """The order of records would depend on the machine."""
    for number in range(1, 101):
        (tmp_path / f"{number}-x.md").write_text(f"# {number}. Title {number}\n\nStatus: accepted\n")
    one = read_collection([tmp_path], root=tmp_path, workers=1)
    two = read_collection([tmp_path], root=tmp_path, workers=2)
    assert one.documents == two.documents
    assert [record.id for record in one.records] == [str(number) for number in range(1, 101)]
