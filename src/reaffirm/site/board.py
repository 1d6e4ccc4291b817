"""The index of decisions with the board of their claims: still true?"""

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from types import MappingProxyType

from reaffirm.model.claim import Claim, Judged, Standing, Verdict
from reaffirm.model.record import Record, Status
from reaffirm.site.page import SitePage, day, kind_badge, status_badge, verdict_badge
from reaffirm.site.page_names import folder_of
from reaffirm.site.record_page import Standings, findings_box, label
from reaffirm.site.text import cell, code, front_matter, inline, table

_OTHER = "with another word"
# So many records are counted at a glance.
_FEW = 30


def decisions_page(
    records: Sequence[Record],
    standings: Standings,
    *,
    uri: str,
    pages: Mapping[str, str],
    runs: Mapping[str, str],
    today: date,
    later: int = 0,
    introduction: str = "",
    findings: Sequence[str] = (),
    called: Mapping[str, str] = MappingProxyType({}),
    named: Mapping[tuple[str, str], str] = MappingProxyType({}),
    notes: str = "",
) -> SitePage:
    """Return the index of all records and where each of their claims stands on ``today``.

    Args:
        records: in the order in which they are listed.
        standings: where each claim stands, by ``(record key, claim id)``.
        uri: where the page will be.
        pages: page of each record by key.
        runs: page of each run by the path of its folder.
        today: the day of the board.
        later: how many runs are dated after that day.
        introduction: Markdown that goes before the tables.
        findings: what is wrong with the files, one line each.
        called: name of each folder of records; more than one are sections.
        named: page of the record that a record means by an id, by ``(record key, id)``.
        notes: Markdown that goes behind the tables.
    """
    folder = posixpath.dirname(uri)
    parts = [front_matter("Decisions") + "\n# Decisions", introduction]
    if findings:
        parts.append(findings_box(list(findings)))
    rows = _Rows(folder, pages, named)
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(folder_of(record), []).append(record)
    if len(groups) > 1:
        shown = [(name, called.get(name) or name, inside) for name, inside in groups.items()]
        parts.append(_folders(records, shown))
        for number, (name, title, inside) in enumerate(shown, 1):
            parts.append(f"## {inline(title)} {{ #folder-{number} }}")
            parts.append(f"{_statuses(inside)}." if title == name else f"{code(name)}: {_statuses(inside)}.")
            parts.append(rows.table(inside))
    elif records:
        parts += [f"{_statuses(records)}." if len(records) > _FEW else "", rows.table(records)]
    else:
        parts.append("There are no records yet.")
    parts.append(notes)
    claims = [(record, claim) for record in records for claim in record.claims]
    if claims:
        heading = f"## Still true? {{ #board }}\n\n{_count(claims, standings)} As of {day(today)}."
        if later:
            count = f"{later} run is" if later == 1 else f"{later} runs are"
            heading += f" {count} dated after that day and count for nothing here."
        parts.append(heading)
        board = [
            (
                verdict_badge(standings[record.key, claim.id], claim),
                f"[{cell(claim.says)}]({posixpath.relpath(pages[record.key], folder)}#{claim.id})"
                f"<br><small>{cell(record.id)}, needs {claim.needs}</small>",
                _last(standings[record.key, claim.id], runs, folder),
            )
            for record, claim in claims
        ]
        parts.append(table(("Verdict", "Claim", "Last evidence"), board))
    return SitePage(uri, "Decisions", "\n\n".join(part for part in parts if part) + "\n")


class _Rows:
    """Makes the rows of records."""

    def __init__(self, folder: str, pages: Mapping[str, str], named: Mapping[tuple[str, str], str]) -> None:
        self._folder, self._pages, self._named = folder, pages, named

    def table(self, records: Sequence[Record]) -> str:
        """One row for each record; what took whose place stands below the status."""
        rows = [
            (
                f"[{cell(label(record))}]({self._to(self._pages[record.key])})",
                "<br>".join((status_badge(record), *self._relations(record))),
                f'<span class="rf-nowrap">{day(record.date)}</span>',
            )
            for record in records
        ]
        return table(("Record", "Status", "Date"), rows)

    def _relations(self, record: Record) -> Iterator[str]:
        for word, ids in (("supersedes", record.supersedes), ("superseded by", record.superseded_by)):
            if ids:
                yield f"<small>{word} {', '.join(self._link(record, one) for one in ids)}</small>"

    def _link(self, record: Record, ident: str) -> str:
        page = self._named.get((record.key, ident))
        return f"[{cell(ident)}]({self._to(page)})" if page else cell(ident)

    def _to(self, page: str) -> str:
        return posixpath.relpath(page, self._folder)


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


def _count(claims: list[tuple[Record, Claim]], standings: Standings) -> str:
    counts = Counter(standings[record.key, claim.id].verdict for record, claim in claims)
    shown = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    return f"{len(claims)} claim{'' if len(claims) == 1 else 's'}: {shown}."


def _last(stands: Standing, runs: Mapping[str, str], folder: str) -> str:
    if stands.deciding is None:
        return "-"
    lines = [_run(stands.deciding, runs, folder)]
    lines += [f"{one.result} beside it: {_run(one, runs, folder)}" for one in stands.beside]
    return "<br>".join(lines)


def _run(judged: Judged, runs: Mapping[str, str], folder: str) -> str:
    text = f'<span class="rf-nowrap">{day(judged.started)}</span>'
    page = runs.get(judged.path)
    linked = f"[{text}]({posixpath.relpath(page, folder)})" if page else text
    return f"{kind_badge(judged.kind, judged.via)}<br>{linked}"
