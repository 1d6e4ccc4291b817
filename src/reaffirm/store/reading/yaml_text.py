"""Reads a small YAML text into plain data, with the line and the exact words of each value.

What was read once is kept: reading the pages of all failure modes would take longer than a simulated launch.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from reaffirm.store.kept import keep, kept

Path = tuple[str | int, ...]


class YamlProblemError(ValueError):
    """What is wrong with a YAML text. ``line`` counts from its first line, which is 1."""

    def __init__(self, message: str, line: int, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.hint = hint


@dataclass
class Yaml:
    """The data of a text, the line of each key or item by its path, and the words as they are written."""

    data: dict[str, Any] = field(default_factory=dict)
    marks: dict[Path, int] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)
    tagged: list[tuple[str, int]] = field(default_factory=list)


def read_yaml(text: str) -> Yaml:
    """Read ``key: value`` lines.

    Raises:
        YamlProblemError: not YAML, not a mapping, an alias, a key twice, or too much of it.
    """
    known = kept("yaml", text, _maker())
    if known is not None:
        data, marks, raw, tagged = known
        return Yaml(data, marks, raw, tagged)
    from reaffirm.store.reading.yaml_nodes import composed  # with it the YAML library

    found = composed(text)
    keep("yaml", text, _maker(), (found.data, found.marks, found.raw, found.tagged))
    return found


@cache
def _maker() -> str:
    """The code that makes it: other code, other data."""
    return resources.files(__package__).joinpath("yaml_nodes.py").read_text(encoding="utf-8")


def top_lines(marks: Mapping[Path, int], offset: int) -> dict[str, int]:
    """Return the line in the file of each key at the top, given how many lines stand before the text."""
    return {str(path[0]): line + offset for path, line in marks.items() if len(path) == 1}
