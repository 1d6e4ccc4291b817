"""The sections of a failure page as somebody wrote it, and the order in which the site shows them. Pure."""

import re
from collections.abc import Mapping

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"^## +(.+?) *#*$")
#: What somebody needs first who was woken by the failure, and what is for those who doubt; the rest stays.
_FIRST, _LAST = "Remedy", "Examples"
#: What to ask before anything is changed; it stands in front of the remedy itself.
_SURE = "Make sure"


def sections(markdown: str) -> dict[str, str]:
    """Return the text of each section of level 2 by its heading, in order; what precedes them by ``""``."""
    found: dict[str, list[str]] = {"": []}
    name, fence = "", ""
    for line in markdown.split("\n"):
        ticks = _FENCE.match(line)
        if fence:
            if ticks and ticks[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif ticks:
            fence = ticks[1]
        elif heading := _HEADING.match(line):
            name = heading[1]
            found.setdefault(name, [])
            continue
        found[name].append(line)
    return {name: "\n".join(lines).strip("\n") for name, lines in found.items()}


def shown(parts: Mapping[str, str], first: str, then: str) -> str:
    """Return the sections with the remedy before all others.

    Args:
        parts: the sections.
        first: Markdown that stands right below the heading of the remedy.
        then: Markdown before the examples, or at the end where there are none.
    """
    remedy = parts.get(_FIRST, "")
    before = "\n\n".join(part for part in (first, parts.get(_SURE, "")) if part)
    lead = f"## {_FIRST}\n\n{before}\n\n{remedy}".rstrip() if remedy else before
    rest = {name: f"## {name}\n\n{text}" for name, text in parts.items() if name not in ("", _FIRST, _SURE)}
    last = rest.pop(_LAST, "")
    told = (parts.get("", ""), lead, *rest.values(), then, last)
    return "\n\n".join(part.strip("\n") for part in told if part.strip())


def in_brief(parts: Mapping[str, str], name: str = _FIRST) -> str:
    """Return the first paragraph of a section on one line, as Markdown; empty where there is none."""
    text = parts.get(name, "").strip()
    paragraph = re.split(r"\n\s*\n|\n(?=[-*+]\s|`{3}|~{3}|\d+\.\s)", text, maxsplit=1)[0]
    return " ".join(paragraph.split())
