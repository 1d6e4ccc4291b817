"""Commands that run: run, render."""

import os
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from reaffirm.cli.partly import (
    Wish,
    check_machines,
    check_output,
    earlier_run,
    narrow,
    runbook_of,
    show_dry_run,
    take_parameters,
)
from reaffirm.cli.which_runbook import read_local, runbook_path
from reaffirm.errors import UsageError
from reaffirm.run import places
from reaffirm.run.command import default_output, plan_of, tell_end, values_in
from reaffirm.run.direct import run_directly
from reaffirm.run.progress import Lines
from reaffirm.store.project import find_project


def run(
    runbook: Annotated[
        str | None, typer.Argument(help="A .py file, or a name under runbooks/ (with --resume: that run's).")
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter", "-p", metavar="NAME VALUE", help="A parameter of the runbook; repeatable."
        ),
    ] = None,
    files: Annotated[
        list[str] | None, typer.Option("--parameters-file", "-f", help="A YAML file of parameters.")
    ] = None,
    nodes: Annotated[str | None, typer.Option(help="The machines: the same as -p nodes X.")] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The notebook to write (default: under runs/).")
    ] = None,
    first: Annotated[
        str, typer.Option("--from", metavar="STEP", help="Begin with this step; see `reaffirm steps`.")
    ] = "",
    last: Annotated[str, typer.Option("--until", metavar="STEP", help="End after this step.")] = "",
    only: Annotated[str, typer.Option("--only", metavar="STEP", help="Run this step alone.")] = "",
    resume: Annotated[
        str, typer.Option(metavar="RUN", help="Take its finished steps from an earlier run, then go on live.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be sent where.")] = False,
    form: Annotated[str, typer.Option("--format", help="Of --dry-run: text or json.")] = "text",
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="The longest that a cell may take that names no time itself."),
    ] = None,
) -> None:
    """Run a runbook and show each step as it ends."""
    wish = Wish(resume, first, last, only, dry_run, form)
    wish.check()
    earlier = earlier_run(wish)
    check_output(earlier, output)
    path = runbook_path(runbook or runbook_of(earlier))
    pairs = [_pair(word) for word in parameters or ()]
    if nodes is not None:
        for other in (value for name, value in pairs if name == "nodes" and value != nodes):
            msg = f"--nodes {nodes} and -p nodes {other}: two values for one parameter"
            raise UsageError(msg, hint="they mean the same; give one of them")
        pairs.append(("nodes", nodes))
    given: dict[str, Any] = {"notebook_path": os.fspath(path), "parameters": pairs, "parameters_file": files}
    names = take_parameters(earlier, given, read_local)
    plan = plan_of(read_local, given, Lines())
    assert plan is not None
    assert plan.runbook is not None
    if not plan.runbook.declarations.typed:
        plan.values = list(values_in(given, read_local))
    narrow(plan, wish, earlier, names)
    check_machines(plan)
    if dry_run:
        show_dry_run(plan, wish)
        return
    reserved = None if output else default_output(plan.runbook)
    notebook = _braced(places.shown(reserved)) if reserved else str(output)
    began = time.monotonic()
    try:
        done = run_directly(plan, notebook, timeout=timeout)
    finally:
        if reserved:
            places.release(places.run_folder(reserved))
    tell_end(done, where=False)
    assert done.last is not None
    about = done.last["metadata"]["reaffirm"]
    typer.echo(f"notebook: {places.shown(done.notebook) if done.notebook else notebook}")
    facts = len(about["facts"])
    kind = about["kind"] or "no nodes"
    part = "partial, " if about.get("partial") else ""
    typer.echo(f"{part}{kind} run, {facts} fact{'' if facts == 1 else 's'}, {time.monotonic() - began:.1f} s")


def render(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run: its name, its notebook or its folder.")],
) -> None:
    """Make the notebook of a run anew from its journal, such as when the runner was killed."""
    from reaffirm.run.rescue import render as rendered

    if not run.exists():
        from reaffirm.run.resume import find_run

        run = find_run(str(run), find_project(), option="")
    notebook, ending = rendered(run)
    typer.echo(f"notebook: {places.shown(notebook)}")
    typer.echo(str(ending) if ending.how != "completed" else "the run completed")


def _pair(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals:
        msg = f"-p {word}: a parameter has a name and a value"
        raise UsageError(msg, hint="write -p name value")
    return name, value


def _braced(path: str) -> str:
    return path.replace("{", "{{").replace("}", "}}")
