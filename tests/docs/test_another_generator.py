"""docs/how-to/another-generator.md, executed: its commands as they stand, in a copy of this project."""

from pathlib import Path

from followed import ROOT, Reader, copy_of_the_project

PAGE = ROOT / "docs" / "how-to" / "another-generator.md"


def test_the_page_can_be_followed_as_it_stands(tmp_path: Path) -> None:
    """Somebody who leaves MkDocs would be stopped by a line that we never ran."""
    project = copy_of_the_project(tmp_path / "project")
    Reader(project).follow(PAGE)
    assert (project / "build/site/decisions/index.html").is_file()
