"""What a run's page shows of a runbook whose text was changed since: the reader is told so."""

from collections.abc import Iterable, Sequence

from reaffirm.redact import redact
from reaffirm.site.cells import Cell
from reaffirm.site.text import admonition


def text_changed(then: Iterable[Cell], now: Sequence[str]) -> int:
    """Return how many passages of a runbook's text are others, new or gone since a run.

    Args:
        then: the cells of the run's notebook.
        now: the passages of the runbook as it is.
    """
    before = [one.source.strip() for one in then if one.kind == "markdown"]
    after = [redact(one).strip() for one in now]
    return max(sum(one not in after for one in before), sum(one not in before for one in after))


def text_remark(passages: int, *, code: bool, runbook_page: str) -> str:
    """Return the box that says it; empty where nothing was changed.

    Args:
        passages: how many are others.
        code: whether the runbook's code is another, too.
        runbook_page: where the runbook is as it stands today, relative to the page of the run.
    """
    if not passages:
        return ""
    many = "one passage" if passages == 1 else f"{passages} passages"
    also = "Its code was changed, too." if code else "Its code is the same."
    told = f"This page has the text of then. [The runbook as it is today]({runbook_page}) differs in {many}."
    return admonition("note", "The text of the runbook was changed since this run", f"{told} {also}")
