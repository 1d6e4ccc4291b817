"""HTML that others wrote, on its way to a page: cleaned, then written anew as Markdown.

This is the one place where foreign HTML enters. nh3 (the sanitiser ammonia) parses it as a browser does and
takes out what is not on the list; what is left is no longer HTML of somebody else but the same Markdown that
prose is written in, so that links pass the resolver and nothing is copied as it was.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

from reaffirm.site.text import admonition, code, escape, fence, indent, inline, plain

#: Written on the page as they are, without attributes; ``b`` and ``i`` as what they mean.
SIMPLE = {
    **{
        one: one
        for one in ("sub", "sup", "kbd", "u", "mark", "strong", "em", "s", "del", "ins", "small", "q")
    },
    **{one: one for one in ("abbr", "var", "samp", "cite")},
    "b": "strong",
    "i": "em",
    "strike": "s",
    "tt": "samp",
}
_LISTS = ("ul", "ol", "dl")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
#: Elements that only arrange others: what is in them stays.
WRAPPERS = frozenset(
    "p div span center font section article header footer main figure figcaption picture".split()  # noqa: SIM905
)
_TABLE = ("table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup", "col")
KEPT = frozenset(
    {*SIMPLE, *_LISTS, *_HEADINGS, *WRAPPERS, *_TABLE}
    | {
        "a",
        "img",
        "br",
        "hr",
        "wbr",
        "code",
        "pre",
        "blockquote",
        "li",
        "dt",
        "dd",
        "details",
        "summary",
        "source",
    }
)
_BLOCKS = frozenset(
    {*_LISTS, *_HEADINGS, *WRAPPERS, "table", "pre", "blockquote", "hr", "details"} - {"span", "font"}
)
_DEEPEST = 30
#: Rows of a table that a page shows.
_ROWS = 400


@dataclass
class Element:
    """One element of cleaned HTML with what is in it."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

    def text(self) -> str:
        """Return all words in it."""
        return "".join(one if isinstance(one, str) else one.text() for one in self.children)


def tag_of(token: str) -> tuple[str, dict[str, str], bool] | None:
    """Return name, attributes and whether it closes, of one tag; None when it is none that is kept."""
    seen = _Tags(token)
    if seen.strange or len(seen.names) != 1 or seen.names[0] not in KEPT:
        return None
    return seen.names[0], seen.attributes, token.startswith("</")


def is_known(html: str) -> bool:
    """Whether every element in it is one that pages keep; otherwise it is shown as text."""
    seen = _Tags(html)
    return not seen.strange and set(seen.names) <= KEPT


def tree_of(html: str) -> Element:
    """Return cleaned HTML as a tree: only elements of :data:`KEPT`, closed and in order."""
    import nh3  # a compiled library: loaded by the first page that needs it

    clean = nh3.clean(
        plain(html),
        tags=set(KEPT),
        clean_content_tags={"script", "style", "template", "iframe", "object", "svg", "math", "title"},
        attributes={"a": {"href"}, "img": {"src", "alt"}, "details": {"open"}},
        link_rel=None,
    )
    return _Builder(clean).root


class HtmlWriter:
    """Writes a tree as Markdown.

    Args:
        link: gives the Markdown of a link from its Markdown words and its target.
        image: gives the Markdown of an image from its words and its address.
    """

    def __init__(self, link: Callable[[str, str], str], image: Callable[[str, str], str]) -> None:
        self._link, self._image = link, image

    def blocks(self, nodes: Sequence[Element | str]) -> str:
        """Return paragraphs, tables and lists."""
        return "\n\n".join(part for part in self._parts(nodes) if part.strip())

    def _parts(self, nodes: Sequence[Element | str]) -> Iterator[str]:
        line: list[Element | str] = []
        for node in nodes:
            if isinstance(node, Element) and (node.tag in _BLOCKS or self._holds_blocks(node)):
                yield self.inlines(line)
                line = []
                yield self._block(node)
            else:
                line.append(node)
        yield self.inlines(line)

    def _holds_blocks(self, node: Element) -> bool:
        return any(
            isinstance(one, Element) and (one.tag in _BLOCKS or self._holds_blocks(one))
            for one in node.children
        )

    def _block(self, node: Element) -> str:
        match node.tag:
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                inside = self.inlines(node.children)
                return f"<strong>{inside}</strong>" if inside else ""
            case "ul" | "ol" | "dl":
                items = [one for one in node.children if isinstance(one, Element)]
                marks = ("1.  " if node.tag == "ol" else "-   ") if items else ""
                return "\n".join(marks + indent(self.blocks(one.children)).lstrip(" ") for one in items)
            case "blockquote":
                return "\n".join(f"> {line}".rstrip() for line in self.blocks(node.children).split("\n"))
            case "pre":
                return fence(node.text())
            case "hr":
                return "---"
            case "table":
                return self.table(node)
            case "details":
                return self.details(node)
            case _:
                return self.blocks(node.children)

    def details(self, node: Element) -> str:
        """Return a folded box."""
        summary = next(
            (one for one in node.children if isinstance(one, Element) and one.tag == "summary"), None
        )
        title = " ".join(summary.text().split()) if summary else ""
        body = self.blocks([one for one in node.children if one is not summary])
        return fold(title, body)

    def table(self, node: Element) -> str:
        """Return a table; its first row is the head. Cells are one line each."""
        rows = [[self.cell(cell) for cell in row] for row in _rows(node)]
        if not rows:
            return ""
        width = max(map(len, rows))
        rows = [row + [" "] * (width - len(row)) for row in rows]
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        note = f"\n\nThe first {_ROWS} of {len(lines) - 1} rows." if len(lines) - 1 > _ROWS else ""
        return "\n".join([lines[0], "|" + " --- |" * width, *lines[1 : _ROWS + 1]]) + note

    def cell(self, node: Element) -> str:
        """Return what is in a cell, on one line."""
        text = "<br>".join(" ".join(part.split()) for part in self._parts(node.children) if part.strip())
        return text.replace("|", "&#124;") or " "

    def inlines(self, nodes: Sequence[Element | str]) -> str:
        """Return a piece of a paragraph."""
        text = "".join(self._inline(node) for node in nodes)
        return "\n".join(line.strip() for line in text.split("\n")).strip()

    def _inline(self, node: Element | str) -> str:
        if isinstance(node, str):
            return escape(re.sub(r"\s+", " ", node))
        inside = "".join(self._inline(one) for one in node.children)
        match node.tag:
            case "br":
                return "<br>\n"
            case "code":
                return code(node.text())
            case "img":
                return self._image(node.attributes.get("alt", ""), node.attributes.get("src", ""))
            case "a":
                href = node.attributes.get("href", "")
                return self._link(inside, href) if href else inside
            case tag if tag in SIMPLE and inside.strip():
                return f"<{SIMPLE[tag]}>{inside}</{SIMPLE[tag]}>"
            case _:
                return inside


def fold(title: str, body: str) -> str:
    """Return a folded box; its title is plain words."""
    if body:
        return admonition("quote", title or "Details", body, folded=True)
    return f"<strong>{inline(title)}</strong>" if title else ""


def _rows(node: Element) -> Iterator[list[Element]]:
    for one in node.children:
        if isinstance(one, Element) and one.tag == "tr":
            yield [cell for cell in one.children if isinstance(cell, Element) and cell.tag in ("td", "th")]
        elif isinstance(one, Element) and one.tag in ("thead", "tbody", "tfoot"):
            yield from _rows(one)


class _Tags(HTMLParser):
    """The names of all tags in a text, and whether there is anything but tags, words and comments."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: dict[str, str] = {}
        self.strange = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag. One that asks to run something is shown to the reader as what it is."""
        self.names.append(tag)
        self.strange |= any(name.startswith("on") for name, _ in attrs)
        self.attributes = {name: value or "" for name, value in attrs}

    def handle_endtag(self, tag: str) -> None:
        """Note a tag that closes."""
        self.names.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that is closed at once."""
        self.handle_starttag(tag, attrs)

    def handle_decl(self, decl: str) -> None:
        """A declaration is no element."""
        self.strange = True

    def handle_pi(self, data: str) -> None:
        """Nor is an instruction."""
        self.strange = True

    def unknown_decl(self, data: str) -> None:
        """Nor is CDATA."""
        self.strange = True


class _Builder(HTMLParser):
    """Reads HTML that nh3 wrote. What is nested too deeply is flattened."""

    _VOID = ("br", "hr", "img", "wbr", "col", "source")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.root = Element("div")
        self._open = [self.root]
        self._deeper = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        node = Element(tag, {name: value or "" for name, value in attrs})
        if tag in self._VOID:
            self._open[-1].children.append(node)
        elif len(self._open) > _DEEPEST:
            self._deeper += 1
        else:
            self._open[-1].children.append(node)
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        """Close the last one."""
        if tag in self._VOID:
            return
        if self._deeper:
            self._deeper -= 1
        elif len(self._open) > 1:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        """Keep the words."""
        self._open[-1].children.append(data)
