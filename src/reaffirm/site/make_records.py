"""The pages of decisions: each record, their index with the board, the template, a front page."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from reaffirm.site.board import decisions_page
from reaffirm.site.home import home_page
from reaffirm.site.page import SitePage
from reaffirm.site.page_map import INDEX_URI, TEMPLATE_URI
from reaffirm.site.plan import Plan
from reaffirm.site.record_page import record_page
from reaffirm.site.text import code, fence, front_matter
from reaffirm.store.template import TEMPLATE


def decisions(plan: Plan) -> Iterator[SitePage]:
    """Yield the page of each record, then what is in the navigation."""
    for index, record in enumerate(plan.found.records):
        uri = plan.records[record.key]
        page = record_page(
            record,
            plan.standings,
            uri=uri,
            resolve=plan.map.resolver(record.path, uri),
            records=plan.shelf.seen_from(record),
            runs=plan.runs,
            runbooks=plan.books,
            published=plan.published,
            told=None if plan.strict else plan.shelf.told(record, plan.told, plan.rules, plan.map),
            around=plan.shelf.around(index),
        )
        yield replace(page, source=record.path, in_nav=False)
    yield _index(plan)
    if len(plan.folders) == 1 and (plan.root / plan.folders[0] / TEMPLATE).is_file():
        yield _template_page(plan, f"{plan.folders[0]}/{TEMPLATE}")


def home(plan: Plan) -> str:
    """Return the Markdown, without a title, of a front page for a site that has none."""
    return home_page(plan.found.records, plan.records, plan.shelf.called)


def _index(plan: Plan) -> SitePage:
    own = plan.strict and len(plan.folders) == 1 and plan.folders[0] != "."
    return decisions_page(
        plan.found.records,
        plan.standings,
        uri=INDEX_URI,
        pages=plan.records,
        runs=plan.runs,
        today=plan.today,
        later=sum(run.when.date() > plan.today + timedelta(days=1) for run in plan.published.values()),
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
