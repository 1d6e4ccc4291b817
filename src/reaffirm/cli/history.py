"""Commands that look at runs: runs, diff."""

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Literal

import typer
from rich.table import Table
from rich.text import Text as Styled

from reaffirm.cli.here import project_here
from reaffirm.cli.tables import table_console
from reaffirm.model.evidence import Kind
from reaffirm.model.run_view import Difference
from reaffirm.store.project import find_project

#: The version of what ``--format json`` prints.
SCHEMA = 1
_JUSTIFY: Mapping[str, Literal["right"]] = {"facts": "right"}
_KINDS = {"simulated": "cyan", "lab": "yellow", "real": "green"}
#: In this order differences are told.
_AREAS = (
    "facts",
    "steps",
    "ending",
    "code",
    "outputs",
    "parameters",
    "kind",
    "machines",
    "images",
    "versions",
)


class ListFormat(StrEnum):
    """How a list is printed."""

    TABLE = "table"
    JSON = "json"


class DiffFormat(StrEnum):
    """How differences are printed."""

    TEXT = "text"
    JSON = "json"


def runs(
    runbook: Annotated[str, typer.Option(help="Only runs of this runbook.")] = "",
    kind: Annotated[Kind | None, typer.Option(help="Only runs of this kind.")] = None,
    form: Annotated[ListFormat, typer.Option("--format", help="table or json.")] = ListFormat.TABLE,
) -> None:
    """List local and published runs, newest first."""
    from reaffirm.run.listing import list_runs

    found = [
        one
        for one in list_runs(project_here())
        if (not runbook or one.runbook == runbook) and (kind is None or one.kind == kind)
    ]
    if form is ListFormat.JSON:
        print_json({"schema": SCHEMA, "runs": [one.as_json() for one in found]})
        return
    if not found:
        typer.echo("no runs")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("run", "runbook", "kind", "when", "ended", "facts", "published"):
        fold = column == "ended"
        table.add_column(column, overflow="fold", no_wrap=not fold, justify=_JUSTIFY.get(column, "left"))
    for one in found:
        ended = Styled(one.ended, style="" if one.ended.startswith("completed") else "red")
        if one.problem:
            ended = Styled(f"DAMAGED: {one.problem}", style="bold red")
        kind_word = Styled(one.kind or "-", style=_KINDS.get(one.kind, ""))
        public = "yes" if one.published else "no"
        when = one.when.replace("T", " ").removesuffix("Z")[:16]
        table.add_row(one.run, one.runbook, kind_word, when, ended, str(one.facts), public)
    table_console().print(table)


def diff(
    old: Annotated[str, typer.Argument(metavar="RUN", help="A run: its name, its notebook or its folder.")],
    new: Annotated[str, typer.Argument(metavar="RUN", help="The run to compare with it.")],
    form: Annotated[DiffFormat, typer.Option("--format", help="text or json.")] = DiffFormat.TEXT,
) -> None:
    """Say in what two runs differ; exit code 0 same, 1 different, 2 unreadable."""
    from reaffirm.claims.comparison import compare
    from reaffirm.run.listing import read_view
    from reaffirm.run.which import which_run

    project = find_project()
    views = [read_view(which_run(word, project)) for word in (old, new)]
    found = compare(*views)
    if form is DiffFormat.JSON:
        names = {"schema": SCHEMA, "old": views[0].name, "new": views[1].name}
        print_json(names | {"differences": [one.as_json() for one in found]})
    else:
        typer.echo(f"old: {views[0].name}\nnew: {views[1].name}")
        for line in told(found):
            typer.echo(line)
        typer.echo(f"{len(found)} difference(s)" if found else "the same")
    raise typer.Exit(1 if found else 0)


def told(differences: Iterable[Difference]) -> list[str]:
    """Return differences as lines, by area."""
    lines: list[str] = []
    found = list(differences)
    for area in sorted({one.area for one in found}, key=_rank):
        lines.append(area)
        for one in found:
            if one.area == area:
                lines += [f"  {line}" for line in one_told(one)]
    return lines


def one_told(one: Difference) -> list[str]:
    """Return one difference as lines."""
    place = f" ({one.place})" if one.place else ""
    values = {"changed": f": {one.was} → {one.now}", "added": f": {one.now}", "gone": f": {one.was}"}
    value = values[one.change] if one.was or one.now else ""
    return [f"{one.change:<7}  {one.what}{value}{place}", *(f"    {line}" for line in one.lines)]


def _rank(area: str) -> tuple[int, str]:
    return (_AREAS.index(area) if area in _AREAS else len(_AREAS), area)


def print_json(data: object) -> None:
    """Print data as JSON."""
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2))
