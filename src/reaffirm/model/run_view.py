"""A run as it can be compared with another: what its notebook shows, cell by cell, and what it rests on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reaffirm.model.fact import Fact


@dataclass(frozen=True)
class Output:
    """One output of a cell. ``what`` says what it is (``stdout``, ``launch``, ``error``, a MIME type).

    ``rest`` are the forms of it that people do not read, as one text; ``step`` is the step that showed it.
    """

    what: str
    text: str
    rest: str = ""
    step: str = ""


@dataclass(frozen=True)
class StepView:
    """How one step ended."""

    step: str
    outcome: str
    summary: str


@dataclass(frozen=True)
class CellView:
    """One cell of code. ``number`` counts from 1 over the cells of the source, as in messages."""

    number: int
    heading: str
    source: str
    facts: tuple[Fact, ...] = ()
    steps: tuple[StepView, ...] = ()
    outputs: tuple[Output, ...] = ()

    def __str__(self) -> str:
        return f'cell {self.number} "{self.heading}"' if self.heading else f"cell {self.number}"


@dataclass(frozen=True)
class RunView:
    """A run. ``rests`` is what it rests on, in groups: group → name → value as text."""

    name: str
    cells: tuple[CellView, ...]
    facts: Mapping[str, Fact]
    ended: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    rests: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def cell_of(self, fact: str) -> CellView | None:
        """The cell whose output a fact's value is from: the last that found it."""
        found = [cell for cell in self.cells if any(one.name == fact for one in cell.facts)]
        return found[-1] if found else None


@dataclass(frozen=True)
class Difference:
    """One thing in which two runs differ.

    ``area`` is ``facts``, ``steps``, ``outputs``, ``code``, ``parameters``, ``ending`` or what a run rests
    on; ``what`` the thing; ``change`` is ``changed``, ``added`` or ``gone``; ``was`` and ``now`` are its
    values as people read them; ``cell`` the cell that shows it, by number; ``lines`` the lines that differ,
    each with ``-`` or ``+``.
    """

    area: str
    what: str
    change: str
    was: str = ""
    now: str = ""
    cell: int | None = None
    heading: str = ""
    lines: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The cell as people name it; empty where it is none."""
        if self.cell is None:
            return ""
        return f'cell {self.cell} "{self.heading}"' if self.heading else f"cell {self.cell}"

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data; empty fields are left out."""
        said = {
            "area": self.area,
            "what": self.what,
            "change": self.change,
            "was": self.was,
            "now": self.now,
            "cell": self.cell,
            "heading": self.heading,
            "lines": list(self.lines),
        }
        return {key: value for key, value in said.items() if value not in ("", None, [])}
