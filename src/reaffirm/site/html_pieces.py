"""Elements of HTML whose beginning and end are two pieces of prose, with Markdown between them."""

import re
from collections import deque
from collections.abc import Sequence

from markdown_it.tree import SyntaxTreeNode

from reaffirm.site.raw_html import SIMPLE, WRAPPERS, tag_of

_DETAILS = re.compile(r"<details\b[^>]*>", re.IGNORECASE)
# Elements that may be a part of a line.
_PAIRED = frozenset({*SIMPLE, *WRAPPERS, "a", "code"})


def fold_of(
    node: SyntaxTreeNode, waiting: deque[SyntaxTreeNode]
) -> tuple[str, list[SyntaxTreeNode], str] | None:
    """Take what belongs to a ``<details>`` that a block opens and does not close; None where it does not.

    Returns what follows ``<details>`` in this block, the nodes inside, and what is before ``</details>`` in
    the block that closes it; what is behind that is dropped with the block.
    """
    begin = _DETAILS.match(node.content.lstrip())
    depth = _depth(node.content)
    if not begin or depth < 1:
        return None
    inside: list[SyntaxTreeNode] = []
    for number, one in enumerate(waiting):
        if one.type == "html_block":
            depth += _depth(one.content)
            if depth < 1:
                for _ in range(number + 1):
                    waiting.popleft()
                end = one.content.lower().rindex("</details")
                return node.content.lstrip()[begin.end() :], inside, one.content[:end]
        inside.append(one)
    return None


def _depth(html: str) -> int:
    """How many ``<details>`` are opened and not closed."""
    low = html.lower()
    return low.count("<details") - low.count("</details")


def partner_of(nodes: Sequence[SyntaxTreeNode], at: int) -> int:
    """Return where the element ends that a piece opens; 0 when it is none that is kept, or does not end."""
    opened = tag_of(nodes[at].content)
    if opened is None or opened[2] or opened[0] not in _PAIRED:
        return 0
    depth = 0
    for number in range(at, len(nodes)):
        found = tag_of(nodes[number].content) if nodes[number].type == "html_inline" else None
        if found and found[0] == opened[0]:
            depth += -1 if found[2] else 1
            if depth == 0:
                return number
    return 0
