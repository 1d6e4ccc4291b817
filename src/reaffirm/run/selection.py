"""``--from``, ``--until`` and ``--only``: which cells of a runbook run, and what the others leave out.

*A cell that only defines things* always runs, unless it stands after the last step that was asked for: the
parameters, imports, functions, ``reaffirm.connect``, and values that are worked out of those. *A step* is any
other cell of code: it calls something, or needs a name that a step sets. Steps outside of what was asked for
are skipped.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from reaffirm.errors import UsageError
from reaffirm.run.cells import heading_at, number_of, source_of, step_ids, tags_of
from reaffirm.run.names import CellNames, names_of
from reaffirm.run.part import Part


@dataclass(frozen=True)
class Step:
    """One cell of code. ``number`` counts from 1 over all cells; ``defines``: it only defines things."""

    number: int
    id: str
    heading: str
    names: CellNames
    defines: bool


def steps_of(cells: Sequence[Mapping[str, Any]]) -> list[Step]:
    """Return the cells of code of a runbook, in order."""
    ids = step_ids(cells)
    found: list[Step] = []
    from_steps: set[str] = set()
    for index, cell in enumerate(cells):
        if not ids[index] or not source_of(cell).strip():
            continue
        names = names_of(source_of(cell))
        parameters = "parameters" in tags_of(cell)
        defines = parameters or (names.plain and not names.calls and not names.needs & from_steps)
        from_steps = from_steps - names.sets if defines else from_steps | names.sets
        heading = heading_at(cells, index)
        found.append(Step(number_of(cells, index), ids[index], heading, names, defines))
    return found


def find_step(word: str, steps: Sequence[Step], *, option: str) -> Step:
    """Return the step of that id, of that number, or the only one whose id begins so.

    Raises:
        UsageError: there is none, or there are several.
    """
    exact = [step for step in steps if word in (step.id, str(step.number))]
    begun = exact or [step for step in steps if step.id.startswith(word) and word]
    if len(begun) == 1:
        return begun[0]
    listed = ", ".join(step.id for step in steps)
    if begun:
        msg = f"{option} {word}: several steps begin so: {', '.join(step.id for step in begun)}"
        raise UsageError(msg, hint="write more of its name, or the number of its cell")
    ids = [step.id for step in steps]
    near = get_close_matches(word, ids, n=3) or [one for one in ids if word and word in one]
    meant = f"; did you mean {' or '.join(near[:3])}?" if near else ""
    msg = f"{option} {word}: there is no such step{meant}"
    raise UsageError(msg, hint=f"steps: {listed}")


def select(
    cells: Sequence[Mapping[str, Any]], *, first: str = "", last: str = "", only: str = "", runbook: str = ""
) -> Part:
    """Return what of a runbook runs.

    Raises:
        UsageError: a step that is not there, an empty range, or a name that a skipped step would have set.
    """
    steps = steps_of(cells)
    if not (first or last or only):
        return Part()
    if only and (first or last):
        msg = "--only stands alone: it is --from and --until of one step"
        raise UsageError(msg, hint="leave out --from and --until")
    begin = find_step(only or first, steps, option="--only" if only else "--from") if only or first else None
    end = find_step(only or last, steps, option="--only" if only else "--until") if only or last else None
    if begin and end and begin.number > end.number:
        msg = f"--until {end.id} (cell {end.number}) comes before --from {begin.id} (cell {begin.number})"
        raise UsageError(msg, hint="name them in the order of the runbook")
    asked = {"from": first, "until": last, "only": only}
    named = {"from": begin, "until": end, "only": begin}
    skipped = dict(_skipped(steps, begin, end, only=bool(only)))
    _check_names(steps, skipped, runbook)
    words: dict[str, Any] = {key: step.id for key, step in named.items() if asked[key] and step is not None}
    words["skipped"] = [step.id for step in steps if step.number in skipped]
    return Part(skipped=skipped, about={"partial": words})


def _skipped(
    steps: Sequence[Step], begin: Step | None, end: Step | None, *, only: bool
) -> Iterator[tuple[int, str]]:
    for step in steps:
        if end is not None and step.number > end.number:
            yield step.number, f"after --{'only' if only else 'until'} {end.id}"
        elif begin is not None and step.number < begin.number and not step.defines:
            yield step.number, f"before --{'only' if only else 'from'} {begin.id}"


def _check_names(steps: Sequence[Step], skipped: Mapping[int, str], runbook: str) -> None:
    """Stop before anything is done where a name would not be there."""
    there: set[str] = set()
    lost: dict[str, Step] = {}
    for step in steps:
        if step.number in skipped:
            lost |= {name: step for name in step.names.sets if name not in there}
            continue
        for name in sorted(step.names.needs):
            if name in lost and name not in there:
                setter = lost[name]
                msg = f"{runbook}: the step {step.id} needs {name!r}, which the skipped step {setter.id} sets"
                hint = f"begin with --from {setter.id}, or take an earlier run up again with --resume RUN"
                raise UsageError(msg, hint=hint)
        there |= step.names.sets
