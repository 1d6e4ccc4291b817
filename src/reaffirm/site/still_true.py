"""Still true? Where every claim stands, what is due, what changed lately, and how to run each check again."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, timedelta

from reaffirm.claims.board import Board, Row
from reaffirm.model.claim import ClaimKind, Verdict
from reaffirm.model.record import Record
from reaffirm.site.check_again import PUBLISHING, how_to_run, own_machines
from reaffirm.site.feed import Entry
from reaffirm.site.marks import MEANS, ORDER, Sign, counted, mark, sign_of, verdict_picture
from reaffirm.site.page import SitePage, anchor, day, verdict_and_kind
from reaffirm.site.page_map import STILL_TRUE_URI
from reaffirm.site.record_label import label
from reaffirm.site.rehearsals import rehearsed_remark
from reaffirm.site.seen_values import seen_in_range
from reaffirm.site.state import PAST
from reaffirm.site.text import admonition, cell, code, front_matter, inline, raw, table
from reaffirm.site.ways import MACHINES, Ways

#: What is due within so many days is due soon.
SOON = 30
_LATELY = 15
# So many of them are seen at once.
_FIRST = 5
_TITLE = "Still true?"


def still_true_page(
    board: Board,
    ways: Ways,
    changes: Sequence[Entry] = (),
    *,
    later: int = 0,
    introduction: str = "",
) -> SitePage | None:
    """Return the page; None for a site without claims and without anything else that can be due.

    Args:
        board: where everything stands.
        ways: what can be reached from the page.
        changes: what changed, newest first.
        later: how many runs are dated after the day of the board.
        introduction: Markdown that goes before everything else.
    """
    if not board.rows and not board.reopen and not board.overdue:
        return None
    head = f"As of {day(board.today)}." + _later(later)
    head += " [What changed lately](#lately)." if changes else ""
    parts = [front_matter(_TITLE) + f"\n# {_TITLE}", introduction, f"{_count(board)} {head}"]
    if board.rows:
        links = {sign: f"#{sign}" for sign in ORDER}
        parts.append(verdict_picture([row.standing for row in board.rows], links))
    parts += ["## What asks to be looked at { #due }", *_due(board, ways)]
    if board.rows:
        parts += _by_verdict(board, ways)
    if changes:
        parts += ["## What changed lately { #lately }", *_lately(changes, ways)]
    return SitePage(STILL_TRUE_URI, _TITLE, "\n\n".join(part for part in parts if part) + "\n")


def _later(number: int) -> str:
    if not number:
        return ""
    runs = "1 run is" if number == 1 else f"{number} runs are"
    return f" {runs} dated after that day and count for nothing here."


def _count(board: Board) -> str:
    counts = counted(row.standing for row in board.rows)
    told = ", ".join(f"{number} {sign.words}" for sign, number in counts)
    return f"{len(board.rows)} claim{'' if len(board.rows) == 1 else 's'}{': ' if told else ''}{told}."


def _due(board: Board, ways: Ways) -> Iterator[str]:
    """What asks for a deed now, and what will within a month."""
    rows: list[tuple[str, ...]] = []
    for row in board.rows:
        if row.standing.against and row.record.status not in PAST:
            sign = sign_of(row.standing)
            rows.append((f"{mark(sign)} {sign.words}: look at the decision again", *_claim(row, ways)))
    rows += [(cell(row.due), *_claim(row, ways)) for row in board.rows if row.due]
    for wish in board.reopen:
        if wish.asks:
            why = f"{mark(Sign.REFUTED)} asks to be reopened"
            shown = f"{ways.named(wish.record)}<br><small>{cell(wish.claim.says)}</small>"
            rows.append((why, shown, ways.run(wish.standing.deciding) if wish.standing.deciding else "-"))
    for record in board.overdue:
        rows.append((f"review by {day(record.review_by)}", ways.named(record), "read it again"))
    if rows:
        yield "**Now**"
        yield table(("Why", "What", "What to do"), rows)
    soon = sorted(_soon(board), key=lambda pair: (pair[0], pair[1].record.key, pair[1].claim.id))
    reviews = [one for one in _records(board) if _within(one.review_by, board.today)]
    if soon or reviews:
        yield f"**Within {SOON} days**"
        yield table(
            ("By", "What", "What to do"),
            [(day(by), *_claim(row, ways)) for by, row in soon]
            + [(day(one.review_by), ways.named(one), "review it") for one in reviews],
        )
    if not rows and not soon and not reviews:
        again = [by for row in board.rows if (by := row.again) is not None]
        after = f"; the first is due by {day(min(again))}" if again else ""
        yield f"No check is due within {SOON} days{after}." + _found(board)


def _found(board: Board) -> str:
    """That nothing is due is about dates; what the checks found stands beside it."""
    counts = dict(counted(row.standing for row in board.rows))
    told = [
        f"[{counts[sign]} {sign.words}](#{sign})"
        for sign in (Sign.REFUTED, Sign.AGAINST, Sign.UNKNOWN, Sign.REHEARSED, Sign.AS_EXPECTED)
        if sign in counts
    ]
    against = any(row.standing.against for row in board.rows)
    clear = "" if against else " No claim that was decided speaks against its decision."
    return (f" What the checks found is another matter: {', '.join(told)}." if told else "") + clear


def _records(board: Board) -> list[Record]:
    """Return each record of the board once."""
    known = {row.record.key: row.record for row in board.rows}
    known |= {one.record.key: one.record for one in board.reopen}
    return list(known.values())


def _within(when: date | None, today: date) -> bool:
    return when is not None and today <= when <= today + timedelta(days=SOON)


def _soon(board: Board) -> Iterator[tuple[date, Row]]:
    for row in board.rows:
        if not row.due and row.again is not None and _within(row.again, board.today):
            yield row.again, row


def _claim(row: Row, ways: Ways) -> tuple[str, str]:
    page = ways.to(ways.records[row.record.key])
    said = f"[{cell(row.claim.says)}]({page}#{anchor(row.claim)})<br><small>{_name(row.record)}</small>"
    return said, _command(row, ways)


def _name(record: Record) -> str:
    return cell(label(record))


def _command(row: Row, ways: Ways) -> str:
    page = ways.to(ways.records[row.record.key])
    return how_to_run(row.record, row.claim, row.standing, ways, page=page)


def _lately(changes: Sequence[Entry], ways: Ways) -> Iterator[str]:
    """The newest changes by day and time: verdicts before the runs that they follow from, days alone last."""
    found = sorted(
        changes[:_LATELY],
        key=lambda one: (
            -one.when.toordinal(),
            not one.timed,
            -one.when.timestamp(),
            one.key.startswith("run:"),
        ),
    )
    yield from _days(found[:_FIRST], ways)
    if rest := found[_FIRST:]:
        title = f"{len(rest)} earlier change{'' if len(rest) == 1 else 's'}"
        yield admonition("quote", title, "\n\n".join(_days(rest, ways)), folded=True)


def _days(changes: Sequence[Entry], ways: Ways) -> Iterator[str]:
    days: dict[str, list[Entry]] = {}
    for one in changes:
        days.setdefault(day(one.when), []).append(one)
    for when, found in days.items():
        yield f"**{when}**"
        yield "\n".join(f"-   {_clock(one)}[{inline(one.title)}]({_page(one, ways)})" for one in found)


def _clock(one: Entry) -> str:
    return f'<span class="rf-nowrap">{one.when.astimezone(UTC):%H:%M:%S} UTC</span> ' if one.timed else ""


def _page(one: Entry, ways: Ways) -> str:
    path, mark_, part = one.page.partition("#")
    return f"{ways.to(path)}{mark_}{part}"


def _by_verdict(board: Board, ways: Ways) -> Iterator[str]:
    """A table for each verdict, worst news first."""
    yield "## Every claim { #claims }"
    yield '<div data-rf-filter="claim"></div>'
    if any(own_machines(ways.recheck(row.record, row.claim, row.standing)) for row in board.rows):
        yield (
            f"{code(MACHINES)} in a command is the machine file of your own machines, "
            f"{code(f'runbooks/nodes/{MACHINES}.toml')}; name or path of another will do. Read on the "
            "page of the runbook what it needs there, what it changes and what it leaves running, before you "
            f"run it. {PUBLISHING}"
        )
    groups: dict[Sign, list[Row]] = {}
    for row in board.rows:
        groups.setdefault(sign_of(row.standing), []).append(row)
    for sign in ORDER:
        if sign in groups:
            head = sign.words[0].upper() + sign.words[1:]
            yield f"### {head} {{ #{sign} }}"
            number = len(groups[sign])
            claims = f"<span data-rf-count>{number} claim{'' if number == 1 else 's'}</span>"
            yield f"{mark(sign)} {claims}: {MEANS[sign]}."
            yield _table(sign, groups[sign], ways)


def _table(sign: Sign, rows: Sequence[Row], ways: Ways) -> str:
    if sign is Sign.TOLD:
        return table(("Claim", "Told by"), [(_said(row, ways), _told(row, ways)) for row in rows])
    return table(("Claim", "Evidence"), [(_said(row, ways), _decided(row, ways)) for row in rows])


def _decided(row: Row, ways: Ways) -> str:
    """The verdict with its kind, day and run; why, where that is no good news; and what a reader must see."""
    stands = row.standing
    lines = [verdict_and_kind(stands, row.claim)]
    if one := stands.deciding:
        lines.append(f'<span class="rf-nowrap">{day(one.started)}</span>, run {ways.run(one)}')
    if stands.verdict is not Verdict.AFFIRMED:
        lines.append(f"<small>{cell(stands.reason)}</small>")
    if remark := rehearsed_remark(row.claim, stands) or seen_in_range(row.claim, stands):
        lines.append(f"<small>{remark}</small>")
    for beside in stands.beside:
        when = f"{beside.kind} {day(beside.started)}"
        lines.append(f"<small>{beside.result} beside it: {when}, run {ways.run(beside)}</small>")
    if stands.deciding and stands.deciding.changed and stands.verdict is not Verdict.STALE:
        lines.append(f"<small>changed since: {cell(stands.deciding.changed)}</small>")
    if row.again:
        lines.append(f"<small>to be checked again by {day(row.again)}</small>")
    return "<br>".join(lines)


def _told(row: Row, ways: Ways) -> str:
    check = row.claim.check
    told = cell(row.claim.told_by) or "nobody is named"
    return f"{told}<br><small>its check never ran: {ways.runbook(check.runbook)}</small>" if check else told


def _said(row: Row, ways: Ways) -> str:
    """The sentence, the record that says it, and the command that checks it again."""
    word = "Hypothesis: " if row.claim.kind is ClaimKind.HYPOTHESIS else ""
    needs = f", needs {row.claim.needs}" if row.claim.check else ""
    page = ways.to(ways.records[row.record.key])
    link = f"[{cell(row.claim.says)}]({page}#{anchor(row.claim)})"
    said = f"<span {_facets(row)}>{word}{link}</span><br><small>{_name(row.record)}{needs}</small>"
    command = _command(row, ways)
    return f"{said}<br>{command}" if command else said


def _facets(row: Row) -> str:
    """What a row can be filtered by."""
    facets: Mapping[str, Sequence[str]] = {
        "verdict": [sign_of(row.standing).words],
        "kind": [str(row.standing.deciding.kind)] if row.standing.deciding else ["no evidence"],
        "needs": [str(row.claim.needs)] if row.claim.check else ["no check"],
        "tag": list(row.record.tags),
        "decision": [label(row.record)],
    }
    words = "".join(
        f' data-rf-{name}="{"&#10;".join(map(raw, values))}"' for name, values in facets.items() if values
    )
    return f'class="rf-row" data-rf-row{words}'
