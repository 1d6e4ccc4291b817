"""Pictures in a page whose links a generator of sites checks and rewrites like all others."""

import re

_LINK = re.compile(r'<a href="([^"]*)">(.*?)</a>')
_TEXT = re.compile(r"[\\`*_{}\[\]|~^$@]")


def linked(svg: str) -> str:
    """Return an SVG of ours as a piece of a line of Markdown.

    Its links become links of Markdown: ``[<g>…</g>](page.md)``. Inside raw HTML nobody would look at them.
    Signs that mean something in Markdown become entities.
    """
    # Only the signs of our own elements are left as they are, and none of them is one of these.
    harmless = _TEXT.sub(lambda sign: f"&#{ord(sign[0])};", svg)
    return _LINK.sub(lambda found: f"[{found[2]}]({_path(found[1])})", harmless)


def _path(href: str) -> str:
    """A path as it was: entities are not undone in the target of a link by everybody."""
    return re.sub(r"&#(\d+);", lambda sign: chr(int(sign[1])), href).replace(" ", "%20")
