"""The page that is shown where there is none: how one goes on from it."""

from html import escape
from urllib.parse import urlsplit

# As Material has it; another theme's page stays as it is.
_HEADING = "<h1>404 - Not found</h1>"


def with_ways_on(html: str, address: str) -> str:
    """Return the page with a way home and a way to the search.

    Args:
        html: the page of the theme.
        address: of the site; empty: nobody said, and it is taken to be at the top of its host.
    """
    home = escape(urlsplit(address).path.rstrip("/") + "/")
    told = (
        "<h1>There is no such page</h1><p>It may have had another name, or it was a run that is no longer "
        f'published.</p><ul><li><a href="{home}?q=">Search this site</a></li>'
        f'<li><a href="{home}">Home</a></li></ul>'
    )
    return html.replace(_HEADING, told, 1)
