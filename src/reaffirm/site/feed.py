"""The Atom feed of changes: records, verdicts, runs, and what asks to be looked at again (RFC 4287)."""

import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from xml.etree import ElementTree

from reaffirm.claims.board import Board
from reaffirm.model.claim import Verdict, verdict_words
from reaffirm.model.record import DateOf, Record
from reaffirm.site.addresses import address
from reaffirm.site.page import anchor
from reaffirm.site.prose_words import words
from reaffirm.store.published import PublishedRun

_ATOM = "http://www.w3.org/2005/Atom"
#: How many entries a feed has: a reader that looks once a month misses none of a busy project's.
ENTRIES = 100
_WRITTEN = "The date is the day on which the record was written down, not that of the decision."
# XML 1.0 has no place for these, not even escaped.
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Entry:
    """One change. ``key`` is the same in every build as long as the change is the same.

    One that is not ``timed`` is known by its day alone.
    """

    key: str
    when: datetime
    title: str
    page: str
    text: str = ""
    timed: bool = True


def entries(
    board: Board,
    records: Sequence[Record],
    runs: Sequence[PublishedRun],
    *,
    pages: Mapping[str, str],
    run_pages: Mapping[str, str],
) -> tuple[Entry, ...]:
    """Return what changed, newest first; what is dated after the board's day is left out."""
    found = [*_records(records, pages), *_claims(board, pages), *_runs(runs, run_pages)]
    past = [one for one in found if one.when.date() <= board.today]
    return tuple(sorted(past, key=lambda one: (one.when, one.key), reverse=True)[:ENTRIES])


def feed(title: str, found: Sequence[Entry], *, site: str, today: date) -> str:
    """Return an Atom feed.

    Args:
        title: the name of the site.
        found: its entries, newest first.
        site: the address of the site, with a slash at its end; empty: links are relative to the feed.
        today: the day of the build, for a feed without entries.
    """
    ElementTree.register_namespace("", _ATOM)
    root = ElementTree.Element(f"{{{_ATOM}}}feed")
    _add(root, "title", f"{title}: changes")
    _add(root, "id", _id(site or title, "feed"))
    _add(root, "updated", _moment(found[0].when if found else _noon(today)))
    _add(ElementTree.SubElement(root, f"{{{_ATOM}}}author"), "name", title)
    _link(root, "self", f"{site}feed.xml")
    _link(root, "alternate", site or "./")
    for one in found:
        entry = ElementTree.SubElement(root, f"{{{_ATOM}}}entry")
        _add(entry, "title", one.title)
        _add(entry, "id", _id(site or title, one.key))
        _add(entry, "updated", _moment(one.when))
        _link(entry, "alternate", f"{site}{address(one.page)}")
        if one.text:
            _add(entry, "summary", one.text)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _records(records: Sequence[Record], pages: Mapping[str, str]) -> Iterator[Entry]:
    for one in records:
        if one.date is not None and one.key in pages:
            status = one.status_raw or "no status"
            key = f"record:{one.path}:{one.date}:{status}"
            title = f"{one.id} {words(one.title)}: {words(status)}"
            text = _WRITTEN if one.date_of is DateOf.WRITING else ""
            yield Entry(key, _noon(one.date), title, pages[one.key], text, timed=False)


def _claims(board: Board, pages: Mapping[str, str]) -> Iterator[Entry]:
    for row in board.rows:
        decided = row.standing.deciding
        if decided is not None and row.record.key in pages:
            on = f" on {decided.kind} nodes" if row.standing.verdict is Verdict.REHEARSED else ""
            title = f"{row.record.id} {row.claim.id}: {verdict_words(row.standing, row.claim)}{on}"
            key = f"claim:{row.claim.path}:{row.claim.id}:{decided.run}:{row.standing}"
            page = f"{pages[row.record.key]}#{anchor(row.claim)}"
            yield Entry(key, decided.started, title, page, f"{row.claim.says} {row.standing.reason}")
    for wish in board.reopen:
        decided = wish.standing.deciding
        if wish.asks and decided is not None and wish.record.key in pages:
            title = f"{wish.record.id} asks to be reopened: {wish.claim.says}"
            key = f"reopen:{wish.record.path}:{wish.claim.id}:{decided.run}"
            yield Entry(key, decided.started, title, pages[wish.record.key], wish.standing.reason)
    for one in board.overdue:
        if one.review_by is not None and one.key in pages:
            title = f"{one.id} was to be reviewed by {one.review_by}"
            key = f"review:{one.path}:{one.review_by}"
            yield Entry(key, _noon(one.review_by), title, pages[one.key], timed=False)


def _runs(runs: Sequence[PublishedRun], pages: Mapping[str, str]) -> Iterator[Entry]:
    for one in runs:
        if one.path in pages:
            title = f"{one.kind} run of {one.runbook}"
            yield Entry(f"run:{one.path}", one.when, title, pages[one.path], f"{len(one.facts)} facts")


def _add(parent: ElementTree.Element, name: str, text: str) -> None:
    ElementTree.SubElement(parent, f"{{{_ATOM}}}{name}").text = _NO_XML.sub("\ufffd", text)


def _link(parent: ElementTree.Element, rel: str, href: str) -> None:
    ElementTree.SubElement(parent, f"{{{_ATOM}}}link", {"rel": rel, "href": _NO_XML.sub("", href)})


def _id(site: str, key: str) -> str:
    return uuid.uuid5(uuid.NAMESPACE_URL, f"{site}\n{key}").urn


def _moment(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _noon(day: date) -> datetime:
    """A day without a time: noon is that day nearly everywhere."""
    return datetime.combine(day, time(12), UTC)
