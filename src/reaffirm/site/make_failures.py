"""The pages of failure modes: their index, and the head of each page that somebody wrote."""

from collections.abc import Iterator
from typing import Any

from reaffirm.model.failure import FailureMode
from reaffirm.site.failure_data import DATA, failure_data
from reaffirm.site.failure_index import failures_index
from reaffirm.site.failure_page import failure_page
from reaffirm.site.failure_sections import in_brief, sections
from reaffirm.site.failure_signs import asked_for
from reaffirm.site.navigation import SHELVES
from reaffirm.site.page import SitePage
from reaffirm.site.plan import Plan
from reaffirm.site.prose import rebuild
from reaffirm.site.prose_words import words_and_code
from reaffirm.site.record_findings import findings_box
from reaffirm.site.text import ANSWERS, title_text
from reaffirm.store.frontmatter import read_page
from reaffirm.store.published import PublishedRun

#: Their folder below the documentation.
FAILURES = "failures/"
# A launch names the pages that fit its logs in a fact such as `launch.failure_pages`.
_FACT = ".failure_pages"


def failures(plan: Plan) -> Iterator[SitePage]:
    """Yield the index of failure modes."""
    if not plan.has("failures"):
        return
    uri = f"{FAILURES}index.md"
    heading, body = plan.readme(f"{plan.docs}/failures", uri)
    wrong = [str(finding) for finding in plan.wrong_failures]
    yield failures_index(
        plan.failures,
        uri=uri,
        heading=heading or SHELVES["failures"],
        introduction=body,
        remedies={
            mode.id: rebuild(text, plan.map.resolver(mode.path, uri))
            for mode, text in _remedies(plan)
            if text
        },
        findings=findings_box(wrong) if wrong else "",
        source=f"{plan.docs}/failures/README.md" if heading or body else "",
    )


def signature_files(plan: Plan) -> dict[str, str]:
    """Return the signatures of all pages as data by their address; nothing where there are no pages."""
    if not plan.has("failures") or not plan.failures:
        return {}
    remedies = {mode.id: words_and_code(text) for mode, text in _remedies(plan)}
    return {DATA: failure_data(plan.failures, remedies)}


def with_failure_head(plan: Plan, uri: str, markdown: str, meta: dict[str, Any]) -> str:
    """Return a page of this folder as it is shown; its title goes into ``meta``.

    Args:
        plan: the site's.
        uri: the page.
        markdown: its text, below the front matter.
        meta: its front matter.
    """
    mode = plan.failure_pages.get(uri)
    meta.pop("status", None)  # the theme takes a status for one of its own
    if mode is None:
        return markdown
    meta["title"] = title_text(mode.title)
    meta.setdefault("search", {"boost": ANSWERS})
    if asked := asked_for(mode):
        meta.setdefault("tags", asked)
    return failure_page(markdown, mode, plan.failure_titles, plan.paths, _seen(plan, mode))


def _remedies(plan: Plan) -> Iterator[tuple[FailureMode, str]]:
    """What to do, in one paragraph of Markdown."""
    for mode in plan.failures:
        body = read_page(plan.root / mode.path, shown=mode.path).body
        yield mode, in_brief(sections(body))


def _seen(plan: Plan, mode: FailureMode) -> list[tuple[PublishedRun, str]]:
    """The published runs whose report named the page, newest first, each with its launch."""
    found = [
        (run, fact.name.removesuffix(_FACT))
        for run in plan.published.values()
        for fact in run.facts
        if fact.name.endswith(_FACT) and isinstance(fact.value, list) and mode.id in fact.value
    ]
    return sorted(found, key=lambda one: (one[0].kind.weight, one[0].when, one[0].run), reverse=True)
