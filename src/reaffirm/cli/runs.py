"""Commands that run: run, parameters."""

import os
import time
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text as Styled

from reaffirm.errors import UsageError
from reaffirm.run import places
from reaffirm.run.command import active, default_output, plan_of, tell_end
from reaffirm.run.runbook import read_runbook
from reaffirm.run.underway import Progress
from reaffirm.store.project import find_project


def run(
    runbook: Annotated[str, typer.Argument(help="A .py file, or a name under runbooks/.")],
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
) -> None:
    """Run a runbook and show each step as it ends."""
    import papermill

    path = _runbook_path(runbook)
    pairs = [_pair(word) for word in parameters or ()]
    if nodes is not None:
        pairs.append(("nodes", nodes))
    given: dict[str, Any] = {"notebook_path": os.fspath(path), "parameters": pairs, "parameters_file": files}
    steps = _Steps(Console(stderr=True, highlight=False))
    plan = plan_of(_read_local, given, steps)
    assert plan is not None
    assert plan.runbook is not None
    notebook = output or _braced(places.shown(default_output(plan.runbook)))
    began = time.monotonic()
    with active(plan):
        made = papermill.execute_notebook(
            os.fspath(path), notebook, parameters=dict(given["parameters"] or ())
        )
    tell_end(plan.result, where=False)
    about = made.metadata["reaffirm"]
    done = plan.result.notebook if plan.result else None
    typer.echo(f"notebook: {places.shown(done) if done else notebook}")
    facts = len(about["facts"])
    kind = about["kind"] or "no nodes"
    typer.echo(f"{kind} run, {facts} fact{'' if facts == 1 else 's'}, {time.monotonic() - began:.1f} s")


def parameters(
    runbook: Annotated[str, typer.Argument(help="A .py file, or a name under runbooks/.")],
) -> None:
    """Show the parameters of a runbook: name, type, default, meaning."""
    path = _runbook_path(runbook)
    found = read_runbook(os.fspath(path), lambda p: _read_local(p)).declarations.found
    if not found:
        typer.echo(f"{places.shown(path)} declares no parameters")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("name", "type", "default", "meaning"):
        table.add_column(column, overflow="fold")
    for one in found.values():
        table.add_row(*(Styled(word) for word in (one.name, one.annotation or "any", one.default, one.help)))
    Console(highlight=False).print(table)


class _Steps:
    """One line for each cell of code as it ends, and how its step did; on a terminal also the running one."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def __call__(self, progress: Progress) -> None:
        if not progress.code:
            return
        place = f"{progress.cell:>3}/{progress.of}"
        if progress.status == "running":
            if self.console.is_terminal:
                self.console.print(
                    Styled(f"{place}  …  {progress.heading}"), end="\r", overflow="crop", no_wrap=True
                )
            return
        done = progress.outcome or "ok"
        mark = {"completed": done, "failed": "FAILED"}.get(progress.status, progress.status)
        line = f"{place}  {mark}  {progress.heading}  {progress.seconds or 0:.1f} s"
        self.console.print(
            Styled(line.ljust(self.console.width - 1 if self.console.is_terminal else 0)), soft_wrap=True
        )


def _pair(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals:
        msg = f"-p {word}: a parameter has a name and a value"
        raise UsageError(msg, hint="write -p name value")
    return name, value


def _runbook_path(word: str) -> Path:
    """Find a runbook by path or by name.

    Raises:
        UsageError: there is none; the message names those there are.
    """
    path = Path(word)
    if path.suffix == ".py" and path.is_file():
        return path
    project = find_project()
    known = {p.stem: p for p in sorted(project.runbooks.glob("[!_]*.py"))} if project else {}
    if word in known:
        return known[word]
    near = get_close_matches(path.stem, known, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    msg = f"there is no runbook {word!r}{meant}"
    raise UsageError(msg, hint=f"runbooks here: {', '.join(known) or 'none'}; or give the path of a .py file")


def _read_local(path: str, _extensions: object = None) -> str:
    return Path(path).read_text(encoding="utf-8")


def _braced(path: str) -> str:
    return path.replace("{", "{{").replace("}", "}}")
