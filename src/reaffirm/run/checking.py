"""Checks published runs: are the files what was published, and does the run give the same again?

A simulated run is simulated again, any other is replayed from its recording; no machine is reached. What
differs is said in words: which fact, which step, which cell, which request.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reaffirm.claims.comparison import compare
from reaffirm.errors import ReaffirmError
from reaffirm.model.code import code_from_json
from reaffirm.model.finding import Finding
from reaffirm.model.run_view import CellView, Difference, RunView
from reaffirm.nodes.recording_format import read_tape
from reaffirm.redact import MASK
from reaffirm.run import places
from reaffirm.run.again import Again
from reaffirm.run.evidence import recordings
from reaffirm.run.listing import read_notebook
from reaffirm.run.which import Which
from reaffirm.store.code_hash import code_hash
from reaffirm.store.ledger import Ledger
from reaffirm.store.ledger_check import run_findings
from reaffirm.store.payloads import cell_hashes
from reaffirm.store.published import PublishedRun, read_run
from reaffirm.store.run_view import view_of


@dataclass(frozen=True)
class Problem:
    """One thing that is not as it was published. ``code`` is stable, ``lines`` show more of it."""

    code: str
    text: str
    lines: tuple[str, ...] = ()
    fact: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data; empty fields are left out."""
        said = {"code": self.code, "text": self.text, "lines": list(self.lines), "fact": self.fact}
        return {key: value for key, value in said.items() if value}


@dataclass(frozen=True)
class Outcome:
    """What the check of one run gave. ``facts`` are those that came out differently.

    ``judged`` is false where it could not be executed again.
    """

    run: str
    problems: tuple[Problem, ...]
    judged: bool = True

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts that came out differently when the run was done again."""
        return tuple(problem.fact for problem in self.problems if problem.fact)


def check_files(which: Which, ledger: Ledger | None) -> list[Problem]:
    """Return what is wrong with the files of a published run, without executing anything."""
    return [*_entered(which, ledger), *_damage(which), *_recordings(which)]


def check_run(which: Which, ledger: Ledger | None, again: Again) -> Outcome:
    """Check one published run: its files, its code, and what it gives when it is executed again."""
    problems = check_files(which, ledger)
    try:
        notebook = read_notebook(which.notebook)
    except ReaffirmError as error:
        return Outcome(which.shown, (*problems, _said("run-damaged", error)), judged=False)
    then = view_of(notebook, name=which.shown, about={})
    problems += _code(which, then)
    if any(problem.code == "recording-damaged" for problem in problems):
        return Outcome(which.shown, tuple(problems), judged=False)  # nothing could be replayed from it
    try:
        made, left = again.execute(which.notebook, notebook)
    except ReaffirmError as error:
        return Outcome(which.shown, (*problems, _said("not-executed", error)), judged=False)
    now = view_of(made, name=which.shown, about={})
    found = list(_differences(then, now))
    if left and not any(problem.code == "stops" for problem in found):
        text = f"the recording holds {left} request(s) that the run does not ask when it is done again"
        found.append(Problem("not-asked", text))
    return Outcome(which.shown, (*problems, *found))


def _entered(which: Which, ledger: Ledger | None) -> Iterator[Problem]:
    """What the ledger says of these files."""
    entries = ledger.runs.get(which.name, ()) if ledger else ()
    if ledger is None or not entries:
        return
    for finding in run_findings(ledger, which.name, entries, which.folder, which.shown):
        yield _found(finding, which)


def _found(finding: Finding, which: Which) -> Problem:
    name = finding.path.removeprefix(f"{which.shown}/")
    return Problem(finding.code, f"{name}: {finding.message}" if name != finding.path else finding.message)


def _damage(which: Which) -> Iterator[Problem]:
    """Whether the files agree with each other."""
    try:
        read_run(which.folder, shown=which.shown)
    except ReaffirmError as error:
        yield _said("run-damaged", error)


def _recordings(which: Which) -> Iterator[Problem]:
    """Whether each recording is whole."""
    for path in recordings(which.folder):
        shown = places.shown(path)
        try:
            tape = read_tape(path, shown=shown)
        except ReaffirmError as error:
            yield _said("recording-damaged", error)
            continue
        if not tape.ended and _run(which).get("ended", {}).get("how") == "completed":
            text = f"{shown}: breaks off after {len(tape.events)} request(s), of a run that completed"
            yield Problem("recording-cut", text)


def _code(which: Which, view: RunView) -> Iterator[Problem]:
    """Whether the cells are those that were run."""
    about = _run(which)
    known = about.get("runbook_sha256")
    sources = [cell.source for cell in view.cells]
    if not isinstance(known, str) or any(MASK in source for source in sources) or code_hash(sources) == known:
        return
    then = code_from_json(about.get("code")).cells
    changed = [
        cell for cell, old, new in zip(view.cells, then, cell_hashes(sources), strict=False) if old != new
    ]
    if len(then) != len(sources):
        which_cells = f"{len(sources)} cells of code, {len(then)} were run" if then else "nobody knows which"
    else:
        which_cells = ", ".join(map(str, changed))
    yield Problem("code-changed", f"the code of the notebook is not what was run: {which_cells}")


def _differences(then: RunView, now: RunView) -> Iterator[Problem]:
    stopped = _stopped(then, now)
    for one in compare(then, now, strict=True):
        if stopped is not None and (one.cell is None or one.cell >= stopped.number):
            continue
        yield _problem(one)
    if stopped is not None:
        error = next(output.text for output in stopped.outputs if output.what == "error")
        first, *rest = error.splitlines() or [""]
        after = sum(cell.number > stopped.number and bool(cell.outputs) for cell in then.cells)
        missing = f"; {after} cell(s) after it were not run" if after else ""
        yield Problem("stops", f"{stopped} stops when it is run again: {first}{missing}", tuple(rest))


def _stopped(then: RunView, now: RunView) -> CellView | None:
    """The first cell that fails now and did not, or failed otherwise."""
    for old, new in zip(then.cells, now.cells, strict=True):
        errors = [[o.text for o in cell.outputs if o.what == "error"] for cell in (old, new)]
        if errors[1] and errors[0] != errors[1]:
            return new
    return None


def _problem(one: Difference) -> Problem:
    place = f" ({one.place})" if one.place else ""
    if one.area == "facts":
        was = f"was {one.was} when it was published" if one.was else "was not found when it was published"
        now = f"is {one.now} now" if one.now else "is not found now"
        return Problem("fact", f"the fact {one.what} {now} and {was}{place}", one.lines, one.what)
    if one.area == "steps":
        was = f"ended in “{one.was}”" if one.was else "was not there"
        now = f"ends in “{one.now}” now" if one.now else "is not there now"
        return Problem("step", f"the step {one.what} {now} and {was} when it was published{place}", one.lines)
    change = {"changed": "differs now", "added": "is there only now", "gone": "is not there now"}[one.change]
    return Problem("output", f"{one.place}: {one.what} {change}", one.lines)


def _said(code: str, error: ReaffirmError) -> Problem:
    first, *rest = error.message.splitlines()
    return Problem(code, first, tuple(line.strip() for line in rest))


def _run(which: Which) -> Mapping[str, Any]:
    """The provenance, where it can be read."""
    with suppress(ReaffirmError):
        return _published(which).provenance
    return {}


def _published(which: Which) -> PublishedRun:
    return read_run(which.folder, shown=which.shown)


def runs_below(folder: Path) -> list[Which]:
    """Return the published runs below a folder: whatever has one of their files."""
    names = ("notebook.ipynb", "facts.json", "provenance.json", "recording.jsonl")
    found = {path.parent for name in names for path in folder.rglob(name)}
    return [
        Which(f"{one.parent.name}/{one.name}", one / "notebook.ipynb", one, published=True)
        for one in sorted(found)
        if not any(part.startswith(".part-") for part in one.parts)
    ]
