"""docs/how-to/resume-and-dry-run.md, executed: its commands as they stand, in a copy of this project."""

from pathlib import Path

from followed import ROOT, Reader, blocks, copy_of_the_project

PAGE = ROOT / "docs" / "how-to" / "resume-and-dry-run.md"


def test_the_page_has_its_commands() -> None:
    """A changed fence would leave the page untested."""
    typed = [line for block in blocks(PAGE) for line in block.text.splitlines() if line.startswith("$ ")]
    assert len(typed) == 6


def test_what_the_page_says_is_so(tmp_path: Path) -> None:
    """It is read in the middle of the night, before machines that somebody needs are changed."""
    Reader(copy_of_the_project(tmp_path / "project")).follow(PAGE)
