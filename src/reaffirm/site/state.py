"""The state of every decision at a glance: numbers, a picture, what asks for a deed, one line each."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reaffirm.claims.board import Board, Row
from reaffirm.model.claim import Claim, ClaimKind, Expected, Result, Standing, Verdict
from reaffirm.model.evidence import Kind
from reaffirm.model.record import Record, Status
from reaffirm.site.evidence_words import evidence_sentence
from reaffirm.site.marks import Sign, mark, sign_of, status_picture, verdict_bar, verdict_picture
from reaffirm.site.page import anchor, day, kind_badge, status_badge
from reaffirm.site.page_map import INDEX_URI, STILL_TRUE_URI
from reaffirm.site.page_names import folder_of
from reaffirm.site.prose_words import words
from reaffirm.site.record_label import is_short, label
from reaffirm.site.run_places import Places
from reaffirm.site.text import code, inline

#: So many records have a line each; of more there are the newest, and those that ask for something.
MOST = 200
_NEWEST = 20
_NEWS = 6
# So many runbooks of a kind are named in the headline.
_BOOKS = 8
#: Statuses of decisions that hold no more: what is refuted of them is no news.
PAST = (Status.SUPERSEDED, Status.REJECTED, Status.DEPRECATED)
_MARKER = re.compile(r"<!--\s*reaffirm:\s*state\b(?P<lines>.*?)-->(?:.*?<!--\s*/reaffirm\s*-->)?", re.DOTALL)


@dataclass(frozen=True)
class Topic:
    """Records that stand together: those with one of the tags; without tags all that no other topic has."""

    title: str
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True)
class State:
    """What the overview is made of.

    ``pages`` are those of records by key, ``runs`` the runbook of each published run by the kind of the run
    and where it was (empty: as the kind says), ``called`` the names of the folders of records, ``at_home``
    where real runs were that asked no other machine, ``elsewhere`` by key the claims of other records that
    the text of a record names.
    """

    records: Sequence[Record]
    board: Board
    pages: Mapping[str, str]
    runs: Mapping[tuple[Kind, str], Sequence[str]] = field(default_factory=dict)
    called: Mapping[str, str] = field(default_factory=dict)
    at_home: Places = field(default_factory=dict)
    elsewhere: Mapping[str, Sequence[tuple[Record, Claim]]] = field(default_factory=dict)


def with_state(markdown: str, state: State) -> str:
    """Put the overview into a page somebody wrote, where its marker stands.

    ::

        <!-- reaffirm: state
        The story: *
        This tool itself: tooling, site
        -->
        What a reader of the file sees instead.
        <!-- /reaffirm -->

    The lines are topics and their tags; ``*`` is what is left.
    """
    return _MARKER.sub(lambda found: overview(state, _topics(found["lines"])), markdown, count=1)


def overview(state: State, topics: Sequence[Topic] = ()) -> str:
    """Return the overview as Markdown for a page at the top of the site."""
    if not state.records:
        return "There are no records yet. `reaffirm new record` makes one."
    parts = [_figures(state)]
    standings = [row.standing for row in state.board.rows]
    if standings:
        links = {sign: f"{STILL_TRUE_URI}#{sign}" for sign in Sign}
        parts.append(verdict_picture(standings, links))
    else:
        parts.append(status_picture(state.records))
    parts.append("\n".join(_news(state)))
    own = _standings(state.board)
    for title, inside in _groups(state, topics):
        rests = evidence_sentence(
            [one for record in inside for one in own.get(record.key, ())], state.at_home
        )
        parts += [f"### {inline(title)}" if title else "", rests]
        parts.append("\n".join(_lines(inside, own, state)))
    if len(state.records) > MOST:
        parts.append(f"[All {len(state.records)} decisions]({INDEX_URI})")
    return "\n\n".join(part for part in parts if part)


def _topics(lines: str) -> list[Topic]:
    topics = []
    for line in lines.strip(" ;\n").split("\n"):
        title, mark_, tags = line.rpartition(":")
        if mark_ and title.strip():
            names = [one.strip() for one in tags.split(",")]
            topics.append(Topic(title.strip(), frozenset(one for one in names if one not in ("", "*"))))
    return topics


def _figures(state: State) -> str:
    """The numbers of the headline; each leads to what it counts."""
    statuses = Counter(record.status for record in state.records)
    counted = ", ".join(
        f"{statuses[one]} {one}" for one in Status if statuses[one] and one is not Status.OTHER
    )
    figures = [_figure(len(state.records), "decision", INDEX_URI, counted)]
    if state.board.rows:
        told = "<br>".join(_asking(state.board))
        figures.append(_figure(len(state.board.rows), "claim", STILL_TRUE_URI, told))
    if total := sum(map(len, state.runs.values())):
        order = sorted(state.runs, key=lambda one: (-one[0].weight, one[1]))
        kinds = [_books(one, state.runs[one]) for one in order]
        figures.append(_figure(total, "published run", "runs/index.md", "<br>".join(kinds)))
    figures.append(f'<span class="rf-figure"><small>As of {day(state.board.today)}</small></span>')
    return f'<span class="rf-figures">{" ".join(figures)}</span>'


def _figure(number: int, noun: str, page: str, told: str) -> str:
    plural = "" if number == 1 else "s"
    small = f" <small>{told}</small>" if told else ""
    return f'<span class="rf-figure">[**{number}** {noun}{plural}]({page}){small}</span>'


def _asking(board: Board) -> Iterator[str]:
    """How many checks are due; that none is says nothing of what they found, so that stands beside it."""
    due = sum(bool(row.due) for row in board.rows)
    yield f"{due} due for a check" if due else "no check is due"
    against = sum(row.standing.against and row.record.status not in PAST for row in board.rows)
    yield f"{against or 'none'} known to speak against {'its' if against == 1 else 'a'} decision"


def _books(where: tuple[Kind, str], ran: Sequence[str]) -> str:
    """``1 real: measure_latency``: what was run, and where, so that nobody takes it for something else."""
    kind, place = where
    names = sorted(set(ran))
    more = f" and {len(names) - _BOOKS} more" if len(names) > _BOOKS else ""
    shown = ", ".join(inline(one) for one in names[:_BOOKS])
    return f"{len(ran)} {kind}{f', {place}' if place else ''}: {shown}{more}"


def _news(state: State) -> Iterator[str]:
    """What asks for a deed: refuted or outdated claims of decisions that hold, reviews, reasons to reopen."""
    news = []
    for sign in (Sign.REFUTED, Sign.AGAINST, Sign.STALE):
        for row in state.board.rows:
            if sign_of(row.standing) is sign and row.record.status not in PAST:
                news.append(_piece(row, state, sign.words))
    for wish in state.board.reopen:
        if wish.asks:
            page = state.pages[wish.record.key]
            asks = f"{inline(wish.record.id)} asks to be reopened: [{inline(wish.claim.says)}]({page})"
            news.append(f"{mark(Sign.REFUTED)} {asks}")
    for record in state.board.overdue:
        link = f"[{inline(label(record))}]({state.pages[record.key]})"
        news.append(f"{mark(Sign.STALE)} review overdue since {day(record.review_by)}: {link}")
    if news:
        yield "**What asks to be looked at**\n"
    yield from (f"-   {one}" for one in news[:_NEWS])
    if len(news) > _NEWS:
        yield f"-   [and {len(news) - _NEWS} more]({STILL_TRUE_URI})"
    if failed := list(_failed(state)):
        yield "\n**Rehearsed, and failed**: that decides nothing, and is worth knowing\n"
        yield from (f"-   {one}" for one in failed[:_NEWS])
        if len(failed) > _NEWS:
            yield f"-   [and {len(failed) - _NEWS} more]({STILL_TRUE_URI}#{Sign.REHEARSED})"


def _piece(row: Row, state: State, words_: str) -> str:
    """One claim of the news: its verdict, the sentence, the kind of the evidence, its record."""
    page = f"{state.pages[row.record.key]}#{anchor(row.claim)}"
    kind = f" {kind_badge(row.standing.deciding.kind)}" if row.standing.deciding else ""
    text = f"{mark(sign_of(row.standing))} {words_}: [{inline(row.claim.says)}]({page}){kind}"
    return f"{text} <small>{inline(row.record.id)}</small>"


def _failed(state: State) -> Iterator[str]:
    """Claims whose rehearsal failed, of decisions that hold or named by one that does; of a cause none."""
    holding = [record for record in state.records if record.status not in PAST]
    naming: dict[tuple[str, str], list[str]] = {}
    for record in holding:
        for other, claim in state.elsewhere.get(record.key, ()):
            naming.setdefault((other.key, claim.id), []).append(record.id)
    for row in state.board.rows:
        by = naming.get((row.record.key, row.claim.id), [])
        stands = row.standing
        rehearsed = stands.verdict is Verdict.REHEARSED and stands.result is Result.FAILED
        if not rehearsed or row.claim.kind is ClaimKind.HYPOTHESIS:
            continue
        if row.claim.expected is Expected.REFUTED or (row.record.status in PAST and not by):
            continue
        named = f"<small>; {inline(', '.join(by))} rests on it too</small>" if by else ""
        yield _piece(row, state, str(stands)) + named


def _standings(board: Board) -> Mapping[str, list[Standing]]:
    own: dict[str, list[Standing]] = {}
    for row in board.rows:
        own.setdefault(row.record.key, []).append(row.standing)
    return own


def _groups(state: State, topics: Sequence[Topic]) -> Iterator[tuple[str, list[Record]]]:
    """Records by topic; without topics by folder, where there is more than one."""
    shown: Sequence[Record] = state.records
    if len(shown) > MOST:
        asking = {row.record.key for row in state.board.rows if row.due or row.standing.against}
        dated = sorted(shown, key=lambda one: (day(one.date) if one.date else "", one.key))[-_NEWEST:]
        newest = {one.key for one in dated}
        shown = [one for one in shown if one.key in newest or one.key in asking][: 2 * _NEWEST]
        topics = topics or [Topic("The newest, and what asks to be looked at")]
    groups: dict[str, list[Record]] = {}
    if topics:
        groups = {topic.title: [] for topic in topics}
        rest = next((topic.title for topic in topics if not topic.tags), "Others")
        for record in shown:
            found = next((one.title for one in topics if one.tags.intersection(record.tags)), rest)
            groups.setdefault(found, []).append(record)
    else:
        for record in shown:
            folder = folder_of(record)
            several = len(state.called) > 1
            groups.setdefault(state.called.get(folder) or folder if several else "", []).append(record)
    yield from ((title, inside) for title, inside in groups.items() if inside)


def _lines(records: Sequence[Record], own: Mapping[str, list[Standing]], state: State) -> Iterator[str]:
    """One line for each record, worst news first; those of a kind keep their order."""
    pages = state.pages
    where = {(row.record.key, row.claim.id): row.standing for row in state.board.rows}
    bars = any(record.key in own for record in records)
    for record in sorted(records, key=lambda one: _worst(one, own.get(one.key, ()))):
        name = code(record.id) if is_short(record) else ""
        title = inline(words(record.title)) or inline(record.id)
        bar = verdict_bar(own.get(record.key, ())) or ("" if not bars else '<span class="rf-bar"></span>')
        link = f"[{name} {title}]({pages[record.key]})" if name else f"[{title}]({pages[record.key]})"
        also = _also(
            [
                where[key]
                for one, claim in state.elsewhere.get(record.key, ())
                if (key := (one.key, claim.id)) in where
            ]
        )
        yield f'-   <span class="rf-tile">{link} {status_badge(record)} {bar}{also}</span>'.rstrip()


def _also(standings: Sequence[Standing]) -> str:
    """The claims of other records that one rests on as well."""
    if not standings:
        return ""
    claims = f"{len(standings)} claim{'' if len(standings) == 1 else 's'}"
    return f' <small class="rf-also">rests also on {claims} of other records {verdict_bar(standings)}</small>'


def _worst(record: Record, standings: Sequence[Standing]) -> int:
    if record.status in PAST:
        return 3
    if any(one.against for one in standings):
        return 0
    return 1 if any(one.verdict is Verdict.STALE for one in standings) else 2
