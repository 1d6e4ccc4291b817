"""The state of every decision at a glance: numbers, a picture, what asks for a deed, one line each."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reaffirm.claims.board import Board
from reaffirm.model.claim import Standing, Verdict
from reaffirm.model.evidence import Kind
from reaffirm.model.record import Record, Status
from reaffirm.site.evidence_words import evidence_sentence
from reaffirm.site.marks import mark, status_picture, verdict_bar, verdict_picture
from reaffirm.site.page import day, kind_badge, status_badge
from reaffirm.site.page_map import INDEX_URI, STILL_TRUE_URI
from reaffirm.site.page_names import folder_of
from reaffirm.site.prose_words import words
from reaffirm.site.record_label import is_short, label
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

    ``pages`` are those of records by key, ``runs`` the runbook of each published run by the kind of the run,
    ``called`` the names of the folders of records.
    """

    records: Sequence[Record]
    board: Board
    pages: Mapping[str, str]
    runs: Mapping[Kind, Sequence[str]] = field(default_factory=dict)
    called: Mapping[str, str] = field(default_factory=dict)


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
        links = {verdict: f"{STILL_TRUE_URI}#{verdict}" for verdict in Verdict}
        parts.append(verdict_picture(standings, links))
    else:
        parts.append(status_picture(state.records))
    parts.append("\n".join(_news(state)))
    own = _standings(state.board)
    for title, inside in _groups(state, topics):
        rests = evidence_sentence([one for record in inside for one in own.get(record.key, ())])
        parts += [f"### {inline(title)}" if title else "", rests]
        parts.append("\n".join(_lines(inside, own, state.pages)))
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
        due = sum(bool(row.due) for row in state.board.rows)
        told = f"{due} due for a check" if due else "none due for a check"
        figures.append(_figure(len(state.board.rows), "claim", STILL_TRUE_URI, told))
    if total := sum(map(len, state.runs.values())):
        kinds = [_books(kind, ran) for kind in reversed(Kind) if (ran := state.runs.get(kind))]
        figures.append(_figure(total, "published run", "runs/index.md", "<br>".join(kinds)))
    figures.append(f'<span class="rf-figure"><small>As of {day(state.board.today)}</small></span>')
    return f'<span class="rf-figures">{" ".join(figures)}</span>'


def _figure(number: int, noun: str, page: str, told: str) -> str:
    plural = "" if number == 1 else "s"
    small = f" <small>{told}</small>" if told else ""
    return f'<span class="rf-figure">[**{number}** {noun}{plural}]({page}){small}</span>'


def _books(kind: Kind, ran: Sequence[str]) -> str:
    """``1 real: measure_latency``: what was run, so that nobody takes it for something else."""
    names = sorted(set(ran))
    more = f" and {len(names) - _BOOKS} more" if len(names) > _BOOKS else ""
    return f"{len(ran)} {kind}: {', '.join(inline(one) for one in names[:_BOOKS])}{more}"


def _news(state: State) -> Iterator[str]:
    """What asks for a deed: refuted or outdated claims of decisions that hold, reviews, reasons to reopen."""
    news = []
    for wanted in (Verdict.REFUTED, Verdict.STALE):
        for row in state.board.rows:
            if row.standing.verdict is wanted and row.record.status not in PAST:
                page = f"{state.pages[row.record.key]}#claim-{row.claim.id}"
                kind = f" {kind_badge(row.standing.deciding.kind)}" if row.standing.deciding else ""
                text = f"{mark(wanted)} {wanted}: [{inline(row.claim.says)}]({page}){kind}"
                news.append(f"{text} <small>{inline(row.record.id)}</small>")
    for wish in state.board.reopen:
        if wish.asks:
            page = state.pages[wish.record.key]
            asks = f"{inline(wish.record.id)} asks to be reopened: [{inline(wish.claim.says)}]({page})"
            news.append(f"{mark(Verdict.REFUTED)} {asks}")
    for record in state.board.overdue:
        link = f"[{inline(label(record))}]({state.pages[record.key]})"
        news.append(f"{mark(Verdict.STALE)} review overdue since {day(record.review_by)}: {link}")
    if news:
        yield "**What asks to be looked at**\n"
    yield from (f"-   {one}" for one in news[:_NEWS])
    if len(news) > _NEWS:
        yield f"-   [and {len(news) - _NEWS} more]({STILL_TRUE_URI})"


def _standings(board: Board) -> Mapping[str, list[Standing]]:
    own: dict[str, list[Standing]] = {}
    for row in board.rows:
        own.setdefault(row.record.key, []).append(row.standing)
    return own


def _groups(state: State, topics: Sequence[Topic]) -> Iterator[tuple[str, list[Record]]]:
    """Records by topic; without topics by folder, where there is more than one."""
    shown: Sequence[Record] = state.records
    if len(shown) > MOST:
        asking = {
            row.record.key for row in state.board.rows if row.due or row.standing.verdict is Verdict.REFUTED
        }
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


def _lines(
    records: Sequence[Record], own: Mapping[str, list[Standing]], pages: Mapping[str, str]
) -> Iterator[str]:
    """One line for each record, worst news first; those of a kind keep their order."""
    bars = any(record.key in own for record in records)
    for record in sorted(records, key=lambda one: _worst(one, own.get(one.key, ()))):
        name = code(record.id) if is_short(record) else ""
        title = inline(words(record.title)) or inline(record.id)
        bar = verdict_bar(own.get(record.key, ())) or ("" if not bars else '<span class="rf-bar"></span>')
        link = f"[{name} {title}]({pages[record.key]})" if name else f"[{title}]({pages[record.key]})"
        yield f'-   <span class="rf-tile">{link} {status_badge(record)} {bar}</span>'.rstrip()


def _worst(record: Record, standings: Sequence[Standing]) -> int:
    if record.status in PAST:
        return 3
    verdicts = {one.verdict for one in standings}
    if Verdict.REFUTED in verdicts:
        return 0
    return 1 if Verdict.STALE in verdicts else 2
