"""Markdown as an outline. The parser is markdown-it-py; text in fences, quotes and comments says nothing."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from reaffirm.model.record import Link
from reaffirm.store.reading.anchors import Anchors
from reaffirm.store.reading.html_table import table_rows
from reaffirm.store.reading.outline import Block, Kind, Line, Outline

# A paragraph of a person is shorter (characters); what is longer is taken as it stands.
_LONGEST = 40_000
_MARKS = re.compile(r"[\[\]<>*_`!\\&~]|https?:")
_ID = re.compile(r"""<a\s[^>]*?\b(?:id|name)\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_ANY_ID = re.compile(r"""<\w+\s[^>]*?\bid\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"\s*\{:?\s*#([\w.:-]+)[^}]*\}\s*\Z")
_HIDDEN = re.compile(r"<!--|</?(?:a|span|sup|img)\b", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": 30})
    parser.enable(["table", "strikethrough"])
    # Inline text is parsed by us, and only where it has marks.
    parser.core.ruler.disable("inline")
    # Targets are wanted as they are written, the bad ones too.
    parser.validateLink = lambda url: bool(url) or True  # type: ignore[method-assign]
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    return parser


_PARSER = _parser()


def read_markdown(text: str, first: int = 1) -> Outline:
    """Take a Markdown text apart.

    Args:
        text: the body, below the front matter.
        first: the line in the file of its first line.
    """
    return _Walk(text, first).outline


class _Walk:
    def __init__(self, text: str, first: int) -> None:
        self.outline = Outline()
        self.first = first
        self.source = text.split("\n")
        self.env: dict[str, object] = {}
        self.anchors = Anchors()
        tokens = _PARSER.parse(text, self.env)
        self.walk(tokens)
        self.outline.anchors = self.anchors.found

    def walk(self, tokens: list[Token]) -> None:
        depth, quoted, tables = 0, 0, 0
        item = row = None
        head = False
        for index, token in enumerate(tokens):
            match token.type:
                case "bullet_list_open" | "ordered_list_open":
                    depth += 1
                case "bullet_list_close" | "ordered_list_close":
                    depth -= 1
                case "blockquote_open":
                    quoted += 1
                case "blockquote_close":
                    quoted -= 1
                case "list_item_open":
                    item = token
                case "table_open":
                    tables += 1
                case "thead_open":
                    head = True
                case "thead_close":
                    head = False
                case "tr_open":
                    line = self.line(token)
                    row = Block(Kind.ROW, line, [], level=depth, head=head, table=tables)
                case "tr_close" if row is not None:
                    if not quoted:
                        self.outline.blocks.append(row)
                    row = None
                case "html_block":
                    self.html(token, len(self.outline.blocks))
                case "inline":
                    heading = tokens[index - 1].type == "heading_open"
                    lines = self.lines(token, html=heading)
                    for one in lines:
                        self.outline.links += one.links
                    if row is not None:
                        row.lines.append(_joined(lines, row.line))
                    elif quoted:
                        self.outline.blocks.append(Block(Kind.QUOTE, self.line(token), lines, level=depth))
                    elif heading:
                        self.heading(tokens[index - 1], lines)
                    elif item is not None:
                        self.outline.blocks.append(Block(Kind.ITEM, self.line(token), lines, level=depth))
                        item = None
                    else:
                        self.outline.blocks.append(
                            Block(Kind.PARAGRAPH, self.line(token), lines, level=depth)
                        )
                case _:
                    pass

    def line(self, token: Token) -> int:
        return self.first + (token.map[0] if token.map else 0)

    def heading(self, token: Token, lines: list[Line]) -> None:
        one = _joined(lines, self.line(token))
        one.text = " ".join(one.text.split())
        if match := _ATTRIBUTES.search(one.text):
            self.anchors.add(match[1])
            one.text = one.text[: match.start()]
        if not one.text and not one.source.strip():
            return
        self.anchors.heading(one.text)
        self.outline.blocks.append(Block(Kind.HEADING, one.line, [one], level=int(token.tag[1:])))

    def html(self, token: Token, tables: int) -> None:
        text = token.content[:_LONGEST]
        if "<td" in text.lower():
            rows = table_rows(text, self.line(token), -1 - tables)
            self.outline.blocks += rows
            self.outline.links += [link for row in rows for cell in row.lines for link in cell.links]
        for match in _ANY_ID.finditer(text):
            self.anchors.add(match[1])

    def lines(self, token: Token, *, html: bool = False) -> list[Line]:
        """The lines of a paragraph, heading or cell; ``html`` keeps what looks like elements."""
        sources = token.content.split("\n")
        start = self.line(token)
        if not _MARKS.search(token.content) or len(token.content) > _LONGEST:
            return [Line(one.strip(), start + n, one.strip()) for n, one in enumerate(sources)]
        if "id=" in token.content or "name=" in token.content:
            for match in _ID.finditer(token.content):
                self.anchors.add(match[1])
        children: list[Token] = []
        _PARSER.inline.parse(token.content, _PARSER, self.env, children)
        return list(self.pieces(children, sources, start, html=html))

    def pieces(self, children: list[Token], sources: list[str], start: int, *, html: bool) -> Iterator[Line]:
        """One line for each line of the source that the reader sees as one."""
        now = _Piece()
        number, strong, struck = 0, 0, 0
        for token in children:
            match token.type:
                case "softbreak" | "hardbreak":
                    yield now.line(start + number, sources, number)
                    number, now = number + 1, _Piece(strong=bool(strong))
                    continue
                case "strong_open":
                    strong += 1
                    now.begins_strong()
                case "strong_close":
                    strong -= 1
                    now.ends_strong()
                case "s_open":
                    struck += 1
                case "s_close":
                    struck -= 1
                case "link_open":
                    now.href = str(token.attrs.get("href", ""))
                    now.begins = len(now.text)
                case "link_close":
                    line = self.find(now.href, sources, number) + start
                    now.links.append(Link(now.href, now.text[now.begins :].strip(), line))
                case "image":
                    now.images.append((token.content, str(token.attrs.get("src", ""))))
                    now.add("" if "://img.shields.io/" in now.images[-1][1] else token.content)
                case "code_inline":
                    now.codes += len(token.content)
                    now.add(token.content)
                case "html_inline":
                    if _BREAK.fullmatch(token.content):
                        now.add("\n")
                    elif html and not _HIDDEN.match(token.content):
                        now.add(token.content)
                case _:
                    if not struck:
                        now.add(token.content)
            number += token.content.count("\n") if token.type == "html_inline" else 0
        yield now.line(start + number, sources, number)

    @staticmethod
    def find(href: str, sources: list[str], number: int) -> int:
        """The line of a link: code and comments over several lines shift what a parser can tell."""
        for n in range(min(number, len(sources) - 1), len(sources)):
            if href and href in sources[n]:
                return n
        return min(number, len(sources) - 1)


class _Piece:
    """A line while it is being read."""

    def __init__(self, *, strong: bool = False) -> None:
        self.text = ""
        self.lead = ""
        self.open = strong
        self.codes = 0
        self.href = ""
        self.begins = 0
        self.links: list[Link] = []
        self.images: list[tuple[str, str]] = []

    def add(self, text: str) -> None:
        self.text += text

    def begins_strong(self) -> None:
        self.open = not self.text.strip()

    def ends_strong(self) -> None:
        if self.open:
            self.lead = self.text.strip()
        self.open = False

    def line(self, number: int, sources: list[str], index: int) -> Line:
        text = self.text.strip()
        source = sources[index].strip() if index < len(sources) else text
        code = bool(text) and self.codes >= len(text)
        return Line(text, number, source, self.lead, code, tuple(self.links), tuple(self.images))


def _joined(lines: list[Line], number: int) -> Line:
    if len(lines) == 1:
        lines[0].line = number
        return lines[0]
    return Line(
        " ".join(one.text for one in lines).strip(),
        number,
        " ".join(one.source for one in lines),
        lines[0].lead,
        all(one.code for one in lines),
        tuple(link for one in lines for link in one.links),
        tuple(image for one in lines for image in one.images),
    )
