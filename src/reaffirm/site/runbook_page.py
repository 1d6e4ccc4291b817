"""The page of a runbook: what it is for, how to run it, what it changes, what came of it, and its text."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reaffirm.claims.expectation import evaluate
from reaffirm.model.claim import Claim, Standing
from reaffirm.model.evidence import Kind
from reaffirm.model.record import Record
from reaffirm.redact import redact
from reaffirm.site.beside import Disagreement
from reaffirm.site.cells import cells_of
from reaffirm.site.links import Resolve
from reaffirm.site.page import SitePage, anchor, kind_badge, verdict_badge
from reaffirm.site.prose import rebuild
from reaffirm.site.raw_table import code_cell, fact_cell, folded, raw_table, remark, text_cell
from reaffirm.site.run_card import ended_badge, took_words
from reaffirm.site.run_material import RunMaterial
from reaffirm.site.run_pages import moment, run_link, runs_table
from reaffirm.site.runbook_commands import commands
from reaffirm.site.runbook_text import RunbookText
from reaffirm.site.stand_ins import speed_remark
from reaffirm.site.text import (
    ANSWERS,
    admonition,
    cell,
    code,
    fence,
    front_matter,
    inline,
    page_heading,
    table,
)

_ORDER = (Kind.REAL, Kind.LAB, Kind.SIMULATED)


@dataclass(frozen=True)
class Decided:
    """A claim that a runbook decides, where it stands, and the page of its record."""

    record: Record
    claim: Claim
    standing: Standing
    uri: str


@dataclass(frozen=True)
class BookContext:
    """What the page of a runbook says beyond its text.

    ``runs`` are its published runs, newest first; ``pages`` the page of each by the path of its folder;
    ``machines`` the names of the machine files that the project has; ``beside`` the page of the comparison
    of two runs by the paths of both, the older first.
    """

    runs: Sequence[RunMaterial] = ()
    pages: Mapping[str, str] = field(default_factory=dict)
    claims: Sequence[Decided] = ()
    machines: Sequence[str] = ()
    disagreements: Sequence[Disagreement] = ()
    beside: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def newest(self) -> Mapping[Kind, RunMaterial]:
        """The newest run of each kind, the weightiest kind first."""
        found = {kind: next((one for one in self.runs if one.run.kind is kind), None) for kind in _ORDER}
        return {kind: one for kind, one in found.items() if one is not None}


def runbook_page(book: RunbookText, context: BookContext, *, uri: str, resolve: Resolve) -> SitePage:
    """Return the page of a runbook.

    Args:
        book: what its text tells.
        context: its runs, and the claims that they decide.
        uri: where the page will be.
        resolve: where links of its prose lead.
    """
    title = book.heading or book.name.replace("_", " ")
    folder = posixpath.dirname(uri)
    problem = admonition("failure", "Not readable as a runbook", inline(book.problem)) if book.problem else ""
    parts = [
        front_matter(title, boost=ANSWERS) + f"\n{page_heading(title)}",
        problem,
        rebuild(book.introduction, resolve),
        "## Run it { #run-it }",
        *commands(book, context.machines, resolve),
        "## Latest runs { #latest }",
        *_latest(context, folder),
        *_claims(context, folder),
        *_disagree(context, folder),
        *_parameters(book),
        *_steps(book, context, folder),
        *_changes(book, resolve),
        *_all(context, uri),
        admonition(
            "example", f"The whole runbook, {book.path}", fence(redact(book.source), "python"), folded=True
        ),
    ]
    return SitePage(uri, title, "\n\n".join(part for part in parts if part) + "\n")


def _latest(context: BookContext, folder: str) -> Iterator[str]:
    if not context.newest:
        yield "There is no published run of this runbook yet."
        return
    rows = []
    for kind, one in context.newest.items():
        link = run_link(one.run, posixpath.relpath(context.pages[one.run.path], folder))
        took = took_words(one.requests.seconds, kind)
        rows.append((kind_badge(kind, one.run.via), moment(one.run), ended_badge(one.run), took, link))
    yield table(("Kind", "When", "Ended", "Took", "Run"), rows)
    missing = [str(kind) for kind in _ORDER if kind not in context.newest]
    if missing:
        yield f"No run of kind {' or '.join(missing)} is published."


def _claims(context: BookContext, folder: str) -> Iterator[str]:
    if not context.claims:
        return
    yield "## Claims that it decides { #claims }"
    rows = []
    for one in context.claims:
        page = posixpath.relpath(one.uri, folder)
        # a sentence of reopen-when has no place of its own
        place = f"#{anchor(one.claim)}" if one.claim in one.record.claims else ""
        rows.append(
            (
                verdict_badge(one.standing, one.claim),
                cell(one.claim.says),
                f"[{cell(f'{one.record.id} {one.record.title}'.strip())}]({page}{place})",
                kind_badge(one.claim.needs),
            )
        )
    yield table(('<span class="rf-stack">Verdict</span>', "Claim", "Decision", "Needs"), rows)


def _disagree(context: BookContext, folder: str) -> Iterator[str]:
    """Where the newest runs of two kinds found different things; what decides a claim comes first."""
    if len(context.newest) < 2:
        return
    kinds = list(context.newest)
    held = [row for one in context.claims for row in _held(one, context)]
    apart = [row for row, differs in held if differs]
    differ = bool(apart) or (bool(context.disagreements) and not held)
    yield f"## {'Where kinds of run disagree' if differ else 'The kinds of run, compared'} {{ #disagree }}"
    if apart:
        yield "About these claims the newest runs do not agree:"
        yield raw_table(("Claim", "Fact", "Expected", *map(str, kinds)), apart)
    elif held:
        yield "About each claim that they decide, the newest runs of all kinds agree."
    if context.disagreements:
        many = len(context.disagreements)
        title = f"{many} fact{'' if many == 1 else 's'} with different values"
        rows = [_values(one, context.newest) for one in context.disagreements]
        yield folded(title, raw_table(("Fact", *map(str, kinds)), rows))
    else:
        yield "They found the same value for every fact that more than one of them found."
    links = []
    newest = [one.run for one in context.newest.values()]
    for (old, new), page in context.beside.items():
        both = [run for run in newest if run.path in (old, new)]
        if len(both) == 2:
            links.append(f"[{both[0].kind} beside {both[1].kind}]({posixpath.relpath(page, folder)})")
    if links:
        yield f"Side by side: {', '.join(links)}."


def _held(one: Decided, context: BookContext) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Hold the newest run of each kind against what a claim expects; say whether they fare differently."""
    for condition in one.claim.check.conditions if one.claim.check else ():
        shown: list[str] = []
        results = set()
        for material in context.newest.values():
            fact = next((fact for fact in material.run.facts if fact.name == condition.fact), None)
            if fact is None:
                shown.append("<em>not found</em>")
                continue
            result, _ = evaluate(condition.expect, fact.value, fact.unit)
            results.add(result)
            value = fact_cell(fact.value, fact.unit, fact.by)
            shown.append(f'{value} <span class="rf-badge rf-result-{result}">{result}</span>')
        if results:
            expected = code_cell(str(condition.expect))
            row = (text_cell(one.claim.says), code_cell(condition.fact), expected, *shown)
            yield row, len(results) > 1


def _values(one: Disagreement, runs: Mapping[Kind, RunMaterial]) -> tuple[str, ...]:
    shown = []
    for kind, material in runs.items():
        fact = one.values.get(kind)
        told = remark(speed_remark(material.run, fact)) if fact else ""
        shown.append(fact_cell(fact.value, fact.unit, fact.by) + told if fact else "<em>not found</em>")
    return (code_cell(one.name), *shown)


def _parameters(book: RunbookText) -> Iterator[str]:
    if not book.parameters:
        return
    yield "## Parameters { #parameters }"
    yield table(
        ('<span class="rf-stack">Name</span>', "Type", "Default", "Meaning"),
        [
            (code(one.name), code(one.annotation or "any"), code(one.shown_default), cell(one.help) or " ")
            for one in book.parameters
        ],
    )
    yield (
        "Pass them with `-p name value`. They are typed: an unknown name or a wrong type stops the run "
        "before it starts."
    )


def _steps(book: RunbookText, context: BookContext, folder: str) -> Iterator[str]:
    """The steps, each with its cell in the weightiest newest run that has it."""
    if not book.steps:
        return
    yield "## Steps { #steps }"
    shown = next(iter(context.newest.values()), None)
    by_source: dict[str, int] = {}
    by_heading: dict[str, int] = {}
    page = ""
    if shown is not None:
        page = posixpath.relpath(context.pages[shown.run.path], folder)
        for one in cells_of(shown.notebook):
            if one.kind == "code" and not one.injected:
                by_source.setdefault(one.source.strip(), one.number)
                by_heading.setdefault(one.heading, one.number)
        options = ", ".join(code(word) for word in ("--from", "--until", "--only"))
        yield f"Each as it went in the newest {shown.run.kind} run. {options} take their names."
    lines = []
    for step in book.steps:
        number = by_source.get(step.source.strip(), by_heading.get(step.heading))
        words = inline(step.heading or step.id)
        took = shown.requests.took(number) if shown is not None and number is not None else None
        head = f"[{words}]({page}#cell-{number})" if number is not None else words
        time = f": {took_words(took, shown.run.kind)}" if took is not None and shown is not None else ""
        lines.append(f"1.  {head} {code(step.id)}{time}")
    yield "\n".join(lines)


def _changes(book: RunbookText, resolve: Resolve) -> Iterator[str]:
    if not book.changes:
        return
    yield "## What its steps change { #changes }"
    rows = [
        (code(one.step), cell(one.changes), cell(one.consent), cell(one.note) or " ") for one in book.changes
    ]
    step = '<span class="rf-stack rf-changes">Step</span>'
    yield table((step, "Changes", "Needs consent on real machines", "Note"), rows)
    page = resolve("../docs/reference/what-steps-change.md")
    words = "what each step declares"
    told = f"[{words}]({page})" if page and not page.startswith("../docs/") else words
    dry = code(f"reaffirm run {book.name} --dry-run")
    yield f"This is {told}. {dry} shows every request before anything is sent."


def _all(context: BookContext, uri: str) -> Iterator[str]:
    if len(context.runs) > len(context.newest):
        yield "## All published runs { #runs }"
        yield runs_table(context.runs, context.pages, uri=uri, runbook=False)
