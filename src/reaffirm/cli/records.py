"""Commands about records: records."""

import gc
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from reaffirm.errors import UsageError
from reaffirm.store.reading.collection import Collection


class Shape(StrEnum):
    """How records are printed."""

    TABLE = "table"
    JSON = "json"


def records(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Files or folders (default: this repository; its records are found)."),
    ] = None,
    shape: Annotated[Shape, typer.Option("--format", help="table or json.")] = Shape.TABLE,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of the JSON.")] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Read every file again.")] = False,
) -> None:
    """Show every record there is: id, status, date, title, and what could not be read."""
    from reaffirm.store.reading import report

    if schema:
        typer.echo(report.schema_text(), nl=False)
        return
    found = collect(paths or [], no_cache=no_cache)
    if shape is Shape.JSON:
        # Plain ASCII: names of files may hold what no encoding of a terminal has.
        sys.stdout.write(f"{json.dumps(report.as_json(found), indent=1)}\n")
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    sys.stdout.writelines(f"{_safe(line)}\n" for line in report.as_table(found, width))


def collect(paths: Sequence[Path], *, no_cache: bool = False) -> Collection:
    """Read the records that a command was given.

    Raises:
        UsageError: a path that is not there.
    """
    from reaffirm.store.reading.cache import Cache
    from reaffirm.store.reading.collection import read_collection

    for path in paths:
        if not path.exists() and not path.is_symlink():
            msg = f"there is no file or folder {str(path)!r}"
            raise UsageError(msg, hint="give files or folders; without any, the records here are found")
    # Many small values are made and none is thrown away; looking for cycles among them only costs.
    gc.disable()
    here = Path()
    given = list(paths) or [here]
    cache = None if no_cache else Cache(here)
    return read_collection(given, root=here, cache=cache)


def _safe(line: str) -> str:
    """No control signs reach a terminal."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line)


#: In the order of the help.
commands: Sequence[Callable[..., None]] = (records,)
