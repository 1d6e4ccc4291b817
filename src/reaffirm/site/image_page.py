"""Pages whose front matter is data: the head of a container image's page."""

from collections.abc import Mapping
from typing import Any

from reaffirm.site.text import cell, code, page_heading, table

_STATUS = {
    "seen": "seen by a run of ours",
    "verified": "read in the released package",
    "reported": "told by others",
    "inferred": "inferred",
    "made-up": "made up for the simulated nodes",
    "unverified": "not verified",
}
_LEFT_OUT = ("title", "name", "render_macros", "support")
# What is said of the page as a whole has no support of its own.
_ABOUT = ("status", "source")
_MANY = 12


def with_head(markdown: str, data: Mapping[str, Any]) -> str:
    """Return the page with a table of its front matter above its text. A page without any stays as it is."""
    rows = [
        (cell(key.replace("-", " ").capitalize()), _value(key, value), _known(key, value, data))
        for key, value in data.items()
        if key not in _LEFT_OUT
    ]
    if not rows:
        return markdown
    facts = table(("Image", " ", "How it is known"), rows)
    head, _, rest = markdown.lstrip().partition("\n")
    if head.startswith("# "):
        return f"{head}\n\n{facts}\n\n{rest}"
    return f"{page_heading(str(data.get('name', 'Image')))}\n\n{facts}\n\n{markdown}"


def _known(key: str, value: Any, data: Mapping[str, Any]) -> str:
    """How this value is known: its own word, else that of the page."""
    if key in _ABOUT or value is None:
        return ""
    support = data.get("support")
    word = str((support if isinstance(support, dict) else {}).get(key, data.get("status", "")))
    sign = "rf-made-up" if word in ("made-up", "unverified") else "rf-known"
    return f'<span class="rf-badge {sign}">{cell(_STATUS.get(word, word))}</span>' if word else ""


def _value(key: str, value: Any) -> str:
    match value:
        case None:
            return "*unknown*"
        case bool():
            return "true" if value else "false"
        case list():
            shown = "<br>".join(code(str(item)) for item in value[:_MANY])
            return f"{shown}<br>and {len(value) - _MANY} more" if len(value) > _MANY else shown
        case dict():
            return "<br>".join(
                f"<em>{cell(str(k))}:</em>{'<br>' if isinstance(v, list) else ' '}{_value(str(k), v)}"
                for k, v in value.items()
            )
        case str() if key == "status":
            return cell(_STATUS.get(value, value))
        case _:
            return cell(str(value))
