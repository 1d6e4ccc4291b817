"""Cells of a runbook: the name of each step, and what the line ``# %%`` says about how it is run.

======================  ======================================================================
``step="stall"``        the step's id; else it is made of the nearest heading above
``timeout=600``         seconds (of the wall) after which the cell is interrupted
``tags=["finally"]``    also runs after a cell before it failed, ran too long or was interrupted
======================  ======================================================================
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from reaffirm.errors import DocumentError

FINALLY = "finally"
#: The id of a step that no heading is above.
START = "start"

_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
_FENCED = re.compile(r"^(```+|~~~+).*?(^\1|\Z)", re.MULTILINE | re.DOTALL)
_INJECTED = "injected-parameters"

Cell = Mapping[str, Any]


def source_of(cell: Cell) -> str:
    """The source of a cell, also where it is split into lines as in a file."""
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def tags_of(cell: Cell) -> Sequence[str]:
    """The tags of a cell."""
    tags = cell["metadata"].get("tags", ())
    return tags if isinstance(tags, list) else ()


def is_injected(cell: Cell) -> bool:
    """Whether papermill, or we in its place, put this cell in, with the values that were given."""
    return _INJECTED in tags_of(cell)


def is_finally(cell: Cell) -> bool:
    """Whether a cell also runs after one before it did not end well."""
    return FINALLY in tags_of(cell)


def headings(source: str) -> list[str]:
    """The headings in a cell of prose; what looks like one inside of a fence is none."""
    return _HEADING.findall(_FENCED.sub("", source) if "```" in source or "~~~" in source else source)


def heading_at(cells: Sequence[Cell], index: int) -> str:
    """The nearest heading at or above a cell; empty when there is none."""
    for cell in reversed(cells[: index + 1]):
        if cell["cell_type"] == "markdown" and (found := headings(source_of(cell))):
            return found[-1]
    return ""


def number_of(cells: Sequence[Cell], index: int) -> int:
    """The place of a cell in the source, from 1; the cell of given values counts as the one before it."""
    return sum(not is_injected(cell) for cell in cells[: index + 1])


def step_ids(cells: Sequence[Cell]) -> list[str]:
    """Return the id of the step in each cell; empty for prose and for the cell of given values.

    No two are the same: what comes later gets ``-2``, ``-3`` and so on.
    """
    taken: set[str] = set()
    found: list[str] = []
    heading = ""
    for cell in cells:
        if cell["cell_type"] == "markdown":
            heading = (headings(source_of(cell)) or [heading])[-1]
        if cell["cell_type"] != "code" or is_injected(cell):
            found.append("")
            continue
        named = cell["metadata"].get("step")
        base = slug(named if isinstance(named, str) else heading) or START
        one, number = base, 1
        while one in taken:
            number += 1
            one = f"{base}-{number}"
        taken.add(one)
        found.append(one)
    return found


def slug(text: str) -> str:
    """Return a heading as a word: ``Way out 1: SGLang`` becomes ``way-out-1-sglang``."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", "-", plain).strip("-")


def timeout_of(cell: Cell, *, where: str) -> float | None:
    """Return the seconds that a cell may take, ``None`` where its ``# %%`` line names no limit.

    Raises:
        DocumentError: it names one that is no number above 0; ``where`` says whose it is.
    """
    value = cell["metadata"].get("timeout")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        msg = f"{where}: timeout is a number of seconds above 0, got {value!r}"
        raise DocumentError(msg, hint="write it as # %% timeout=600")
    return float(value)
