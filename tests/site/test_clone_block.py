"""How a reader gets the repository: a command to copy where its address is known, else a plain sentence."""

import re
import shutil
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from reaffirm.cli.main import main
from reaffirm.site.clone_block import MARK, with_clone_block

_ROOT = Path(__file__).parents[2]
_PROJECT = Path(__file__).parent / "specimens/project"
_PAGES = ("docs/how-to/two-sparks.md", "docs/tutorial/1-first-run.md")
_ADDRESS = "https://git.example.org/team/decisions"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the toy project with a page that begins with a clone."""
    shutil.copytree(_PROJECT, tmp_path / "toy")
    (tmp_path / "toy/docs/begin.md").write_text(f"# Begin\n\nClone it:\n\n{MARK}\n\nThen go on.\n")
    monkeypatch.chdir(tmp_path / "toy")
    return tmp_path / "toy"


@pytest.mark.parametrize("page", _PAGES)
def test_the_first_steps_say_where_the_clone_comes_from(page: str) -> None:
    """Somebody with the published site alone would stand before a repository that nobody names."""
    text = (_ROOT / page).read_text(encoding="utf-8")
    assert text.count(f"\n{MARK}\n") == 1
    assert "top of each page" not in text
    shown = with_clone_block(text, f"{_ADDRESS}.git")
    assert f"```bash\ngit clone {_ADDRESS}.git\ncd decisions\n```" in shown
    assert MARK not in shown
    assert "does not know the address" in with_clone_block(text, "")


def test_what_is_pasted_into_a_shell_is_one_word() -> None:
    """An address with a sign of the shell would run something else."""
    assert "git clone 'https://x.test/a;b'\ncd 'a;b'" in with_clone_block(MARK, "https://x.test/a;b/")
    assert with_clone_block(f"Write `{MARK}`.", _ADDRESS) == f"Write `{MARK}`."


@pytest.mark.parametrize("known", [True, False])
def test_a_built_site_shows_it(known: bool, project: Path) -> None:
    """The mark would stay a mark, which no browser shows."""
    settings = project / "mkdocs.yml"
    if known:
        settings.write_text(f"{settings.read_text()}\nrepo_url: {_ADDRESS}\n")
    config = load_config(str(settings), site_dir=str(project / "site"))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    page = (project / "site/begin/index.html").read_text()
    words = " ".join(re.sub(r"<[^>]+>", "", page).split())
    assert (f"git clone {_ADDRESS} cd decisions" in words) is known
    assert ("does not know the address of its repository" in words) is not known
    assert "Then go on." in words


@pytest.mark.parametrize("known", [True, False])
def test_so_do_pages_for_another_generator(known: bool, project: Path) -> None:
    """Readers of the same site by another generator would see nothing there."""
    settings = project / "mkdocs.yml"
    if known:
        settings.write_text(f"{settings.read_text()}\nrepo_url: {_ADDRESS}\n")
    assert main(["pages", "build/pages"]) == 0
    page = (project / "build/pages/begin.md").read_text()
    assert (f"git clone {_ADDRESS}\n" in page) is known
    assert ("does not know the address of its repository" in page) is not known
