"""reStructuredText as an outline. The parser is docutils, with nothing that opens files or runs code."""

import re
from typing import Any

from docutils import frontend, nodes, utils
from docutils.parsers.rst import Parser

from reaffirm.model.record import Link
from reaffirm.store.reading.anchors import Anchors
from reaffirm.store.reading.outline import Block, Kind, Line, Outline

_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 6,
    "_disable_config": True,
    "line_length_limit": 50_000,
    "syntax_highlight": "none",
    "smart_quotes": False,
    "input_encoding": "utf-8",
    "warning_stream": "",
}
_SKIPPED = (
    nodes.comment,
    nodes.literal_block,
    nodes.system_message,
    nodes.doctest_block,
    nodes.raw,
    nodes.image,
)
# docutils takes very long for a paragraph that no person writes (characters).
_LONGEST = 30_000
_UNDERLINE = re.compile(r"([=\-~^#*+.:'\"`_])\1+")
_ROLE = re.compile(r":[\w:+.-]+:`(?P<words>[^`<]*?)\s*(?:<(?P<to>[^>]*)>)?`")


def read_restructuredtext(text: str, first: int = 1) -> Outline:
    """Take a reStructuredText apart; ``first`` is the line in the file of its first line."""
    return _Walk(text, first).outline


class _Walk:
    def __init__(self, text: str, first: int) -> None:
        self.lines = text.split("\n")
        self.squeezed = [re.sub(r"\W+", "", line) for line in self.lines]
        self.first = first
        self.outline = Outline()
        self.anchors = Anchors()
        self.seen = 0  # the line that reading has come to; docutils tells lines only roughly
        self.tables = 0
        # Roles of Sphinx are unknown here; what they name is read as a link or as words.
        roles: list[Link] = []
        plain = _ROLE.sub(lambda match: _plain_role(match, roles), _lengthened(text))
        self.roles = roles
        if any(len(part) > _LONGEST for part in re.split(r"\n[ \t]*\n", text)):
            msg = f"a paragraph of more than {_LONGEST} characters"
            raise RecursionError(msg)
        settings = frontend.get_default_settings(Parser)
        for name, value in _SETTINGS.items():
            setattr(settings, name, value)
        document = utils.new_document("record", settings)
        document.reporter.stream = None
        Parser().parse(plain, document)
        self.targets: dict[str, str] = {
            name: target["refuri"]
            for target in document.findall(nodes.target)
            if "refuri" in target
            for name in target.get("names", ())
        }
        self.children(document, 0, 0)
        self.outline.anchors = self.anchors.found

    def children(self, node: Any, level: int, depth: int) -> None:
        for child in node.children:
            self.node(child, level, depth)

    def node(self, node: Any, level: int, depth: int) -> None:
        match node:
            case nodes.section():
                for name in node.get("ids", ()):
                    self.anchors.add(str(name))
                self.children(node, level + 1, depth)
            case nodes.title() | nodes.subtitle():
                lines = self.text(node)
                line = lines[0] if lines else Line("", self.first)
                self.anchors.heading(line.text)
                self.outline.blocks.append(Block(Kind.HEADING, line.line, [line], level=max(level, 1)))
            case nodes.paragraph():
                self.paragraph(node, Kind.PARAGRAPH, 0)
            case nodes.bullet_list() | nodes.enumerated_list():
                for item in node.children:
                    self.item(item, depth + 1)
            case nodes.definition_list():
                for item in node.children:
                    self.definition(item, level, depth)
            case nodes.field_list():
                for field in node.children:
                    self.field(field)
            case nodes.table():
                self.table(node)
            case nodes.block_quote():
                for child in node.findall(nodes.paragraph):
                    self.paragraph(child, Kind.QUOTE, depth)
            case nodes.target():
                for name in (*node.get("names", ()), *node.get("ids", ())):
                    self.anchors.add(str(name))
            case nodes.Element() if not isinstance(node, _SKIPPED):
                self.children(node, level, depth)
            case _:
                pass

    def paragraph(self, node: Any, kind: Kind, level: int) -> None:
        lines = self.text(node)
        if lines:
            self.outline.blocks.append(Block(kind, lines[0].line, lines, level=level))

    def item(self, item: Any, depth: int) -> None:
        kind = Kind.ITEM
        for child in item.children:
            if isinstance(child, nodes.paragraph):
                self.paragraph(child, kind, depth)
                kind = Kind.PARAGRAPH
            else:
                self.node(child, 1, depth)

    def definition(self, item: Any, level: int, depth: int) -> None:
        term = next(iter(item.findall(nodes.term)), None)
        name = " ".join(line.text for line in self.text(term)) if term is not None else ""
        for body in item.findall(nodes.definition):
            first = body.children[0] if body.children else None
            lines = self.text(first) if isinstance(first, nodes.paragraph) else []
            if lines:
                self.outline.blocks.append(Block(Kind.LABEL, lines[0].line, lines, name=name))

    def field(self, field: Any) -> None:
        name = field.children[0].astext()
        body = field.children[1]
        lines = [line for child in body.findall(nodes.paragraph) for line in self.text(child)]
        at = lines[0].line if lines else self.find(f":{name}:")
        self.outline.blocks.append(Block(Kind.LABEL, at, lines or [Line("", at)], name=name))

    def table(self, node: Any) -> None:
        self.tables += 1
        first = True
        headless = not any(True for _ in node.findall(nodes.thead))
        for row in node.findall(nodes.row):
            cells = [self.cell(entry) for entry in row.children]
            if cells:
                head = first and not headless
                line = max(cells[0].line, 1)
                self.outline.blocks.append(Block(Kind.ROW, line, cells, head=head, table=self.tables))
            first = False

    def cell(self, entry: Any) -> Line:
        lines = self.text(entry)
        if not lines:
            return Line("", self.first + self.seen)
        links = tuple(link for line in lines for link in line.links)
        words = " ".join(line.text for line in lines)
        return Line(words, lines[0].line, words, lines[0].lead, links=links)

    def text(self, node: Any) -> list[Line]:
        """The lines of a node as they stand in the source."""
        pieces: list[tuple[str, Any]] = []
        for leaf in node.findall(nodes.Text):
            if not isinstance(leaf.parent, nodes.system_message):
                pieces.append((str(leaf), leaf.parent))
        whole = "".join(text for text, _ in pieces)
        lead = pieces[0][0].strip() if pieces and isinstance(pieces[0][1], nodes.strong) else ""
        code = bool(pieces) and all(isinstance(parent, nodes.literal) for _, parent in pieces)
        found = self.links(node)
        lines: list[Line] = []
        for number, words in enumerate(whole.split("\n")):
            at = self.find(words)
            mine = tuple(Link(to, name, at) for to, name in found if name and name.split("\n")[0] in words)
            source = self.lines[at - self.first].strip() if at - self.first < len(self.lines) else words
            lines.append(
                Line(words.strip(), at, _value(source, words), lead if number == 0 else "", code, mine)
            )
            self.outline.links += mine
        return [line for line in lines if line.text]

    def links(self, node: Any) -> list[tuple[str, str]]:
        found = []
        for one in node.findall(nodes.reference):
            to = one.get("refuri") or self.targets.get(str(one.get("refname", "")).lower(), "")
            if to and not to.startswith("mailto:"):
                found.append((to, one.astext()))
        words = node.astext()
        found += [(link.target, link.text) for link in self.roles if link.text and link.text in words]
        return found

    def find(self, words: str) -> int:
        """The next line of the source on which some words stand; the search never goes back."""
        wanted = re.sub(r"\W+", "", words)
        for length in (40, 20, 10, 5):
            if len(wanted) < length and length > 5:
                continue
            for at in range(self.seen, len(self.squeezed)):
                if wanted and wanted[:length] in self.squeezed[at]:
                    self.seen = at
                    return self.first + at
        return self.first + self.seen


def _plain_role(match: re.Match[str], roles: list[Link]) -> str:
    to, words = match["to"], match["words"].strip()
    if ":doc:" in match[0]:
        roles.append(Link(to or words, words or to or "", 0))
    return words or to or ""


def _lengthened(text: str) -> str:
    """Underlines that are too short, as people leave them; docutils would take the title for prose."""
    lines = text.split("\n")
    for number in range(1, len(lines)):
        title, line = lines[number - 1], lines[number].rstrip()
        short = 2 <= len(line) < len(title.rstrip()) and _UNDERLINE.fullmatch(line)
        if short and title.strip() and not title[0].isspace() and not _UNDERLINE.fullmatch(title.rstrip()):
            above = lines[number - 2].strip() if number > 1 else ""
            if not above or _UNDERLINE.fullmatch(above):
                lines[number] = line[0] * len(title.rstrip())
    return "\n".join(lines)


def _value(source: str, words: str) -> str:
    """The words as they are written: the part of a source line from where they begin, marks included."""
    first = words.strip().split(" ")[0] if words.strip() else ""
    at = source.find(first)
    if not first or at < 0:
        return words.strip()
    while at and source[at - 1] in "*_`":
        at -= 1
    return source[at:].strip()
