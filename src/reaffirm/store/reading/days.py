"""Chooses a record's date: of the decision, else of its making, its last change, its history, its file."""

import re
from datetime import date

from reaffirm.store.reading import dates
from reaffirm.store.reading.draft import Draft
from reaffirm.store.reading.fields import Place, Where
from reaffirm.store.reading.labels import Field
from reaffirm.store.reading.outline import Line
from reaffirm.store.reading.status import StatusFound
from reaffirm.store.reading.values import is_nothing

_TEMPLATE = re.compile(r"YYYY|\{.*\}|\[[^\]]*(?:date|last updated)[^\]]*\](?!\()|<date>", re.IGNORECASE)
_HINT = "write YYYY-MM-DD, a day that there is"
# Keys that only site generators have.
_SITE_KEYS = frozenset(
    (
        *("weight", "nav_order", "layout", "parent", "slug", "sidebar_position", "sidebar_label", "menu"),
        *("permalink", "aliases", "categories", "template", "linktitle", "hide_title", "draft", "taxonomies"),
        "has_children",
    )
)
_OUR_KEYS = frozenset(("status", "deciders", "decision-makers", "decision_makers", "consulted", "informed"))


def find_date(draft: Draft, status: StatusFound) -> tuple[date | None, str]:
    """Return the record's day and how it is written."""
    for wanted in (Field.DATE, Field.CREATED, Field.UPDATED):
        days, wrong = _days(draft, draft.of(wanted))
        if days:
            day, line = days[0]
            draft.lines["date"] = line.line
            _contradiction(draft, wanted, days)
            return day, line.source or line.text
        if wrong is not None:
            draft.lines["date"] = wrong.line
            return None, wrong.source or wrong.text
    if status.day is not None:
        draft.lines["date"] = status.line
        return status.day, status.raw
    history = [
        (found[0], line)
        for place in draft.of(Field.CHANGELOG)
        for line in place.lines
        if (found := dates.dates_in(line.text)[0])
    ]
    if history:
        day, line = max(history, key=lambda one: one[0])
        draft.lines["date"] = line.line
        return day, line.source or line.text
    return draft.name.day, ""


def _days(draft: Draft, places: list[Place]) -> tuple[list[tuple[date, Line]], Line | None]:
    """The days that some places say, and the first line that says none; what is wrong is reported."""
    days: list[tuple[date, Line]] = []
    wrong: Line | None = None
    for place in sorted(places, key=lambda one: _rank(draft, one)):
        if isinstance(place.value, list | dict) and not _TEMPLATE.search(place.lines[0].source):
            draft.wrong(place.at or place.line, "date-form", "the date is a list or a mapping, no day", _HINT)
            continue
        line = next((one for one in place.lines if not is_nothing(one.text)), None)
        line = line or next(iter(place.lines), None)
        if line is None or (is_nothing(line.text) and not _TEMPLATE.search(line.source or line.text)):
            continue
        if _TEMPLATE.search(line.source or line.text):
            message = f"the date is the template's: {line.source!r}"
            draft.wrong(line.line, "date-template", message, _HINT)
            wrong = wrong or line
            continue
        found, told = dates.dates_in(line.text)
        if found:
            days.append((found[0], line))
        elif place.where <= Where.SECTION:
            draft.wrong(line.line, "date-form", told or f"{line.text[:60]!r} is no whole day", _HINT)
            wrong = wrong or line
    return days, wrong


def _contradiction(draft: Draft, wanted: Field, days: list[tuple[date, Line]]) -> None:
    others = sorted({str(other) for other, _ in days if other != days[0][0]})
    if others and wanted is Field.DATE and not _generated(draft):
        message = f"the date is {days[0][0]} here and {', '.join(others)} elsewhere"
        draft.wrong(days[0][1].line, "date-contradiction", message, "say it in one place")


def _generated(draft: Draft) -> bool:
    """Whether the front matter is a site generator's: its date is the page's, not the decision's."""
    keys = {key.lower() for key in draft.front.data}
    return bool(keys & _SITE_KEYS) and not keys & _OUR_KEYS


def _rank(draft: Draft, place: Place) -> tuple[int, int]:
    late = place.where is Where.FRONT and _generated(draft)
    return (9 if late else int(place.where), place.line)
