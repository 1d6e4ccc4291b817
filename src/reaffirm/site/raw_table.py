"""Tables as HTML on one line: for many rows of plain text, with which generators of Markdown are slow.

Nothing in them is Markdown, so a link to another page does not belong here.
"""

from collections.abc import Iterable, Sequence

from reaffirm.model.fact import FactValue
from reaffirm.site.text import attribute


def raw_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; columns and cells are HTML already (see :func:`text_cell`)."""
    head = "".join(f"<th>{one}</th>" if one.strip() else "<td></td>" for one in columns)
    body = "".join(f"<tr>{''.join(f'<td>{one}</td>' for one in row)}</tr>" for row in rows)
    return f'<div class="rf-frame"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def folded(title: str, body: str, kind: str = "abstract") -> str:
    """Return HTML behind a title to click on; ``kind`` is the theme's word for its looks."""
    return f'<details class="{kind} rf-box"><summary>{attribute(title)}</summary>{body}</details>'


def text_cell(text: str) -> str:
    """Return text for a cell; braces too are escaped, which template languages look for."""
    return attribute(text).replace("{", "&#123;").replace("}", "&#125;")


def code_cell(text: str) -> str:
    """Return text for a cell as code; nothing for nothing."""
    return f"<code>{text_cell(text)}</code>" if text.strip() else ""


def fact_cell(value: FactValue, unit: str = "", by: str = "") -> str:
    """Return a fact's value for a cell; what could not be told is *unknown*."""
    return _value(value, unit) + (" (by the notebook)" if by else "")


def remark(words: str) -> str:
    """Return what stands below a value in its cell; nothing for nothing."""
    return f'<br><small class="rf-remark">{text_cell(words)}</small>' if words else ""


def _value(value: FactValue, unit: str) -> str:
    match value:
        case None:
            return "<em>unknown</em>"
        case bool():
            return "true" if value else "false"
        case list():
            return ", ".join(code_cell(str(item)) for item in value) if value else "<em>none</em>"
        case str():
            return f'<span class="rf-long">{code_cell(value)}</span>' if value.strip() else "<em>empty</em>"
        case _:
            return text_cell(f"{value} {unit}".rstrip())
