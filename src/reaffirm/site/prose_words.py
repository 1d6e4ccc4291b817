"""What prose says in plain words: of a line, of its headings; and the ids that the headings get."""

import re
from collections.abc import Collection, Iterable

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from reaffirm.site.text import plain
from reaffirm.store.reading.anchors import slug_of

#: Reads prose as forges do.
PARSER = MarkdownIt("commonmark", {"html": True, "maxNesting": 30}).enable("table").enable("strikethrough")


def first_heading(markdown: str) -> tuple[str, str]:
    """Return the words of the first line when it is a level 1 heading, and the rest."""
    head, _, rest = markdown.lstrip().partition("\n")
    if match := re.match(r"#\s+(.+?)\s*#*\s*\Z", head):
        return words(match[1]), rest
    return "", markdown


def words(markdown: str) -> str:
    """Return one line of Markdown as the plain words that a reader would see."""
    return "".join(
        child.content if child.content else " " * (child.type in ("softbreak", "hardbreak"))
        for token in PARSER.parseInline(plain(markdown))
        for child in token.children or ()
    )


def words_and_code(markdown: str) -> list[tuple[str, bool]]:
    """Return a line of Markdown as the words that a reader sees, in pieces, each with whether it is code."""
    found: list[tuple[str, bool]] = []
    for token in PARSER.parseInline(plain(markdown)):
        for child in token.children or ():
            text = child.content or " " * (child.type in ("softbreak", "hardbreak"))
            code = child.type == "code_inline"
            if found and found[-1][1] is code:
                text = found.pop()[0] + text
            if text:
                found.append((text, code))
    return found


def heading_ids(markdown: str, reserved: Collection[str]) -> tuple[str, ...]:
    """Return the ids that the headings of a prose get, in their order, as ``rebuild`` writes them."""
    ids = HeadingIds(reserved)
    tree = SyntaxTreeNode(PARSER.parse(plain(markdown)))
    return tuple(ids.next(node) for node in tree.walk() if node.type == "heading")


class HeadingIds:
    """Gives each heading an id, as forges do, that nothing else on the page has."""

    def __init__(self, reserved: Collection[str]) -> None:
        self._taken = set(reserved)
        self._next: dict[str, int] = {}

    def next(self, heading: SyntaxTreeNode) -> str:
        """Return the id of the next heading."""
        slug = re.sub(r"[^\w-]", "", slug_of(" ".join("".join(words_in(heading)).split()))) or "section"
        if slug.startswith("_"):  # the theme's own
            slug = f"section-{slug.strip('_')}"
        found, number = slug, self._next.get(slug, 1)
        while found in self._taken:
            found, number = f"{slug}-{number}", number + 1
        self._next[slug] = number
        self._taken.add(found)
        return found


def words_in(node: SyntaxTreeNode) -> Iterable[str]:
    """Yield the words in a part of a syntax tree, as a reader sees them."""
    tokens: list[Token] = node.to_tokens()
    for token in tokens:
        for child in token.children or ():
            if child.content:
                yield child.content
