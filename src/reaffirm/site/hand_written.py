"""Pages that somebody wrote by hand, as the site shows them: with heads, and links to generated pages."""

import re
from pathlib import Path
from typing import Any

import yaml

from reaffirm.site.make_failures import FAILURES, with_failure_head
from reaffirm.site.make_images import IMAGES, with_image_head
from reaffirm.site.make_records import front
from reaffirm.site.plan import Plan
from reaffirm.site.text import LOOKED_UP

#: What MkDocs takes for a page.
ENDINGS = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
#: The page at the top, under either of its names.
HOME = ("index.md", "README.md")
#: Folders of the documentation whose pages have data for a head.
DATA = (IMAGES, FAILURES)
# As MkDocs finds it.
_FRONT = re.compile(r"\A-{3}[ \t]*\n(.*?\n)(?:-{3}|\.{3})[ \t]*(?:\n|\Z)", re.DOTALL)


def read_written(path: Path) -> str:
    """Return the text of a page as MkDocs reads it.

    Raises:
        OSError: it cannot be read.
        UnicodeDecodeError: it is not UTF-8.
    """
    return path.read_text(encoding="utf-8-sig")


def shown(plan: Plan, uri: str, text: str) -> str:
    """Return a page with its front matter as the site shows it.

    Args:
        plan: the site's.
        uri: the page, from the folder of the documentation.
        text: what its file holds.
    """
    match = _FRONT.match(text)
    head, body = (match[0], text[match.end() :]) if match else ("", text)
    if uri.startswith(DATA) and (meta := _mapping(match[1] if match else "")) is not None:
        body = body.lstrip("\n")
        if uri.startswith(IMAGES):
            body = with_image_head(plan, uri, body, meta)
        else:
            body = with_failure_head(plan, uri, body, meta)
        head = _head(meta)
    elif uri in plan.rules.values() and (meta := _mapping(match[1] if match else "")) is not None:
        meta.setdefault("search", {"boost": LOOKED_UP})
        head = _head(meta)
    body = plan.map.rewrite(body, source=f"{plan.docs}/{uri}", page=uri)
    return head + (front(plan, body) if uri in HOME else body)


def _head(meta: dict[str, Any]) -> str:
    """Data as front matter; nothing where there is none."""
    dumped = yaml.safe_dump(meta, allow_unicode=True, sort_keys=False, width=110)
    return f"---\n{dumped}---\n" if meta else ""


def _mapping(text: str) -> dict[str, Any] | None:
    """Front matter as data; None for what is none."""
    if not text.strip():
        return {}
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return None
    return data if isinstance(data, dict) else None
