"""Where a page is that the navigation does not show: a line of links that is shown above its title.

It stands below the title in the text: above it, search would take it for a page of its own.
"""

import posixpath

from reaffirm.site.page_map import INDEX_URI, RUNS_INDEX
from reaffirm.site.text import UNSEARCHED, code, inline
from reaffirm.store.published import PublishedRun


def path_of_record(uri: str) -> str:
    """Return the line of a record's page.

    Args:
        uri: that page.
    """
    return _line(f"[Decisions]({posixpath.relpath(INDEX_URI, posixpath.dirname(uri))})")


def path_of_run(run: PublishedRun, uri: str, runbook_page: str, last: str = "") -> str:
    """Return the line of a page below a runbook: that of a run, or of two.

    Args:
        run: the run.
        uri: the page.
        runbook_page: the page of the runbook, relative to this one; empty: there is none.
        last: what the page is called in the line; without it, its run and of what kind that is.
    """
    # What may be cut off on a narrow screen is not the kind.
    runs = f"[Runs]({posixpath.relpath(RUNS_INDEX, posixpath.dirname(uri))})"
    book = f"[{code(run.runbook)}]({runbook_page})" if runbook_page else code(run.runbook)
    return _line(runs, book, last or inline(f"{run.kind} run {run.run}"))


def _line(*steps: str) -> str:
    return f'<span class="rf-path" {UNSEARCHED}>{" › ".join(steps)}</span>'
