"""What every dialect is turned into: headings, lines of prose, items and rows, with their lines.

The modules that know status, dates and titles see only this, so that they are the same for all.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from reaffirm.model.record import Link


class Kind(Enum):
    """What a block is."""

    HEADING = auto()
    PARAGRAPH = auto()
    ITEM = auto()
    ROW = auto()
    QUOTE = auto()
    LABEL = auto()  # a field that the language itself knows: `:status: accepted`


@dataclass(slots=True)
class Line:
    """One line of text as a reader sees it.

    ``source`` is the same as it is written. ``lead`` is the bold text at its beginning. ``code`` is
    true when all of it is code.
    """

    text: str
    line: int
    source: str = ""
    lead: str = ""
    code: bool = False
    links: tuple[Link, ...] = ()
    images: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Block:
    """A heading (``level`` from 1), a paragraph, an item of a list (``level``: its depth), or a row.

    A row's cells are its ``lines``; ``head`` marks the first row of a table, ``table`` counts tables.
    A label has its name in ``name``.
    """

    kind: Kind
    line: int
    lines: list[Line]
    level: int = 0
    head: bool = False
    table: int = 0
    name: str = ""

    @property
    def text(self) -> str:
        """All of it on one line."""
        return " ".join(line.text for line in self.lines).strip()


@dataclass(slots=True)
class Section:
    """A heading and the blocks below it, up to the next heading. The first has no heading."""

    heading: Block | None
    blocks: list[Block] = field(default_factory=list)
    above: tuple[str, ...] = ()

    @property
    def level(self) -> int:
        """The depth of the heading; 0 for what stands before the first."""
        return self.heading.level if self.heading else 0


@dataclass(slots=True)
class Outline:
    """A file's text, taken apart. ``comments`` are lines that only an editor sees."""

    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)

    def sections(self) -> list[Section]:
        """Return the text by heading."""
        found = [Section(None)]
        path: list[Block] = []
        for block in self.blocks:
            if block.kind is not Kind.HEADING:
                found[-1].blocks.append(block)
                continue
            while path and path[-1].level >= block.level:
                path.pop()
            found.append(Section(block, above=tuple(one.text for one in path)))
            path.append(block)
        return found

    def headings(self) -> Iterator[Block]:
        """Yield the headings."""
        return (block for block in self.blocks if block.kind is Kind.HEADING)
