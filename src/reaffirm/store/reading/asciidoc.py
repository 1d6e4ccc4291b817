"""AsciiDoc as an outline: sections, attributes, lists, tables and links.

There is no AsciiDoc parser for Python that keeps lines. What a record's fields can stand in is line by
line in AsciiDoc, and that is read here; listings, comments and includes are passed over.
"""

import re

from reaffirm.model.record import Link
from reaffirm.store.reading.anchors import Anchors
from reaffirm.store.reading.outline import Block, Kind, Line, Outline

# No line of a person is longer (characters); what is longer is taken as it stands.
_LONGEST = 5_000
_HEADING = re.compile(r"(?P<marks>={1,6}|#{1,6})\s+(?P<text>\S.*?)(?:\s+(?P=marks))?\s*\Z")
_UNDERLINE = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
_ATTRIBUTE = re.compile(r":(?P<name>!?[\w][\w -]*!?):(?:\s+(?P<value>.*?))?\s*\Z")
_ITEM = re.compile(r"\s*(?P<marks>\*{1,5}|-|\.{1,5}|\d+\.)\s+(?P<text>\S.*)\Z")
_TERM = re.compile(r"\s*(?P<term>[^:\s][^:]*?)(?P<marks>:{2,4}|;;)(?:\s+(?P<text>.*))?\Z")
_FENCE = re.compile(r"(?:-{4,}|\.{4,}|/{4,}|\+{4,}|`{3,}.*|~{4,})\s*\Z")
_OPEN = re.compile(r"(?:={4,}|\*{4,}|--)\s*\Z")
_QUOTE = re.compile(r"_{4,}\s*\Z")
_TABLE = re.compile(r"[|,!:]={3,}\s*\Z")
_BLOCK = re.compile(r"\[(?:\[(?P<anchor>[\w:.-]+)[^\]]*\]|.*)\]\s*\Z")
_MACRO = re.compile(
    r"(?P<kind>link:|xref:|mailto:)(?P<to>[^\s\[]+)\[(?P<words>[^\]]*)\]|(?P<url>https?://[^\s\[\]<>]+)\[(?P<name>[^\]]*)\]"
    r"|<<(?P<ref>[^,>\n]+)(?:,\s*(?P<label>[^>]*))?>>"
)
_IMAGE = re.compile(r"image::?(?P<src>[^\s\[]+)\[(?P<alt>[^\],]*)[^\]]*\]")
_ANCHOR = re.compile(r"\[\[([\w:.-]+)[^\]]*\]\]|\[#([\w:.-]+)[^\]]*\]")
_BOLD = re.compile(
    r"\*{1,2}(?P<b>[^*\n]+)\*{1,2}|(?<!\w)_{1,2}(?P<i>[^_\n]+)_{1,2}(?!\w)|`\+?(?P<c>[^`\n]+?)\+?`|#(?P<m>[^#\n]+)#"
)
_STRUCK = re.compile(r"\[\.?line-through\]#[^#\n]*#")
_REFERENCE = re.compile(r"\{([\w-]+)\}")


def read_asciidoc(text: str, first: int = 1) -> Outline:
    """Take an AsciiDoc text apart; ``first`` is the line in the file of its first line."""
    return _Reader(text, first).outline


class _Reader:
    def __init__(self, text: str, first: int) -> None:
        self.lines = text.split("\n")
        self.first = first
        self.outline = Outline()
        self.anchors = Anchors()
        self.attributes: dict[str, str] = {}
        self.tables = 0
        self.read()
        self.outline.anchors = self.anchors.found

    def read(self) -> None:
        at = 0
        paragraph: list[tuple[int, str]] = []
        quoted = False
        while at < len(self.lines):
            line = self.lines[at].rstrip()
            fence = _FENCE.match(line)
            underlined = self.underlined(at) if not paragraph else 0
            if fence and not underlined:
                self.flush(paragraph, quoted)
                at = self.skip(at, line)
            elif line.startswith("//"):
                pass
            elif _TABLE.match(line):
                self.flush(paragraph, quoted)
                at = self.table(at)
            elif _QUOTE.match(line):
                self.flush(paragraph, quoted)
                quoted = not quoted
            elif _OPEN.match(line) or not line.strip():
                self.flush(paragraph, quoted)
            elif (not paragraph or self.in_head(at)) and (match := _ATTRIBUTE.match(line)):
                self.flush(paragraph, quoted)
                self.attribute(match, at)
            elif match := _HEADING.match(line):
                self.flush(paragraph, quoted)
                self.heading(match["text"], len(match["marks"]), at)
            elif underlined:
                self.heading(line.strip(), underlined, at)
                at += 1
            elif not paragraph and (match := _BLOCK.match(line)) and not _ITEM.match(line):
                if match["anchor"]:
                    self.anchors.add(match["anchor"])
                elif named := _ANCHOR.search(line):
                    self.anchors.add(named[1] or named[2])
            elif re.match(r"(?:include|ifdef|ifndef|ifeval|endif|toc)::", line):
                pass
            elif match := _ITEM.match(line):
                self.flush(paragraph, quoted)
                at = self.item(match["text"], len(match["marks"].rstrip(".")) or len(match["marks"]), at)
            elif not paragraph and (match := _TERM.match(line)):
                at = self.term(match, at)
            elif line.strip() == "+":
                pass
            else:
                paragraph.append((at, line.strip().removesuffix(" +")))
            at += 1
        self.flush(paragraph, quoted)

    def in_head(self, at: int) -> bool:
        """Whether a line belongs to the document's head: below the title, before the first blank line."""
        blocks = [block for block in self.outline.blocks if block.kind is Kind.HEADING]
        if len(blocks) != 1 or blocks[0].level != 1:
            return False
        return all(line.strip() for line in self.lines[blocks[0].line - self.first : at])

    def underlined(self, at: int) -> int:
        """The level of a heading that is underlined; 0 when this is none."""
        here = self.lines[at].rstrip()
        below = self.lines[at + 1].rstrip() if at + 1 < len(self.lines) else ""
        sign = below[:1]
        same = sign in _UNDERLINE and below == sign * len(below) and len(below) > 2
        if same and re.search(r"\w", here) and abs(len(below) - len(here)) <= 2:
            return _UNDERLINE[sign]
        return 0

    def skip(self, at: int, fence: str) -> int:
        end = fence if not fence.startswith("```") else "```"
        for n in range(at + 1, len(self.lines)):
            if self.lines[n].rstrip() == end:
                return n
        return len(self.lines)

    def attribute(self, match: re.Match[str], at: int) -> None:
        name, value = match["name"].strip("!"), match["value"] or ""
        self.attributes[name.lower()] = value
        if value:
            line = self.line(value, at)
            line.source = value
            self.outline.blocks.append(Block(Kind.LABEL, line.line, [line], name=name))

    def heading(self, text: str, level: int, at: int) -> None:
        for match in _ANCHOR.finditer(text):
            self.anchors.add(match[1] or match[2])
        line = self.line(_ANCHOR.sub("", text).strip(), at)
        self.anchors.heading(line.text)
        self.anchors.add("_" + re.sub(r"[^\w]+", "_", line.text.lower()).strip("_"))
        self.outline.blocks.append(Block(Kind.HEADING, line.line, [line], level=level))

    def item(self, text: str, level: int, at: int) -> int:
        lines = [self.line(text, at)]
        while at + 1 < len(self.lines) and self.goes_on(self.lines[at + 1]):
            at += 1
            lines.append(self.line(self.lines[at].strip(), at))
        self.outline.blocks.append(Block(Kind.ITEM, lines[0].line, lines, level=level))
        return at

    @staticmethod
    def goes_on(line: str) -> bool:
        known = (_ITEM, _HEADING, _TERM, _FENCE, _TABLE, _OPEN, _BLOCK, _QUOTE)
        return bool(line.strip()) and line.strip() != "+" and not any(form.match(line) for form in known)

    def term(self, match: re.Match[str], at: int) -> int:
        """``Status:: accepted``, also with the value on the next line."""
        values: list[Line] = []
        if match["text"]:
            values.append(self.line(match["text"], at))
        while at + 1 < len(self.lines) and self.goes_on(self.lines[at + 1]):
            at += 1
            values.append(self.line(self.lines[at].strip(), at))
        name = self.line(match["term"], at).text
        number = values[0].line if values else at + self.first
        self.outline.blocks.append(Block(Kind.LABEL, number, values or [Line("", number)], name=name))
        return at

    def table(self, at: int) -> int:
        """Cells until the fence again; a row has as many as its first line, or as ``cols`` says."""
        self.tables += 1
        above = self.lines[at - 1] if at else ""
        fence = self.lines[at].rstrip()
        columns = 0
        if cols := re.search(r'cols\s*=\s*"([^"]+)"|cols\s*=\s*([\d*]+)', above):
            spec = cols[1] or cols[2]
            times = re.match(r"\s*(\d+)\*", spec)
            columns = (
                int(times[1]) if times else len([part for part in re.split(r"[,;]", spec) if part.strip()])
            )
        cells: list[Line] = []
        for n in range(at + 1, len(self.lines)):
            line = self.lines[n]
            if line.rstrip() == fence:
                break
            if "|" not in line:
                if cells and line.strip():
                    more = self.line(line.strip(), n)
                    cells[-1].text = f"{cells[-1].text} {more.text}".strip()
                    cells[-1].source = f"{cells[-1].source} {more.source}".strip()
                    cells[-1].links += more.links
                continue
            parts = re.split(r"(?:(?<=\s)|(?<=\A))[\d.]*[<^>.]*[aehlmsdv]?\|", line)
            found = [self.line(part.strip(), n) for part in parts[1:]]
            columns = columns or len(found)
            cells += found
        else:
            n = len(self.lines)
        columns = min(max(columns, 1), 100)
        for index in range(0, len(cells), columns):
            row = cells[index : index + columns]
            block = Block(Kind.ROW, row[0].line, row, head=index == 0, table=self.tables)
            self.outline.blocks.append(block)
        return n

    def flush(self, paragraph: list[tuple[int, str]], quoted: bool) -> None:
        if paragraph:
            lines = [self.line(text, at) for at, text in paragraph]
            kind = Kind.QUOTE if quoted else Kind.PARAGRAPH
            self.outline.blocks.append(Block(kind, lines[0].line, lines))
            paragraph.clear()

    def line(self, text: str, at: int) -> Line:
        """One line's words, without marks, its links and the bold text that it begins with."""
        number = at + self.first
        source = text.strip()
        if len(source) > _LONGEST:
            return Line(source, number, source)
        text = _REFERENCE.sub(lambda m: self.attributes.get(m[1].lower(), m[0]), source)
        images = tuple((m["alt"], m["src"]) for m in _IMAGE.finditer(text))
        text = _STRUCK.sub("", _IMAGE.sub(lambda m: m["alt"], text))
        links: list[Link] = []

        def named(match: re.Match[str]) -> str:
            to = match["to"] or match["url"] or match["ref"] or ""
            words = match["words"] or match["name"] or match["label"] or to
            words = words.split(",")[0].strip("^ ")
            if match["ref"] and "." not in to and "#" not in to:
                to = f"#{to.strip()}"
            if match["kind"] != "mailto:":
                links.append(Link(to.strip(), words, number))
            return words

        text = _MACRO.sub(named, text)
        code = bool(re.fullmatch(r"`[^`]+`", text.strip()))
        start = re.match(r"\*{1,2}(?P<lead>[^*]+)\*{1,2}", text)
        text = _BOLD.sub(lambda m: m["b"] or m["i"] or m["c"] or m["m"], text).strip()
        lead = start["lead"].strip() if start else ""
        self.outline.links += links
        return Line(text, number, source, lead, code, tuple(links), images)
