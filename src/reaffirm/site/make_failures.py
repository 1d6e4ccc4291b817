"""The pages of failure modes: their index, and the head of each page that somebody wrote."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from reaffirm.site.failure_page import failure_page, failures_index
from reaffirm.site.navigation import SHELVES
from reaffirm.site.page import SitePage
from reaffirm.site.plan import Plan
from reaffirm.site.record_page import findings_box
from reaffirm.site.text import title_text

#: Their folder below the documentation.
FAILURES = "failures/"


def failures(plan: Plan) -> Iterator[SitePage]:
    """Yield the index of failure modes."""
    if not plan.has("failures"):
        return
    uri = "failures/index.md"
    heading, body = plan.readme(f"{plan.docs}/failures", uri)
    wrong = [str(finding) for finding in plan.wrong_failures]
    page = failures_index(
        plan.failures,
        uri=uri,
        heading=heading or SHELVES["failures"],
        introduction=body,
        findings=findings_box(wrong) if wrong else "",
    )
    yield replace(page, source=f"{plan.docs}/failures/README.md" if heading or body else "")


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
    return failure_page(markdown, mode, plan.failure_titles, plan.paths)
