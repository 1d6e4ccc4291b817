"""Commands that check published runs: check, and check-runs, its older name."""

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reaffirm.cli.here import project_here
from reaffirm.cli.history import SCHEMA, DiffFormat, print_json
from reaffirm.errors import ReaffirmError, UsageError
from reaffirm.run import places
from reaffirm.run.command import say
from reaffirm.store.project import RUNNER_VARIABLES, Project, find_project

if TYPE_CHECKING:
    from reaffirm.run.checking import Outcome
    from reaffirm.run.which import Which


def check(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH|RUN…]", help="Published runs, or folders of them (default: all)."),
    ] = None,
    nbval: Annotated[
        bool, typer.Option("--nbval", help="Let pytest --nbval execute and compare the notebooks instead.")
    ] = False,
    form: Annotated[DiffFormat, typer.Option("--format", help="text or json.")] = DiffFormat.TEXT,
) -> None:
    """Execute published runs again (simulated ones live, others by replay) and say in words what differs."""
    project = find_project()
    meant = _meant(what or (), project)
    if not meant:
        typer.echo(f"{', '.join(what or ()) or places.shown(project_here().published)}: no published runs")
        return
    if nbval:
        raise typer.Exit(_nbval(meant, [Path(one) for one in what or ()] or [project_here().published]))
    began = time.monotonic()
    outcomes = _checked(meant, project, tell=form is DiffFormat.TEXT)
    different = sum(bool(one.problems) for one in outcomes)
    if form is DiffFormat.JSON:
        runs = [
            {"run": one.run, "judged": one.judged, "problems": [p.as_json() for p in one.problems]}
            for one in outcomes
        ]
        print_json({"schema": SCHEMA, "runs": runs})
    else:
        seconds = f"{time.monotonic() - began:.1f} s"
        typer.echo(f"{len(outcomes)} run(s), {different} not as published, {seconds}")
    raise typer.Exit(1 if different else 0)


def check_runs(
    folder: Annotated[Path | None, typer.Argument(help="Published runs (default: docs/runs).")] = None,
) -> None:
    """Execute all published runs again under pytest --nbval: the older name of check --nbval."""
    check([str(folder)] if folder else None, nbval=True)


def _meant(words: Sequence[str], project: Project | None) -> list["Which"]:
    from reaffirm.run.checking import runs_below
    from reaffirm.run.which import which_run

    if not words:
        where = project_here().published
        return runs_below(where) if where.is_dir() else []
    found: list[Which] = []
    for word in words:
        path = Path(word)
        below = runs_below(path) if path.is_dir() and path.suffix != ".run" else []
        found += below or [which_run(word, project, local=False)]
    return list({one.folder.resolve(): one for one in found}.values())


def _checked(meant: Sequence["Which"], project: Project | None, *, tell: bool) -> list["Outcome"]:
    """Check runs one after the other, tell of each, and keep what came of their facts for the board."""
    from reaffirm.run.again import Again
    from reaffirm.run.checking import check_run
    from reaffirm.store.changes import run_digest
    from reaffirm.store.checked import Checked, write_checked
    from reaffirm.store.ledger import LEDGER, read_ledger
    from reaffirm.store.payloads import engine_digest, engine_hashes

    ledgers = {}
    outcomes: list[Outcome] = []
    keep: dict[str, Checked] = {}
    engine = engine_hashes(project)
    with Again() as again:
        for which in meant:
            base = which.folder.parents[1]
            if base not in ledgers:
                ledgers[base] = read_ledger(base / LEDGER, shown=places.shown(base / LEDGER))
            outcome = check_run(which, ledgers[base], again)
            outcomes.append(outcome)
            if tell:
                _tell(outcome)
            if outcome.judged and project is not None:
                simulated = _kind(which) == "simulated"
                keep[project.relative(which.folder)] = Checked(
                    engine_digest(engine, simulated=simulated), run_digest(which.folder), outcome.facts
                )
    if project is not None and keep:
        try:
            write_checked(project, keep)
        except OSError as error:
            say(f"reaffirm: runs/checked.json: cannot be written: {error.strerror}; the board will not know")
    return outcomes


def _kind(which: "Which") -> str:
    from reaffirm.store.published import read_run

    try:
        return str(read_run(which.folder).kind)
    except ReaffirmError:
        return ""


def _tell(outcome: "Outcome") -> None:
    typer.echo(f"{'same   ' if not outcome.problems else 'DIFFERS'}  {outcome.run}")
    for problem in outcome.problems:
        typer.echo(f"  {problem.text}")
        for line in problem.lines:
            typer.echo(f"      {line}")


def _nbval(meant: Sequence["Which"], where: Sequence[Path]) -> int:
    """Let nbval compare the notebooks; what it does not look at is looked at here."""
    from reaffirm.run.checking import check_files
    from reaffirm.store.ledger import LEDGER, read_ledger

    for needed in ("pytest", "nbval"):
        if importlib.util.find_spec(needed) is None:
            msg = f"{needed} is not installed"
            raise UsageError(msg, hint="pip install pytest nbval; or leave out --nbval")
    damaged = 0
    for which in meant:
        base = which.folder.parents[1]
        ledger = read_ledger(base / LEDGER, shown=places.shown(base / LEDGER))
        for problem in check_files(which, ledger):
            damaged += 1
            text = problem.text if problem.text.startswith(which.shown) else f"{which.shown}: {problem.text}"
            say(f"reaffirm: {text}")
    argv = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-q", "-p", "no:cacheprovider"]
    env = {k: v for k, v in os.environ.items() if k not in RUNNER_VARIABLES}
    paths = [os.fspath(path) for path in where if path.exists()] or [os.fspath(w.folder) for w in meant]
    status = subprocess.run([*argv, *paths], env=env, check=False).returncode  # noqa: S603
    return 1 if damaged or status == 1 else 0 if status == 0 else 2
