"""The index of decisions: a table that can be filtered, and what took whose place as a picture."""

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from reaffirm.model.claim import Standing
from reaffirm.model.record import DateOf, Record, Status
from reaffirm.site.graph import supersession
from reaffirm.site.marks import sign_of, status_picture, verdict_bar, verdict_picture
from reaffirm.site.page import SitePage, day, status_badge
from reaffirm.site.page_map import STILL_TRUE_URI
from reaffirm.site.page_names import folder_of
from reaffirm.site.record_claims import Standings
from reaffirm.site.record_findings import findings_box
from reaffirm.site.record_label import label
from reaffirm.site.text import cell, code, front_matter, inline, raw, table

_OTHER = "with another word"
# So many records are counted at a glance.
_FEW = 30
# With fewer records nobody needs to filter.
_FILTERED = 5


def decisions_page(
    records: Sequence[Record],
    standings: Standings,
    *,
    uri: str,
    pages: Mapping[str, str],
    introduction: str = "",
    findings: Sequence[str] = (),
    called: Mapping[str, str] = MappingProxyType({}),
    named: Mapping[tuple[str, str], str] = MappingProxyType({}),
    notes: str = "",
) -> SitePage:
    """Return the index of all records.

    Args:
        records: in the order in which they are listed.
        standings: where each claim stands, by ``(record key, claim id)``.
        uri: where the page will be.
        pages: page of each record by key.
        introduction: Markdown that goes behind the tables.
        findings: what is wrong with the files, one line each.
        called: name of each folder of records; more than one are sections.
        named: page of the record that a record means by an id, by ``(record key, id)``.
        notes: Markdown that goes behind the introduction.
    """
    folder = posixpath.dirname(uri)
    parts = [front_matter("Decisions") + "\n# Decisions"]
    if findings:
        parts.append(findings_box(list(findings)))
    rows = _Rows(folder, pages, named, standings, records)
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(folder_of(record), []).append(record)
    mount = '<div data-rf-filter="decision"></div>' if len(records) >= _FILTERED else ""
    if len(groups) > 1:
        shown = [(name, called.get(name) or name, inside) for name, inside in groups.items()]
        parts += [_folders(records, shown), mount]
        for number, (name, title, inside) in enumerate(shown, 1):
            parts.append(f"## {inline(title)} {{ #folder-{number} }}")
            parts.append(f"{_statuses(inside)}." if title == name else f"{code(name)}: {_statuses(inside)}.")
            parts.append(rows.table(inside, title))
    elif records:
        parts += [f"{_statuses(records)}.", _claims(records, standings, folder), mount, rows.table(records)]
    else:
        parts.append("There are no records yet. `reaffirm new record` makes one.")
    if drawn := supersession(records, uri=uri, pages=pages, named=named):
        parts += ["## What took whose place { #supersession }", drawn]
    if introduction:
        parts += ["## About these records { #about }", introduction]
    parts.append(notes)
    return SitePage(uri, "Decisions", "\n\n".join(part for part in parts if part) + "\n")


class _Rows:
    """Makes the rows of records; a column that would be empty for all of them is left out."""

    def __init__(
        self,
        folder: str,
        pages: Mapping[str, str],
        named: Mapping[tuple[str, str], str],
        standings: Standings,
        records: Sequence[Record],
    ) -> None:
        self._folder, self._pages, self._named, self._standings = folder, pages, named, standings
        self._with_claims = any(record.claims for record in records)
        self._with_tags = any(record.tags for record in records)
        self._with_dates = any(record.date for record in records)

    def table(self, records: Sequence[Record], folder: str = "") -> str:
        """One row for each record; what took whose place stands below the status."""
        columns = ["Decision", "Status"]
        columns += ["Claims"] if self._with_claims else []
        columns += ["Tags"] if self._with_tags else []
        columns += ["Date"] if self._with_dates else []
        return table(tuple(columns), [self._row(record, folder) for record in records])

    def _row(self, record: Record, folder: str) -> tuple[str, ...]:
        own = [self._standings[record.key, claim.id] for claim in record.claims]
        link = f"[{cell(label(record))}]({self._to(self._pages[record.key])})"
        row = [
            f"<span {_facets(record, own, folder)}>{link}</span>",
            "<br>".join((status_badge(record), *self._relations(record))),
        ]
        if self._with_claims:
            row.append(verdict_bar(own))
        if self._with_tags:
            row.append(" ".join(f'<span class="rf-tag">{cell(one)}</span>' for one in record.tags))
        if self._with_dates:
            written = "<br><small>written down</small>" if record.date_of is DateOf.WRITING else ""
            row.append(f'<span class="rf-nowrap">{day(record.date)}</span>{written}')
        return tuple(row)

    def _relations(self, record: Record) -> Iterator[str]:
        for word, ids in (("supersedes", record.supersedes), ("superseded by", record.superseded_by)):
            if ids:
                yield f"<small>{word} {', '.join(self._link(record, one) for one in ids)}</small>"

    def _link(self, record: Record, ident: str) -> str:
        page = self._named.get((record.key, ident))
        return f"[{cell(ident)}]({self._to(page)})" if page else cell(ident)

    def _to(self, page: str) -> str:
        return posixpath.relpath(page, self._folder)


def _facets(record: Record, own: Sequence[Standing], folder: str) -> str:
    """What a row can be filtered by; values of one facet are parted by a line feed."""
    needs = dict.fromkeys(str(claim.needs) for claim in record.claims if claim.check is not None)
    facets = {
        "status": [status_word(record)],
        "verdict": list(dict.fromkeys(sign_of(one).words for one in own)),
        "tag": list(record.tags),
        "needs": list(needs),
        "folder": [folder] if folder else [],
    }
    words = "".join(
        f' data-rf-{name}="{"&#10;".join(map(raw, values))}"' for name, values in facets.items() if values
    )
    return f'class="rf-row" data-rf-row{words}'


def status_word(record: Record) -> str:
    """Return a record's status as a word to filter by."""
    if record.status is None:
        return "no status"
    return _OTHER if record.status is Status.OTHER else str(record.status)


def _claims(records: Sequence[Record], standings: Standings, folder: str) -> str:
    """All claims as one bar, whose parts lead to the claims; without claims many records by status."""
    all_of_them = [standings[record.key, claim.id] for record in records for claim in record.claims]
    if not all_of_them:
        return status_picture(records) if len(records) > _FEW else ""
    page = posixpath.relpath(STILL_TRUE_URI, folder or ".")
    links = {sign: f"{page}#{sign}" for sign in map(sign_of, all_of_them)}
    return verdict_picture(all_of_them, links)


def _folders(records: Sequence[Record], shown: Sequence[tuple[str, str, Sequence[Record]]]) -> str:
    """Which folders there are, with a way to each."""
    head = f"{_statuses(records)}, in {len(shown)} folders."
    rows = [
        (f"[{cell(title)}](#folder-{number})", str(len(inside)), cell(_statuses(inside, total=False)))
        for number, (_, title, inside) in enumerate(shown, 1)
    ]
    return f"{head}\n\n{table(('Folder', 'Records', 'Of these'), rows)}"


def _statuses(records: Sequence[Record], *, total: bool = True) -> str:
    """``86 records: 61 accepted, 4 proposed, 2 without a status``."""
    counts = Counter(record.status for record in records)
    parts = [f"{counts[one]} {_OTHER if one is Status.OTHER else one}" for one in Status if counts[one]]
    if counts[None]:
        parts.append(f"{counts[None]} without a status")
    head = f"{len(records)} record{'' if len(records) == 1 else 's'}: " if total else ""
    return head + ", ".join(parts)
