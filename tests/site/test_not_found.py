"""The page for an address that is not there."""

import pytest

from reaffirm.site.not_found import SCRIPT, with_ways_on

_THEMES = "<article><h1>404 - Not found</h1></article>"
_PAGES = ("index.md", "decisions/index.md", "failures/index.md")


@pytest.mark.parametrize(
    ("address", "home"), [("", "/"), ("https://example.org/x", "/x/"), ("https://example.org/", "/")]
)
def test_an_address_that_is_not_there_leads_home_and_to_the_search(address: str, home: str) -> None:
    """Somebody with an old link would stand before '404 - Not found' and nothing else."""
    page = with_ways_on(_THEMES, address, _PAGES)
    assert f'<a href="{home}">Home</a>' in page
    assert f'<a href="{home}?q=">Search this site</a>' in page
    assert f'<a href="{home}failures/">What does this failure mean?</a>' in page
    assert f'<a href="{home}decisions/">What did we decide, and why?</a>' in page
    assert "Is it still true?" not in page, "this site has no such page"
    flat = with_ways_on(_THEMES, address, _PAGES, directory_urls=False)
    assert f'<a href="{home}failures/index.html">' in flat


def test_only_who_does_not_say_where_the_site_is_gets_a_script() -> None:
    """Below a folder of its host every link of the page would lead beside the site."""
    assert f"<script>{SCRIPT}</script>" in with_ways_on(_THEMES, "")
    assert "<script>" not in with_ways_on(_THEMES, "https://example.org/x/")


def test_the_page_of_another_theme_stays_as_it_is() -> None:
    """A theme's own page, which may say more, would be broken."""
    assert with_ways_on("<h1>Page not found</h1>", "") == "<h1>Page not found</h1>"
