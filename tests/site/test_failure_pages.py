"""Failure modes on the site: the head of a page, its examples, the index, and links from reports."""

import shutil
from pathlib import Path

import pytest
from article import Article
from mkdocs.exceptions import Abort
from test_build import built

from reaffirm.site.failure_index import failures_index
from reaffirm.site.failure_page import failure_page
from reaffirm.site.report import report_markdown
from reaffirm.store.failures import read_failures

_PAGES = Path(__file__).parents[1] / "failures/specimens/good"
_PROJECT = Path(__file__).parent / "specimens/project"


def _project(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    shutil.copytree(_PROJECT, project)
    shutil.copytree(_PAGES, project / "docs/failures")
    return project


def test_the_index_tells_each_failure_with_its_stage_and_status() -> None:
    """Readers would have to open every page to find theirs."""
    modes = read_failures((_PAGES, "docs/failures")).modes
    intro = "What they are.\n\n## Add a page\n\nCopy one."
    page = failures_index(modes, uri="failures/index.md", heading="Failure modes", introduction=intro)
    assert "[The cable is gone](lost-cable.md)" in page.markdown
    row = next(line for line in page.markdown.split("\n") if "lost-cable.md" in line)
    for words in (
        "vLLM &gt;=0.17, &lt;0.30",
        ">recogniser tested, also on genuine logs</span>",
        "of the switch",
        "1 from a run of ours (the lab)",
    ):
        assert words in row
    stage = page.markdown.index('<span class="rf-stage">NCCL joined</span>')
    assert page.markdown[stage:].split("\n")[1] == "    -   [The cable is gone](lost-cable.md)"
    assert (
        page.markdown.index("What they are")
        < page.markdown.index("lost-cable")
        < page.markdown.index("## Add a page")
    )


def test_a_page_says_what_matches_and_where_it_comes_from() -> None:
    """A made-up line would look like one that somebody saw."""
    modes = read_failures((_PAGES, "docs/failures")).modes
    mode = next(one for one in modes if one.id == "lost-cable")
    body = (_PAGES / "lost-cable.md").read_text(encoding="utf-8").split("\n---\n", 1)[1]
    titles = {one.id: one.title for one in modes}
    text = failure_page(body, mode, titles, {"0001": "adrs/0001-keep-the-cache.md"})
    assert text.startswith("# The cable is gone\n")
    assert "[The switch is gone](lost-switch.md)" in text
    assert "[0001](../../adrs/0001-keep-the-cache.md)" in text
    assert '``` { .text .rf-hit title="matches: both lines" hl_lines="1 2" }' in text
    assert '``` { .text .rf-near-miss title="does not match" }' in text
    assert "from a run of the lab, 2026-11-30" in text
    assert 'from <a href="https://github.com/owner/repo/issues/7">owner/repo#7</a>' in text
    assert "made up" in text
    assert "```text\na fence that is no example\n```" in text


def test_the_site_shows_failure_modes_and_not_the_page_to_copy(tmp_path: Path) -> None:
    """A template would be listed as a way to fail, or a page lack its table."""
    project = _project(tmp_path)
    shutil.copy(_PAGES / "lost-cable.md", project / "docs/failures/_template.md")
    site = built(project, tmp_path / "site")
    assert not (site / "failures/_template").exists()
    article = Article(site / "failures/lost-cable/index.html")
    assert article.dangers == []
    assert article.headings[0].startswith("The cable is gone")
    html = (site / "failures/lost-cable/index.html").read_text(encoding="utf-8")
    assert 'href="../../decisions/0001-keep-the-cache/"' in html
    assert 'href="../lost-switch/"' in html
    assert 'href="lost-cable/"' in (site / "failures/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("status: proven", "status: prooven"),
        ("decisions: ['0001']", "decisions: ['0077']"),
        ("    none: ['cable is back']\n", ""),
    ],
)
def test_strict_refuses_a_wrong_page(old: str, new: str, tmp_path: Path) -> None:
    """A page whose examples do not hold would be published in silence."""
    project = _project(tmp_path)
    path = project / "docs/failures/lost-cable.md"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(Abort, match="warning"):
        built(project, tmp_path / "site")


def test_a_report_links_to_the_page_that_it_names() -> None:
    """A reader of a run would have to search for the page."""
    rows = [
        ["docs/failures/lost-cable.md", "x"],
        ["docs/failures/gone.md", "x"],
        ["see docs/failures/a.md", "x"],
    ]
    data = {
        "step": "launch",
        "kind": "lab",
        "outcome": "stuck",
        "summary": "s",
        "blocks": [{"table": "t", "columns": ["page", "what"], "rows": rows}],
    }
    there = {"../docs/failures/lost-cable.md": "../../failures/lost-cable.md"}
    text = report_markdown(data, resolve=lambda target: there.get(target, target)) or ""
    assert "[docs/failures/lost-cable.md](../../failures/lost-cable.md)" in text
    assert "](../docs" not in text
    assert text.count("](") == 1
