"""The pages of decisions: each record, their index with the board, the template, a front page."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta

from reaffirm.model.evidence import Kind
from reaffirm.model.history import History
from reaffirm.site.board import decisions_page
from reaffirm.site.feed import entries
from reaffirm.site.home import home_page
from reaffirm.site.page import SitePage
from reaffirm.site.page_map import INDEX_URI, STILL_TRUE_URI, TEMPLATE_URI
from reaffirm.site.plan import Plan
from reaffirm.site.prose import rebuild
from reaffirm.site.prose_words import first_heading
from reaffirm.site.record_head import Others
from reaffirm.site.record_page import Around, record_page
from reaffirm.site.state import State, with_state
from reaffirm.site.still_true import still_true_page
from reaffirm.site.text import code, fence, front_matter
from reaffirm.site.together import together
from reaffirm.site.ways import Ways
from reaffirm.store.frontmatter import read_page
from reaffirm.store.history import read_history
from reaffirm.store.template import TEMPLATE

# So many pages of records are made at a time.
_TOGETHER = 25


def decisions(plan: Plan) -> Iterator[SitePage]:
    """Yield the page of each record, then what is in the navigation."""
    history = read_history(plan.root, (record.path for record in plan.found.records))
    yield from together(
        lambda number: page_of_record(plan, number, history),
        len(plan.found.records),
        chunk=_TOGETHER,
        assets=plan.map.assets,
    )
    yield index(plan)
    if board := still_true(plan):
        yield board
    if len(plan.folders) == 1 and (plan.root / plan.folders[0] / TEMPLATE).is_file():
        yield _template_page(plan, f"{plan.folders[0]}/{TEMPLATE}")


def page_of_record(plan: Plan, number: int, history: History) -> SitePage:
    """Return the page of one record, by its number in the order of the records."""
    record = plan.found.records[number]
    uri = plan.records[record.key]
    before, after = plan.shelf.around(number)
    # Forges that are like GitHub show a commit beside the files of a branch.
    repository, blob, _ = plan.map.forge.partition("/blob/")
    page = record_page(
        record,
        plan.standings,
        _ways(plan, uri, plan.shelf.seen_from(record)),
        resolve=plan.map.resolver(record.path, uri),
        today=plan.today,
        told=None if plan.strict else plan.shelf.told(record, plan.told, plan.rules, plan.map),
        around=Around(
            before,
            after,
            plan.shelf.others.get(record.key, Others()),
            history,
            f"{repository}/commit/" if blob else "",
            plan.shelf.elsewhere.get(record.key, ()),
        ),
    )
    return replace(page, source=record.path, in_nav=False)


def home(plan: Plan, pages: Collection[str]) -> str:
    """Return the Markdown, without a title, of a front page for a site that has none.

    Args:
        plan: the site's.
        pages: the generated pages that there are.
    """
    return home_page(_state(plan), pages)


def front(plan: Plan, markdown: str) -> str:
    """Return a front page that somebody wrote with the state of every decision where its marker stands."""
    return with_state(markdown, _state(plan))


def _state(plan: Plan) -> State:
    runs: dict[tuple[Kind, str], list[str]] = {}
    for run in plan.published.values():
        runs.setdefault((run.kind, plan.at_home.get(run.path, "")), []).append(run.runbook)
    return State(
        plan.found.records,
        plan.board,
        plan.records,
        runs,
        plan.shelf.called,
        plan.at_home,
        plan.shelf.elsewhere,
    )


def _ways(plan: Plan, uri: str, records: Mapping[str, str]) -> Ways:
    return Ways(
        uri,
        records,
        plan.runs,
        plan.books,
        plan.published,
        plan.shelf.titles,
        plan.machines,
        plan.asked,
        plan.at_home,
    )


def still_true(plan: Plan) -> SitePage | None:
    """Return the board of all claims; None for a site that has nothing to put there."""
    runs = list(plan.published.values())
    changes = entries(plan.board, plan.found.records, runs, pages=plan.records, run_pages=plan.runs)
    later = sum(run.when.date() > plan.today + timedelta(days=1) for run in runs)
    return still_true_page(
        plan.board,
        _ways(plan, STILL_TRUE_URI, plan.records),
        changes,
        later=later,
        introduction=_written(plan, STILL_TRUE_URI),
    )


def _written(plan: Plan, uri: str) -> str:
    """What somebody wrote for the top of a page that is made; empty where there is no such file."""
    path = plan.root / plan.docs / uri
    if not path.is_file():
        return ""
    name = f"{plan.docs}/{uri}"
    return rebuild(first_heading(read_page(path, shown=name).body)[1], plan.map.resolver(name, uri))


def index(plan: Plan) -> SitePage:
    """Return the index of all records."""
    own = plan.strict and len(plan.folders) == 1 and plan.folders[0] != "."
    return decisions_page(
        plan.found.records,
        plan.standings,
        uri=INDEX_URI,
        pages=plan.records,
        introduction=plan.readme(plan.folders[0], INDEX_URI)[1] if own else "",
        findings=[str(finding) for finding in plan.findings],
        called=plan.shelf.called,
        named=plan.shelf.named,
        notes="" if plan.strict else plan.shelf.notes(plan.told, plan.rules, plan.map),
    )


def _template_page(plan: Plan, shown: str) -> SitePage:
    title = "Template of a record"
    text = (plan.root / shown).read_text(encoding="utf-8", errors="replace")
    parts = [
        f"{front_matter(title)}\n# {title}",
        f"Copy it from {code(shown)}, or from here.",
        fence(text, "yaml"),
    ]
    return SitePage(TEMPLATE_URI, title, "\n\n".join(parts) + "\n", source=shown)
