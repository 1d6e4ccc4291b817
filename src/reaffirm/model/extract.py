"""How a fact is taken from a text, as data: a JSON field, a pattern, a number, or the whole text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

#: What an author writes: ``{"json": "timing.total", "unit": "s"}``.
Recipe = Mapping[str, object]


class How(StrEnum):
    """Where the value stands in the text."""

    JSON = "json"
    REGEX = "regex"
    NUMBER = "number"
    TEXT = "text"


class Line(StrEnum):
    """Which line a number stands on."""

    FIRST = "first line"
    LAST = "last line"
    ONLY = "only line"


@dataclass(frozen=True)
class Extract:
    """One fact to take from a text.

    ``path`` are the keys and positions of a JSON field; ``pattern`` is a regular expression with one named
    group; ``line`` is where a number stands. With a ``unit`` the value must be a number.
    """

    key: str
    how: How
    path: Sequence[str | int] = ()
    pattern: str = ""
    line: Line = Line.LAST
    unit: str = ""

    def __str__(self) -> str:
        match self.how:
            case How.JSON:
                return "JSON " + (".".join(map(str, self.path)) or "as a whole")
            case How.REGEX:
                return f"regex {self.pattern}"
            case How.NUMBER:
                return f"number on the {self.line}"
            case How.TEXT:
                return "the text"
