"""Pages that are made on all processors must be those that MkDocs makes on one, and as loud."""

import logging
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from reaffirm.site import ahead, together
from reaffirm.site.plugin import ReaffirmPlugin

PAGES = 60
SETTINGS = """\
site_name: Many pages
theme: { name: material, font: false }
plugins: [search, reaffirm]
markdown_extensions: [toc, footnotes, pymdownx.superfences]
"""
PAGE = """\
# Page {number}

## Same words

See [the next](page-{next:02d}.md#same-words) and a note[^1].

```python
print({number})
```

[^1]: Note {number}.
"""


def made(root: Path, processors: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Build the site with so many processes; 0: as MkDocs does."""
    monkeypatch.setattr(ahead, "processes", lambda: processors)
    monkeypatch.setattr(together, "processes", lambda: processors)
    config = load_config(str(root / "mkdocs.yml"), site_dir=str(root / f"site-{processors}"))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    site = Path(config.site_dir)
    return {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in site.rglob("*")
        if path.is_file() and path.suffix in (".html", ".json", ".xml")
    }


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository of pages that link to each other; it has no records."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "docs" / "index.md").write_text("# Home\n", encoding="utf-8")
    for number in range(PAGES):
        text = PAGE.format(number=number, next=(number + 1) % PAGES)
        (tmp_path / "docs" / f"page-{number:02d}.md").write_text(text, encoding="utf-8")
    return tmp_path


def test_the_same_site_comes_of_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader must not see whether the machine that built the site had one processor or many."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    one = made(root, 0, monkeypatch)
    taken: list[object] = []
    take = ahead.KeptPages.take
    monkeypatch.setattr(ahead.KeptPages, "take", lambda self, page: (taken.append(page), take(self, page))[1])
    assert made(root, 2, monkeypatch) == one
    assert len([page for page in taken if page is not None]) > PAGES


def test_a_dead_link_is_told_once(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A strict build must fail for it, and its words must not stand twice on the terminal."""
    page = root / "docs" / "page-07.md"
    page.write_text(f"{page.read_text(encoding='utf-8')}\n[gone](nowhere.md)\n", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        made(root, 2, monkeypatch)
    told = [record.getMessage() for record in caplog.records if "nowhere.md" in record.getMessage()]
    assert len(told) == 1
    assert "nowhere.md" not in capfd.readouterr().err


def test_processes_that_die_leave_the_work_to_mkdocs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that ends processes for want of memory must still build the whole site."""
    one = made(root, 0, monkeypatch)

    def die(*_: object) -> object:
        raise BrokenProcessPool

    monkeypatch.setattr(ahead, "in_processes", die)
    assert made(root, 2, monkeypatch).keys() == one.keys()


def test_what_a_plugin_prints_is_printed_once(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A page is made in a process of its own and again by MkDocs: both printed what a plugin says of it."""
    before = ReaffirmPlugin.on_pre_page

    def speak(self: ReaffirmPlugin, page: Any, *, config: Any, files: Any) -> Any:
        if page.file.src_uri == "page-07.md":
            print("look at page 7", flush=True)
            logging.getLogger("a.plugin").warning("page 7 is odd")
        return before(self, page, config=config, files=files)

    monkeypatch.setattr(ReaffirmPlugin, "on_pre_page", speak)
    made(root, 2, monkeypatch)
    out, err = capfd.readouterr()
    assert (out.count("look at page 7"), err.count("page 7 is odd")) in ((1, 1), (1, 0))


def test_a_page_that_cannot_be_sent_is_left_to_mkdocs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin may put anything on a page; a build must not end for it where there are two processors."""
    one = made(root, 0, monkeypatch)
    monkeypatch.setattr(ahead.KeptPages, "given", lambda self, page: lambda: page)
    assert made(root, 2, monkeypatch).keys() == one.keys()


def test_a_fence_of_ones_own_is_left_to_mkdocs(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may count, or run what it holds: made in several processes, each would count for itself."""
    taken: list[object] = []
    monkeypatch.setattr(ahead.KeptPages, "take", lambda self, page: taken.append(page))
    for function, ahead_of_it in (("pymdownx.superfences.fence_code_format", True), ("json.dumps", False)):
        fence = f"{{ name: x, class: x, format: !!python/name:{function} }}"
        extension = f"[toc, pymdownx.superfences: {{ custom_fences: [{fence}] }}]"
        text = SETTINGS.replace("[toc, footnotes, pymdownx.superfences]", extension)
        (root / "mkdocs.yml").write_text(text, encoding="utf-8")
        taken.clear()
        made(root, 2, monkeypatch)
        assert bool(taken) is ahead_of_it
