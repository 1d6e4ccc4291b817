"""Reads the repository and makes all generated pages of the site."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from reaffirm.claims.board import Board, board
from reaffirm.diagnose.prove import prove
from reaffirm.errors import DocumentError
from reaffirm.model.failure import FailureMode
from reaffirm.model.finding import Finding
from reaffirm.site.board import decisions_page
from reaffirm.site.failure_page import failures_index
from reaffirm.site.feed import Entry, entries
from reaffirm.site.links import SiteMap
from reaffirm.site.material import read_material
from reaffirm.site.notebook import notebook_page
from reaffirm.site.page import SitePage
from reaffirm.site.prose import first_heading, rebuild
from reaffirm.site.record_page import Standings, findings_box, record_page
from reaffirm.site.record_uris import page_of, record_pages, seen_from
from reaffirm.site.run_pages import runbook_page, runs_table
from reaffirm.site.text import code, fence, front_matter, inline, table
from reaffirm.store.failures import read_failures
from reaffirm.store.frontmatter import read_page
from reaffirm.store.published import PublishedRun, PublishedRuns
from reaffirm.store.records import Records
from reaffirm.store.template import TEMPLATE

#: Folders under the documentation in the order of the navigation, and what readers see.
SHELVES = {
    "tutorial": "Tutorial",
    "how-to": "How-to",
    "explanation": "Explanation",
    "reference": "Reference",
    "failures": "Failure modes",
    "container-images": "Container images",
}
# What the plugin makes, before the shelves.
_FIRST = (("decisions", "Decisions"), ("runbooks", "Runbooks"), ("runs", "Runs"))
# Where the template of records can be read and copied.
_TEMPLATE_URI = "decisions/template.md"
# Folders that have an index of the pages in them.
_INDEXED = ("container-images",)


@dataclass(frozen=True)
class Site:
    """The generated pages, where the repository's files are on the site, and what is wrong with them."""

    pages: tuple[SitePage, ...]
    in_nav: frozenset[str]
    map: SiteMap
    standings: Standings
    findings: tuple[Finding, ...]
    failures: tuple[FailureMode, ...] = ()
    records: Mapping[str, str] = field(default_factory=dict)
    board: Board | None = None
    changes: tuple[Entry, ...] = ()

    def nav(self, uris: list[str]) -> list[Any]:
        """Return a navigation for the given pages: one section per shelf, runs found from their runbook."""
        known = set(uris)
        home = [{"Home": "index.md"}] if "index.md" in known else []
        sections: list[Any] = []
        first = ("tutorial", SHELVES["tutorial"])
        for folder, label in dict((first, *_FIRST, *SHELVES.items())).items():
            inside = sorted(uri for uri in known if uri.startswith(f"{folder}/") and not self._hidden(uri))
            if inside:
                sections.append({label: _section(folder, inside)})
        return home + sections

    def _hidden(self, uri: str) -> bool:
        return uri in {page.uri for page in self.pages} and uri not in self.in_nav


def _section(folder: str, uris: list[str]) -> list[Any]:
    """The pages of a folder, its index first; a folder in it with an index is a section of its own."""
    index = [uri for uri in uris if uri in (f"{folder}/index.md", f"{folder}/README.md")]
    below: dict[str, list[str]] = {}
    for uri in uris:
        inner = uri.removeprefix(f"{folder}/").rpartition("/")[0].partition("/")[0]
        if inner and {f"{folder}/{inner}/README.md", f"{folder}/{inner}/index.md"} & set(uris):
            below.setdefault(inner, []).append(uri)
    nested = {uri for inside in below.values() for uri in inside}
    pages: list[Any] = index + [uri for uri in uris if uri not in index and uri not in nested]
    return pages + [
        {inner.capitalize(): _section(f"{folder}/{inner}", inside)} for inner, inside in below.items()
    ]


def assemble(root: Path, *, docs: str, records: str, runbooks: str, forge: str, today: date) -> Site:
    """Return the site of a repository.

    Args:
        root: the folder of the repository.
        docs: its documentation folder, from the root.
        records: its folder of records.
        runbooks: its folder of runbooks.
        forge: address under which files that are no pages can be read; empty: they are not linked.
        today: the day of the board.
    """
    material = read_material(root, docs=docs, records=records, runbooks=runbooks)
    found, published, books = material.records, material.published, material.books
    record_uris = record_pages(found.records, records)
    run_uris = {run.path: f"runs/{run.runbook}/{run.run}.md" for run in published.runs}
    book_uris = {name: f"runbooks/{name}.md" for name in books}
    site_map = SiteMap(
        _pages(root, docs, records, runbooks, found, record_uris, book_uris, run_uris),
        docs,
        forge,
        _files(root, docs),
    )
    evidence = published.evidence()
    state = board(found.records, evidence, today)
    standings = {(row.record.id, row.claim.id): row.standing for row in state.rows}
    standings |= {(wish.record.id, wish.claim.id): wish.standing for wish in state.reopen}
    changes = entries(state, found.records, published.runs, pages=record_uris, run_pages=run_uris)
    by_path = {run.path: run for run in published.runs}
    pages: list[SitePage] = [
        record_page(
            record,
            standings,
            uri=page_of(record, record_uris),
            resolve=site_map.resolver(record.path, page_of(record, record_uris)),
            records=seen_from(record, found.records, record_uris),
            runs=run_uris,
            runbooks=book_uris,
            published=by_path,
        )
        for record in found.records
    ]
    findings = [*material.findings]
    uri = "decisions/index.md"
    pages.append(
        decisions_page(
            found.records,
            standings,
            uri=uri,
            pages=record_uris,
            runs=run_uris,
            today=today,
            later=sum(run.when.date() > today + timedelta(days=1) for run in published.runs),
            introduction=_readme(root, records, site_map, uri)[1] if records != "." else "",
            findings=[str(finding) for finding in findings],
        )
    )
    if (root / records / TEMPLATE).is_file():
        pages.append(_template_page(root / records / TEMPLATE, f"{records}/{TEMPLATE}"))
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
    pages.append(_runs_index(root, docs, published, site_map, run_uris))
    in_nav = frozenset(page.uri for page in pages)
    for run in published.runs:
        try:
            pages.append(_run_page(run, runbooks, site_map, run_uris[run.path], book_uris))
        except DocumentError as error:
            findings.append(Finding(run.path, 1, "run-damaged", error.message, error.hint))
    modes, wrong = _failures(root, docs, record_uris)
    findings += wrong
    if (root / docs / "failures").is_dir():
        pages.append(_failures_index(root, docs, site_map, modes, wrong))
        in_nav |= {pages[-1].uri}
    for folder in _INDEXED:
        if (root / docs / folder).is_dir():
            page = _folder_index(root, docs, folder, site_map)
            pages.append(page)
            in_nav |= {page.uri}
    paths = {record.id: record.path for record in found.records}
    return Site(tuple(pages), in_nav, site_map, standings, tuple(findings), modes, paths, state, changes)


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
    return SitePage(_TEMPLATE_URI, title, "\n\n".join(parts) + "\n")


def _run_page(
    run: PublishedRun, runbooks: str, site_map: SiteMap, uri: str, books: Mapping[str, str]
) -> SitePage:
    # Prose of a notebook was written in the runbook's file; its links start there.
    resolve = site_map.resolver(f"{runbooks}/{run.runbook}.py", uri)
    book = f"../../{books[run.runbook]}" if run.runbook in books else ""
    return notebook_page(run.notebook(), run, uri=uri, resolve=resolve, runbook_page=book)


def _pages(
    root: Path,
    docs: str,
    records: str,
    runbooks: str,
    found: Records,
    uris: Mapping[str, str],
    books: Mapping[str, str],
    runs: Mapping[str, str],
) -> dict[str, str]:
    """Which file of the repository is shown on which page."""
    pages: dict[str, str] = {}
    for path in sorted((root / docs).rglob("*")):
        if path.is_file() and not path.name.startswith("_"):
            uri = path.relative_to(root / docs).as_posix()
            pages[f"{docs}/{uri}"] = (
                uri.removesuffix("README.md") + "index.md" if uri.endswith("README.md") else uri
            )
    pages |= {record.path: page_of(record, uris) for record in reversed(found.records)}
    if records != ".":
        pages |= {f"{records}/README.md": "decisions/index.md", records: "decisions/index.md"}
    if (root / records / TEMPLATE).is_file():
        pages[f"{records}/{TEMPLATE}"] = _TEMPLATE_URI
    pages |= {f"{runbooks}/{name}.py": uri for name, uri in books.items()}
    pages |= {runbooks: "runs/index.md", f"{docs}/runs/README.md": "runs/index.md", "README.md": "index.md"}
    for folder, uri in runs.items():
        pages[folder] = uri
        pages[f"{folder}/notebook.ipynb"] = uri
    return pages


def _files(root: Path, docs: str) -> frozenset[str]:
    """Files that a record may point at and that are no pages."""
    names = {path.name for path in root.glob("*") if path.is_file()}
    names |= {path.relative_to(root).as_posix() for path in (root / docs).rglob("_*.md")}
    for folder in ("src", "scripts", "tests", "benchmarks", "adrs", "runbooks"):
        for path in (root / folder).rglob("*"):
            if "__pycache__" not in path.parts:
                names.add(path.relative_to(root).as_posix())
        if (root / folder).is_dir():
            names.add(folder)
    return frozenset(names)


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
