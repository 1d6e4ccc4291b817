"""Which runs and which runbooks there are: tables and the two index pages."""

import posixpath
from collections.abc import Mapping, Sequence

from reaffirm.model.evidence import Kind
from reaffirm.site.links import Resolve
from reaffirm.site.page import SitePage, kind_badge, minute
from reaffirm.site.prose import rebuild
from reaffirm.site.run_card import ended_badge, took_words
from reaffirm.site.run_material import RunMaterial
from reaffirm.site.runbook_text import RunbookText
from reaffirm.site.text import cell, code, front_matter, inline, page_heading, table
from reaffirm.site.wide import wide_front_matter
from reaffirm.store.published import PublishedRun

_ARCHIVES = (
    "The page of a run has these files as one archive, without the machine file: that lies in the repository "
    "only, in the folder of the run. Logs are those of containers that a run removed and of launches that "
    "did not end well; of a server that was left running there is none, and what the run read of its log "
    "stands in the recording."
)
_KINDS = (Kind.REAL, Kind.LAB, Kind.SIMULATED)


def moment(run: PublishedRun) -> str:
    """When a run was, on one line of a table."""
    return f'<span class="rf-nowrap">{minute(run.when)}</span>'


def run_link(run: PublishedRun, page: str) -> str:
    """A link to a run by its name, which is one word: it is not broken at its dash."""
    return f'<span class="rf-nowrap">[{cell(run.run)}]({page})</span>'


def runs_table(
    runs: Sequence[RunMaterial], pages: Mapping[str, str], *, uri: str, runbook: bool = True
) -> str:
    """Return a table of runs, each with its kind, its date and how it ended.

    Args:
        runs: in the order in which they are shown.
        pages: page of each run by the path of its folder.
        uri: the page on which the table stands.
        runbook: whether the runbook has a column.
    """
    if not runs:
        return "There are no published runs yet."
    folder = posixpath.dirname(uri)
    rows = []
    for one in runs:
        run = one.run
        link = run_link(run, posixpath.relpath(pages[run.path], folder))
        took = took_words(one.requests.seconds, run.kind)
        row = (link, kind_badge(run.kind, run.via), moment(run), ended_badge(run), took, str(len(run.facts)))
        rows.append((code(run.runbook), *row) if runbook else row)
    columns = ("Run", "Kind", "When", "Ended", "Took", "Facts")
    return table(("Runbook", *columns) if runbook else columns, rows)


def runs_index(
    title: str,
    introduction: str,
    runs: Mapping[str, Sequence[RunMaterial]],
    pages: Mapping[str, str],
    books: Mapping[str, str],
    *,
    uri: str,
) -> SitePage:
    """Return the page of all runs: by runbook, the newest first.

    Args:
        title: of the page.
        introduction: what stands below, as Markdown of the site.
        runs: by runbook.
        pages: page of each run by the path of its folder.
        books: page of each runbook by its name.
        uri: where the page will be.
    """
    folder = posixpath.dirname(uri)
    parts = [f"{wide_front_matter(title)}\n{page_heading(title)}"]
    if not any(runs.values()):
        parts.append("There are no published runs yet.")
    else:
        parts.append('<div class="rf-filter" data-rf-runs hidden></div>')
    for name, found in sorted(runs.items()):
        if found:
            page = books.get(name)
            words = inline(name)
            parts.append(f"## {f'[{words}]({posixpath.relpath(page, folder)})' if page else words}")
            parts.append(runs_table(found, pages, uri=uri, runbook=False))
    if introduction:
        parts += ["## What a published run holds { #holds }", introduction, _ARCHIVES]
    return SitePage(uri, title, "\n\n".join(part for part in parts if part) + "\n")


def runbooks_index(
    title: str,
    introduction: str,
    books: Sequence[tuple[RunbookText, Resolve]],
    runs: Mapping[str, Sequence[RunMaterial]],
    pages: Mapping[str, str],
    *,
    uri: str,
) -> SitePage:
    """Return the page of all runbooks: what each is for, how long and how risky, its newest runs.

    Args:
        title: of the page.
        introduction: what stands below the runbooks, as Markdown of the site.
        books: each with what the links of its prose lead to from this page.
        runs: newest first, by runbook.
        pages: page of each run by the path of its folder.
        uri: where the page will be.
    """
    parts = [f"{front_matter(title)}\n{page_heading(title)}"]
    if not books:
        parts.append("There are no runbooks yet.")
    for book, resolve in books:
        parts += _entry(book, resolve, runs.get(book.name, ()), pages, posixpath.dirname(uri))
    parts.append(introduction)
    return SitePage(uri, title, "\n\n".join(part for part in parts if part) + "\n")


def _entry(
    book: RunbookText,
    resolve: Resolve,
    runs: Sequence[RunMaterial],
    pages: Mapping[str, str],
    folder: str,
) -> list[str]:
    heading = inline(book.heading or book.name.replace("_", " "))
    lines = []
    purpose = book.label("purpose")
    for label, paragraph in (
        ("Time and risk", book.label("time and risk", "time", "risk")),
        ("Changes", book.label("what it changes", "changes")),
    ):
        if paragraph:
            lines.append(f"-   <strong>{label}</strong> {_one(paragraph, resolve)}")
    newest = []
    for kind in _KINDS:
        one = next((material.run for material in runs if material.run.kind is kind), None)
        if one is not None:
            link = f"[{one.when:%Y-%m-%d}]({posixpath.relpath(pages[one.path], folder)})"
            newest.append(f"{kind_badge(kind, one.via)} {link} {ended_badge(one)}")
    lines.append(f"-   <strong>Newest runs</strong> {' &nbsp; '.join(newest) or 'none published'}")
    first = _one(purpose, resolve) if purpose else ""
    return [f"## [{heading}]({book.name}.md)", code(book.name), first, "\n".join(lines)]


def _one(paragraph: str, resolve: Resolve) -> str:
    """A paragraph of a runbook's prose as one line of the site's Markdown."""
    return " ".join(rebuild(paragraph, resolve).split())
