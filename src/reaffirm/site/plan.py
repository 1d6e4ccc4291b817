"""What all pages of a site rest on: read once, before the first of them is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path

from reaffirm.claims.board import Board, board
from reaffirm.diagnose.prove import prove
from reaffirm.errors import DocumentError
from reaffirm.model.evidence import Kind
from reaffirm.model.failure import FailureMode
from reaffirm.model.finding import Finding
from reaffirm.site.asked_images import Asked, AskedImage, read_asked
from reaffirm.site.assets import Assets
from reaffirm.site.decisions import Shelf
from reaffirm.site.links import SiteMap
from reaffirm.site.material import Material, read_material
from reaffirm.site.page_map import INDEX_URI, TEMPLATE_URI, linked_files, page_map
from reaffirm.site.page_names import record_pages
from reaffirm.site.prose import rebuild
from reaffirm.site.prose_words import first_heading
from reaffirm.site.record_claims import Standings
from reaffirm.site.run_places import Places, at_home
from reaffirm.site.ways import known_machines
from reaffirm.store.failures import read_failures
from reaffirm.store.frontmatter import read_page
from reaffirm.store.images import read_images
from reaffirm.store.published import PublishedRun
from reaffirm.store.records import Records


@dataclass(frozen=True)
class Plan:
    """The material of a site, where each thing is on it, and where each claim stands.

    ``records`` are the pages of records by key, ``runs`` those of runs by the path of their folder, ``books``
    those of runbooks by name. ``findings`` are what is wrong with the files and no page's affair; ``told``
    what pages of records say of themselves, by file; ``rules`` the pages of lint's codes. ``not_again`` are
    files whose content is on a generated page and that are no pages of their own.
    """

    root: Path
    docs: str
    runbooks: str
    strict: bool
    today: date
    material: Material
    shelf: Shelf
    folders: tuple[str, ...]
    records: Mapping[str, str]
    runs: Mapping[str, str]
    books: Mapping[str, str]
    map: SiteMap
    board: Board
    standings: Standings
    failures: tuple[FailureMode, ...]
    wrong_failures: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    told: Mapping[str, Sequence[Finding]]
    rules: Mapping[str, str]
    not_again: frozenset[str]

    @property
    def found(self) -> Records:
        """The records."""
        return self.material.records

    @cached_property
    def published(self) -> Mapping[str, PublishedRun]:
        """Each published run by the path of its folder, newest first."""
        return {run.path: run for run in self.material.published.runs}

    @cached_property
    def runs_of(self) -> Mapping[str, Sequence[PublishedRun]]:
        """The published runs of each runbook, newest first."""
        found: dict[str, list[PublishedRun]] = {}
        for run in self.material.published.runs:
            found.setdefault(run.runbook, []).append(run)
        return found

    @cached_property
    def machines(self) -> Mapping[tuple[str, Kind], str]:
        """The machines on which a runbook gave evidence of a kind, for commands to paste."""
        return known_machines(self.published.values())

    @cached_property
    def at_home(self) -> Places:
        """The real runs that asked no other machine than the one that ran them."""
        return {run.path: words for run in self.material.published.runs if (words := at_home(run))}

    @cached_property
    def asked(self) -> Asked:
        """What runbooks ask of machines, and the pages of the images among that."""
        try:
            known = tuple(read_images(self.root / self.docs / "container-images").values())
        except DocumentError:  # which is a finding, and told as one
            known = ()
        images = [AskedImage(one.name, f"container-images/{one.name}.md", one.nowhere) for one in known]
        return read_asked(self.material.books, images)

    @cached_property
    def paths(self) -> Mapping[str, str]:
        """The file of each record by id; of two with one id the first."""
        return {record.id: record.path for record in reversed(self.found.records)}

    @cached_property
    def failure_pages(self) -> Mapping[str, FailureMode]:
        """The failure modes by the page of each."""
        return {f"failures/{mode.id}.md": mode for mode in self.failures}

    @cached_property
    def failure_titles(self) -> Mapping[str, str]:
        """The title of each failure mode by id."""
        return {mode.id: mode.title for mode in self.failures}

    def has(self, folder: str) -> bool:
        """Whether the documentation has a folder of that name."""
        return (self.root / self.docs / folder).is_dir()

    def readme(self, folder: str, uri: str) -> tuple[str, str]:
        """Return heading and text of a folder's README as they stand on the page of its index.

        Args:
            folder: from the root of the repository.
            uri: that page.
        """
        path = self.root / folder / "README.md"
        if not path.is_file():
            return "", ""
        name = f"{folder}/README.md"
        heading, body = first_heading(read_page(path, shown=name).body)
        return heading, rebuild(body, self.map.resolver(name, uri))


def read_plan(
    root: Path,
    *,
    docs: str,
    records: str | Sequence[str],
    runbooks: str,
    forge: str,
    today: date,
    strict: bool,
) -> Plan:
    """Read a repository; see :func:`reaffirm.site.assemble.assemble` for the arguments."""
    material = read_material(root, docs=docs, records=records, runbooks=runbooks)
    found, published = material.records, material.published
    uris = record_pages(found.records)
    evidence = published.evidence()
    shelf = Shelf(root, found, uris, today, evidence)
    run_uris = {run.path: f"runs/{run.runbook}/{run.run}.md" for run in published.runs}
    books = {name: f"runbooks/{name}.md" for name in material.books}
    folders = [records] if isinstance(records, str) else list(records or shelf.called)
    shown = page_map(root, docs, folders, runbooks, found, uris, books, run_uris)
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
    state = board(found.records, evidence, today)
    standings = {(row.record.key, row.claim.id): row.standing for row in state.rows}
    standings |= {(wish.record.key, wish.claim.id): wish.standing for wish in state.reopen}
    modes, wrong = _failures(root, docs, {record.id for record in found.records})
    plan = Plan(
        root,
        docs,
        runbooks,
        strict,
        today,
        material,
        shelf,
        tuple(folders),
        uris,
        run_uris,
        books,
        site_map,
        state,
        standings,
        modes,
        tuple(wrong),
        material.findings,
        {},
        _rules(shown, docs),
        again,
    )
    if strict:
        return plan
    about = {*found.collection.files, *(one.path for one in found.findings)}
    return replace(
        plan,
        told=shelf.findings([one for one in plan.findings if one.path in about]),
        findings=tuple(one for one in plan.findings if one.path not in about),
    )


def _rules(shown: Mapping[str, str], docs: str) -> dict[str, str]:
    """The pages of lint's codes."""
    return {
        path.rsplit("/", 1)[-1].removesuffix(".md"): uri
        for path, uri in shown.items()
        if path.startswith(f"{docs}/reference/lint/")
    }


def _failures(root: Path, docs: str, records: set[str]) -> tuple[tuple[FailureMode, ...], list[Finding]]:
    """Return the failure modes, and what is wrong with their pages: the examples are tests and run here."""
    read = read_failures((root / docs / "failures", f"{docs}/failures"))
    findings = [*read.findings, *prove(read.modes)]
    for mode in read.modes:
        for one in mode.decisions:
            if one not in records:
                hint = f"known: {', '.join(sorted(records))}"
                line = mode.lines.get("decisions", 1)
                message = f"there is no record {one!r}"
                findings.append(Finding(mode.path, line, "failure-decision", message, hint))
    return read.modes, sorted(findings)
