"""The command that looks for secrets in files."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reaffirm.errors import UsageError
from reaffirm.lint.secret_allowances import ALLOWED, Allowance, not_allowed, read_allowances
from reaffirm.lint.secret_scan import Looked
from reaffirm.lint.secret_scan import scan as scanned
from reaffirm.model.finding import Finding
from reaffirm.redact import remembering, secrets_in
from reaffirm.run.command import say
from reaffirm.store.project import find_project


class Form(StrEnum):
    """How findings are told."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


def scan(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders; also what git ignores.")],
    form: Annotated[
        Form, typer.Option("--format", help="Lines of text, JSON, or annotations for GitHub.")
    ] = Form.TEXT,
    allowed: Annotated[
        Path | None,
        typer.Option(help=f"Allowances for made-up examples (default: {ALLOWED} of the project)."),
    ] = None,
) -> None:
    """Look for secrets in files. What is found is never shown."""
    for path in paths:
        if not path.exists():
            msg = f"{path}: there is no such file or folder"
            raise UsageError(msg, hint="give paths that are there")
    looked = Looked()
    with remembering(secrets_in(os.environ)):
        found = _found(paths, allowed, looked)
    _tell(found, form)
    for what, names in (
        ("no text, not looked at", looked.binary),
        ("looked at in part: too long", looked.cut),
        ("cannot be read", looked.unreadable),
    ):
        if names:
            more = f" and {len(names) - 5} more" if len(names) > 5 else ""
            say(f"reaffirm: {what}: {', '.join(names[:5])}{more}")
    say(f"reaffirm: {looked.files} files, {len(found)} finding{'' if len(found) == 1 else 's'}")
    if found:
        raise typer.Exit(1)
    if looked.unreadable:
        raise typer.Exit(2)


def _found(paths: Sequence[Path], allowed: Path | None, looked: Looked) -> list[Finding]:
    allowances, file = _allowances(allowed)
    whole = _covers(paths, allowances)
    return sorted(set(not_allowed(scanned(paths, looked), allowances, file=file, whole=whole)))


def _allowances(given: Path | None) -> tuple[tuple[Allowance, ...], str]:
    project = find_project(Path.cwd())
    path = given or (project.root / ALLOWED if project else Path(ALLOWED))
    if given is None and not path.is_file():
        return (), ""
    return read_allowances(path), path.name


def _covers(paths: Sequence[Path], allowances: Sequence[Allowance]) -> bool:
    """Whether every allowance is about something that was scanned."""
    roots = [path.as_posix().removeprefix("./").rstrip("/") for path in paths]
    return all(
        any(root == "." or a.path == root or a.path.startswith(f"{root}/") for root in roots)
        for a in allowances
    )


def _tell(found: Sequence[Finding], form: Form) -> None:
    if form is Form.JSON:
        typer.echo(json.dumps([asdict(one) for one in found], ensure_ascii=False, indent=2))
        return
    for one in found:
        if form is Form.GITHUB:
            message = one.message.replace("%", "%25").replace("\n", "%0A")
            typer.echo(f"::error file={one.path},line={one.line},title={one.code}::{message}")
        else:
            typer.echo(str(one))
