"""`reaffirm init`: what it says of somebody's repository, what it adds, and what it leaves alone."""

import json
import shutil
from pathlib import Path

import pytest

from reaffirm.cli.main import main
from reaffirm.store.project import find_project
from reaffirm.store.reading.collection import read_collection
from reaffirm.writing.setting_up import Addition, carry_out

_FOREIGN = Path(__file__).parents[1] / "foreign"


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("quayside", "86 records in 1 folder (86 markdown)"),
        ("lumenfield", "87 records in 7 folders (68 markdown, 11 asciidoc, 8 restructuredtext)"),
    ],
)
def test_a_repository_with_records(
    name: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A team would not know what was understood, or would find its files changed."""
    root = tmp_path / name
    shutil.copytree(_FOREIGN / name, root)
    (root / ".git").mkdir()
    monkeypatch.chdir(root)
    before = _files(root)
    assert main(["init", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert told in said
    assert "passed over:" in said
    assert "problems in reading:" in said
    assert "would add:" in said
    assert _files(root) == before
    assert main(["init"]) == 0
    after = _files(root)
    added = {"mkdocs.yml", ".reaffirm.toml", "lint-baseline.json"}
    assert after.keys() - before.keys() == added
    assert {path: after[path] for path in before} == before
    assert len(after["mkdocs.yml"].splitlines()) == 3
    project = find_project(root)
    assert project is not None
    assert project.root == root
    if name == "quayside":
        assert project.records == root / "doc/adr"
    capsys.readouterr()
    assert main(["lint", "--baseline", "lint-baseline.json"]) == 0
    capsys.readouterr()
    assert main(["init"]) == 0
    assert "nothing was written" in capsys.readouterr().out
    assert _files(root) == after


def test_an_empty_folder_becomes_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever begins would have to copy files from a page."""
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    assert {"adrs/0000-template.md", "runbooks/nodes/local.toml", "runbooks/nodes/simulated.toml"} <= set(
        _files(tmp_path)
    )
    assert main(["new", "record", "Begin"]) == 0
    assert main(["nodes", "check", "runbooks/nodes/simulated.toml"]) == 0
    capsys.readouterr()
    [record] = read_collection([tmp_path], root=tmp_path).records
    assert (record.id, record.title) == ("0001", "Begin")


def test_settings_that_are_there_are_printed_and_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A site that works would be overwritten, or a file of ours would hide the settings of pyproject.toml."""
    root = tmp_path / "quayside"
    shutil.copytree(_FOREIGN / "quayside", root)
    (root / "mkdocs.yml").write_text("site_name: theirs\nplugins:\n  - search # not reaffirm\n")
    (root / "pyproject.toml").write_text("[tool.reaffirm.lint]\nproposed-days = 30\n")
    monkeypatch.chdir(root)
    assert main(["init"]) == 0
    said = capsys.readouterr().out
    assert "mkdocs.yml, under plugins: - reaffirm" in said
    assert 'pyproject.toml, under [tool.reaffirm]: records = "doc/adr"' in said
    assert not (root / ".reaffirm.toml").exists()
    assert (root / "mkdocs.yml").read_text().startswith("site_name: theirs\n")


def test_a_file_that_came_meanwhile_is_kept(tmp_path: Path) -> None:
    """Two people who begin at once would lose a file."""
    (tmp_path / "mkdocs.yml").write_text("theirs")
    assert carry_out(tmp_path, (Addition("mkdocs.yml", "ours", ""), Addition("a/b", "new", ""))) == [
        "mkdocs.yml"
    ]
    assert (tmp_path / "mkdocs.yml").read_text() == "theirs"
    assert (tmp_path / "a/b").read_text() == "new"


def test_a_baseline_is_json_of_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lint could not read what init wrote."""
    (tmp_path / "adr").mkdir()
    (tmp_path / "adr/0001-x.md").write_text("# 1. X\n\n## Status\n\nParked\n")
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    codes = {one["code"] for one in json.loads((tmp_path / "lint-baseline.json").read_text())["findings"]}
    assert "status-word" in codes
    assert (tmp_path / "mkdocs.yml").read_text().splitlines()[1] == "docs_dir: adr"


def test_init_below_the_repository_says_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files would be added where nobody looks for them."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    assert main(["init"]) == 3
    assert "cd " in capsys.readouterr().err
