"""Looks for a record's fields where people put them, and says where each was found.

A field counts at the top of a record (lines, lists and tables before its first section), under a
heading of its own, and where the language has a place for it. A word in prose, in a fence or in a table
further down is none.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any
from urllib.parse import unquote

from reaffirm.store.reading.labels import Field, field_of, is_about, plain_label
from reaffirm.store.reading.outline import Block, Kind, Line, Outline, Section
from reaffirm.store.reading.titles import is_section_name

# A line with a field is not longer (characters).
_LONGEST = 4_000
_LABEL = re.compile(r"\s*(?P<label>[^:：|\n]{1,60}?)(?:\s*[:：]\s*|\s+[—–]\s+)(?P<value>.*)\Z", re.DOTALL)
_BADGE = re.compile(
    r"img\.shields\.io/(?:static/v1\?label=|badge/)(?P<rest>[^?&#)]+)(?P<query>.*)", re.IGNORECASE
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SPLIT = re.compile(r"\s+[|·•]\s+|\s{3,}|\s+/\s+(?=[A-Z*])|[,;]\s+(?=\w[\w ]{1,20}:)")
_DAY_BESIDE = re.compile(r"[*_]{0,2}\s*[—–-]?\s*(?<![\w*_])[*_]{1,2}[^*_]*\d{4}[^*_]*[*_]{1,2}\s*\Z")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
_TAG = re.compile(r"</?(?:b|i|em|strong|span|br|sub|sup|code|small|u|font|p|div)\b[^<>]*>", re.IGNORECASE)
_WRAP = re.compile(r"\A(\*\*|__|\*|_|`)(?P<inner>.+)\1\Z", re.DOTALL)


class Where(IntEnum):
    """Where a field stands; the lower wins."""

    FRONT = 0
    LABEL = 1
    TOP = 2
    SECTION = 3
    TITLE = 4
    BADGE = 5
    TAGS = 6


@dataclass
class Place:
    """A field as found: its lines, block by block, and the line in the file.

    Of front matter there is also the value as data, and the line of the key in ``at``.
    """

    field: Field
    blocks: list[list[Line]]
    line: int
    where: Where
    value: Any = None
    at: int = 0

    @property
    def lines(self) -> list[Line]:
        """All lines that say something."""
        return [line for block in self.blocks for line in block if line.text.strip()]


def places(outline: Outline, title: Block | None) -> list[Place]:
    """Return all fields of a record, in the order of the text."""
    return list(_places(outline, title))


def _places(outline: Outline, title: Block | None) -> Iterator[Place]:
    sections = outline.sections()
    levels = Counter(section.level for section in sections if section.heading is not None)
    alone = {level for level, count in levels.items() if count == 1}
    before_first = True
    for section in sections:
        heading = section.heading
        about = heading is None or heading is title or is_about(heading.text)
        if heading is not None and not about:
            before_first = False
        if about or (before_first and heading is None):
            yield from _top(section)
        if heading is None or heading is title:
            continue
        # ## `Status` is a piece of code; ### Status under another section is a part of that.
        if any(line.code for line in heading.lines):
            continue
        parents = len(section.above)
        above = section.above[-1] if section.above else ""
        lone = (section.level - 1) in alone and not is_section_name(above)
        nested = parents > 1 and not is_about(above) and not lone
        if nested:
            continue
        field, value = field_of(heading.text), ""
        if field is None and (found := split_label(heading.lines[0])):
            field, value = found[0], found[1].text
            if value:
                yield Place(field, [[found[1]]], heading.line, Where.SECTION)
                continue
        if field is not None:
            said = [
                block for block in section.blocks if block.kind in (Kind.PARAGRAPH, Kind.ITEM, Kind.LABEL)
            ]
            said = said or [block for block in section.blocks if block.kind is Kind.QUOTE]
            blocks = [_unlabelled(block.lines, field) for block in said]
            if field is Field.STATUS:
                yield from _others(said)
            rows = [block for block in section.blocks if block.kind is Kind.ROW]
            if rows and field in (Field.STATUS, Field.DATE):
                if any(place.field is field for place in _tables(rows)):
                    yield from _tables(rows)
                    continue
                blocks += [[_row(block)] for block in rows if not block.head]
            first = next((line.line for block in blocks for line in block), heading.line)
            yield Place(field, blocks, first, Where.SECTION)


def _others(blocks: list[Block]) -> Iterator[Place]:
    """Below "Status" there may be other fields: ``Review by: 2024-01-31``."""
    for block in blocks:
        for line in block.lines:
            found = split_label(line)
            if found and found[0] is not Field.STATUS and found[1].text:
                yield Place(found[0], [[found[1]]], line.line, Where.SECTION)


def _unlabelled(lines: list[Line], field: Field) -> list[Line]:
    """Under a heading "Status", a line may say "Status: accepted" once more."""
    kept = []
    for line in lines:
        found = split_label(line)
        if found and found[0] is field:
            kept.append(found[1])
        elif not found or field not in (Field.STATUS, Field.DATE):
            kept.append(replace(line, source=_written(line.source)))
    return kept


def _row(block: Block) -> Line:
    return Line(
        " ".join(cell.text for cell in block.lines).strip(),
        block.line,
        " | ".join(cell.source for cell in block.lines),
        links=tuple(link for cell in block.lines for link in cell.links),
    )


def _top(section: Section) -> Iterator[Place]:
    """Fields before the first section: labels, lists, lines, tables, badges."""
    rows: list[Block] = []
    blocks = section.blocks
    for index, block in enumerate(blocks):
        for line in block.lines:
            yield from _badges(line)
        match block.kind:
            case Kind.LABEL:
                if field := field_of(block.name):
                    yield Place(field, [block.lines], block.line, Where.LABEL)
            case Kind.ROW:
                rows.append(block)
            case Kind.ITEM if block.lines:
                yield from _line_fields(block.lines, blocks[index + 1 :], block.level)
            case Kind.PARAGRAPH | Kind.QUOTE:
                yield from _line_fields(block.lines, blocks[index + 1 :], 0)
            case _:
                pass
    yield from _tables(rows)


def _line_fields(lines: list[Line], following: list[Block], level: int) -> Iterator[Place]:
    """``Status: accepted``, line by line; an empty value is continued by what stands below."""
    labelled = [split_label(line) for line in lines]
    only = lines[0]
    alone = field_of(only.text) if len(lines) == 1 and only.lead in ("", only.text) else None
    if alone and (only.lead or (level and following and following[0].level > level)):
        labelled = [(alone, replace(only, text="", source=""))]
    # A paragraph that does not begin with a field is prose, and so are its other lines.
    if labelled[0] is None and sum(one is not None for one in labelled) < 2:
        return
    for number, found in enumerate(labelled):
        if found is None:
            continue
        field, value = found
        more: list[Line] = []
        for rest, other in zip(lines[number + 1 :], labelled[number + 1 :], strict=True):
            if other is not None or _LABEL.match(rest.text):
                break
            more.append(rest)
        if value.text:
            for piece in _pieces(value, field):
                yield _with_more(piece, more if field is not Field.STATUS else [])
            continue
        blocks: list[list[Line]] = [more] if more else []
        if not more:
            for block in following:
                if block.kind is Kind.ITEM and block.level > level:
                    blocks.append(block.lines)
                elif (
                    block.kind is Kind.PARAGRAPH
                    and not blocks
                    and level == 0
                    and split_label(block.lines[0]) is None
                ):
                    if len(block.lines) == 1 and len(block.text) < 120:
                        blocks.append(block.lines)
                    break
                else:
                    break
        yield Place(field, blocks, value.line, Where.TOP)


def _with_more(place: Place, more: list[Line]) -> Place:
    """Join the lines that a value goes on in."""
    if more:
        place.blocks[-1] = [*place.blocks[-1], *more]
    return place


def _pieces(value: Line, field: Field) -> Iterator[Place]:
    """``accepted | Date: 2020-01-01`` is two fields in one line."""
    parts = _SPLIT.split(value.text)
    if len(parts) > 1 and any(split_label(Line(part, value.line)) for part in parts[1:]):
        yield Place(field, [[replace(value, text=parts[0], source=parts[0])]], value.line, Where.TOP)
        for part in parts[1:]:
            if found := split_label(Line(part, value.line, part, links=value.links)):
                yield Place(found[0], [[found[1]]], value.line, Where.TOP)
        return
    yield Place(field, [[value]], value.line, Where.TOP)


def _tables(rows: list[Block]) -> Iterator[Place]:
    for number in dict.fromkeys(row.table for row in rows):
        yield from _table([row for row in rows if row.table == number])


def _table(rows: list[Block]) -> Iterator[Place]:
    """A table of fields: labels at the left, or in the first row, or each cell with its own."""
    labelled = [found for row in rows for cell in row.lines if (found := split_label(cell)) is not None]
    if labelled and any(split_label(cell) for cell in rows[0].lines):
        for name, value in labelled:
            yield Place(name, [[_cell(value)]], value.line, Where.TOP)
        return
    names = [field_of(cell.text) for cell in rows[0].lines]
    down = [field_of(row.lines[0].text) for row in rows if row.lines]
    across = sum(name is not None for name in names)
    upright = len(rows[0].lines) == 2 and sum(name is not None for name in down) >= across
    if across and len(rows) > 1 and not (upright and names[0] is not None and names[1] is None):
        yield from _across(rows, names)
        return
    for row in rows:
        # | **Status** | accepted | Date | 2020-01-01 |
        for left, right in zip(row.lines[::2], row.lines[1::2], strict=False):
            if name_of_field := field_of(left.text):
                yield Place(name_of_field, [[_cell(right)]], right.line, Where.TOP)


def _across(rows: list[Block], names: list[Field | None]) -> Iterator[Place]:
    """One row below the names is the record's; several are a history, or about something else."""
    if Field.DATE in names and plain_label(rows[0].lines[0].text) in ("revision", "rev", "version"):
        at = names.index(Field.DATE)
        lines = [[_cell(row.lines[at])] for row in rows[1:] if len(row.lines) > at]
        yield Place(Field.CHANGELOG, lines, rows[0].line, Where.TOP)
        return
    if len(rows) == 2:
        for name, index in ((name, index) for index, name in enumerate(names) if name):
            if index < len(rows[1].lines):
                cell = rows[1].lines[index]
                yield Place(name, [[_cell(cell)]], cell.line, Where.TOP)
        return
    if names[0] in (Field.STATUS, Field.DATE) and Field.STATUS in names and Field.DATE in names:
        at, when = names.index(Field.STATUS), names.index(Field.DATE)
        history = [row for row in rows[1:] if len(row.lines) > max(at, when)]
        blocks = [
            [replace(_cell(row.lines[at]), text=f"{row.lines[when].text}: {row.lines[at].text}")]
            for row in history
        ]
        if blocks:
            yield Place(Field.STATUS, blocks, blocks[0][0].line, Where.TOP)


def _cell(line: Line) -> Line:
    return replace(line, source=_written(line.source))


def _badges(line: Line) -> Iterator[Place]:
    for alt, src in line.images:
        if match := _BADGE.search(src):
            label, value = _badge_words(match)
            if field := field_of(label):
                yield Place(field, [[Line(value, line.line, value)]], line.line, Where.BADGE)
        elif "badge" in src and (found := split_label(Line(alt, line.line, alt))):
            yield Place(found[0], [[found[1]]], line.line, Where.BADGE)


def _badge_words(match: re.Match[str]) -> tuple[str, str]:
    rest = unquote(match["rest"])
    if "message=" in match["query"]:
        message = re.search(r"message=([^&)]+)", match["query"])
        return rest, unquote(message[1]) if message else ""
    words = re.sub(r"\.(?:svg|png)\Z", "", rest).replace("--", "\0").replace("__", "\1")
    parts = [part.replace("\0", "-").replace("_", " ").replace("\1", "_") for part in words.split("-")]
    return (parts[0], parts[1]) if len(parts) > 2 else ("", "")


def split_label(line: Line) -> tuple[Field, Line] | None:
    """Return the field that a line begins with, and its value."""
    if len(line.text) > _LONGEST:
        line = replace(line, text=_short(line.text), source=_short(line.source))
    match = _LABEL.match(line.text)
    if match and (field := field_of(match["label"])) and not line.code:
        value = match["value"].strip()
    elif line.lead and len(line.lead) < len(line.text) and (field := field_of(line.lead)):
        value = line.text[len(line.lead) :].lstrip(" :：-–—=").strip()
    else:
        return None
    links = tuple(link for link in line.links if link.text in value)
    source = _COMMENT.sub("", line.source)
    at = min((n for n in (source.find(":"), source.find("：")) if n >= 0), default=-1)
    if match and (dash := re.match(r"\s*[^:：|]{1,60}?\s+[—–]\s+", source)) and not (0 <= at < dash.end()):
        at = dash.end() - 1
    written = source[at + 1 :] if at >= 0 and match else value
    return field, replace(line, text=value, source=_written(written), lead="", links=links)


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST] if len(text) > _LONGEST else text


def _written(source: str) -> str:
    """The value as it is written, without what only makes it bold or hides it."""
    source = _short(source)
    source = _TAG.sub("", source) if "<" in source else source
    text = _INVISIBLE.sub("", _COMMENT.sub("", source)).strip().rstrip("|").strip()
    text = _DAY_BESIDE.sub("", text)
    for mark in ("**", "__", "*", "_"):
        if text.startswith(mark) and text.count(mark) % 2:
            text = text[len(mark) :].strip()
        elif text.endswith(mark) and not text.endswith("`_") and text.count(mark) % 2:
            text = text[: -len(mark)].strip()
    while match := _WRAP.match(text):
        if match[1] in match["inner"]:
            break
        text = match["inner"].strip()
    return text
