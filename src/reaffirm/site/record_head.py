"""The head of a record's page: status, who and when, what took whose place, when to look at it again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from reaffirm.claims.board import Reopen
from reaffirm.model.history import Change
from reaffirm.model.record import DateOf, Dialect, Record, Status
from reaffirm.site.links import Resolve
from reaffirm.site.page import day, status_badge, verdict_and_kind
from reaffirm.site.prose import not_there
from reaffirm.site.prose_words import words
from reaffirm.site.record_claims import Standings
from reaffirm.site.record_findings import Told
from reaffirm.site.record_history import status_changes
from reaffirm.site.text import UNSEARCHED, admonition, cell, named_table
from reaffirm.site.ways import Ways


@dataclass(frozen=True)
class Others:
    """Records that say that they took the place of one, or that it took theirs, while it says nothing."""

    before: Sequence[Record] = ()
    after: Sequence[Record] = ()


def head(
    record: Record,
    standings: Standings,
    ways: Ways,
    resolve: Resolve,
    *,
    told: Told | None,
    others: Others,
    changes: Sequence[Change],
    today: date,
) -> str:
    """Return what must not be overlooked as boxes, then everything else as a table."""
    rows = list(_rows(record, ways, told, others, changes, today))
    for wish in record.reopen_when:
        stands = standings[record.key, wish.id]
        asks = "Asks to be reopened" if Reopen(record, wish, stands).asks else "Reopen when"
        rows.append((asks, f"{cell(wish.says)}<br>{verdict_and_kind(stands, wish)} {cell(stands.reason)}"))
    if told and record.dialect is not Dialect.MARKDOWN and (links := list(_leads(record, resolve, told))):
        rows.append(("Links", "<br>".join(links)))
    if told and told.source:
        rows.append((f"File {{ {UNSEARCHED} }}", f"{told.source} {{ {UNSEARCHED} }}"))
    about = named_table("Record", record.id, rows)
    return "\n\n".join((*_boxes(record, standings, ways, others, today), about))


def _boxes(record: Record, standings: Standings, ways: Ways, others: Others, today: date) -> Iterator[str]:
    successors = [*map(ways.record, record.superseded_by), *map(ways.named, others.after)]
    if record.status is Status.SUPERSEDED and successors:
        yield admonition("warning", "No longer in force", f"It gave way to {' and '.join(successors)}.")
    asking = [one for one in record.reopen_when if Reopen(record, one, standings[record.key, one.id]).asks]
    if asking:
        lines = [f"-   {cell(one.says)}" for one in asking]
        yield admonition("warning", "This decision asks to be looked at again", "\n".join(lines))
    elif record.review_by is not None and record.review_by < today:
        words_ = f"Somebody wanted to look at this decision again by {day(record.review_by)}."
        yield admonition("warning", "Its review is overdue", words_)


def _rows(
    record: Record, ways: Ways, told: Told | None, others: Others, changes: Sequence[Change], today: date
) -> Iterator[tuple[str, str]]:
    status = status_badge(record)
    as_it_is = record.status in (Status.OTHER, Status.SUPERSEDED)
    as_it_is |= record.status_raw.casefold() == str(record.status)
    if told and record.status_raw and not as_it_is:
        status += f" <small>written: {cell(words(record.status_raw))}</small>"
    yield "Status", status
    if went := status_changes(changes):
        yield "Status, by git", cell(went)
    if record.date_of is DateOf.WRITING:
        yield "Written down", _date(record, told, changes, "the day of writing, not of the decision")
    else:
        yield "Date", _date(record, told, changes)
    for name, people in (
        ("Decided by", record.deciders),
        ("Consulted", record.consulted),
        ("Informed", record.informed),
    ):
        if people:
            yield name, ", ".join(cell(one) for one in people)
    if record.tags:
        yield "Tags", " ".join(f'<span class="rf-tag">{cell(one)}</span>' for one in record.tags)
    for name, ids, more in (
        ("Supersedes", record.supersedes, others.before),
        ("Superseded by", record.superseded_by, others.after),
    ):
        if ids or more:
            yield name, ", ".join((*map(ways.record, ids), *(_as_told(one, ways) for one in more)))
    if record.review_by:
        yield "Review by", f"{day(record.review_by)} <small>{_when(record.review_by, today)}</small>"


def _as_told(other: Record, ways: Ways) -> str:
    return f"{ways.named(other)} <small>as that one says</small>"


def _date(record: Record, told: Told | None, changes: Sequence[Change], note: str = "") -> str:
    """The record's own date; where it has none, what git knows, and that it is git that says so."""
    when, notes = day(record.date), [note] if note else []
    if record.date is None and changes:
        when = f"- <small>first commit {day(changes[-1].when)}</small>"
    if told and record.date_raw and record.date is None:
        when += f" <small>written: {cell(record.date_raw)}</small>"
    elif changes and record.date is not None and changes[0].when.date() > record.date:
        notes.append(f"last changed {day(changes[0].when)}")
    return f"{when} <small>{'; '.join(notes)}</small>" if notes else when


def _when(then: date, today: date) -> str:
    days = (then - today).days
    if days < 0:
        return f"overdue for {-days} day{'' if days == -1 else 's'}"
    if days == 0:
        return "today"
    return f"in {days} day{'' if days == 1 else 's'}"


def _leads(record: Record, resolve: Resolve, told: Told) -> Iterator[str]:
    """The links of a record whose text is shown as it is written."""
    seen: set[tuple[str, str]] = set()
    said = (record.lines.get("superseded_by"), record.lines.get("supersedes"))
    for link in record.links:
        if link.line in said and (record.supersedes or record.superseded_by):
            continue
        shown = cell(link.text or link.target)
        if shown and (link.target, shown) not in seen:
            seen.add((link.target, shown))
            target, missing = resolve(link.target), told.gone(link.target)
            linked = f"[{shown}]({target.replace('|', '%7C')})" if target else shown
            yield linked + (not_there(link.target, missing) if missing else "")
