"""Where no page fits a paste: which pages are near, and what each still wants of the lines. Pure.

A page that is near does not fit, and is never shown as one that does. The box on the site finds the same
ones: whatever is changed here is changed in ``site/static/failures_near.js`` as well.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from packaging.version import Version

from reaffirm.diagnose.known_lines import all_logs
from reaffirm.diagnose.match import Evidence, SearchedLog, Symptoms, searched_logs, version_of
from reaffirm.diagnose.rank import times_seen
from reaffirm.diagnose.stages import stage_book
from reaffirm.model.failure import EngineRange, FailureMode, FailureStatus, LinePattern, Signature

#: Pages that are shown at most.
MOST_NEAR = 6
#: Of a line that begins like a wanted one, as many signs must be the same.
LEAST_ALIKE = 12
#: After a line that more than these follow nobody is silent.
MANY_AFTER = 200


@dataclass(frozen=True)
class Want:
    """What a signature still wants, in words; ``patterns`` are lines of which one would do.

    ``alike`` is how such a line begins that the paste has, and that then goes on otherwise.
    """

    words: str
    patterns: tuple[LinePattern, ...] = ()
    alike: str = ""


@dataclass(frozen=True)
class Near:
    """A page that does not fit: the lines that its signature has, and what it still wants.

    ``close``: it has a line, or is a silence at the very stage where the lines stop.
    """

    mode: FailureMode
    signature: Signature
    evidence: tuple[Evidence, ...]
    wants: tuple[Want, ...]
    close: bool


@dataclass(frozen=True)
class Stop:
    """The furthest stage that every rank has reached, and of each rank the last line that shows it.

    Where some rank shows no stage at all it is that of the one which got furthest, and not of ``all_ranks``.
    ``notes`` tell what to make of such a line. ``went_on``: more than :data:`MANY_AFTER` lines follow one.
    """

    stage: str
    all_ranks: bool = True
    lines: tuple[Evidence, ...] = ()
    notes: tuple[str, ...] = ()
    went_on: bool = False


def nearly(modes: Sequence[FailureMode], seen: Iterable[Symptoms]) -> tuple[Near, ...]:
    """Return the pages that are near: those that lack little first.

    Near is a page of which a signature has a line and lacks at most one thing besides the silence, and one
    that is about the very stage where the lines stop.
    """
    found: dict[str, Near] = {}
    for one in seen:
        asked = _Asked(one)
        for mode in modes:
            for signature in mode.signatures:
                near = asked.near(mode, signature)
                if near and (mode.id not in found or _place(near) < _place(found[mode.id])):
                    found[mode.id] = near
    return tuple(sorted(found.values(), key=_order)[:MOST_NEAR])


def where_they_stop(seen: Sequence[Symptoms]) -> Stop | None:
    """Return where the lines stop, as of the engine by which they get furthest; None before any stage."""
    ids = stage_book().ids
    one = max(seen, key=lambda symptoms: ids.index(_stage(symptoms)))
    return _stop(one) if ids.index(_stage(one)) else None


def _stage(one: Symptoms) -> str:
    """The stage that all ranks have reached; where one shows none, that of the rank which got furthest."""
    return one.stage if one.stage != stage_book().ids[0] else one.furthest


def _stop(one: Symptoms) -> Stop:
    stage, version = _stage(one), version_of(one.version)
    known = stage_book().stage(stage).lines
    lines: list[Evidence] = []
    notes: dict[str, None] = {}
    after: list[bool] = []
    logs = all_logs(one)
    for log in logs:
        for place in range(len(log.lines) - 1, -1, -1):
            text = log.lines[place]
            shown = next((line for line in known if line.matches(one.engine, version, text)), None)
            if shown is not None:
                lines.append(log.line(place))
                if shown.note:
                    notes.setdefault(shown.note)
                after.append(_goes_on(logs, log, place))
                break
    # Of one log with the lines of all ranks in order, what follows the last of these lines counts.
    went_on = all(after) if logs[0].rank.numbers else any(after)
    return Stop(stage, stage == one.stage, tuple(lines), tuple(notes), bool(after) and went_on)


def _goes_on(logs: Sequence[SearchedLog], log: SearchedLog, place: int) -> bool:
    """Whether many lines follow that of a rank: its own, and of all where one log holds all."""
    noise = stage_book().noise
    number = log.rank.numbers[place] if log.rank.numbers else 0
    after = 0
    for other in logs if number else [log]:
        for at in range(len(other.lines) - 1, -1, -1):
            if after > MANY_AFTER or (other.rank.numbers[at] <= number if number else at <= place):
                break
            text = other.lines[at]
            after += bool(text.strip()) and not any(pattern.search(text) for pattern in noise)
    return after > MANY_AFTER


@dataclass
class _Asked:
    """One reading of the lines, which signatures are held against."""

    symptoms: Symptoms
    logs: list[SearchedLog] = field(init=False)
    version: Version | None = field(init=False)
    stop: Stop = field(init=False)

    def __post_init__(self) -> None:
        self.stop = _stop(self.symptoms)
        self.logs = searched_logs(self.symptoms)
        self.version = version_of(self.symptoms.version)

    def near(self, mode: FailureMode, one: Signature) -> Near | None:
        """Return what a signature lacks; None where it is not near, fits, or something speaks against it."""
        if any(log.has(pattern) for log in self.logs for pattern in one.none) or self._is_past(one):
            return None
        held: list[Evidence] = []
        wants = [*self._engine(mode, one)]
        of_another = bool(wants)
        wants += [*self._lines(one, held), *self._end(one)]
        lacking = len(wants)
        wants += self._silence(one)
        stage = one.silence.stage if one.silence else mode.stage
        at_stage = stage == self.stop.stage != stage_book().ids[0] and not of_another
        if not wants or not (at_stage or (held and lacking <= 1)):
            return None
        close = bool(held) or one.silence is not None
        return Near(mode, one, tuple(dict.fromkeys(held)), tuple(wants), close)

    def _is_past(self, one: Signature) -> bool:
        """Whether all ranks went on after the stage of the silence, or one has ended."""
        if one.silence is None:
            return False
        ids = stage_book().ids
        gone = any(log.rank.ended is not None for log in self.logs)
        if gone or one.silence.stage not in ids:
            return True
        if self.stop.went_on and one.silence.stage == self.stop.stage:
            return True
        return ids.index(one.silence.stage) < ids.index(self.symptoms.stage)

    def _engine(self, mode: FailureMode, one: Signature) -> Iterable[Want]:
        for entries in (mode.engines, one.engines):
            if entries and not self._holds(entries):
                ranges = " or ".join(map(str, entries))
                read = f"{self.symptoms.engine} {self.symptoms.version}".rstrip()
                yield Want(f"another engine or version: {ranges}; yours is read as {read}")
                return

    def _holds(self, entries: Iterable[EngineRange]) -> bool:
        return any(entry.holds(self.symptoms.engine, self.version) for entry in entries)

    def _lines(self, one: Signature, held: list[Evidence]) -> Iterable[Want]:
        if one.all:
            best = max(self.logs, key=lambda log: sum(log.has(pattern) for pattern in one.all))
            for pattern in one.all:
                if best.has(pattern):
                    held.append(best.evidence(pattern))
                else:
                    yield self._line((pattern,))
        if one.any:
            hits = [log.evidence(pattern) for log in self.logs for pattern in one.any if log.has(pattern)]
            held += hits
            if not hits:
                yield self._line(one.any)

    def _line(self, patterns: tuple[LinePattern, ...]) -> Want:
        """A line that is not there, and how the line where the paste stops begins like it."""
        alike = ""
        for pattern in patterns:
            for line in self.stop.lines:
                begins = _begins_alike(pattern.literal, line.text)
                if len(begins) > len(alike):
                    alike = begins
        return Want("a line with", patterns, alike)

    def _end(self, one: Signature) -> Iterable[Want]:
        if one.ended and not any(log.rank.ended in one.ended for log in self.logs):
            yield Want(f"a container that ended with status {' or '.join(map(str, one.ended))}")

    def _silence(self, one: Signature) -> Iterable[Want]:
        wanted = one.silence
        if wanted is None:
            return
        if self.symptoms.stage != wanted.stage or self.symptoms.silent < wanted.seconds:
            title = stage_book().stage(wanted.stage).title
            after = f"after every rank has reached “{title}”, and no end"
            told = f"nothing new for {wanted.seconds:g} s {after}"
            if self.symptoms.silent >= wanted.seconds:
                told = (
                    f"lines by which every rank has reached “{title}”, as {self.symptoms.engine} writes them"
                )
            yield Want(told)


def _begins_alike(wanted: str, line: str) -> str:
    """Return the longest beginning of ``wanted`` that the line has; empty where that is short."""
    end = LEAST_ALIKE
    if wanted[:end] not in line:
        return ""
    while end < len(wanted) and wanted[: end + 1] in line:
        end += 1
    return wanted[:end]


def _place(near: Near) -> tuple[bool, int, int]:
    """What is close comes first, then what has a line alike, then what lacks little."""
    return not near.close, -max(len(want.alike) for want in near.wants), len(near.wants)


def _order(near: Near) -> tuple[bool, int, int, bool, int, str]:
    mode = near.mode
    proven = mode.status is FailureStatus.PROVEN
    return (*_place(near), not proven, -times_seen(mode), mode.id)
