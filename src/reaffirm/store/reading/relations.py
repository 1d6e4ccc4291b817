"""What a record says of others: supersedes, superseded by, and every link."""

import re

from reaffirm.model.record import Link
from reaffirm.store.reading.draft import Draft
from reaffirm.store.reading.fields import Place, Where
from reaffirm.store.reading.labels import Field, plain_label
from reaffirm.store.reading.outline import Kind, Line
from reaffirm.store.reading.status import StatusFound, read_status
from reaffirm.store.reading.targets import pull_requests, targets
from reaffirm.store.reading.values import ids, is_nothing

_LINKS = frozenset(
    (
        *("links", "related", "related decisions", "related records", "more information", "references"),
        *("see also", "relations", "related adrs", "supersession"),
    )
)
_RELATION = re.compile(
    r"\W*(?:partially |partly )?(?:supersedes|supercedes|replaces|obsoletes|superseded by|superceded by"
    r"|replaced by)\b",
    re.IGNORECASE,
)


def find_supersession(draft: Draft, status: StatusFound) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of those that supersede the record, and of those that it supersedes."""
    by, supersedes = list(status.superseded_by), list(status.supersedes)
    if by:
        draft.lines["superseded_by"] = status.by_line or status.line
    if supersedes:
        draft.lines["supersedes"] = status.supersedes_line or status.line
    for place in draft.found:
        if place.field not in (Field.SUPERSEDES, Field.SUPERSEDED_BY):
            continue
        names = _names(place)
        into, key = (
            (by, "superseded_by") if place.field is Field.SUPERSEDED_BY else (supersedes, "supersedes")
        )
        new = [name for name in names if name not in into]
        if new:
            draft.lines.setdefault(key, place.line)
            into += new
    for line in _link_lines(draft):
        said = read_status([[line]])
        for key, names, into in (
            ("superseded_by", said.superseded_by, by),
            ("supersedes", said.supersedes, supersedes),
        ):
            if names:
                draft.lines.setdefault(key, line.line)
                into += [name for name in names if name not in into]
        status.relations = [*status.relations, *said.relations]
    return tuple(dict.fromkeys(by)), tuple(dict.fromkeys(supersedes))


def _names(place: Place) -> tuple[str, ...]:
    if place.where is Where.FRONT:
        found = ids(place.value)
        line = place.lines[0] if place.lines else None
        return found or (targets(line.text, line.links) if line else ())
    names: list[str] = []
    for line in place.lines:
        if not is_nothing(line.text):
            named = targets(line.text, line.links) or pull_requests(line.text, line.links)
            names += named or ids(line.text)
    return tuple(dict.fromkeys(names))


def _link_lines(draft: Draft) -> list[Line]:
    """Lines below the record's head that say nothing but which record it supersedes, or is superseded by."""
    found = []
    for section in draft.outline.sections():
        named = section.heading is not None and plain_label(section.heading.text) in _LINKS
        for block in section.blocks:
            if block.kind not in (Kind.ITEM, Kind.PARAGRAPH) or not block.lines:
                continue
            line = block.lines[0]
            match = _RELATION.match(line.text)
            if match and line.links and (named or (len(block.lines) == 1 and _only_links(line, match))):
                found.append(line)
    return found


def _only_links(line: Line, match: re.Match[str]) -> bool:
    rest = line.text[match.end() :]
    for link in line.links:
        rest = rest.replace(link.text, " ", 1)
    return len(re.findall(r"[^\W\d_]+", rest)) <= 2


def find_links(draft: Draft, status: StatusFound) -> tuple[Link, ...]:
    """Return all links, each once; those with a relation carry it."""
    related = {(link.target, link.line): link for link in status.relations}
    front = [
        link
        for place in draft.found
        if place.where is Where.FRONT
        for line in place.lines
        for link in line.links
    ]
    links = [related.get((link.target, link.line), link) for link in (*front, *draft.outline.links)]
    return tuple(sorted(links, key=lambda link: link.line))
