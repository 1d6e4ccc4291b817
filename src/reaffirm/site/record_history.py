"""What git tells of a record, folded: whoever reads a decision need not read it."""

from collections.abc import Sequence

from reaffirm.model.history import Change
from reaffirm.site.page import day
from reaffirm.site.text import UNSEARCHED, admonition, cell, code, inline, table

_MOST = 20
_SHOWN = 8


def history_box(changes: Sequence[Change], missing: str, commits: str = "") -> str:
    """Return the changes of a record, newest first.

    Args:
        changes: what git tells.
        missing: why it tells nothing; empty where it was asked.
        commits: the address below which a commit can be read, with its slash; empty: they are not linked.
    """
    if not changes:
        why = f"No history: {missing}." if missing else "No history: this file is in no commit yet."
        return f"<small {UNSEARCHED}>{inline(why)}</small>"
    rows: list[tuple[str, ...]] = []
    for one in changes[:_MOST]:
        name = code(one.commit[:8])
        link = f"[{name}]({commits}{one.commit})" if commits else name
        rows.append((f'<span class="rf-nowrap">{day(one.when)}</span>', link, _what(one)))
    more = len(changes) - _MOST
    body = table(("Date", "Commit", "What"), rows)
    if more > 0:
        body += f"\n\nand {more} earlier change{'' if more == 1 else 's'}"
    count = f"{len(changes)} change{'' if len(changes) == 1 else 's'}"
    first, last = day(changes[-1].when), day(changes[0].when)
    title = f"History: {count}, {f'from {first} to {last}' if first != last else f'on {last}'}"
    return admonition("quote", title, body, folded=True)


def status_changes(changes: Sequence[Change]) -> str:
    """Return how the status went, oldest first: ``proposed (2026-01-02) → accepted (2026-02-03)``."""
    told = [one for one in reversed(changes) if one.status is not None and one.status is not one.before]
    if len(told) < 2:
        return ""
    return " → ".join(f"{one.status} ({day(one.when)})" for one in told[-_SHOWN:])


def _what(one: Change) -> str:
    parts = [cell(one.subject)]
    if one.created:
        parts.append(f"<small>first version{f', {one.status}' if one.status else ''}</small>")
    elif one.status is not None and one.status is not one.before:
        was = f"{one.before} → " if one.before else ""
        parts.append(f"<strong>{was}{one.status}</strong>")
    if one.moved_from:
        parts.append(f"<small>was {code(one.moved_from)}</small>")
    return "<br>".join(parts)
