"""Options of ``run``: a part of a runbook, an earlier run taken up again, a dry run."""

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from reaffirm.errors import UsageError
from reaffirm.nodes.finding import machine_file
from reaffirm.run.cells import source_of
from reaffirm.run.execution import Plan, Read
from reaffirm.run.parameters import Text
from reaffirm.store.project import Project, find_project

# A plain run, which is most of them, does not wait until what is only for the others is loaded.
if TYPE_CHECKING:
    from reaffirm.run.resume import Resumable


# A runbook that connects to what its parameter names, and to nothing that it makes of it.
_CONNECTS = re.compile(r"\bconnect\(\s*nodes\s*[,)]")
_SETS = re.compile(r"^\s*nodes\s*(?::[^=\n]*)?=[^=]", re.MULTILINE)


@dataclass(frozen=True)
class Wish:
    """What was asked for besides a whole run."""

    resume: str = ""
    first: str = ""
    last: str = ""
    only: str = ""
    dry_run: bool = False
    form: str = "text"

    def check(self) -> None:
        """Stop on options that do not go together.

        Raises:
            UsageError: they do not.
        """
        if self.resume and (self.first or self.last or self.only):
            msg = "--resume goes on where the earlier run stopped; it takes no --from, --until or --only"
            raise UsageError(msg, hint="leave out --resume to choose the steps yourself")
        if self.form not in ("text", "json"):
            msg = f"--format is text or json, got {self.form!r}"
            raise UsageError(msg, hint="--dry-run --format json")
        if self.form == "json" and not self.dry_run:
            msg = "--format json is for --dry-run: a run writes a notebook"
            raise UsageError(msg, hint="add --dry-run, or leave out --format")


def earlier_run(wish: Wish) -> "Resumable | None":
    """Return the run that is to be resumed.

    Raises:
        UsageError, DocumentError: there is none of that name, or it cannot be read.
    """
    if not wish.resume:
        return None
    from reaffirm.run.resume import find_run, read_resumable

    return read_resumable(find_run(wish.resume, find_project()))


def runbook_of(earlier: "Resumable | None") -> str:
    """Return the path of the runbook where none was named.

    Raises:
        UsageError: no run is resumed, or its runbook is gone.
    """
    if earlier is None:
        msg = "which runbook?"
        raise UsageError(msg, hint="reaffirm run NAME, or reaffirm run --resume RUN")
    project = find_project(earlier.notebook.absolute().parent)
    path = (project.root if project else Path.cwd()) / earlier.runbook
    if not path.is_file():
        msg = f"{earlier.name} is a run of {earlier.runbook}, which is not there"
        raise UsageError(msg, hint="name the runbook: reaffirm run PATH --resume RUN")
    return str(path)


def check_output(earlier: "Resumable | None", output: str | None) -> None:
    """Stop before a resumed run is written over the one that it takes up.

    Raises:
        UsageError: it would be.
    """
    if earlier is not None and output and Path(output).absolute() == earlier.notebook.absolute():
        msg = f"{output} is the run that is resumed, and its recording is needed"
        raise UsageError(msg, hint="give another output path, or none")


def check_machines(plan: Plan) -> None:
    """Stop before a run begins on machines that there are not; what a runbook makes of a name is its own.

    Raises:
        MachineFileError: it connects to ``nodes``, and that is no machine file here.
    """
    assert plan.runbook is not None
    declarations = plan.runbook.declarations
    given = dict(plan.values).get("nodes", declarations.default("nodes"))
    nodes = given.value if isinstance(given, Text) else given
    if "nodes" not in declarations.found or not isinstance(nodes, str) or not nodes.strip():
        return
    codes = [
        source_of(cell)
        for cell in plan.runbook.notebook["cells"]
        if cell["cell_type"] == "code" and "parameters" not in cell["metadata"].get("tags", ())
    ]
    if any(map(_CONNECTS.search, codes)) and not any(map(_SETS.search, codes)):
        project = Project(plan.runbook.project) if plan.runbook.project else None
        machine_file(nodes, project, Path.cwd())


def take_parameters(earlier: "Resumable | None", given: dict[str, Any], read: Read) -> set[str]:
    """Add the parameters of an earlier run to those that are given; return the names of the latter."""
    if earlier is None:
        return set()
    from reaffirm.run.command import values_in
    from reaffirm.run.resume import taken_over

    names = {name for name, _ in values_in(given, read)}
    if taken := taken_over(earlier, names):
        given["parameters_yaml"] = [json.dumps(taken), *(given.get("parameters_yaml") or ())]
    return names


def narrow(plan: Plan, wish: Wish, earlier: "Resumable | None", names: set[str]) -> None:
    """Put into the plan which cells run, and what is taken from an earlier run.

    Raises:
        UsageError: a step that is not there; an earlier run that cannot be taken up with what is here now.
        RecordingError: its recording is damaged.
    """
    if earlier is None and not (wish.first or wish.last or wish.only):
        return
    from reaffirm.run.parameters import typed
    from reaffirm.run.part import annotated
    from reaffirm.run.resume import resume
    from reaffirm.run.selection import select

    assert plan.runbook is not None
    if earlier is not None:
        values = typed(plan.runbook.declarations, plan.values)
        part = resume(earlier, plan.runbook, values, names)
    else:
        cells = plan.runbook.notebook["cells"]
        part = select(cells, first=wish.first, last=wish.last, only=wish.only, runbook=plan.runbook.path)
    if part:
        plan.part = part
        plan.runbook = annotated(plan.runbook, part)


def show_dry_run(plan: Plan, wish: Wish) -> None:
    """Print what would be sent where. Ends with status 2 where that could not be told to the end."""
    from reaffirm.run.dry_run import dry_run
    from reaffirm.run.parameters import typed

    assert plan.runbook is not None
    values = typed(plan.runbook.declarations, plan.values)
    found = dry_run(plan.runbook, values, Path.cwd(), skipped=plan.part.skipped)
    for number, step in enumerate(found.steps):
        if run := plan.part.replayed.get(step.number):
            why = f"not sent again: {run} was answered" if step.sent else ""
            found.steps[number] = replace(step, sent=[], consent=[], assumed=[], skipped=why)
    if wish.form == "json":
        typer.echo(json.dumps(found.as_json(), ensure_ascii=False, indent=2))
    else:
        for line in found.lines():
            typer.echo(line)
    if not found.complete:
        raise typer.Exit(2)
