"""Reads the repository and makes all generated pages of the site."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from reaffirm.claims.board import Board, board
from reaffirm.diagnose.prove import prove
from reaffirm.errors import DocumentError
from reaffirm.model.failure import FailureMode
from reaffirm.model.finding import Finding
from reaffirm.site.assets import Assets
from reaffirm.site.board import decisions_page
from reaffirm.site.decisions import Shelf
from reaffirm.site.failure_page import failures_index
from reaffirm.site.feed import Entry, entries
from reaffirm.site.home import home_page
from reaffirm.site.links import SiteMap
from reaffirm.site.material import read_material
from reaffirm.site.navigation import SHELVES, navigation
from reaffirm.site.notebook import notebook_page
from reaffirm.site.page import SitePage
from reaffirm.site.page_map import INDEX_URI, TEMPLATE_URI, linked_files, page_map
from reaffirm.site.page_names import record_pages
from reaffirm.site.prose import first_heading, rebuild
from reaffirm.site.record_page import Standings, findings_box, record_page
from reaffirm.site.run_pages import runbook_page, runs_table
from reaffirm.site.text import code, fence, front_matter, inline, table
from reaffirm.store.failures import read_failures
from reaffirm.store.frontmatter import read_page
from reaffirm.store.published import PublishedRun, PublishedRuns
from reaffirm.store.template import TEMPLATE

# Folders that have an index of the pages in them.
_INDEXED = ("container-images",)


@dataclass(frozen=True)
class Site:
    """The generated pages, where the repository's files are on the site, and what is wrong with them.

    ``not_again`` are files whose content is on a generated page and that are no pages of their own;
    ``assets`` the pictures beside the records by their address; ``home`` a front page for a site without one;
    ``told`` the number of findings that are shown on pages; ``folders`` those of records.
    """

    pages: tuple[SitePage, ...]
    in_nav: frozenset[str]
    map: SiteMap
    standings: Standings
    findings: tuple[Finding, ...]
    failures: tuple[FailureMode, ...] = ()
    records: Mapping[str, str] = field(default_factory=dict)
    board: Board | None = None
    changes: tuple[Entry, ...] = ()
    not_again: frozenset[str] = frozenset()
    assets: tuple[tuple[str, Path], ...] = ()
    home: str = ""
    told: int = 0
    folders: tuple[str, ...] = ()

    def nav(self, uris: list[str]) -> list[Any]:
        """Return a navigation for the given pages; records are found from their index, runs likewise."""
        return navigation(uris, {page.uri for page in self.pages} - self.in_nav)


def assemble(
    root: Path,
    *,
    docs: str,
    records: str | Sequence[str],
    runbooks: str,
    forge: str,
    today: date,
    strict: bool = True,
) -> Site:
    """Return the site of a repository.

    Args:
        root: the folder of the repository.
        docs: its documentation folder, from the root.
        records: its folders of records; none: they are looked for.
        runbooks: its folder of runbooks.
        forge: address under which files that are no pages can be read; empty: they are not linked.
        today: the day of the board.
        strict: what is wrong with records is a finding of the site, and a dead link stays one. Otherwise both
            are shown on the pages as what they are.
    """
    material = read_material(root, docs=docs, records=records, runbooks=runbooks)
    found, published, books = material.records, material.published, material.books
    uris = record_pages(found.records)
    shelf = Shelf(root, found, uris, today)
    run_uris = {run.path: f"runs/{run.runbook}/{run.run}.md" for run in published.runs}
    book_uris = {name: f"runbooks/{name}.md" for name in books}
    folders = [records] if isinstance(records, str) else list(records or shelf.called)
    shown = page_map(root, docs, folders, runbooks, found, uris, book_uris, run_uris)
    again: frozenset[str] = frozenset()
    if not strict:
        again = shelf.not_again()
        for path in again - {record.path for record in found.records}:
            if shown.get(path) != TEMPLATE_URI:
                shown.pop(path, None)
        shown |= dict.fromkeys(shelf.readmes, INDEX_URI)
    site_map = SiteMap(
        shown,
        docs,
        forge,
        linked_files(root, docs, strict=strict),
        strict,
        {} if strict else shelf.anchors(),
        None if strict else Assets(root),
    )
    state = board(found.records, published.evidence(), today)
    standings = {(row.record.key, row.claim.id): row.standing for row in state.rows}
    standings |= {(wish.record.key, wish.claim.id): wish.standing for wish in state.reopen}
    changes = entries(state, found.records, published.runs, pages=uris, run_pages=run_uris)
    findings = [*material.findings]
    told: dict[str, list[Finding]] = {}
    rules = {
        path.rsplit("/", 1)[-1].removesuffix(".md"): uri
        for path, uri in shown.items()
        if path.startswith(f"{docs}/reference/lint/")
    }
    if not strict:
        about = {*found.collection.files, *(one.path for one in found.findings)}
        told = shelf.findings([one for one in findings if one.path in about])
        findings = [one for one in findings if one.path not in about]
    by_path = {run.path: run for run in published.runs}
    pages: list[SitePage] = [
        record_page(
            record,
            standings,
            uri=uris[record.key],
            resolve=site_map.resolver(record.path, uris[record.key]),
            records=shelf.seen_from(record),
            runs=run_uris,
            runbooks=book_uris,
            published=by_path,
            told=None if strict else shelf.told(record, told, rules, site_map),
            around=shelf.around(index),
        )
        for index, record in enumerate(found.records)
    ]
    outside = frozenset(page.uri for page in pages)
    own = strict and len(folders) == 1 and folders[0] != "."
    pages.append(
        decisions_page(
            found.records,
            standings,
            uri=INDEX_URI,
            pages=uris,
            runs=run_uris,
            today=today,
            later=sum(run.when.date() > today + timedelta(days=1) for run in published.runs),
            introduction=_readme(root, folders[0], site_map, INDEX_URI)[1] if own else "",
            findings=[str(finding) for finding in findings],
            called=shelf.called,
            named=shelf.named,
            notes="" if strict else shelf.notes(told, rules, site_map),
        )
    )
    if len(folders) == 1 and (root / folders[0] / TEMPLATE).is_file():
        pages.append(_template_page(root / folders[0] / TEMPLATE, f"{folders[0]}/{TEMPLATE}"))
    for name, source in books.items():
        pages.append(
            runbook_page(
                name,
                source,
                [run for run in published.runs if run.runbook == name],
                path=f"{runbooks}/{name}.py",
                uri=book_uris[name],
                resolve=site_map.resolver(f"{runbooks}/{name}.py", book_uris[name]),
                run_pages=run_uris,
            )
        )
    if strict or books or published.runs or (root / docs / "runs").is_dir():
        pages.append(_runs_index(root, docs, published, site_map, run_uris))
    in_nav = frozenset(page.uri for page in pages) - outside
    for run in published.runs:
        try:
            pages.append(_run_page(run, runbooks, site_map, run_uris[run.path], book_uris))
        except DocumentError as error:
            findings.append(Finding(run.path, 1, "run-damaged", error.message, error.hint))
    modes, wrong = _failures(root, docs, {record.id: uris[record.key] for record in found.records})
    findings += wrong
    if (root / docs / "failures").is_dir():
        pages.append(_failures_index(root, docs, site_map, modes, wrong))
        in_nav |= {pages[-1].uri}
    for folder in _INDEXED:
        if (root / docs / folder).is_dir():
            page = _folder_index(root, docs, folder, site_map)
            pages.append(page)
            in_nav |= {page.uri}
    paths = {record.id: record.path for record in reversed(found.records)}
    return Site(
        tuple(pages),
        in_nav,
        site_map,
        standings,
        tuple(findings),
        modes,
        paths,
        state,
        changes,
        again,
        tuple(site_map.assets.found()) if site_map.assets else (),
        home_page(found.records, uris, shelf.called),
        sum(map(len, told.values())),
        tuple(folders),
    )


def _failures(
    root: Path, docs: str, records: Mapping[str, str]
) -> tuple[tuple[FailureMode, ...], list[Finding]]:
    """Return the failure modes, and what is wrong with their pages: the examples are tests and run here."""
    read = read_failures((root / docs / "failures", f"{docs}/failures"))
    findings = [*read.findings, *prove(read.modes)]
    for mode in read.modes:
        for one in mode.decisions:
            if one not in records:
                hint = f"known: {', '.join(records)}"
                line = mode.lines.get("decisions", 1)
                findings.append(
                    Finding(mode.path, line, "failure-decision", f"there is no record {one!r}", hint)
                )
    return read.modes, sorted(findings)


def _failures_index(
    root: Path, docs: str, site_map: SiteMap, modes: tuple[FailureMode, ...], wrong: list[Finding]
) -> SitePage:
    uri = "failures/index.md"
    heading, body = _readme(root, f"{docs}/failures", site_map, uri)
    box = findings_box([str(finding) for finding in wrong]) if wrong else ""
    return failures_index(
        modes, uri=uri, heading=heading or SHELVES["failures"], introduction=body, findings=box
    )


def _template_page(path: Path, shown: str) -> SitePage:
    title = "Template of a record"
    text = path.read_text(encoding="utf-8", errors="replace")
    parts = [
        f"{front_matter(title)}\n# {title}",
        f"Copy it from {code(shown)}, or from here.",
        fence(text, "yaml"),
    ]
    return SitePage(TEMPLATE_URI, title, "\n\n".join(parts) + "\n")


def _run_page(
    run: PublishedRun, runbooks: str, site_map: SiteMap, uri: str, books: Mapping[str, str]
) -> SitePage:
    # Prose of a notebook was written in the runbook's file; its links start there.
    resolve = site_map.resolver(f"{runbooks}/{run.runbook}.py", uri)
    book = f"../../{books[run.runbook]}" if run.runbook in books else ""
    return notebook_page(run.notebook(), run, uri=uri, resolve=resolve, runbook_page=book)


def _readme(root: Path, folder: str, site_map: SiteMap, uri: str) -> tuple[str, str]:
    """Return heading and text of a folder's README as they stand on the page of its index."""
    path = root / folder / "README.md"
    if not path.is_file():
        return "", ""
    name = f"{folder}/README.md"
    heading, body = first_heading(read_page(path, shown=name).body)
    return heading, rebuild(body, site_map.resolver(name, uri))


def _runs_index(
    root: Path, docs: str, published: PublishedRuns, site_map: SiteMap, runs: Mapping[str, str]
) -> SitePage:
    uri = "runs/index.md"
    heading, body = _readme(root, f"{docs}/runs", site_map, uri)
    title = heading or "Published runs"
    shown = runs_table(published.runs, runs, uri=uri)
    parts = [f"{front_matter(title)}\n# {inline(title)}", body, shown]
    return SitePage(uri, title, "\n\n".join(part for part in parts if part) + "\n")


def _folder_index(root: Path, docs: str, folder: str, site_map: SiteMap) -> SitePage:
    uri = f"{folder}/index.md"
    heading, body = _readme(root, f"{docs}/{folder}", site_map, uri)
    title = heading or SHELVES[folder]
    rows: list[tuple[str, ...]] = []
    for path in sorted((root / docs / folder).glob("*.md")):
        if path.name in ("README.md", "index.md"):
            continue
        page = read_page(path, shown=f"{docs}/{folder}/{path.name}")
        name = first_heading(page.body)[0] or str(page.data.get("title", page.data.get("name", path.stem)))
        rows.append((f"[{inline(name)}]({path.name})",))
    parts = [f"{front_matter(title)}\n# {inline(title)}", body, table(("Page",), rows) if rows else ""]
    return SitePage(uri, title, "\n\n".join(part for part in parts if part) + "\n")
