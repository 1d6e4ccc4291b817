"""The page for an address that is not there."""

import pytest

from reaffirm.site.not_found import with_ways_on

_THEMES = "<article><h1>404 - Not found</h1></article>"


@pytest.mark.parametrize(
    ("address", "home"), [("", "/"), ("https://example.org/x", "/x/"), ("https://example.org/", "/")]
)
def test_an_address_that_is_not_there_leads_home_and_to_the_search(address: str, home: str) -> None:
    """Somebody with an old link would stand before '404 - Not found' and nothing else."""
    page = with_ways_on(_THEMES, address)
    assert f'<a href="{home}">Home</a>' in page
    assert f'<a href="{home}?q=">Search this site</a>' in page


def test_the_page_of_another_theme_stays_as_it_is() -> None:
    """A theme's own page, which may say more, would be broken."""
    assert with_ways_on("<h1>Page not found</h1>", "") == "<h1>Page not found</h1>"
