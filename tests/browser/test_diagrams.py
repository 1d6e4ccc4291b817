"""Mermaid sources of records become pictures, and nobody else is asked for it."""

from typing import Any

import pytest
from watched import watched

pytestmark = pytest.mark.browser

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
