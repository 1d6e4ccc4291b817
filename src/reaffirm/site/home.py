"""A front page for a site whose documentation has none."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date

from reaffirm.model.record import Record
from reaffirm.site.page import day, status_badge
from reaffirm.site.page_names import folder_of
from reaffirm.site.record_page import label
from reaffirm.site.text import cell, table

_NEWEST = 10


def home_page(records: Sequence[Record], pages: Mapping[str, str], called: Mapping[str, str]) -> str:
    """Return its Markdown without a title: what is decided, and the newest decisions.

    Args:
        records: all of them.
        pages: page of each by key.
        called: name of each folder.
    """
    if not records:
        return "There are no records yet. `reaffirm new record` makes one."
    counts = Counter(str(record.status) if record.status else "without a status" for record in records)
    told = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    dated = sorted((one for one in records if one.date), key=lambda one: (one.date or date.min, one.key))
    several = len(called) > 1
    rows = [
        (
            f'<span class="rf-nowrap">{day(one.date)}</span>',
            f"[{cell(label(one))}]({pages[one.key]})"
            + (f"<br><small>{cell(called[folder_of(one)] or folder_of(one))}</small>" if several else ""),
            status_badge(one),
        )
        for one in reversed(dated[-_NEWEST:])
    ]
    parts = [f"[All decisions](decisions/index.md): {len(records)} records, {told}."]
    if rows:
        parts += [
            "## The newest",
            table(("Date", "Decision", "Status"), rows),
        ]
    return "\n\n".join(parts)
