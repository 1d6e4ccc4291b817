"""Which decisions took whose place, as pictures whose boxes are links, and in words."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from reaffirm.draw.layers import Component, components
from reaffirm.draw.supersession import Box, fits, supersession_svg
from reaffirm.model.record import Record, Status
from reaffirm.site.pictures import linked
from reaffirm.site.prose_words import words
from reaffirm.site.record_label import is_short, label
from reaffirm.site.text import admonition, inline

#: So many pictures are drawn on one page, the largest first; the others stand there in words.
MOST = 24


def supersession(
    records: Sequence[Record],
    *,
    uri: str,
    pages: Mapping[str, str],
    named: Mapping[tuple[str, str], str],
) -> str:
    """Return the pictures and the list; empty where no record took the place of another.

    Args:
        records: all of them.
        uri: the page on which they stand.
        pages: page of each record by key.
        named: page of the record that a record means by an id, by ``(record key, id)``.
    """
    at = {pages[record.key]: record for record in records}
    parts = components(_pairs(at, named))
    if not parts:
        return ""
    folder = posixpath.dirname(uri) or "."
    boxes = {page: _box(at[page], posixpath.relpath(page, folder)) for one in parts for page in _nodes(one)}
    drawn = sorted((one for one in parts if fits(one)), key=lambda one: -one.size)[:MOST]
    pictures = [
        f'<span class="rf-graph">{linked(supersession_svg(one, boxes, "What took whose place"))}</span>'
        for one in drawn
    ]
    lines = [line for one in parts for line in _words(one, at, folder)]
    left = len(parts) - len(drawn)
    heading = "The same in words" + (f", and {left} that are not drawn" if left and drawn else "")
    listed = "\n".join(lines)
    if not drawn:
        return listed
    told = "An arrow leads from a decision to the one that took its place. Each box leads to its page."
    return "\n\n".join((told, "\n".join(pictures), admonition("quote", heading, listed, folded=True)))


def _pairs(at: Mapping[str, Record], named: Mapping[tuple[str, str], str]) -> Iterator[tuple[str, str]]:
    """From a record to its successor, whichever of the two says so."""
    for page, record in at.items():
        for ident in record.superseded_by:
            other = named.get((record.key, ident))
            if other is not None and other in at:
                yield page, other
        for ident in record.supersedes:
            other = named.get((record.key, ident))
            if other is not None and other in at:
                yield other, page


def _nodes(component: Component) -> Iterator[str]:
    return (node for layer in component.layers for node in layer)


def _box(record: Record, href: str) -> Box:
    status = record.status_raw if record.status is Status.OTHER else str(record.status or "no status")
    title = words(record.title)
    if not is_short(record):
        return Box("", title or record.id, status, f"rf-status-{record.status}", href)
    return Box(record.id, title, status, f"rf-status-{record.status}", href)


def _words(component: Component, at: Mapping[str, Record], folder: str) -> Iterator[str]:
    by: dict[str, list[str]] = {}
    for old, new in component.edges:
        by.setdefault(old, []).append(new)
    for old in _nodes(component):
        if old in by:
            others = " and ".join(_link(at[new], new, folder) for new in by[old])
            yield f"-   {_link(at[old], old, folder)} gave way to {others}"


def _link(record: Record, page: str, folder: str) -> str:
    return f"[{inline(label(record)) or inline(record.id)}]({posixpath.relpath(page, folder)})"
