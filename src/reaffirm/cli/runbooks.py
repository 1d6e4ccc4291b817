"""Commands that show what is in a runbook: parameters, steps. A run does not wait for what draws tables."""

import os
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text as Styled

from reaffirm.cli.tables import table_console
from reaffirm.cli.which_runbook import read_local, runbook_path
from reaffirm.run import places
from reaffirm.run.runbook import read_runbook
from reaffirm.run.selection import steps_of


def parameters(
    runbook: Annotated[str, typer.Argument(help="A .py file, or a name under runbooks/.")],
) -> None:
    """Show the parameters of a runbook: name, type, default, meaning."""
    path = runbook_path(runbook)
    found = read_runbook(os.fspath(path), lambda p: read_local(p)).declarations.found
    if not found:
        typer.echo(f"{places.shown(path)} declares no parameters")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("name", "type", "default", "meaning"):
        table.add_column(column, overflow="fold", no_wrap=column == "name")
    for one in found.values():
        table.add_row(
            *(Styled(word) for word in (one.name, one.annotation or "any", one.shown_default, one.help))
        )
    table_console().print(table)


def steps(
    runbook: Annotated[str, typer.Argument(help="A .py file, or a name under runbooks/.")],
) -> None:
    """Show the steps of a runbook: their names for --from, --until and --only."""
    path = runbook_path(runbook)
    notebook = read_runbook(os.fspath(path), lambda p: read_local(p)).notebook
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("cell", "step", "heading", ""):
        table.add_column(column, overflow="fold", no_wrap=column == "step")
    for one in steps_of(notebook["cells"]):
        words = (str(one.number), one.id, one.heading, "always runs" if one.defines else "")
        table.add_row(*map(Styled, words))
    table_console().print(table)
