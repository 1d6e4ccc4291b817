"""The four questions of a newcomer, answered from the front page by two clicks at most, and by the search."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from watched import Watched, watched

pytestmark = pytest.mark.browser

_WALKS = {
    one.stem: tomllib.loads(one.read_text(encoding="utf-8"))
    for one in sorted((Path(__file__).parent / "specimens/walks").glob("*.toml"))
}
_SEARCHES = tomllib.loads((Path(__file__).parent / "specimens/searches.toml").read_text(encoding="utf-8"))[
    "search"
]


@pytest.mark.parametrize("walk", _WALKS.values(), ids=list(_WALKS))
@pytest.mark.parametrize("width", [1280, 400])
def test_two_clicks_answer(browser: Any, own_site: str, walk: dict[str, Any], width: int) -> None:
    """Somebody with a question would have to read the whole site."""
    assert len(walk["clicks"]) <= 2
    with watched(browser, own_site, viewport={"width": width, "height": 900}) as seen:
        page = seen.visit("")
        for words in walk["clicks"]:
            name, exact = words.removeprefix("="), words.startswith("=")
            page.locator("article").get_by_role("link", name=name, exact=exact).first.click()
            page.wait_for_load_state("load")
        article = page.locator("article")
        for words in walk["see"]:
            assert article.get_by_text(words).first.is_visible(), f"{words!r} is not to be seen on {page.url}"
        assert seen.taken() == []


@pytest.mark.parametrize("walk", _WALKS.values(), ids=list(_WALKS))
def test_the_search_answers(browser: Any, own_site: str, walk: dict[str, Any]) -> None:
    """Who types the question instead of looking for it would find something else."""
    with watched(browser, own_site, viewport={"width": 1280, "height": 900}) as seen:
        first = [result.inner_text() for result in _results(seen, walk["search"])[:5]]
        assert any(walk["hit"].casefold() in one.casefold() for one in first), first
        assert seen.taken() == []


@pytest.mark.parametrize("asked", _SEARCHES, ids=[one["words"] for one in _SEARCHES])
def test_the_search_leads_with_what_was_meant(browser: Any, own_site: str, asked: dict[str, str]) -> None:
    """Who searches for what they see would be led to pages on how to silence lint."""
    with watched(browser, own_site, viewport={"width": 1280, "height": 900}) as seen:
        found = [one.locator("a").first.get_attribute("href") for one in _results(seen, asked["words"])[:3]]
        assert any(asked["page"] in href for href in found), found
        assert seen.taken() == []


def _results(seen: Watched, words: str) -> list[Any]:
    """Type words into the search; return what is found, best first."""
    page = seen.visit("")
    box = page.get_by_role("textbox", name="Search")
    box.click()
    box.press_sequentially(words)
    results = page.locator(".md-search-result__item")
    results.first.wait_for()
    page.wait_for_timeout(500)
    return results.all()
