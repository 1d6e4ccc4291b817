"""Reads one file of records: the one place where all dialects come together. Each file is parsed once."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from reaffirm.model.finding import Finding
from reaffirm.model.record import Dialect, Document, Heading, Record
from reaffirm.store.reading import naming
from reaffirm.store.reading.compose import compose
from reaffirm.store.reading.draft import Draft
from reaffirm.store.reading.fields import Where
from reaffirm.store.reading.front import Front, read_toml, split
from reaffirm.store.reading.labels import Field
from reaffirm.store.reading.markdown import read_markdown
from reaffirm.store.reading.mentions import code_places, figures, silenced
from reaffirm.store.reading.naming import Name, name_of
from reaffirm.store.reading.outline import Block, Kind, Outline
from reaffirm.store.reading.source import SourceProblemError, read_source, text_of
from reaffirm.store.reading.titles import is_placeholder, is_section_name, number_of_title

_SLIDES = ("marp", "slideoptions", "revealoptions", "reveal", "presentation")
# Pages of this program's own that have a status and are no decision, by keys that all of their kind have.
_OF_OURS = {
    "a page about a container image": {"engine", "engine-version", "platform"},
    "a page about a failure mode": {"engines", "signatures", "stage"},
}
_SLIDES_NAME = re.compile(r"(?:.*[\W_])?(?:slides?|slide-?deck|deck|pitch|presentation)\Z", re.IGNORECASE)


def read_document(path: Path, *, shown: str = "", keep_body: bool = False) -> Document:
    """Read one file.

    Args:
        path: the file.
        shown: how messages name it (default: ``path`` as given).
        keep_body: also keep the text below each record's title, for those that make pages of it.
    """
    name = shown or path.as_posix()
    dialect = Dialect(naming.SUFFIXES.get(PurePosixPath(name).suffix.lower(), "markdown"))
    try:
        text = text_of(read_source(path))
    except SourceProblemError as error:
        problem = Finding(name, error.line, "unreadable", error.message, error.hint)
        return Document(name, dialect, problems=(problem,), broken=True)
    return parse_document(text, name, dialect, keep_body=keep_body)


def parse_document(text: str, name: str, dialect: Dialect, *, keep_body: bool = False) -> Document:
    """Read the text of a file; see :func:`read_document`."""
    front = Front() if dialect is Dialect.TOML else split(text)
    if dialect is Dialect.TOML:
        read_toml(front, text)
    try:
        outline = _languages(dialect)(front.body, front.body_line)
    except RecursionError as error:
        told = str(error)
        message = told if told.startswith("a paragraph") else "nested too deeply to be read"
        problem = Finding(name, 1, "unreadable", message, "take it apart")
        return Document(name, dialect, problems=(problem,), broken=True)
    problems = [Finding(name, line, "front-matter", told, hint) for line, told, hint in front.wrong]
    conflict = _conflicts(text)
    if conflict:
        hint = "choose a side and remove the marks"
        problems.append(Finding(name, conflict[0][0], "merge-conflict", "a merge was not finished", hint))
    if not outline.blocks and not front.data and not front.wrong:
        problems.append(
            Finding(name, 1, "empty", "there is nothing in it", "write the record, or remove the file")
        )
    whole = Draft(name, dialect, name_of(name), front, outline, conflict=conflict)
    drafts = _several(name, dialect, front, outline) or [whole]
    records = [compose(draft) for draft in drafts]
    why = _no_record(name, front, outline, drafts, records)
    if why:
        return Document(name, dialect, skipped=why)
    for draft in drafts:
        problems += draft.problems
    if keep_body:
        records = [_with_body(record, text, drafts, index) for index, record in enumerate(records)]
    return Document(
        path=name,
        dialect=dialect,
        records=tuple(records),
        problems=tuple(sorted(set(problems))),
        headings=tuple(Heading(block.level, block.text, block.line) for block in outline.headings()),
        anchors=tuple(outline.anchors),
        places=tuple(code_places(outline)),
        figures=tuple(figures(outline)),
        silenced=tuple(silenced(text)),
        review_by=_review(drafts),
        broken=front.broken,
    )


def _review(drafts: list[Draft]) -> tuple[int, str]:
    for draft in drafts:
        for place in draft.of(Field.REVIEW_BY):
            if place.lines:
                return place.line, place.lines[0].text
    return 0, ""


def _languages(dialect: Dialect) -> Callable[[str, int], Outline]:
    match dialect:
        case Dialect.MARKDOWN:
            return read_markdown
        case Dialect.ASCIIDOC:
            from reaffirm.store.reading.asciidoc import read_asciidoc

            return read_asciidoc
        case Dialect.RESTRUCTUREDTEXT:
            from reaffirm.store.reading.restructuredtext import read_restructuredtext

            return read_restructuredtext
        case Dialect.TOML:
            return lambda _text, _line: Outline()


def _several(name: str, dialect: Dialect, front: Front, outline: Outline) -> list[Draft]:
    """A file may hold several records: headings of one level that each have a number and a status."""
    for level in (1, 2, 3):
        starts = [
            (index, number)
            for index, block in enumerate(outline.blocks)
            if block.level == level and _is_heading(block) and (number := number_of_title(block.text))
        ]
        if len({number for _, number in starts}) < 2:
            continue
        drafts = []
        for position, (index, number) in enumerate(starts):
            end = starts[position + 1][0] if position + 1 < len(starts) else len(outline.blocks)
            blocks = outline.blocks[index:end]
            stop = next(
                (n for n, b in enumerate(blocks[1:], 1) if _is_heading(b) and b.level < level), len(blocks)
            )
            part = Outline([_lifted(block, level) for block in blocks[:stop]])
            first = blocks[0].line
            last = (
                blocks[stop].line
                if stop < len(blocks)
                else (outline.blocks[end].line if end < len(outline.blocks) else 10**9)
            )
            part.links = [link for link in outline.links if first <= link.line < last]
            match = re.match(r"\d+", number)
            ident = Name(number, int(match[0]) if match else None, "")
            drafts.append(Draft(name, dialect, ident, Front(body_line=front.body_line), part, line=first))
        tried = [compose(replace(draft, problems=[], lines={})) for draft in drafts]
        if sum(one.status is not None for one in tried) >= 2:
            return drafts
    return []


def _conflicts(text: str) -> tuple[range, ...]:
    """The lines between the marks of a merge that nobody finished."""
    if "<<<<<<< " not in text:
        return ()
    found, start = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("<<<<<<< "):
            start = number
        elif line.startswith(">>>>>>> ") and start:
            found.append(range(start, number + 1))
            start = 0
    return tuple(found)


def _is_heading(block: Block) -> bool:
    return block.kind is Kind.HEADING


def _lifted(block: Block, level: int) -> Block:
    """A record that begins at a heading of level 2 is read as if that were its title."""
    if not _is_heading(block) or level == 1:
        return block
    return replace(block, level=max(1, block.level - level + 1))


def _no_record(name: str, front: Front, outline: Outline, drafts: list[Draft], records: list[Record]) -> str:
    """Return why a file is no record, going by what is in it; empty when it is one."""
    if any(key.lower() in _SLIDES for key in front.data):
        return "slides"
    for what, keys in _OF_OURS.items():
        if keys <= front.data.keys():
            return what
    ident = drafts[0].name
    headings = list(outline.headings())
    sections = sum(is_section_name(block.text) for block in headings)
    stem = PurePosixPath(name).stem
    if _SLIDES_NAME.match(stem) and not sections:
        return "slides"
    title = next((block.text for block in headings if block.level == 1), "")
    if title and is_placeholder(title) and (ident.number in (0, None) or ident.placeholder):
        return "a template"
    stated = any(
        place.field is Field.STATUS and place.where < Where.TAGS for draft in drafts for place in draft.found
    ) and any(record.status is not None or record.status_raw for record in records)
    if PurePosixPath(name).suffix.lower() == ".toml":
        known = records[0].title and stated
        return "" if known or (front.broken and ident.number is not None) else "no title and no status"
    numbered = ident.number is not None or ident.placeholder or ident.id != stem or len(drafts) > 1
    dated = bool(re.match(r"\d{8}[-_]|\d{4}-\d\d-\d\d", stem))
    if numbered or dated or stated or sections >= 2 or front.broken:
        return ""
    return "no number in its name, no status, and no sections of a record"


def _with_body(record: Record, text: str, drafts: list[Draft], index: int) -> Record:
    lines = text.split("\n")
    end = drafts[index + 1].line - 1 if index + 1 < len(drafts) else len(lines)
    start = max(record.body_line, drafts[index].front.body_line)
    return replace(record, body="\n".join(lines[start - 1 : end]), body_line=start)
