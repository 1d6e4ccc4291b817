"""A second wall: a Content-Security-Policy with which no page can load or send anything elsewhere.

The first wall is that pages hold nothing that could run. Should something get through all the same, a browser
runs no script but the files of the site and what stands word for word in a template of the theme.
"""

import base64
import hashlib
import html
import re
from collections.abc import Iterable

_SCRIPT = re.compile(r"<script(?=[\s>])([^>]*)>(.*?)</script", re.IGNORECASE | re.DOTALL)
_TYPE = re.compile(r"""\btype\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_SOURCE = re.compile(r"\bsrc\s*=", re.IGNORECASE)
_RUNS = ("module", "text/javascript", "application/javascript")
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
# What a template may put into a script of its own: an address or a name, never what ends a text.
_FILLED = r"[^<>\"'`\\()\s]*"
_LEAST = 12
_HEAD = re.compile(r"<head\b[^>]*>(?:\s*<meta charset=[^>]*>)?", re.IGNORECASE)
_RULES = (
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
)


class Policy:
    """Puts the policy into pages.

    Args:
        templates: the texts of the theme's templates; scripts in them may run.
        inline: whether any script in a page may run: for a server that puts one of its own into each.
    """

    def __init__(self, templates: Iterable[str], *, inline: bool = False) -> None:
        self._inline = inline
        self._shapes = [] if inline else _shapes(templates)
        self._hashes: dict[str, str] = {}

    def put(self, page: str) -> str:
        """Return an HTML page with the policy as the first thing in its head that does anything.

        A page without a head stays as it is.
        """
        place = _HEAD.search(page)
        if place is None:
            return page
        meta = f'<meta http-equiv="Content-Security-Policy" content="{html.escape(self.text(page))}">'
        return f"{page[: place.end()]}\n    {meta}{page[place.end() :]}"

    def text(self, page: str) -> str:
        """Return the policy of a page."""
        if self._inline:
            allowed = ["'unsafe-inline'"]
        else:
            found = (self._hash(script) for script in inline_scripts(page))
            allowed = sorted({one for one in found if one})
        return "; ".join((*_RULES, " ".join(("script-src 'self'", *allowed))))

    def _hash(self, script: str) -> str:
        """What allows a script; empty for one that no template has."""
        if script not in self._hashes:
            known = any(shape.fullmatch(script) for shape in self._shapes)
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            self._hashes[script] = f"'sha256-{digest}'" if known else ""
        return self._hashes[script]


def inline_scripts(page: str) -> list[str]:
    """Return the scripts that stand in a page and would run."""
    return [body for head, body in _SCRIPT.findall(page) if body.strip() and _runs(head)]


def _runs(head: str) -> bool:
    kind = _TYPE.search(head)
    return not _SOURCE.search(head) and (kind is None or kind[1].lower() in _RUNS)


def _shapes(templates: Iterable[str]) -> list[re.Pattern[str]]:
    """What the scripts of some templates look like when they are filled in."""
    bodies = {body for text in templates for body in inline_scripts(text)}
    return [
        re.compile(_FILLED.join(re.escape(part) for part in parts))
        for body in sorted(bodies)
        if len("".join(parts := _JINJA.split(body)).strip()) >= _LEAST
    ]
