"""What the last lines of somebody's log look like, when nothing but the lines is known. Pure.

The box on the site for pasting a log does the same in the browser; the two are held against each other by
tests, page by page. So whatever is changed here is changed in ``site/static/failures_match.js`` as well.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from reaffirm.diagnose.known_lines import Foreign, foreign, last_unknown
from reaffirm.diagnose.match import Evidence, Match, RankLog, Symptoms, match
from reaffirm.diagnose.near import Near, Stop, nearly, where_they_stop
from reaffirm.diagnose.rank import Reading, rank
from reaffirm.diagnose.rank_marks import whose
from reaffirm.diagnose.stages import StageTracker, searched, stage_book
from reaffirm.diagnose.wrapped import unwrapped
from reaffirm.model.failure import FailureMode
from reaffirm.model.node import Engine

#: Of a longer paste the last lines are read.
PASTE_LINES = 50_000
#: A container that ended, nobody says with which status.
ENDED_SOMEHOW = -1
#: Nothing new came, nobody says for how long.
SILENT_SOMEHOW = -1.0
#: How a container ends that somebody, a watchdog or the kernel put an end to: it may have been silent before.
KILLED = (ENDED_SOMEHOW, 130, 137, 143)
_SEPARATOR = " | "
#: Whoever said a line, where nothing tells.
_SOMEBODY = "a rank"


@dataclass(frozen=True)
class Paste:
    """Lines of a log, and what is told of them.

    ``engine`` is None where the lines shall tell it. ``silent`` is how long nothing came after them
    (seconds), or :data:`SILENT_SOMEHOW`, and ``ended`` the container's exit status, or
    :data:`ENDED_SOMEHOW`; None: nobody says so.
    """

    text: str
    engine: Engine | None = None
    version: str = ""
    silent: float | None = None
    ended: int | None = None


@dataclass(frozen=True)
class PasteReading:
    """Which pages fit a paste.

    ``fits`` rests on the lines and on what was told. ``perhaps`` are further pages that fit if nothing new
    came after the last line, ``before`` those that would if a container that was killed was silent before
    that. ``symptoms`` are those that were looked at, one for each engine that the lines can be of. Where no
    page fits, ``near`` are those of which little is lacking, or that are about the stage of ``stop``: where
    the lines stop, and by which of them. ``unknown`` are last lines of ranks that no page and no stage knows,
    ``foreign`` those that only another engine writes than the one that was told. ``joined`` are lines that
    were read as one each, because no page fits them apart. ``left_out`` is the number of lines before those
    that were read.
    """

    symptoms: tuple[Symptoms, ...]
    fits: Reading
    perhaps: Reading = field(default_factory=Reading)
    before: Reading = field(default_factory=Reading)
    near: tuple[Near, ...] = ()
    stop: Stop | None = None
    unknown: tuple[Evidence, ...] = ()
    foreign: tuple[Foreign, ...] = ()
    joined: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def fits_nothing(self) -> bool:
        """Whether no page fits, nor would under an assumption."""
        return not (self.fits.pages or self.perhaps.pages or self.before.pages)

    @property
    def contested(self) -> tuple[tuple[Match, Match], ...]:
        """The pairs of rivals that the lines cannot tell apart, under whichever assumption."""
        return (*self.fits.contested, *self.perhaps.contested, *self.before.contested)


@dataclass(frozen=True)
class Logs:
    """Lines by the ranks that said them. ``shared`` are those of which nothing tells whose they are."""

    ranks: tuple[RankLog, ...]
    shared: RankLog | None = None

    @property
    def lines(self) -> Iterator[str]:
        """All lines, rank by rank."""
        for log in (*self.ranks, *([self.shared] if self.shared else [])):
            yield from log.lines


def read_paste(modes: Sequence[FailureMode], paste: Paste) -> PasteReading:
    """Return which pages fit the lines; where none does, which fit once broken lines are one again."""
    lines = lines_of(paste.text)
    left_out = max(len(lines) - PASTE_LINES, 0)
    last = lines[left_out:]
    reading = _read(modes, logs_of(last), paste)
    if reading.fits_nothing:
        names = [line.partition(_SEPARATOR)[0] + _SEPARATOR for line in last] if _named(last) else []
        whole, joined = unwrapped(modes, last, names)
        if joined:
            reading = replace(_read(modes, logs_of(whole), paste), joined=joined)
    return replace(reading, left_out=left_out)


def _read(modes: Sequence[FailureMode], logs: Logs, paste: Paste) -> PasteReading:
    engines = (paste.engine,) if paste.engine else engines_of(logs)
    told = paste.silent == SILENT_SOMEHOW
    silent = 0.0 if told else paste.silent or 0.0
    seen = tuple(
        replace(symptoms(logs, engine, paste.version, silent=silent, ended=paste.ended), told=told)
        for engine in engines
    )
    fits = rank(_best(modes, seen))
    others = [mode for mode in modes if mode.id not in fits.pages]
    perhaps, before = Reading(), Reading()
    if paste.ended is None and (paste.silent is None or told):
        perhaps = rank(_best(others, [replace(one, silent=inf) for one in seen]))
    elif paste.ended in KILLED:
        before = rank(_best(others, [_as_if_silent(one) for one in seen]))
    nothing = not (fits.pages or perhaps.pages)
    rest = [mode for mode in others if mode.id not in before.pages]
    return PasteReading(
        seen,
        fits,
        perhaps,
        before,
        nearly(rest, seen) if nothing else (),
        where_they_stop(seen) if nothing else None,
        last_unknown(modes, seen[0]),
        foreign(seen[0]) if nothing and paste.engine else (),
    )


def _as_if_silent(one: Symptoms) -> Symptoms:
    """The lines of a container that was killed, as they were seen before that, if nothing new came."""
    going = tuple(replace(log, ended=None) for log in one.ranks)
    return replace(one, ranks=going, silent=inf, told=False)


def lines_of(text: str) -> list[str]:
    """Return the lines of a paste; a lone carriage return ends a line, as in a browser's text field."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return text.split("\n") if text else []


def logs_of(lines: Sequence[str]) -> Logs:
    """Return the lines of each rank.

    Ranks are told apart by names that stand before `` | `` on every line, and then counted each from 1; else
    by what the engines put before a line (``TP0``, ``Worker_TP1``, ``[rank1]:``, a worker of Ray).
    """
    if named := _named(lines):
        return Logs(tuple(RankLog(name, said) for name, said in named.items()))
    places: dict[str, list[int]] = {}
    for place, name in enumerate(whose(lines)):
        places.setdefault(name, []).append(place)
    anybody = places.pop("", [])
    if not places:
        return Logs((RankLog(_SOMEBODY, tuple(lines)),))
    found = {name: _some(name, lines, at) for name, at in places.items()}
    shared = _some(_SOMEBODY, lines, anybody) if anybody else None
    return Logs(tuple(found.values()), shared)


def _some(name: str, lines: Sequence[str], places: Sequence[int]) -> RankLog:
    numbers = tuple(place + 1 for place in places)
    return RankLog(name, tuple(lines[place] for place in places), numbers=numbers)


def _named(lines: Sequence[str]) -> dict[str, list[str]]:
    """Return lines by the name before `` | ``; nothing unless each line has one."""
    ranks: dict[str, list[str]] = {}
    for line in lines:
        node, found, text = line.partition(_SEPARATOR)
        name = node.strip(" ")
        if not found or not name or " " in name:
            if not line.strip(" "):
                continue
            return {}
        ranks.setdefault(name, []).append(text)
    return ranks


def engines_of(logs: Logs) -> tuple[Engine, ...]:
    """Return the engine of which there is a line that only it prints; all, where that is not one."""
    book = stage_book()
    patterns = [line for stage in book.stages for line in stage.lines] + list(book.versions)
    lines = [searched(line) for line in logs.lines]
    told = tuple(
        engine
        for engine in Engine
        if any(one.pattern.search(line) for one in patterns if one.engine == engine.value for line in lines)
    )
    return told if len(told) == 1 else tuple(Engine)


def symptoms(logs: Logs, engine: Engine, version: str, *, silent: float, ended: int | None) -> Symptoms:
    """Return lines as the symptoms of a launch. ``ended`` is the status of the rank that is named last."""
    common = _followed(logs.shared.lines if logs.shared else (), engine, version)
    trackers = [_followed(log.lines, engine, common.version) for log in logs.ranks]
    places = [max(tracker.position, common.position) for tracker in trackers]
    told = next((tracker.version for tracker in (common, *trackers) if tracker.version), "")
    ranks = (*logs.ranks[:-1], replace(logs.ranks[-1], ended=ended))
    stage, furthest = (stage_book().ids[place] for place in (min(places), max(places)))
    return Symptoms(engine, told, ranks, stage, silent, logs.shared, len(ranks) == 1, furthest)


def _followed(lines: Iterable[str], engine: Engine, version: str) -> StageTracker:
    tracker = StageTracker(engine, version)
    tracker.start(0.0)
    for line in lines:
        tracker.feed(line, 0.0)
    return tracker


def _best(modes: Sequence[FailureMode], seen: Iterable[Symptoms]) -> list[Match]:
    """Return each page that fits one of the readings, with the match of which most holds."""
    found: dict[str, Match] = {}
    for one in seen:
        for fit in match(modes, one):
            if fit.mode.id not in found or fit.parts > found[fit.mode.id].parts:
                found[fit.mode.id] = fit
    return [found[mode.id] for mode in modes if mode.id in found]
