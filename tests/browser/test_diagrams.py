"""Mermaid sources of records become pictures, and nobody else is asked for it."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from sites import build, served
from watched import watched

pytestmark = pytest.mark.browser

_HERE = Path(__file__).parent
_PAGE = "decisions/20240105-diagrams/"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_diagrams_are_drawn_in_both_schemes(browser: Any, foreign_site: str, scheme: str) -> None:
    """A record's diagram would be a heap of arrows, or be fetched from elsewhere."""
    with watched(browser, foreign_site, color_scheme=scheme) as seen:
        page = seen.visit(_PAGE)
        page.wait_for_function(
            "() => document.querySelectorAll('.rf-diagram :is(details, figcaption)').length === 5"
        )
        shown = page.locator(".rf-diagram img:visible")
        assert shown.count() == 4
        sizes = shown.evaluate_all("(all) => all.map((i) => [i.complete, i.naturalWidth, i.className])")
        assert all(done and width > 50 and kind == f"rf-{scheme}" for done, width, kind in sizes), sizes
        assert shown.nth(1).get_attribute("alt") == "A client asks twice"
        assert page.locator(".rf-diagram details:not([open])").count() == 4
        assert "Not drawn" in page.locator(".rf-diagram").last.inner_text()
        assert seen.taken() == []


def test_without_scripts_the_sources_are_there(browser: Any, foreign_site: str) -> None:
    """A reader without scripts would see nothing at all."""
    with watched(browser, foreign_site, java_script_enabled=False) as seen:
        text = seen.visit(_PAGE).locator("article").inner_text()
        assert "sequenceDiagram" in text
        assert "mindmap" in text


def test_pages_without_a_diagram_load_no_program_that_draws(browser: Any, foreign_site: str) -> None:
    """Every reader of every page would wait for three megabytes."""
    with watched(browser, foreign_site) as seen:
        asked: list[str] = []
        seen.page.on("request", lambda request: asked.append(request.url))
        seen.visit("decisions/20210118-events-not-calls/")
        assert not [url for url in asked if "mermaid" in url]
        assert asked


def test_a_site_without_diagrams_carries_no_program_that_draws(own_folder: Any) -> None:
    """Every site would be three megabytes larger."""
    assert not (own_folder / "assets/mermaid").exists()


@pytest.mark.parametrize("settings", sorted(one.stem for one in (_HERE / "specimens/settings").glob("*.yml")))
def test_diagrams_are_drawn_whatever_the_settings(browser: Any, tmp_path: Path, settings: str) -> None:
    """With a policy or an author's own fence nothing would be drawn, or the theme would ask elsewhere."""
    root = tmp_path / "small"
    shutil.copytree(_HERE / "specimens/beside-foreign", root)
    shutil.copyfile(_HERE / f"specimens/settings/{settings}.yml", root / "mkdocs.yml")
    (root / "docs/index.md").write_text(
        "# Small\n\n```mermaid\nflowchart LR\n  A --> B\n```\n", encoding="utf-8"
    )
    with served(build(root, tmp_path / "site")) as origin, watched(browser, origin) as seen:
        page = seen.visit("")
        if settings == "own-fence":
            page.locator(".rf-diagram img:visible").wait_for()
        page.get_by_role("link", name="Decisions").first.click()
        page.locator("article").get_by_role("link", name="Draw what talks to what").first.click()
        page.locator("article img[src^='data:image/svg']:visible").nth(3).wait_for()
        assert seen.taken() == []
