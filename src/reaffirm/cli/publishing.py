"""Commands about what is public: publish, withdraw, ledger verify, ledger adopt."""

import json
from pathlib import Path
from typing import Annotated

import typer

from reaffirm.cli.here import project_here
from reaffirm.errors import UsageError
from reaffirm.run import places
from reaffirm.run.command import say
from reaffirm.store.project import Project, find_project

app = typer.Typer(
    help="The ledger of runs: check that nothing changed, enter what is missing.", no_args_is_help=True
)


def publish(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A run under runs/: its name, its notebook or its folder.")
    ],
    name: Annotated[
        str, typer.Option(help="The name of the run (default: the notebook's file name without .ipynb).")
    ] = "",
    failed: Annotated[bool, typer.Option("--failed", help="Publish a run that did not complete.")] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="Publish a run of some cells only, or a dry run.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of a published run of the same name.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would become public.")] = False,
) -> None:
    """Put a run under docs/runs/, redacted, after showing what becomes public, and enter it in the ledger."""
    from reaffirm.run.closing import not_well
    from reaffirm.run.publish import prepare
    from reaffirm.run.which import which_run

    if name and Path(name).name != name:
        msg = f"--name is one word without slashes, got {name!r}"
        raise UsageError(msg, hint="leave it out to take the notebook's")
    meant = which_run(run, find_project(Path.cwd()), published=False)
    publication = prepare(
        meant.notebook, project_here(meant.notebook), name=name, failed=failed, partial=partial
    )
    about = publication.about
    typer.echo(
        f"{places.shown(publication.folder)}: {about['kind']} run of {about['runbook']}, "
        f"{about['ran'] or about['started']}"
    )
    for file, text in publication.files.items():
        typer.echo(f"  {len(text.encode()):>10,} B  {file}")
    if "machines.toml" in publication.files:
        typer.echo(
            "Public with it: names, addresses and users of the machines (machines.toml), and all that they "
            "answered (recording.jsonl, logs/). Keys, tokens and passwords are taken out; names are not."
        )
    if steps := not_well(json.loads(publication.files["notebook.ipynb"])):
        typer.echo(
            "Steps that did not end well; this becomes public with the run, and may be what it is to show:"
        )
        for line in steps:
            typer.echo(f"  {line}")
    if own := (about.get("git") or {}).get("own"):
        typer.echo(f"Not as in the commit that it names: {', '.join(own)}")
    if dry_run:
        typer.echo("nothing was written")
        return
    done = publication.write(replace=replace)
    if done == "adopted":
        typer.echo("this run is published already, to the last byte; it is now entered in the ledger")
    elif done:
        typer.echo(f"{done}: git add docs/runs, then look at it with git diff --cached before you push")
    else:
        typer.echo("this run is published already, to the last byte; nothing was written")


def withdraw(
    runs: Annotated[list[str], typer.Argument(metavar="RUN…", help="Published runs, by name or folder.")],
    because: Annotated[str, typer.Option("--because", help="Why; it stays in the ledger.")] = "",
) -> None:
    """Take published runs away. The ledger keeps that they were there, and why they went."""
    from reaffirm.run.publication import withdraw as take_away

    if not because.strip():
        msg = "a run is withdrawn for a reason"
        raise UsageError(msg, hint='say it: --because "…"; it stays in docs/runs/ledger.jsonl')
    project = project_here()
    names = [_published_name(word, project) for word in runs]
    for name in names:
        take_away(project.published, name, because)
        typer.echo(f"withdrawn: {name}; git add docs/runs, and commit that")


def _published_name(word: str, project: Project) -> str:
    """The name of a published run; one whose folder is gone is known by the ledger."""
    from reaffirm.run.which import which_run
    from reaffirm.store.ledger import LEDGER, read_ledger

    try:
        return which_run(word, project, local=False).name
    except UsageError:
        name = "/".join(Path(word).parts[-2:])
        if name in read_ledger(project.published / LEDGER).runs:
            return name
        raise


@app.command()
def verify(
    path: Annotated[
        Path | None,
        typer.Argument(help="A ledger or its folder (default: docs/runs; runs is that of this checkout)."),
    ] = None,
    since: Annotated[
        str,
        typer.Option("--since", metavar="COMMIT", help="Also name lines of this commit that are gone."),
    ] = "",
) -> None:
    """Name what was added, changed or removed since it was entered; exit code 1 when there is anything."""
    from reaffirm.store.ledger import LEDGER, read_ledger
    from reaffirm.store.ledger_check import gone_lines, local_findings, published_findings
    from reaffirm.store.ledger_history import ledger_at

    where = path or project_here().published
    file = where / LEDGER if where.is_dir() or where.name != LEDGER else where
    folder = file.parent
    ledger = read_ledger(file, shown=places.shown(file))
    project = find_project(folder.resolve())
    local = project is not None and folder.resolve() == project.runs.resolve()
    if path is not None and not file.exists() and not folder.is_dir():
        msg = f"there is no ledger at {path}"
        raise UsageError(msg, hint="reaffirm publish begins docs/runs/ledger.jsonl, a run runs/ledger.jsonl")
    if local and project is not None:
        found = list(local_findings(ledger, project.root))
    else:
        found = list(published_findings(ledger, folder, places.shown(folder)))
    if since:
        found += gone_lines(ledger, ledger_at(file, since))
    for finding in found:
        typer.echo(str(finding))
    count = f"{len(ledger.entries)} line(s), {len(ledger.runs)} run(s)"
    heads = f", {len(ledger.heads)} newest lines (branches were merged)" if len(ledger.heads) > 1 else ""
    typer.echo(f"{ledger.path}: {count}{heads}, {len(found)} finding(s)")
    if found:
        raise typer.Exit(1)


@app.command()
def adopt(
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN…]", help="Published runs (default: those without one)."),
    ] = None,
) -> None:
    """Enter published runs that have no line in docs/runs/ledger.jsonl, as they lie there now."""
    from reaffirm.errors import DocumentError
    from reaffirm.run.publication import adopt as take_in
    from reaffirm.run.which import published_runs, which_run
    from reaffirm.store.ledger import LEDGER, read_ledger
    from reaffirm.store.published import read_run

    project = project_here()
    known = read_ledger(project.published / LEDGER, shown=f"docs/runs/{LEDGER}").runs
    if runs:
        meant = [which_run(word, project, local=False) for word in runs]
    else:
        meant = [one for one in published_runs(project) if one.name not in known]
    status = 0
    for one in meant:
        try:
            kind = read_run(one.folder, shown=one.shown).kind
        except DocumentError as error:
            say(f"reaffirm: not entered: {error}")
            status = 2
            continue
        done = take_in(project.published, one.name, str(kind))
        typer.echo(f"{'adopted' if done else 'entered already'}: {one.name}")
    if not meant:
        typer.echo("every published run has its line")
    raise typer.Exit(status)
