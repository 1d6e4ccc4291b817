"""A record as a page: its head as a table, its claims with what became of them, its text."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from reaffirm.claims.board import Reopen
from reaffirm.model.claim import Claim, ClaimKind, Judged, Standing, Verdict
from reaffirm.model.evidence import Kind
from reaffirm.model.finding import Finding
from reaffirm.model.record import Dialect, Record, Status
from reaffirm.site.links import Resolve
from reaffirm.site.page import NO_SUPPORT, SitePage, day, kind_badge, status_badge, verdict_badge
from reaffirm.site.prose import not_there, rebuild, words
from reaffirm.site.report import fact_value
from reaffirm.site.stand_ins import behind
from reaffirm.site.text import admonition, cell, code, fence, front_matter, inline, table
from reaffirm.store.published import PublishedRun

_NEEDS = {
    Kind.SIMULATED: "evidence of any kind: simulated, lab or real",
    Kind.LAB: "lab or real evidence",
    Kind.REAL: "real evidence; no other kind decides it",
}
Standings = Mapping[tuple[str, str], Standing]
# An id of so many signs is a number or the like; a longer one is a name and tells what the title tells.
_SHORT = 12
_LANGUAGES = {Dialect.ASCIIDOC: "text", Dialect.RESTRUCTUREDTEXT: "rst", Dialect.TOML: "toml"}


@dataclass(frozen=True)
class Told:
    """What the page of a record also says where records are shown as they are, faults and all.

    ``findings`` go into a folded box; ``rules`` are the pages of their codes. ``source`` links the file.
    ``gone`` says what of a link is not there.
    """

    findings: Sequence[Finding] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    gone: Callable[[str], str] = lambda _: ""


def label(record: Record) -> str:
    """Return what a record is called on pages: id and title; a long id is left out."""
    title = words(record.title)
    return f"{record.id} {title}" if len(record.id) <= _SHORT else title


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
    told: Told | None = None,
    around: tuple[Record | None, Record | None] = (None, None),
) -> SitePage:
    """Return the page of a record.

    Args:
        record: the record.
        standings: where each claim stands, by ``(record key, claim id)``.
        uri: where the page will be.
        resolve: where links in the record's text lead.
        records: page of each record by key; and by each id that this record names.
        runs: page of each run by the path of its folder.
        runbooks: page of each runbook by name.
        published: each run by the path of its folder; tells what stood for what in it.
        told: what is wrong with the record; None where that is no page's affair.
        around: the records before and after it in its folder.
    """
    title = label(record)
    here = _Links(uri, records, runs, runbooks, published)
    parts = [
        front_matter(title) + f"\n# {inline(title)}",
        table(("Record", " "), _head(record, standings, here, resolve, told)),
    ]
    if told and told.findings:
        parts.append(_box(told, uri))
    if record.claims:
        rows = [
            (verdict_badge(standings[record.key, claim.id], claim), f"[{cell(claim.says)}](#{claim.id})")
            for claim in record.claims
        ]
        parts.append(table(("Still true?", "What the record claims"), rows))
    if record.dialect is not Dialect.MARKDOWN:
        # In reStructuredText the title's own line is below it.
        body = re.sub(r"\A\s*([=\-~^#*+.:`'\"])\1+[ \t]*\n", "", record.body).strip("\n")
        parts.append(fence(body, _LANGUAGES[record.dialect]) if body.strip() else "")
    elif told:
        parts.append(rebuild(record.body, resolve, gone=told.gone, reserved=reserved(record)))
    else:
        parts.append(rebuild(record.body, resolve))
    if record.claims:
        parts.append("## Claims and their evidence")
        ids = frozenset(claim.id for claim in record.claims)
        parts += [
            claim_markdown(claim, standings[record.key, claim.id], here, ids) for claim in record.claims
        ]
    parts.append(here.around(*around))
    return SitePage(uri, title, "\n\n".join(part for part in parts if part) + "\n")


def reserved(record: Record) -> frozenset[str]:
    """Return the ids that no heading of a record's own text may have: those of its claims."""
    return frozenset(claim.id for claim in record.claims) | {"claims-and-their-evidence"}


def _box(told: Told, uri: str) -> str:
    """What lint says of the record, folded: whoever reads the decision need not read it."""
    count = len(told.findings)
    lines = [f"-   {finding_line(one, told.rules, uri)}" for one in told.findings]
    return admonition(
        "quote",
        f"{count} finding{'' if count == 1 else 's'} about this record",
        "\n".join(lines),
        folded=True,
    )


def finding_line(finding: Finding, rules: Mapping[str, str], uri: str, *, path: bool = False) -> str:
    """Return a finding as Markdown: its line, its code with a link to the rule's page where there is one."""
    rule = rules.get(finding.code)
    name = code(finding.code)
    if rule:
        name = f"[{name}]({posixpath.relpath(rule, posixpath.dirname(uri) or '.')})"
    place = code(f"{finding.path}:{finding.line}") if path else f"line {finding.line}"
    hint = f"; {inline(finding.hint)}" if finding.hint else ""
    return f"{place}: {name} {inline(finding.message)}{hint}"


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

    def around(self, before: Record | None, after: Record | None) -> str:
        """The way to the neighbours and to the index."""
        line = [f"[← {inline(label(before))}]({self._to(before)})"] if before else []
        line.append(f"[All decisions]({posixpath.relpath('decisions/index.md', self._folder or '.')})")
        if after:
            line.append(f"[{inline(label(after))} →]({self._to(after)})")
        return "---\n\n" + " · ".join(line) if before or after else ""

    def _to(self, record: Record) -> str:
        return posixpath.relpath(self._records[record.key], self._folder or ".")

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


def _head(
    record: Record, standings: Standings, here: _Links, resolve: Resolve, told: Told | None
) -> list[tuple[str, ...]]:
    status, when = status_badge(record), day(record.date)
    as_it_is = record.status in (Status.OTHER, Status.SUPERSEDED)
    as_it_is |= record.status_raw.casefold() == str(record.status)
    if told and record.status_raw and not as_it_is:
        status += f" <small>written: {cell(words(record.status_raw))}</small>"
    if told and record.date_raw and record.date is None:
        when += f" <small>written: {cell(record.date_raw)}</small>"
    rows: list[tuple[str, ...]] = [("Status", status), ("Date", when)]
    for name, people in (
        ("Decided by", record.deciders),
        ("Consulted", record.consulted),
        ("Informed", record.informed),
        ("Tags", record.tags),
    ):
        if people:
            rows.append((name, ", ".join(cell(one) for one in people)))
    for name, ids in (("Supersedes", record.supersedes), ("Superseded by", record.superseded_by)):
        if ids:
            rows.append((name, ", ".join(here.record(one) for one in ids)))
    if record.review_by:
        rows.append(("Review by", day(record.review_by)))
    for wish in record.reopen_when:
        stands = standings[record.key, wish.id]
        asks = "Asks to be reopened" if Reopen(record, wish, stands).asks else "Reopen when"
        rows.append((asks, f"{cell(wish.says)}<br>{verdict_badge(stands, wish)} {cell(stands.reason)}"))
    if told and record.dialect is not Dialect.MARKDOWN and (links := list(_leads(record, resolve, told))):
        rows.append(("Links", "<br>".join(links)))
    if told and told.source:
        rows.append(("File", told.source))
    return rows


def _leads(record: Record, resolve: Resolve, told: Told) -> Iterator[str]:
    """The links of a record whose text is shown as it is written."""
    seen: set[tuple[str, str]] = set()
    said = (record.lines.get("superseded_by"), record.lines.get("supersedes"))
    for link in record.links:
        if link.line in said and (record.supersedes or record.superseded_by):
            continue
        shown = cell(link.text or link.target)
        if shown and (link.target, shown) not in seen:
            seen.add((link.target, shown))
            target, missing = resolve(link.target), told.gone(link.target)
            linked = f"[{shown}]({target.replace('|', '%7C')})" if target else shown
            yield linked + (not_there(link.target, missing) if missing else "")


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
