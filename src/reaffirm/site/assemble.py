"""Makes all generated pages of a site; each area has a module of its own (``make_*.py``)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from reaffirm.claims.board import Board
from reaffirm.model.finding import Finding
from reaffirm.site.feed import Entry, entries
from reaffirm.site.make_failures import failures
from reaffirm.site.make_images import images
from reaffirm.site.make_records import decisions, home
from reaffirm.site.make_runs import runs_and_runbooks
from reaffirm.site.page import SitePage
from reaffirm.site.plan import Plan, read_plan


@dataclass(frozen=True)
class Site:
    """The generated pages, what they rest on, and what is wrong.

    ``assets`` are the pictures beside the records by their address; ``home`` is the text of a front page for
    a site without one.
    """

    plan: Plan
    pages: tuple[SitePage, ...]
    findings: tuple[Finding, ...]
    changes: tuple[Entry, ...] = ()
    assets: tuple[tuple[str, Path], ...] = ()
    home: str = ""

    @property
    def board(self) -> Board:
        """Where each claim stands."""
        return self.plan.board

    @property
    def told(self) -> int:
        """The number of findings that are shown on pages."""
        return sum(map(len, self.plan.told.values()))


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
    plan = read_plan(
        root, docs=docs, records=records, runbooks=runbooks, forge=forge, today=today, strict=strict
    )
    pages: list[SitePage] = []
    findings = [*plan.findings]
    for one in _made(plan):
        if isinstance(one, SitePage):
            pages.append(one)
        else:
            findings.append(one)
    return Site(
        plan,
        tuple(pages),
        (*findings, *plan.wrong_failures),
        entries(
            plan.board,
            plan.found.records,
            list(plan.published.values()),
            pages=plan.records,
            run_pages=plan.runs,
        ),
        tuple(plan.map.assets.found()) if plan.map.assets else (),
        home(plan, frozenset(page.uri for page in pages)),
    )


def _made(plan: Plan) -> Iterator[SitePage | Finding]:
    """Each area's pages, and what is found to be wrong while they are made."""
    yield from decisions(plan)
    yield from runs_and_runbooks(plan)
    yield from failures(plan)
    yield from images(plan)
