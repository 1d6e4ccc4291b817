"""Folders of records as a setting."""

from pathlib import Path

from reaffirm.store.project import find_project
from reaffirm.store.settings import read_settings, record_settings


def test_without_settings_records_are_in_adrs(tmp_path: Path) -> None:
    """Projects without settings would lose their records."""
    (tmp_path / "adrs").mkdir()
    (tmp_path / "runbooks").mkdir()
    project = find_project(tmp_path)
    assert project is not None
    assert project.records == tmp_path / "adrs"


def test_a_file_of_ours_names_the_folder_and_makes_a_project(tmp_path: Path) -> None:
    """A repository without pyproject.toml could not say where its records are."""
    (tmp_path / ".reaffirm.toml").write_text('records = "doc/adr"\n[lint]\nproposed-days = 9\n')
    project = find_project(tmp_path)
    assert project is not None
    assert project.records == tmp_path / "doc/adr"
    assert read_settings(tmp_path)["lint"] == {"proposed-days": 9}


def test_pyproject_names_several_folders(tmp_path: Path) -> None:
    """A monorepo has more than one."""
    (tmp_path / "pyproject.toml").write_text('[tool.reaffirm]\nrecords = ["a/adr", "b/adr", 3]\n')
    project = find_project(tmp_path)
    assert project is not None
    assert project.record_folders == (tmp_path / "a/adr", tmp_path / "b/adr")


def test_settings_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    """A slip in a file would end every command with a traceback."""
    (tmp_path / ".reaffirm.toml").write_bytes(b"records = \xff [")
    assert record_settings(tmp_path) == ()
    (tmp_path / ".reaffirm.toml").write_text("records = 3\n")
    assert record_settings(tmp_path) == ()
