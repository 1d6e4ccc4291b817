"""``--resume RUN``: where an earlier run stopped, and whether it can be taken up there.

What is asked of the machines before the run goes on is in :mod:`reaffirm.nodes.preconditions`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from reaffirm.errors import DocumentError, UsageError
from reaffirm.nodes.earlier import Earlier
from reaffirm.nodes.recording_start import read_start
from reaffirm.redact import MASK, mark
from reaffirm.run import places
from reaffirm.run.book import Book
from reaffirm.run.cells import heading_at, is_injected, number_of, source_of, step_ids
from reaffirm.run.ending import own_cells
from reaffirm.run.evidence import recordings
from reaffirm.run.journal import JOURNAL, events
from reaffirm.run.names import looked_at
from reaffirm.run.part import Part, is_skipped
from reaffirm.run.rescue import render
from reaffirm.run.runbook import Runbook
from reaffirm.run.secrets import Redactor, secret_values
from reaffirm.run.selection import steps_of
from reaffirm.store.code_hash import bare_code
from reaffirm.store.project import RESUME_VARIABLE, Project

_Cells = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Resumable:
    """An earlier run that did not reach its end. ``parameters`` are those that differed from the defaults."""

    name: str
    notebook: Path
    cells: _Cells
    about: Mapping[str, Any]

    @property
    def runbook(self) -> str:
        """The path of its runbook in the project."""
        return str(self.about["runbook"]["path"])

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Its parameters that differed from the defaults, with secrets masked."""
        found: Mapping[str, Any] = self.about.get("parameters") or {}
        return found

    @property
    def code(self) -> list[int]:
        """The places of its cells of code that can be run, without the cell of given values."""
        return [
            index
            for index, cell in enumerate(self.cells)
            if cell["cell_type"] == "code" and not is_injected(cell) and source_of(cell).strip()
        ]

    @property
    def stopped(self) -> int:
        """Which of :attr:`code` is the first that was not finished.

        Raises:
            UsageError: all were.
        """
        for place, index in enumerate(self.code):
            cell = self.cells[index]
            status = (cell["metadata"].get("papermill") or {}).get("status")
            if not is_skipped(cell) and status != "completed":
                return place
        msg = f"{self.name} is complete: there is nothing to resume"
        raise UsageError(msg, hint="run it anew without --resume, or a part of it with --from")


def find_run(word: str, project: Project | None, *, option: str = "--resume ") -> Path:
    """Return the notebook of a run: by its path, by the folder beside it, or by its name under ``runs/``.

    ``option`` is what messages say before the word.

    Raises:
        UsageError: there is no such run.
    """
    path = Path(word)
    for notebook in (path, path.with_suffix(".ipynb")):
        if notebook.suffix == ".ipynb" and (notebook.is_file() or _journal(notebook).is_file()):
            return notebook
    known = _notebooks(project.runs) if project else []
    stem = word.removesuffix(".ipynb").removesuffix(".run")
    found = [n for n in known if stem in (n.stem, f"{n.parent.name}/{n.stem}")]
    if len(found) == 1:
        return found[0]
    if found:
        msg = f"{option}{word}: several runs have this name"
        raise UsageError(msg, hint=f"give the path of one: {', '.join(places.shown(n) for n in found)}")
    near = get_close_matches(stem, [n.stem for n in known], n=3)
    newest = [places.shown(n) for n in sorted(known, key=lambda n: n.stem)[-3:]]
    meant = f"; did you mean {' or '.join(near)}?" if near else ""
    hint = f"the newest runs here: {', '.join(newest)}" if newest else "there are no runs here yet"
    msg = f"{option}{word}: there is no such run{meant}"
    raise UsageError(msg, hint=hint)


def _journal(notebook: Path) -> Path:
    return places.run_folder(notebook) / JOURNAL


def _notebooks(runs: Path) -> list[Path]:
    """The notebooks of all runs below a folder, also those that nobody came to write."""
    written = {*runs.rglob("*.ipynb")} if runs.is_dir() else set()
    killed = {journal.parent.with_suffix(".ipynb") for journal in runs.rglob(f"*.run/{JOURNAL}")}
    return sorted(written | killed)


def read_resumable(notebook: Path) -> Resumable:
    """Read the notebook of an earlier run.

    Raises:
        DocumentError: it cannot be read, or is none.
        UsageError: it is the run of no runbook, or one that was published.
    """
    shown = places.shown(notebook)
    if not notebook.exists() and _journal(notebook).is_file():
        render(
            places.run_folder(notebook)
        )  # its runner was killed, a moment ago or with all that it had started
    try:
        data = json.loads(notebook.read_bytes())
        about = data["metadata"]["reaffirm"]
        cells: _Cells = own_cells(data)
        str(about["runbook"]["path"])
        if (
            journal := _journal(notebook)
        ).is_file():  # where the runner was killed it knows more than the notebook
            cells = _of_journal(journal)
    except OSError as error:
        msg = f"{shown}: cannot be read: {error.strerror}"
        raise DocumentError(msg, hint="check the path and its permissions") from error
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{shown}: not the notebook of a run of a runbook"
        raise DocumentError(msg, hint="give a run that `reaffirm run` or papermill left") from error
    if (notebook.parent / "provenance.json").is_file():
        msg = f"{shown} is a published run, which is evidence and stays as it is"
        raise UsageError(msg, hint="resume a run under runs/, or run the runbook anew")
    return Resumable(str(about.get("run") or notebook.stem), notebook, cells, about)


def _of_journal(path: Path) -> _Cells:
    book = Book()
    for event in events(path):
        book.apply(event)
    return book.cells


def resume(earlier: Resumable, runbook: Runbook, values: Mapping[str, Any], given: Iterable[str]) -> Part:
    """Return what a run of ``runbook`` takes from an earlier one.

    Args:
        earlier: that run.
        runbook: the runbook as it is now.
        values: all parameter values of the new run, typed.
        given: the names of those that were given for the new run itself.

    Raises:
        UsageError: another runbook, code of a finished step that changed, or a parameter that finished
            steps read and that is another one now.
        RecordingError: the recording is damaged before the step at which the run would go on.
    """
    if runbook.path != earlier.runbook:
        msg = f"{earlier.name} is a run of {earlier.runbook}, got {runbook.path}"
        raise UsageError(msg, hint=f"reaffirm run {Path(earlier.runbook).stem} --resume {earlier.name}")
    place = earlier.stopped
    cells: _Cells = runbook.notebook["cells"]
    ids = step_ids(cells)
    now = [index for index, cell in enumerate(cells) if ids[index] and source_of(cell).strip()]
    mark(runbook.declarations.secrets)
    redactor = Redactor(secret_values(values))
    _same_code(earlier, cells, now, place, redactor)
    _same_parameters(earlier, runbook, values, set(given), place, redactor)
    at = now[place]
    cell = number_of(earlier.cells, earlier.code[place])
    folder = places.run_folder(earlier.notebook).absolute()
    found = Earlier(earlier.name, str(folder), cell, number_of(cells, at), ids[at])
    replayed, hashes = _recorded(earlier, folder, cell)
    if not replayed:
        heading = heading_at(cells, at)
        msg = f'{earlier.name} stopped at cell {cell} "{heading}", before a step had asked anything of a node'
        raise UsageError(msg, hint="there is nothing to take from it: run it anew without --resume")
    skipped = {
        number_of(cells, now[n]): str(earlier.cells[index]["metadata"]["reaffirm"]["skipped"])
        for n, index in enumerate(earlier.code[: len(now)])
        if is_skipped(earlier.cells[index])
    }
    about: dict[str, Any] = {
        "resumed": {"run": earlier.name, "cell": found.here, "step": found.step, "recordings": hashes}
    }
    if earlier.about.get("partial"):
        about["partial"] = earlier.about["partial"]
    return Part(
        skipped=skipped,
        replayed={
            step.number: earlier.name
            for step in steps_of(cells)[:place]
            if step.number not in skipped and not step.defines
        },
        about=about,
        environment={RESUME_VARIABLE: found.as_text()},
    )


def _recorded(earlier: Resumable, folder: Path, cell: int) -> tuple[bool, dict[str, str]]:
    """Whether anything was recorded before the cell began, and the hashes of the recordings."""
    hashes: dict[str, str] = {}
    any_before = False
    for path in recordings(folder):
        start = read_start(path, cell, shown=places.shown(path))
        if any(mark.cell < cell for mark in start.marks):
            any_before = True
            hashes[path.name] = start.sha256
    return any_before, hashes


def _same_code(earlier: Resumable, cells: _Cells, now: Sequence[int], place: int, redactor: Redactor) -> None:
    for n, index in enumerate(earlier.code[:place]):
        then = bare_code(source_of(earlier.cells[index]))
        new = bare_code(redactor.code(source_of(cells[now[n]]))) if n < len(now) else ""
        if then == new:
            continue
        number, heading = number_of(earlier.cells, index), heading_at(earlier.cells, index)
        old_lines, new_lines = then.splitlines(), new.splitlines()
        differs = next(
            (k for k, (a, b) in enumerate(zip(old_lines, new_lines, strict=False)) if a != b),
            min(len(old_lines), len(new_lines)),
        )
        was, is_ = (one[differs] if differs < len(one) else "(nothing)" for one in (old_lines, new_lines))
        msg = (
            f'the code of cell {number} "{heading}" changed since {earlier.name}, which had finished it:\n'
            f"  then: {was}\n  now:  {is_}"
        )
        raise UsageError(msg, hint="put it back, or run it from the beginning; prose and comments may change")
    if place >= len(now):
        msg = (
            f"the runbook has {len(now)} cells of code now, and {earlier.name} stopped in number {place + 1}"
        )
        raise UsageError(msg, hint="put it back, or run it from the beginning")


def _same_parameters(
    earlier: Resumable,
    runbook: Runbook,
    values: Mapping[str, Any],
    given: set[str],
    place: int,
    redactor: Redactor,
) -> None:
    """A finished step has read the values of then; one that it never looked at may be another."""
    read: set[str] = set()
    for index in earlier.code[:place]:
        read |= looked_at(source_of(earlier.cells[index]), otherwise=values)
    differing = json.loads(json.dumps(redactor.data(runbook.declarations.differing(values)), default=str))
    for name in sorted({*earlier.parameters, *differing}):
        then, now = earlier.parameters.get(name, "(its default)"), differing.get(name, "(its default)")
        if _is_masked(then) and name not in given:
            msg = f"{name} was a secret in {earlier.name}, so its value is nowhere"
            raise UsageError(msg, hint=f"give it again with -p {name} VALUE")
        if then != now and name in read and not (_is_masked(then) and name in given):
            msg = f"finished steps of {earlier.name} have read {name} = {then!r}, got {now!r}"
            raise UsageError(msg, hint="leave it as it was, or run it from the beginning")


def _is_masked(value: Any) -> bool:
    return MASK in json.dumps(value)


def taken_over(earlier: Resumable, names: Iterable[str]) -> dict[str, Any]:
    """Return the parameters of the earlier run, without those that are given anew or were secret."""
    anew = set(names)
    return {k: v for k, v in earlier.parameters.items() if k not in anew and not _is_masked(v)}
