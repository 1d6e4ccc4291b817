"""The command lint."""

import os
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reaffirm.cli.records import collect
from reaffirm.errors import UsageError
from reaffirm.lint.baseline import new_ones, read_baseline, write_baseline
from reaffirm.lint.output import as_github, as_json, as_text
from reaffirm.lint.run import lint as run_rules
from reaffirm.lint.settings import read_lint_settings
from reaffirm.lint.spelling import apply, fixes
from reaffirm.lint.subject import Subject
from reaffirm.run.command import say
from reaffirm.store.project import find_project


class Form(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


def lint(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Files or folders (default: this repository; its records are found)."),
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="text, json or github.")] = Form.TEXT,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Fail only on what this file does not have.")
    ] = None,
    write: Annotated[
        bool, typer.Option("--write-baseline", help="Write what is found now to the baseline.")
    ] = False,
    against: Annotated[
        str, typer.Option("--against", metavar="BRANCH", help="Also numbers taken on that branch.")
    ] = "",
    fix: Annotated[bool, typer.Option("--fix", help="Mend what is safe to mend.")] = False,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", metavar="CODE")] = None,
    proposed_days: Annotated[
        int | None, typer.Option("--proposed-days", min=1, help="How long a proposal may wait.")
    ] = None,
    today: Annotated[str, typer.Option("--today", metavar="DATE", help="The day to judge by.")] = "",
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Read every file again.")] = False,
) -> None:
    """Say what is wrong in records, line by line: path:line: CODE message."""
    if write and baseline is None:
        msg = "--write-baseline needs the file"
        raise UsageError(msg, hint="--baseline lint-baseline.json --write-baseline")
    known = read_baseline(baseline) if baseline is not None and not write else None
    here = Path()
    root = repository(paths[0] if paths else here)
    settings = read_lint_settings(root, ignore or [], proposed_days, against)
    subject = Subject(collect(paths or [], no_cache=no_cache), here, root, _day(today), settings)
    if fix:
        made = apply(here, fixes(subject))
        typer.echo(f"mended: {made} line{'' if made == 1 else 's'}", err=True)
        subject = Subject(collect(paths or [], no_cache=no_cache), here, root, _day(today), settings)
    found = run_rules(subject)
    if write and baseline is not None:
        typer.echo(f"{baseline}: {write_baseline(baseline, found)} findings are known from now on")
        return
    new, gone = new_ones(found, known) if known is not None else (found, None)
    if form is Form.JSON:
        typer.echo(as_json(new))
    else:
        lines = as_text(new) if form is Form.TEXT else as_github(new)
        sys.stdout.writelines(f"{line}\n" for line in lines)
    records = len(subject.records)
    beside = f", {len(found) - len(new)} known" if known is not None else ""
    stale = f"; {gone.total()} of the baseline are gone" if gone else ""
    plural = "" if len(new) == 1 else "s"
    typer.echo(f"{records} records, {len(new)} finding{plural}{beside}{stale}", err=True)
    if new:
        raise typer.Exit(1)
    if not subject.documents:
        raise typer.Exit(_nothing_found(paths or [], subject))


def _nothing_found(paths: Sequence[Path], subject: Subject) -> int:
    """Say where no record was found. Return the status: only a project may be without one yet."""
    here, project = Path.cwd(), find_project()
    known = project.record_folders if project else ()
    folders = [one for one in known if one.is_dir() and one.resolve().is_relative_to(here.resolve())]
    where = ", ".join(map(str, paths)) or f"{here} and below"
    over = len(subject.collection.skipped)
    passed = f" ({over} passed over; reaffirm records tells why)" if over else ""
    say(f"reaffirm: no record was found; looked at {where}{passed}")
    if folders and not paths:
        say("  next: reaffirm new record TITLE writes the first one")
        return 0
    say("  next: give the folder of the records: reaffirm lint docs/adr")
    return 2


def repository(path: Path) -> Path:
    """Return the repository's folder: the nearest with a .git above; without one, the current folder."""
    start = (path if path.is_dir() else path.parent).resolve()
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    here = Path.cwd()
    return here if start.is_relative_to(here) else start


def _day(text: str) -> date:
    """The day given; else that of SOURCE_DATE_EPOCH, so that a run can be repeated; else today."""
    if text:
        try:
            return date.fromisoformat(text)
        except ValueError as error:
            msg = f"--today must be YYYY-MM-DD, got {text!r}"
            raise UsageError(msg, hint="such as --today 2026-12-01") from error
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return moment.date()
