"""A record as a page: its head as a table, its claims with what became of them, its text."""

import posixpath
from collections.abc import Mapping
from types import MappingProxyType

from reaffirm.claims.board import Reopen
from reaffirm.model.claim import Claim, ClaimKind, Judged, Standing, Verdict
from reaffirm.model.evidence import Kind
from reaffirm.model.record import Record
from reaffirm.site.links import Resolve
from reaffirm.site.page import NO_SUPPORT, SitePage, day, kind_badge, status_badge, verdict_badge
from reaffirm.site.prose import rebuild, words
from reaffirm.site.report import fact_value
from reaffirm.site.stand_ins import behind
from reaffirm.site.text import admonition, cell, code, front_matter, inline, table
from reaffirm.store.published import PublishedRun

_NEEDS = {
    Kind.SIMULATED: "evidence of any kind: simulated, lab or real",
    Kind.LAB: "lab or real evidence",
    Kind.REAL: "real evidence; no other kind decides it",
}
Standings = Mapping[tuple[str, str], Standing]


def record_page(
    record: Record,
    standings: Standings,
    *,
    uri: str,
    resolve: Resolve,
    records: Mapping[str, str],
    runs: Mapping[str, str],
    runbooks: Mapping[str, str],
    published: Mapping[str, PublishedRun] = MappingProxyType({}),
) -> SitePage:
    """Return the page of a record.

    Args:
        record: the record.
        standings: where each claim stands, by ``(record key, claim id)``.
        uri: where the page will be.
        resolve: where links in the record's text lead.
        records: page of each record by id.
        runs: page of each run by the path of its folder.
        runbooks: page of each runbook by name.
        published: each run by the path of its folder; tells what stood for what in it.
    """
    title = f"{record.id} {words(record.title)}"
    here = _Links(uri, records, runs, runbooks, published)
    parts = [
        front_matter(title) + f"\n# {inline(title)}",
        table(("Record", " "), _head(record, standings, here)),
    ]
    if record.claims:
        rows = [
            (verdict_badge(standings[record.key, claim.id], claim), f"[{cell(claim.says)}](#{claim.id})")
            for claim in record.claims
        ]
        parts.append(table(("Still true?", "What the record claims"), rows))
    parts.append(rebuild(record.body, resolve))
    if record.claims:
        parts.append("## Claims and their evidence")
        ids = frozenset(claim.id for claim in record.claims)
        parts += [claim_markdown(claim, standings[record.key, claim.id], here, ids) for claim in record.claims]
    return SitePage(uri, title, "\n\n".join(part for part in parts if part) + "\n")


class _Links:
    """Links from one page to records, runs and runbooks."""

    def __init__(
        self,
        uri: str,
        records: Mapping[str, str],
        runs: Mapping[str, str],
        runbooks: Mapping[str, str],
        published: Mapping[str, PublishedRun],
    ) -> None:
        self._folder = posixpath.dirname(uri)
        self._published = published
        self._records, self._runs, self._runbooks = records, runs, runbooks

    def record(self, record_id: str) -> str:
        return self._link(inline(record_id), self._records.get(record_id))

    def run(self, judged: Judged) -> str:
        return self._link(code(judged.run), self._runs.get(judged.path))

    def behind(self, judged: Judged) -> tuple[str, ...]:
        """Which image the evidence is about, and what stood in for something else."""
        run = self._published.get(judged.path)
        return behind(run, [one.fact for one in judged.found]) if run else ()

    def runbook(self, name: str) -> str:
        return self._link(code(name), self._runbooks.get(name))

    def _link(self, text: str, page: str | None) -> str:
        return f"[{text}]({posixpath.relpath(page, self._folder or '.')})" if page else text


def _head(record: Record, standings: Standings, here: _Links) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("Status", status_badge(record)), ("Date", day(record.date))]
    for label, people in (
        ("Decided by", record.deciders),
        ("Consulted", record.consulted),
        ("Informed", record.informed),
        ("Tags", record.tags),
    ):
        if people:
            rows.append((label, ", ".join(cell(one) for one in people)))
    for label, ids in (("Supersedes", record.supersedes), ("Superseded by", record.superseded_by)):
        if ids:
            rows.append((label, ", ".join(here.record(one) for one in ids)))
    if record.review_by:
        rows.append(("Review by", day(record.review_by)))
    for wish in record.reopen_when:
        stands = standings[record.key, wish.id]
        label = "Asks to be reopened" if Reopen(record, wish, stands).asks else "Reopen when"
        rows.append((label, f"{cell(wish.says)}<br>{verdict_badge(stands, wish)} {cell(stands.reason)}"))
    return rows


def claim_markdown(claim: Claim, standing: Standing, here: _Links, ids: frozenset[str]) -> str:
    """Return one claim: the sentence, the verdict and why, the check, and the runs behind it.

    ``ids`` are the claims on the page; a rival with a mistake in it is not among them.
    """
    reason = cell(standing.reason)
    if standing.verdict is Verdict.REHEARSED and claim.kind is ClaimKind.HYPOTHESIS:
        reason += f". This shows that the check can be run; {NO_SUPPORT}."
    rows: list[tuple[str, ...]] = [("Verdict", f"{verdict_badge(standing, claim)} {reason}")]
    if standing.deciding:
        rows.append(("Evidence", _evidence(standing.deciding, here)))
    rows += [("Beside it", _evidence(judged, here)) for judged in standing.beside]
    if claim.check:
        conditions = "<br>".join(
            f"{code(one.fact)} {cell(str(one.expect))}" for one in claim.check.conditions
        )
        rows.append(("Check", f"{conditions}<br>in a run of {here.runbook(claim.check.runbook)}"))
        rows.append(("Needs", _NEEDS[claim.needs]))
    if claim.recheck_after:
        rows.append(("Check again after", f"{claim.recheck_after} days"))
    if claim.told_by and standing.verdict is not Verdict.TOLD:  # then the verdict has said it
        rows.append(("Told by", cell(claim.told_by)))
    if claim.rivals:
        rows.append(
            (
                "Rivals",
                ", ".join(f"[{code(one)}](#{one})" if one in ids else code(one) for one in claim.rivals),
            )
        )
    word = "Hypothesis: " if claim.kind is ClaimKind.HYPOTHESIS else ""
    return f"### {claim.id} {{ #{claim.id} }}\n\n{word}{inline(claim.says)}\n\n{table(('Claim', ' '), rows)}"


def _evidence(judged: Judged, here: _Links) -> str:
    values = "<br>".join(
        f"{code(one.fact)} = {fact_value(one.value, one.unit, one.by)}" for one in judged.found
    )
    parts = [values, *here.behind(judged)]
    parts.append(f"{kind_badge(judged.kind, judged.via)} {day(judged.started)}, run {here.run(judged)}")
    return "<br>".join(parts)


def findings_box(messages: list[str]) -> str:
    """Return a box that lists what is wrong with the files behind a page."""
    return admonition("bug", "Not everything could be read", "\n".join(f"-   {inline(m)}" for m in messages))
