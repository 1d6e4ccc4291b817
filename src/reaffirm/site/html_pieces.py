"""Elements of HTML whose beginning and end are two pieces of prose, with Markdown between them."""

import re
from collections.abc import Sequence

from markdown_it.tree import SyntaxTreeNode

from reaffirm.site.raw_html import SIMPLE, WRAPPERS, tag_of

_DETAILS = re.compile(r"<details\b[^>]*>", re.IGNORECASE)
# Elements that may be a part of a line.
_PAIRED = frozenset({*SIMPLE, *WRAPPERS, "a", "code"})


def folds_in(nodes: Sequence[SyntaxTreeNode]) -> dict[int, int]:
    """Return where each ``<details>`` ends that a block opens and does not close, by the block that does."""
    opened: list[tuple[int, int]] = []
    ends: dict[int, int] = {}
    depth = 0
    for number, node in enumerate(nodes):
        if node.type != "html_block" or not (change := _depth(node.content)):
            continue
        before, depth = depth, depth + change
        while opened and opened[-1][1] >= depth:
            ends[opened.pop()[0]] = number
        if change > 0 and _DETAILS.match(node.content.lstrip()):
            opened.append((number, before))
    return ends


def fold_parts(begin: str, end: str) -> tuple[str, str]:
    """Return what follows ``<details>`` in the block that opens it, and what precedes ``</details>`` in the
    one that closes it; what is behind that is dropped with the block.
    """
    head = begin.lstrip()
    return head[len(_DETAILS.match(head)[0]) :], end[: end.lower().rindex("</details")]  # type: ignore[index]


def _depth(html: str) -> int:
    """How many ``<details>`` are opened and not closed."""
    low = html.lower()
    return low.count("<details") - low.count("</details")


def partners_in(nodes: Sequence[SyntaxTreeNode]) -> dict[int, int]:
    """Return where each element of a line ends, by where it begins: those that are kept, and do end."""
    opened: dict[str, list[int]] = {}
    ends: dict[int, int] = {}
    for number, node in enumerate(nodes):
        found = tag_of(node.content) if node.type == "html_inline" else None
        if found is None or found[0] not in _PAIRED:
            continue
        name, _, closes = found
        if not closes:
            opened.setdefault(name, []).append(number)
        elif opened.get(name):
            ends[opened[name].pop()] = number
    return ends
