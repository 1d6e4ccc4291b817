"""Commands that write files: new, status, supersede."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from reaffirm.cli.here import project_here
from reaffirm.cli.records import collect
from reaffirm.errors import UsageError
from reaffirm.run import places
from reaffirm.store.project import find_project
from reaffirm.store.reading.collection import Collection
from reaffirm.writing.new import Made, new_failure, new_image, new_record, new_runbook

_Paths = Annotated[
    list[Path] | None,
    typer.Option("--in", help="Where the records are (default: this repository; they are found)."),
]


def new(
    what: Annotated[Literal["record", "runbook", "failure", "image"], typer.Argument(help="What to make.")],
    title: Annotated[str, typer.Argument(help="Its title, in quotes.")],
    folder: Annotated[
        Path | None, typer.Option("--in", help="The folder of records (default: the one there is).")
    ] = None,
) -> None:
    """Make a record, a runbook, or the page of a failure mode or image from its template."""
    if what == "record":
        made = _record(title, folder)
    else:
        if folder is not None:
            msg = f"--in is for records, not for {what}"
            raise UsageError(msg, hint="leave it out")
        make = {"runbook": new_runbook, "failure": new_failure, "image": new_image}[what]
        made = make(title, project_here())
    for note in made.notes:
        typer.echo(note)
    typer.echo(places.shown(made.path))


def status(
    record: Annotated[str, typer.Argument(help="The id of a record, or its path.")],
    wanted: Annotated[str, typer.Argument(metavar="STATUS", help="draft, proposed, accepted, …")],
    paths: _Paths = None,
) -> None:
    """Give a record another status, where that one may follow the one it has."""
    from reaffirm.writing.status import set_status

    before, raw = set_status(_found(paths), record, wanted)
    if before.status_raw == raw:
        typer.echo(f"{before.path} is {raw} already; nothing was written")
        return
    typer.echo(f"{before.path}: was {before.status_raw}, is now {raw}")


def supersede(
    old: Annotated[str, typer.Argument(help="The record whose place is taken.")],
    new: Annotated[str, typer.Argument(help="The accepted record that takes it.")],
    paths: _Paths = None,
) -> None:
    """Let one record take the place of another: both say so, or neither."""
    from reaffirm.writing.status import supersede as take_place

    before, after = take_place(_found(paths), old, new)
    typer.echo(f"{before.path}: superseded by {after.id}")
    typer.echo(f"{after.path}: supersedes {before.id}")


def _record(title: str, folder: Path | None) -> Made:
    found = _found([folder] if folder is not None and folder.is_dir() else None)
    return new_record(title, folder or _folder_of(found), found, _today())


def _folder_of(found: Collection) -> Path:
    """The one folder that holds records; that of the project where there are none yet."""
    folders = sorted({found.files[record.path].parent for record in found.records})
    project = find_project(Path.cwd())
    if project is not None and (project.records in folders or project.records.is_dir()):
        return project.records
    if len(folders) == 1:
        return folders[0]
    if not folders:
        msg = "there are no records here yet"
        raise UsageError(msg, hint="say where they go: --in docs/decisions")
    shown = ", ".join(places.shown(folder) for folder in folders[:5])
    msg = f"records are in {len(folders)} folders: {shown}{', …' if len(folders) > 5 else ''}"
    raise UsageError(msg, hint="say in which with --in")


def _found(paths: Sequence[Path] | None) -> Collection:
    return collect(list(paths or ()))


def _today() -> date:
    return datetime.now(UTC).date()
