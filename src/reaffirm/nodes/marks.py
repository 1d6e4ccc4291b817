"""Which cell is running: the engine says it before each cell, and every open recording notes it.

So a recording tells which request belongs to which cell, and a run that died can be taken up again at the
cell that it died in. Where no engine says it (a notebook opened by hand), nothing is noted.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Mark:
    """The beginning of a cell. ``cell`` counts from 1 over the cells of the source; ``step`` is its id."""

    cell: int
    step: str


class Marked(Protocol):
    """Whoever is told of each cell that begins: a recorder."""

    def mark(self, mark: Mark) -> None:
        """Note the beginning of a cell."""
        ...

    def cell_ends(self) -> None:
        """Keep nothing back any more; raise what went wrong."""
        ...

    def cell_waits(self) -> None:
        """Write what is kept back, if there is time; what goes wrong is told when the cell ends."""
        ...


class _Marks:
    def __init__(self) -> None:
        self.now: Mark | None = None
        self.open: list[Marked] = []
        self.ends_are_told = False


_marks = _Marks()


def cell_begins(number: int, step_id: str) -> None:
    """Say that a cell is about to run. Costs nothing where no recording is open."""
    _marks.now = Mark(number, step_id)
    for one in tuple(_marks.open):
        one.mark(_marks.now)


def cell_ends() -> None:
    """Say that the cell has ended. What goes wrong with its recording is raised."""
    for one in tuple(_marks.open):
        one.cell_ends()


def cell_waits() -> None:
    """Say that the cell waits for somebody who is no node: what is kept back can be written meanwhile."""
    for one in tuple(_marks.open):
        one.cell_waits()


def tell_ends() -> None:
    """Promise that each cell's end will be said, too."""
    _marks.ends_are_told = True


def ends_are_told() -> bool:
    """Whether it is said when a cell ends: until then something may be kept back."""
    return _marks.ends_are_told


def current() -> Mark | None:
    """Return the cell that is running, as far as anybody said."""
    return _marks.now


def joins(recorder: Marked) -> None:
    """Let a recorder be told of the cells that begin from now on."""
    if recorder not in _marks.open:
        _marks.open.append(recorder)


def leaves(recorder: Marked) -> None:
    """Tell a recorder no more. Leaving twice is harmless."""
    if recorder in _marks.open:
        _marks.open.remove(recorder)


def forget() -> None:
    """Begin again, as a new process would."""
    _marks.now = None
    _marks.ends_are_told = False
    _marks.open.clear()
