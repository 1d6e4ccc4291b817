"""The pages of runbooks and of their published runs."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from reaffirm.claims.board import Reopen, Row
from reaffirm.errors import DocumentError
from reaffirm.model.finding import Finding
from reaffirm.site.beside import Pair, differences, disagreements, pairs_of
from reaffirm.site.beside_page import beside_page
from reaffirm.site.navigation import linked
from reaffirm.site.notebook import notebook_page
from reaffirm.site.page import SitePage, anchor, day, verdict_badge
from reaffirm.site.page_map import RUNS_INDEX
from reaffirm.site.plan import Plan
from reaffirm.site.run_material import RunMaterial, read_material
from reaffirm.site.run_pages import runbooks_index, runs_index
from reaffirm.site.runbook_page import BookContext, Decided, runbook_page
from reaffirm.site.runbook_text import RunbookText, own_steps, read_runbook_text
from reaffirm.site.text import inline
from reaffirm.site.together import together
from reaffirm.store.published import PublishedRun

BOOKS_INDEX = "runbooks/index.md"
# So many pages of runs are made at a time.
_TOGETHER = 12


def runs_and_runbooks(plan: Plan) -> Iterator[SitePage | Finding]:
    """Yield the pages of runbooks, both indexes, then each run and what it is held against.

    A run whose notebook cannot be read is a finding and has no page.
    """
    materials: dict[str, RunMaterial] = {}
    for run in plan.published.values():
        try:
            materials[run.path] = read_material(run)
        except DocumentError as error:
            yield Finding(run.path, 1, "run-damaged", error.message, error.hint)
    by_book = {
        name: [materials[run.path] for run in found if run.path in materials]
        for name, found in plan.runs_of.items()
    }
    pairs = {name: pairs_of([one.run for one in found]) for name, found in by_book.items()}
    books = _books(plan)
    for name, book in books.items():
        yield _book_page(plan, book, by_book.get(name, ()), pairs.get(name, ()))
    if books:
        yield _books_index(plan, books, by_book)
    if plan.strict or books or plan.published or plan.has("runs"):
        yield _runs_index(plan, by_book)
    shown = list(materials.values())
    newest = {
        run.path
        for found in by_book.values()
        for run in {one.run.kind: one.run for one in reversed(found)}.values()
    }
    yield from together(
        lambda number: _run_page(
            plan,
            shown[number],
            pairs[shown[number].run.runbook],
            searched=shown[number].run.path in newest,
            book=books.get(shown[number].run.runbook),
        ),
        len(shown),
        chunk=_TOGETHER,
        assets=plan.map.assets,
    )
    for name, found in pairs.items():
        deciding = {
            condition.fact
            for one in _claims(plan, name)
            if one.claim.check
            for condition in one.claim.check.conditions
        }
        for pair in found:
            old, new = materials[pair.old.path], materials[pair.new.path]
            yield beside_page(
                pair,
                old,
                new,
                differences(old, new),
                pages=plan.runs,
                deciding=deciding,
                book=plan.books.get(name, ""),
            )


def _books(plan: Plan) -> dict[str, RunbookText]:
    folder = plan.root / plan.runbooks / "steps"
    own = own_steps(
        {
            path.name: path.read_text(encoding="utf-8", errors="replace")
            for path in sorted(folder.glob("*.py"))
        }
    )
    return {
        name: read_runbook_text(name, source, f"{plan.runbooks}/{name}.py", own)
        for name, source in plan.material.books.items()
    }


def _claims(plan: Plan, name: str) -> list[Decided]:
    rows: list[Row | Reopen] = [*plan.board.rows, *plan.board.reopen]
    return [
        Decided(row.record, row.claim, row.standing, plan.records[row.record.key])
        for row in rows
        if row.claim.check is not None and row.claim.check.runbook == name
    ]


def _book_page(plan: Plan, book: RunbookText, runs: Sequence[RunMaterial], pairs: Sequence[Pair]) -> SitePage:
    uri = plan.books[book.name]
    newest = {one.run.kind: one.run for one in reversed(runs)}
    context = BookContext(
        runs,
        plan.runs,
        _claims(plan, book.name),
        sorted(path.stem for path in (plan.root / plan.runbooks / "nodes").glob("*.toml")),
        disagreements(newest),
        {(pair.old.path, pair.new.path): pair.uri for pair in pairs},
    )
    page = runbook_page(book, context, uri=uri, resolve=plan.map.resolver(book.path, uri))
    return replace(page, source=book.path)


def _run_page(
    plan: Plan, material: RunMaterial, pairs: Sequence[Pair], *, searched: bool, book: RunbookText | None
) -> SitePage:
    # Prose of a notebook was written in the runbook's file; its links start there.
    run = material.run
    uri = plan.runs[run.path]
    page = notebook_page(
        material,
        uri=uri,
        resolve=plan.map.resolver(f"{plan.runbooks}/{run.runbook}.py", uri),
        runbook_page=f"../../{plan.books[run.runbook]}" if run.runbook in plan.books else "",
        beside=[
            _beside(pair, material, posixpath.dirname(uri))
            for pair in pairs
            if run.path in (pair.old.path, pair.new.path)
        ],
        decides=[*_decided_by(plan, run, uri)],
        searched=searched,
        now=book.prose if book is not None and not book.problem else None,
    )
    return replace(page, source=f"{run.path}/notebook.ipynb", in_nav=False)


def _decided_by(plan: Plan, run: PublishedRun, uri: str) -> Iterator[str]:
    """The claims whose verdict rests on a run, each with the verdict and the way to it."""
    for row in plan.board.rows:
        if row.standing.deciding is not None and row.standing.deciding.path == run.path:
            page = posixpath.relpath(plan.records[row.record.key], posixpath.dirname(uri))
            link = f"[{inline(row.claim.says)}]({page}#{anchor(row.claim)})"
            yield f"{verdict_badge(row.standing, row.claim)} {inline(row.record.id)} {link}"


def _beside(pair: Pair, material: RunMaterial, folder: str) -> tuple[str, str]:
    other = pair.old if pair.new.path == material.run.path else pair.new
    age = "earlier" if other is pair.old else "later"
    words = f"beside the {age} {other.kind} run of {day(other.when)} ({other.run})"
    return posixpath.relpath(pair.uri, folder), words


def _runs_index(plan: Plan, runs: Mapping[str, Sequence[RunMaterial]]) -> SitePage:
    heading, body = plan.readme(f"{plan.docs}/runs", RUNS_INDEX)
    page = runs_index(heading or "Published runs", body, runs, plan.runs, plan.books, uri=RUNS_INDEX)
    return replace(page, source=f"{plan.docs}/runs/README.md" if heading or body else "")


def _books_index(
    plan: Plan, books: Mapping[str, RunbookText], runs: Mapping[str, Sequence[RunMaterial]]
) -> SitePage:
    heading, body = plan.readme(plan.runbooks, BOOKS_INDEX)
    # In the order of the README: that of the procedure, where its author had one in mind.
    places = {uri: place for place, uri in enumerate(linked(body, BOOKS_INDEX))}
    ordered = sorted(books.values(), key=lambda book: places.get(plan.books[book.name], len(places)))
    page = runbooks_index(
        heading or "Runbooks",
        _without_table(body),
        [(book, plan.map.resolver(book.path, BOOKS_INDEX)) for book in ordered],
        runs,
        plan.runs,
        uri=BOOKS_INDEX,
    )
    return replace(page, source=f"{plan.runbooks}/README.md" if heading or body else "")


def _without_table(body: str) -> str:
    """A README without its table of runbooks: the page has a longer one."""
    return re.sub(r"(?:^\|.*\]\([^)]*\.md\).*\n?|^\|.*\n?)+", "", body, count=1, flags=re.MULTILINE)
