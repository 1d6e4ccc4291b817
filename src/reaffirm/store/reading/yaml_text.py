"""Reads a small YAML text into plain data, with the line and the exact words of each value.

What was read once is kept: reading the pages of all failure modes would take longer than a simulated launch.
"""

from dataclasses import astuple, dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from reaffirm.store.kept import keep, kept

Path = tuple[str | int, ...]


class YamlProblemError(ValueError):
    """What is wrong with a YAML text. ``line`` counts from its first line, which is 1.

    ``bomb`` is true when nothing of the text is to be trusted.
    """

    def __init__(self, message: str, line: int, hint: str = "", *, bomb: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.hint = hint
        self.bomb = bomb


@dataclass
class Yaml:
    """The data of a text, the line of each key or item by its path, and the words as they are written.

    ``begins`` is the line on which the value of a key begins; ``tagged`` are tags that were not followed.
    """

    data: dict[str, Any] = field(default_factory=dict)
    marks: dict[Path, int] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)
    begins: dict[str, int] = field(default_factory=dict)
    tagged: list[tuple[str, int]] = field(default_factory=list)


def read_yaml(text: str) -> Yaml:
    """Read ``key: value`` lines.

    Raises:
        YamlProblemError: not YAML, not a mapping, an alias, a key twice, or too much of it.
    """
    known = kept("yaml", text, _maker())
    if known is not None:
        return Yaml(*known)
    from reaffirm.store.reading.yaml_nodes import composed  # with it the YAML library

    found = composed(text)
    keep("yaml", text, _maker(), astuple(found))
    return found


@cache
def _maker() -> str:
    """The code that makes it: other code, other data."""
    here = resources.files(__package__)
    return "".join(here.joinpath(name).read_text("utf-8") for name in ("yaml_nodes.py", "yaml_text.py"))
