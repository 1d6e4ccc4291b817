"""Edits of records: one line changes, the rest stays, and the reader sees what was meant."""

import difflib
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from reaffirm.cli.main import main
from reaffirm.errors import UsageError
from reaffirm.model.record import Status
from reaffirm.store.reading.collection import read_collection
from reaffirm.writing.edits import with_status

_CASES = tomllib.loads((Path(__file__).parent / "specimens/edits.toml").read_text())["case"]
_DIALECTS = Path(__file__).parents[1] / "dialects"


@pytest.mark.parametrize("ending", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["name"])
def test_edit(
    case: dict[str, Any],
    ending: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A command would reformat a record, lose a comment, or write one side of a link."""
    folder = tmp_path / "docs/adr"
    folder.mkdir(parents=True)
    before = {}
    for name in ("old", "new"):
        if name in case:
            path = folder / f"000{1 if name == 'old' else 2}-{name}.md"
            before[path] = case[name].lstrip("\n").replace("\n", ending)
            path.write_bytes(before[path].encode())
    monkeypatch.chdir(tmp_path)
    status = main(case["do"])
    after = {path: path.read_bytes().decode() for path in before}
    if "refused" in case:
        assert status == 3
        assert case["refused"] in capfd.readouterr().err
        assert after == before
        return
    assert status == 0
    changed: list[str] = []
    for path, text in before.items():
        lines = difflib.ndiff(text.splitlines(), after[path].splitlines())
        changed += [line[0] + line[2:] for line in lines if line[0] in "+-"]
        assert after[path].count("\r\n") == (after[path].count("\n") if ending == "\r\n" else 0)
    assert changed == case["changes"]
    assert main(case["do"]) in (0, 3)  # again: nothing to do, or no longer allowed
    assert {path: path.read_bytes().decode() for path in before} == after


def test_no_dialect_is_damaged() -> None:
    """An edit of a record in somebody's own form would change something else, or not be what was meant."""
    found = read_collection([_DIALECTS], root=_DIALECTS)
    edited = refused = 0
    for record in found.records:
        wanted = Status.DEPRECATED if record.status is not Status.DEPRECATED else Status.ACCEPTED
        try:
            text = found.files[record.path].read_bytes().decode()
            after = with_status(text, record, str(wanted), wanted)
        except (UsageError, UnicodeDecodeError):
            refused += 1
            continue
        edited += 1
        changed = [line for line in difflib.ndiff(text.split("\n"), after.split("\n")) if line[0] in "+-"]
        assert len(changed) == 2, (record.path, changed)
    assert edited > 150, f"only {edited} edited, {refused} refused"


def test_a_new_record_has_a_number_that_is_free_on_every_branch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Two people would both write record 0002, and find out when they merge."""

    def git(*words: str) -> None:
        who = ("-c", "user.name=somebody", "-c", "user.email=nobody@example.org")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True, timeout=30)

    folder = tmp_path / "docs/decisions"
    folder.mkdir(parents=True)
    (folder / "0001-one.md").write_text("---\nstatus: accepted\n---\n\n# One\n")
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "other")
    (folder / "0002-two.md").write_text("---\nstatus: accepted\n---\n\n# Two\n")
    git("add", "-A")
    git("commit", "-qm", "two")
    git("checkout", "-q", "main")
    monkeypatch.chdir(tmp_path)
    assert main(["new", "record", "Die größte Änderung: it's new"]) == 0
    told = capfd.readouterr().out.splitlines()
    assert told == [
        "0002-two.md is on branch other: its number is taken",
        "docs/decisions/0003-die-grosste-anderung-its-new.md",
    ]
    record = read_collection([folder], root=tmp_path).records[-1]
    assert (record.id, record.title, record.status) == (
        "0003",
        "Die größte Änderung: it's new",
        Status.PROPOSED,
    )
    assert main(["new", "record", "Next"]) == 0
    assert "docs/decisions/0004-next.md" in capfd.readouterr().out


def test_other_new_files_come_from_their_templates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A newcomer would have to find the template, or write over a page that is there."""
    (tmp_path / "runbooks").mkdir()
    (tmp_path / "adrs").mkdir()
    monkeypatch.chdir(tmp_path)
    for what, title, made in (
        ("runbook", "Measure the cache", "runbooks/measure_the_cache.py"),
        ("failure", "Cache: cold", "docs/failures/cache-cold.md"),
        ("image", "vllm-new", "docs/container-images/vllm-new.md"),
    ):
        assert main(["new", what, title]) == 0
        assert capfd.readouterr().out.strip() == made
        assert main(["new", what, title]) == 3
        assert "is there already; nothing was written" in capfd.readouterr().err
    assert "# # Measure the cache\n" in (tmp_path / "runbooks/measure_the_cache.py").read_text()
    assert "title: 'Cache: cold'\n" in (tmp_path / "docs/failures/cache-cold.md").read_text()


@pytest.mark.parametrize("title", ["2026-01-01", "yes", "123", "~", "null a: b"])
def test_a_title_is_text_to_yaml(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The page of a failure mode would have a date for its id, and stop the site."""
    (tmp_path / "runbooks").mkdir()
    (tmp_path / "adrs").mkdir()
    monkeypatch.chdir(tmp_path)
    if main(["new", "failure", title]) == 3:
        assert "a title has letters" in capfd.readouterr().err
        return
    (page,) = (tmp_path / "docs/failures").iterdir()
    front = yaml.safe_load(page.read_text().split("---")[1])
    assert (front["id"], front["title"]) == (page.stem, title)


@pytest.mark.parametrize("end", ["\r", "\x0b", "\u2028"])
def test_a_title_is_one_line(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What follows in a title that was copied would be code of the new runbook."""
    (tmp_path / "runbooks").mkdir()
    (tmp_path / "adrs").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["new", "runbook", f"A{end}import os"]) == 3
    assert "one line" in capfd.readouterr().err


def test_records_go_into_a_folder_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A folder that is misspelt would end in a traceback."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "record", "A", "--in", "adsr"]) == 3
    assert "cannot be written: No such file or directory" in capfd.readouterr().err
