"""The pages of runbooks and of their published runs."""

from collections.abc import Iterator
from dataclasses import replace

from reaffirm.errors import DocumentError
from reaffirm.model.finding import Finding
from reaffirm.site.notebook import notebook_page
from reaffirm.site.page import SitePage
from reaffirm.site.plan import Plan
from reaffirm.site.run_pages import runbook_page, runs_table
from reaffirm.site.text import front_matter, inline
from reaffirm.store.published import PublishedRun


def runbooks(plan: Plan) -> Iterator[SitePage]:
    """Yield the page of each runbook, and the index of all runs."""
    for name, source in plan.material.books.items():
        path, uri = f"{plan.runbooks}/{name}.py", plan.books[name]
        page = runbook_page(
            name,
            source,
            plan.runs_of.get(name, ()),
            path=path,
            uri=uri,
            resolve=plan.map.resolver(path, uri),
            run_pages=plan.runs,
        )
        yield replace(page, source=path)
    if plan.strict or plan.material.books or plan.published or plan.has("runs"):
        yield _index(plan)


def runs(plan: Plan) -> Iterator[SitePage | Finding]:
    """Yield the page of each published run; a finding where its notebook cannot be read."""
    for run in plan.published.values():
        try:
            yield replace(_run_page(plan, run), source=f"{run.path}/notebook.ipynb", in_nav=False)
        except DocumentError as error:
            yield Finding(run.path, 1, "run-damaged", error.message, error.hint)


def _run_page(plan: Plan, run: PublishedRun) -> SitePage:
    # Prose of a notebook was written in the runbook's file; its links start there.
    uri = plan.runs[run.path]
    resolve = plan.map.resolver(f"{plan.runbooks}/{run.runbook}.py", uri)
    book = f"../../{plan.books[run.runbook]}" if run.runbook in plan.books else ""
    return notebook_page(run.notebook(), run, uri=uri, resolve=resolve, runbook_page=book)


def _index(plan: Plan) -> SitePage:
    uri = "runs/index.md"
    heading, body = plan.readme(f"{plan.docs}/runs", uri)
    title = heading or "Published runs"
    shown = runs_table(list(plan.published.values()), plan.runs, uri=uri)
    parts = [f"{front_matter(title)}\n# {inline(title)}", body, shown]
    source = f"{plan.docs}/runs/README.md" if heading or body else ""
    return SitePage(uri, title, "\n\n".join(part for part in parts if part) + "\n", source=source)
