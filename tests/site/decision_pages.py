"""The pages of decisions of the toy project, on days on which different things are due."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path

from reaffirm.model.history import Change, History
from reaffirm.model.record import Status
from reaffirm.site.make_records import front, index, page_of_record, still_true
from reaffirm.site.plan import Plan, read_plan

_PROJECT = Path(__file__).parent / "specimens/project"
_FRONT = """Words.

<!-- reaffirm: state
What holds: latency
The rest: *
-->
For the forge.
<!-- /reaffirm -->

More.
"""
HISTORY = History(
    {
        "adrs/0001-keep-the-cache.md": (
            Change("c3" * 20, datetime(2026, 2, 2, tzinfo=UTC), "Say *why* | more", before=None, status=None),
            Change(
                "b2" * 20,
                datetime(2026, 1, 15, tzinfo=UTC),
                "Decided",
                moved_from="adrs/0001-cache.md",
                before=Status.PROPOSED,
                status=Status.ACCEPTED,
            ),
            Change("a1" * 20, datetime(2026, 1, 2, tzinfo=UTC), "Proposed", True, status=Status.PROPOSED),
        )
    }
)


def plan_of(today: date, root: Path = _PROJECT) -> Plan:
    """Return what the pages of the toy project rest on."""
    return read_plan(
        root,
        docs="docs",
        records=["adrs"],
        runbooks="runbooks",
        forge="https://forge.example.test/toy/blob/main/",
        today=today,
        strict=True,
    )


def pages() -> Mapping[str, str]:
    """Return the Markdown of each golden page by its name."""
    fresh, later = plan_of(date(2026, 2, 25)), plan_of(date(2026, 4, 20))
    board = still_true(later)
    assert board is not None
    return {
        "decision": page_of_record(fresh, 0, HISTORY).markdown,
        "superseded": page_of_record(fresh, 1, History(missing="git took longer than 10 s")).markdown,
        "decisions": index(fresh).markdown,
        "still-true": board.markdown,
        "front": front(fresh, _FRONT),
    }
