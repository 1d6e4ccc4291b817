"""Which lines of a paste somebody knows: last lines that nothing knows, and lines of another engine. Pure.

The box on the site finds the same ones: whatever is changed here is changed in
``site/static/failures_near.js`` as well.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from reaffirm.diagnose.match import Evidence, SearchedLog, Symptoms
from reaffirm.diagnose.stages import stage_book
from reaffirm.model.failure import FailureMode
from reaffirm.model.node import Engine


@dataclass(frozen=True)
class Foreign:
    """Lines by which another engine tells a stage or its version, and the one that was told does not."""

    engine: Engine
    lines: tuple[Evidence, ...]


def foreign(one: Symptoms) -> tuple[Foreign, ...]:
    """Return, for each other engine, the last such line of each rank."""
    book = stage_book()
    known = [line for stage in book.stages for line in stage.lines] + list(book.versions)
    own = [line.pattern for line in known if line.engine == one.engine.value]
    found = []
    for engine in Engine:
        theirs = [line.pattern for line in known if line.engine == engine.value and engine is not one.engine]
        lines = []
        for log in all_logs(one) if theirs else ():
            for place in range(len(log.lines) - 1, -1, -1):
                text = log.lines[place]
                if any(line.search(text) for line in theirs) and not any(line.search(text) for line in own):
                    lines.append(log.line(place))
                    break
        if lines:
            found.append(Foreign(engine, tuple(lines)))
    return tuple(found)


def last_unknown(modes: Iterable[FailureMode], symptoms: Symptoms) -> tuple[Evidence, ...]:
    """Return the last line of each rank that no page and no stage knows, of whichever engine."""
    book = stage_book()
    bare = [line.pattern for stage in book.stages for line in stage.lines]
    bare += [line.pattern for line in book.versions] + [*book.noise, *book.secondary]
    patterns = [
        pattern for mode in modes for one in mode.signatures for pattern in (*one.all, *one.any, *one.none)
    ]
    unknown = []
    last = 0
    for log in all_logs(symptoms):
        place = next((n for n in range(len(log.lines) - 1, -1, -1) if log.lines[n].strip()), -1)
        if place < 0:
            continue
        line = log.line(place)
        # What may be anybody's is the last word only where it comes after all that is somebody's.
        if log.rank is symptoms.shared and line.number < last:
            continue
        last = max(last, line.number)
        text = log.lines[place]
        if not any(one.search(text) for one in bare) and not any(one.search(text) for one in patterns):
            unknown.append(line)
    return tuple(unknown)


def all_logs(symptoms: Symptoms) -> list[SearchedLog]:
    """The logs of all ranks, and the lines that are anybody's."""
    logs = [SearchedLog(rank) for rank in symptoms.ranks]
    return [*logs, SearchedLog(symptoms.shared)] if symptoms.shared else logs
