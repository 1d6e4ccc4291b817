"""A site that is served is rebuilt after each edit: what is kept must be what a new build would make."""

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from reaffirm.site.kept_pages import KeptPages

ADDRESS = "http://127.0.0.1:8000/"
SETTINGS = """\
site_name: A site
theme: { name: material, font: false }
plugins: [search, {reaffirm: {records: adrs}}]
validation: { links: { anchors: warn } }
"""
RECORD = "# {title}\n\nStatus: accepted\n\nDate: 2026-01-0{number}\n\n## Context\n\nSome reason {number}.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with records and pages that link to each other."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "adrs").mkdir()
    (tmp_path / "mkdocs.yml").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "docs" / "index.md").write_text(
        "# Home\n\nSee [the guide](guide.md#first).\n", encoding="utf-8"
    )
    (tmp_path / "docs" / "guide.md").write_text("# Guide\n\n## First\n\nWords.\n", encoding="utf-8")
    (tmp_path / "docs" / "other.md").write_text("# Other\n\nMore words.\n", encoding="utf-8")
    for number, title in enumerate(("Use queues", "Use caches", "Use tables"), 1):
        name = title.lower().replace(" ", "-")
        text = RECORD.format(title=title, number=number)
        (tmp_path / "adrs" / f"000{number}-{name}.md").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def builds(root: Path) -> Iterator[Callable[[], dict[str, bytes]]]:
    """Builds the site again and again, as one server does."""
    started: list[Any] = []

    def again() -> dict[str, bytes]:
        config = load_config(str(root / "mkdocs.yml"), site_dir=str(root / "site"))
        config.site_url = ADDRESS
        if not started:
            config.plugins.on_startup(command="serve", dirty=False)
        started.append(config)
        build(config, serve_url=ADDRESS)
        return content(root / "site")

    yield again
    for config in started[:1]:
        config.plugins.on_startup(command="build", dirty=False)


def content(folder: Path) -> dict[str, bytes]:
    """All files of a built site, without what tells the time of the build."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("sitemap.xml.gz",)
    }


def cold(root: Path) -> dict[str, bytes]:
    """The same site, made by a server that has just been started."""
    config = load_config(str(root / "mkdocs.yml"), site_dir=str(root / "site"))
    config.site_url = ADDRESS
    plugin = config.plugins["reaffirm"]
    kept, plugin.kept, plugin.serving = plugin.kept, KeptPages(), True
    try:
        build(config, serve_url=ADDRESS)
    finally:
        plugin.kept = kept
    return content(root / "site")


EDITS: dict[str, Callable[[Path], object]] = {
    "nothing": lambda root: None,
    "a sentence of a record": lambda root: edit(root / "adrs/0002-use-caches.md", "reason 2", "other reason"),
    "the title of a record": lambda root: edit(
        root / "adrs/0002-use-caches.md", "# Use caches", "# Use no caches"
    ),
    "the title of a page": lambda root: edit(root / "docs/other.md", "# Other", "# Another"),
    "a heading": lambda root: edit(root / "docs/guide.md", "## First", "## Second"),
    "a new page": lambda root: (root / "docs/new.md").write_text("# New\n"),
    "a page less": lambda root: (root / "docs/other.md").unlink(),
    "a new record": lambda root: (root / "adrs/0004-x.md").write_text(RECORD.format(title="X", number=4)),
    "the settings": lambda root: edit(root / "mkdocs.yml", "A site", "Another site"),
    "tags for the search": lambda root: edit(
        root / "docs/other.md", "# Other", "---\ntags: [a]\n---\n# Other"
    ),
}


def edit(path: Path, old: str, new: str) -> None:
    """Change a file; its place in the text must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("what", EDITS)
def test_a_rebuild_is_what_a_new_build_is(
    what: str, root: Path, builds: Callable[[], dict[str, bytes]]
) -> None:
    """Somebody would see an old title in the navigation until the server is started again."""
    before = builds()
    EDITS[what](root)
    after, again = builds(), builds()
    assert after == cold(root)
    assert again == after
    assert (after == before) is (what == "nothing")


def test_what_did_not_change_is_not_made_again(
    root: Path, builds: Callable[[], dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit would take as long to show as the whole site takes to build."""
    import markdown

    made: list[str] = []
    convert = markdown.Markdown.convert
    monkeypatch.setattr(
        markdown.Markdown, "convert", lambda self, text: (made.append(text), convert(self, text))[1]
    )
    builds()
    whole = len([text for text in made if text.strip()])
    made.clear()
    edit(root / "docs/other.md", "More words", "Fewer words")
    builds()
    assert [text for text in made if text.strip()] == ["# Other\n\nFewer words.\n"]
    assert whole > 5


def test_a_warning_is_heard_each_time(
    root: Path, builds: Callable[[], dict[str, bytes]], caplog: pytest.LogCaptureFixture
) -> None:
    """A dead link would be told of once, and be forgotten with the next edit."""
    edit(root / "docs/index.md", "guide.md#first", "gone.md")
    edit(root / "docs/other.md", "More words", "[x](guide.md#nowhere)")
    for _ in range(3):
        caplog.clear()
        with caplog.at_level(logging.INFO, "mkdocs"):
            builds()
        told = [record.getMessage() for record in caplog.records if record.levelno >= logging.INFO]
        assert any("gone.md" in one for one in told)
        assert any("#nowhere" in one for one in told)


def test_an_anchor_that_goes_is_told_of(
    root: Path, builds: Callable[[], dict[str, bytes]], caplog: pytest.LogCaptureFixture
) -> None:
    """The page with the link did not change; the page that it leads to did."""
    builds()
    edit(root / "docs/guide.md", "## First", "## Second")
    with caplog.at_level(logging.INFO, "mkdocs"):
        builds()
    assert any("guide.md#first" in record.getMessage() for record in caplog.records)
