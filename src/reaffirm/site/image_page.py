"""Pages whose front matter is data: the head of a container image's page."""

from collections.abc import Mapping
from typing import Any

from reaffirm.site.text import cell, code, inline, table

_STATUS = {
    "seen": "seen by us",
    "reported": "reported by somebody else",
    "made-up": "made up for the simulated nodes",
    "unverified": "not verified",
}
_LEFT_OUT = ("title", "name", "render_macros")
_MANY = 12


def with_head(markdown: str, data: Mapping[str, Any]) -> str:
    """Return the page with a table of its front matter above its text. A page without any stays as it is."""
    rows = [
        (cell(key.replace("-", " ").capitalize()), _value(key, value))
        for key, value in data.items()
        if key not in _LEFT_OUT
    ]
    if not rows:
        return markdown
    facts = table(("Image", " "), rows)
    head, _, rest = markdown.lstrip().partition("\n")
    if head.startswith("# "):
        return f"{head}\n\n{facts}\n\n{rest}"
    return f"# {inline(str(data.get('name', 'Image')))}\n\n{facts}\n\n{markdown}"


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
