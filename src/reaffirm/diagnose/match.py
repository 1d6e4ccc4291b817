"""Which failure pages fit the logs of a launch, and by which lines. Pure: logs and pages in, matches out.

A match says that a log looks like a page; it proves no cause. Each line is searched up to a fixed length and
each pattern stops at its first hit on a rank, so the time is linear in the number of lines.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isinf

from packaging.version import InvalidVersion, Version

from reaffirm.diagnose.stages import searched, stage_book
from reaffirm.model.failure import FailureMode, LinePattern, Signature
from reaffirm.model.node import Engine

_ASSUMED = "assumed, nobody said so"


@dataclass(frozen=True)
class RankLog:
    """What one rank said, in order. ``ended`` is its container's exit status; None while it runs.

    ``numbers`` are those of the lines where they are not counted from 1 without a gap.
    """

    node: str
    lines: Sequence[str]
    ended: int | None = None
    numbers: Sequence[int] = ()


@dataclass(frozen=True)
class Symptoms:
    """What is known of a launch.

    ``stage`` is the furthest one that every rank has reached, ``silent`` the seconds since any rank said
    something new; infinity where nobody looked, and the question is what would fit. ``version`` is the
    engine's; empty where nobody knows it. ``shared`` are lines of which nobody knows which rank said them:
    they count for each. ``alone``: these are the lines of one rank, and what another one says is not known.
    ``furthest`` is the stage of the rank that got furthest, where somebody asks for it. ``told``:
    somebody said that nothing new came, and not for how long.
    """

    engine: Engine
    version: str
    ranks: tuple[RankLog, ...]
    stage: str = ""
    silent: float = 0.0
    shared: RankLog | None = None
    alone: bool = False
    furthest: str = ""
    told: bool = False


@dataclass(frozen=True)
class Evidence:
    """Why a page fits: a line of a node's log, counted from 1, or, with number 0, something seen."""

    node: str
    number: int
    text: str


@dataclass(frozen=True)
class Match:
    """A page that fits, the signature that does, and what shows it."""

    mode: FailureMode
    signature: Signature
    evidence: tuple[Evidence, ...]

    @property
    def parts(self) -> int:
        """How many conditions of the signature hold: the more, the less it fits by chance."""
        found = self.signature
        return len(found.all) + bool(found.any) + bool(found.silence) + bool(found.ended)


def match(modes: Iterable[FailureMode], symptoms: Symptoms) -> tuple[Match, ...]:
    """Return each mode of which a signature fits, in the order given, with its most telling signature."""
    logs = searched_logs(symptoms)
    version = version_of(symptoms.version)
    found = []
    for mode in modes:
        if not any(entry.holds(symptoms.engine, version) for entry in mode.engines):
            continue
        fits = [
            Match(mode, signature, evidence)
            for signature in mode.signatures
            if (evidence := _evidence(signature, symptoms, version, logs)) is not None
        ]
        if fits:
            found.append(max(fits, key=lambda one: one.parts))
    return tuple(found)


def searched_logs(symptoms: Symptoms) -> list["SearchedLog"]:
    """Return the logs of the ranks, ready to be searched."""
    shared = SearchedLog(symptoms.shared) if symptoms.shared else None
    return [SearchedLog(rank, shared) for rank in symptoms.ranks]


@dataclass
class SearchedLog:
    """One rank's log, cut to what is searched, with what was found in it, and in lines that are anybody's."""

    rank: RankLog
    shared: "SearchedLog | None" = None
    lines: list[str] = field(init=False)
    _whole: str = field(init=False)
    _hits: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines = [searched(line) for line in self.rank.lines]
        self._whole = "\n".join(self.lines)

    def has(self, pattern: LinePattern) -> bool:
        """Whether the pattern is found in what the rank said, or may have said."""
        return bool(self._first(pattern) or (self.shared and self.shared.has(pattern)))

    def _first(self, pattern: LinePattern) -> int:
        """Return the place of the first line that the pattern is found in, from 1; 0: in none."""
        if pattern.text not in self._hits:
            self._hits[pattern.text] = self._search(pattern)
        return self._hits[pattern.text]

    def _search(self, pattern: LinePattern) -> int:
        if pattern.literal not in self._whole:
            return 0
        return next((n for n, line in enumerate(self.lines, 1) if pattern.search(line)), 0)

    def evidence(self, pattern: LinePattern) -> Evidence:
        """Return the line where the pattern was found."""
        place = self._first(pattern)
        if not place and self.shared:
            return self.shared.evidence(pattern)
        return self.line(place - 1)

    def line(self, place: int) -> Evidence:
        """Return the line at a place, from 0."""
        numbers = self.rank.numbers
        number = numbers[place] if numbers else place + 1
        return Evidence(self.rank.node, number, self.lines[place].strip())


def _evidence(
    signature: Signature, symptoms: Symptoms, version: Version | None, logs: Sequence[SearchedLog]
) -> tuple[Evidence, ...] | None:
    """Return what shows that the signature fits; None where it does not."""
    if signature.engines and not any(e.holds(symptoms.engine, version) for e in signature.engines):
        return None
    seen: list[Evidence] = []
    if signature.all:
        whole = [log for log in logs if all(log.has(pattern) for pattern in signature.all)]
        if not whole:
            return None
        seen += [log.evidence(pattern) for log in whole for pattern in signature.all]
    if signature.any:
        hits = [log.evidence(pattern) for log in logs for pattern in signature.any if log.has(pattern)]
        if not hits:
            return None
        seen += hits
    if signature.ended:
        ends = [log.rank for log in logs if log.rank.ended in signature.ended]
        if not ends:
            return None
        seen += [Evidence(rank.node, 0, f"the container ended with status {rank.ended}") for rank in ends]
    if signature.silence is not None:
        wanted = signature.silence
        going = all(log.rank.ended is None for log in logs)
        if not going or symptoms.stage != wanted.stage or symptoms.silent < wanted.seconds:
            return None
        title = next((s.title for s in stage_book().stages if s.id == wanted.stage), wanted.stage)
        told = f"nothing new for {symptoms.silent:.0f} s"
        if isinf(symptoms.silent):
            said = "you said that nothing new came, not for how long" if symptoms.told else _ASSUMED
            told = f"if nothing new came for {wanted.seconds:g} s ({said})"
        text = f"{told} after the stage “{title}”, and no end"
        if symptoms.alone:
            text += "; whether the other rank says the same is not known"
        seen.append(Evidence("one rank" if symptoms.alone else "all ranks", 0, text))
    if any(log.has(pattern) for log in logs for pattern in signature.none):
        return None
    return tuple(dict.fromkeys(seen))


def version_of(text: str) -> Version | None:
    """Return a version; None where it is not known, or is none."""
    try:
        return Version(text) if text else None
    except InvalidVersion:
        return None
