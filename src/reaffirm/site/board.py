"""The index of decisions with the board of their claims: still true?"""

import posixpath
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date

from reaffirm.model.claim import Claim, Judged, Standing, Verdict
from reaffirm.model.record import Record
from reaffirm.site.page import SitePage, day, kind_badge, status_badge, verdict_badge
from reaffirm.site.prose import words
from reaffirm.site.record_page import Standings, findings_box
from reaffirm.site.text import cell, front_matter, table


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
) -> SitePage:
    """Return the index of all records and where each of their claims stands on ``today``.

    Args:
        records: in the order in which they are listed.
        standings: where each claim stands, by ``(record key, claim id)``.
        uri: where the page will be.
        pages: page of each record by id.
        runs: page of each run by the path of its folder.
        today: the day of the board.
        later: how many runs are dated after that day.
        introduction: Markdown that goes before the tables.
        findings: what is wrong with the files, one line each.
    """
    folder = posixpath.dirname(uri)
    parts = [front_matter("Decisions") + "\n# Decisions", introduction]
    if findings:
        parts.append(findings_box(list(findings)))
    rows = [
        (
            f"[{cell(record.id)} {cell(words(record.title))}]({posixpath.relpath(pages[record.id], folder)})",
            status_badge(record),
            f'<span class="rf-nowrap">{day(record.date)}</span>',
        )
        for record in records
    ]
    parts.append(table(("Record", "Status", "Date"), rows) if rows else "There are no records yet.")
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
                f"[{cell(claim.says)}]({posixpath.relpath(pages[record.id], folder)}#{claim.id})"
                f"<br><small>{cell(record.id)}, needs {claim.needs}</small>",
                _last(standings[record.key, claim.id], runs, folder),
            )
            for record, claim in claims
        ]
        parts.append(table(("Verdict", "Claim", "Last evidence"), board))
    return SitePage(uri, "Decisions", "\n\n".join(part for part in parts if part) + "\n")


def _count(claims: list[tuple[Record, Claim]], standings: Standings) -> str:
    counts = Counter(standings[record.key, claim.id].verdict for record, claim in claims)
    words = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    return f"{len(claims)} claim{'' if len(claims) == 1 else 's'}: {words}."


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
