"""docs/how-to/your-own-project.md, executed: its files in an empty folder, its commands as they stand."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "your-own-project.md").read_text(encoding="utf-8")
FILES = re.findall(r'^```\w+ title="([^"]+)"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)
LINES = re.findall(r"^\$ (.+)$", PAGE, re.MULTILINE)


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one line of the page as its reader would."""
    program, *words = shlex.split(line)
    return subprocess.run(
        [str(Path(sys.executable).parent / program), *words],
        cwd=folder,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder in which somebody has followed the page."""
    folder = tmp_path_factory.mktemp("follow") / "project"
    folder.mkdir()
    assert [line.split()[0] for line in LINES] == ["reaffirm", "papermill", "reaffirm", "reaffirm", "mkdocs"]
    done = run(LINES[0], folder)
    assert done.returncode == 0, done.stderr
    told = PAGE.split(f"$ {LINES[0]}\n")[1].split("```")[0]
    assert done.stdout.startswith(told)
    for name, text in FILES:
        assert not (folder / name).exists()
        (folder / name).write_text(text, encoding="utf-8")
    for line in LINES[1:]:
        done = run(line, folder)
        assert done.returncode == 0, f"$ {line}\n{done.stdout}{done.stderr}"
    return folder


def test_the_board_of_a_new_project_shows_the_verdict(followed: Path) -> None:
    """A team that follows the page would have no site, or one that decides nothing."""
    board = (followed / "site" / "still-true" / "index.html").read_text(encoding="utf-8")
    assert "1 claim: 1 affirmed." in board
    assert "The server has Python 3.9 or newer." in board


def test_a_slip_in_a_check_fails_the_build_of_a_new_project(followed: Path) -> None:
    """The page promises that no claim stays undecided because of a slip."""
    [record] = (followed / "adrs").glob("0001-*.md")
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace("python.version", "python.versoin"), encoding="utf-8")
    done = run("mkdocs build --site-dir other", followed)
    record.write_text(text, encoding="utf-8")
    assert done.returncode == 1
    assert "check-fact no run of check_python finds the fact 'python.versoin'" in done.stderr
    assert "did you mean 'python.version'?" in done.stderr
