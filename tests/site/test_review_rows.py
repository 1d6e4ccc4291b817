"""What a record's page says of the day of its review and of what would reopen it."""

from datetime import date
from pathlib import Path

from reaffirm.site.assemble import assemble

_PROJECT = Path(__file__).parents[1] / "cli/specimens/claims"


def test_review_and_reopening_stand_in_the_head_of_a_record() -> None:
    """A reader would not see that somebody wanted to look at the decision again."""
    site = assemble(
        _PROJECT, docs="docs", records="adrs", runbooks="runbooks", forge="", today=date(2026, 11, 30)
    )
    [page] = [page for page in site.pages if page.uri == "decisions/0001-a-cache-of-twenty.md"]
    assert "| Review by | 2027-05-05 <small>in 156 days</small> |" in page.markdown
    assert "| Reopen when | More than a hundred things are in the cache." in page.markdown
