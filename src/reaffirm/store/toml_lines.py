"""Says on which line of a TOML file a key stands, for messages that people can jump to."""

import re
import tomllib
from collections.abc import Iterator, Mapping

_KEY = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_HEADER = re.compile(r"\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?\Z")

#: Where a key is: names of tables and keys, and the number of an entry in a list of tables.
KeyPath = tuple[str | int, ...]


class TomlLines:
    """The line of each key of a TOML text that ``tomllib`` has already accepted."""

    def __init__(self, text: str) -> None:
        self._lines: dict[KeyPath, int] = {}
        counts: dict[KeyPath, int] = {}
        table: KeyPath = ()
        for number, line in _outside_of_long_strings(text):
            if header := _HEADER.match(line):
                table = names_in(header[2])
                if header[1] == "[[":
                    counts[table] = counts.get(table, -1) + 1
                    self._lines.setdefault(table, number)
                    table = (*table, counts[table])
                else:
                    table = _inside(table, counts)
                self._lines.setdefault(table, number)
            elif key := _KEY.match(line):
                self._lines.setdefault((*table, *names_in(key[1])), number)

    @property
    def known(self) -> Mapping[KeyPath, int]:
        """The line of each key and table that was found."""
        return self._lines

    def line(self, path: KeyPath) -> int:
        """Return the line of a key, else of the nearest table around it, else 1."""
        return nearest(self._lines, path) or 1


def nearest(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """Return the line of a key, else of the nearest table around it, else 0."""
    while path:
        if path in lines:
            return lines[path]
        path = path[:-1]
    return 0


def _inside(table: KeyPath, counts: dict[KeyPath, int]) -> KeyPath:
    """Return the path of ``[node.x]`` as ``node, 1, x`` when it follows the second ``[[node]]``."""
    for length in range(len(table), 0, -1):
        if table[:length] in counts:
            return (*table[:length], counts[table[:length]], *table[length:])
    return table


def names_in(text: str) -> tuple[str, ...]:
    """Return the parts of a dotted key by asking ``tomllib`` itself."""
    try:
        value: object = tomllib.loads(f"{text} = 0")
    except tomllib.TOMLDecodeError:
        return (text,)
    names: list[str] = []
    while isinstance(value, dict):
        [(name, value)] = value.items()
        names.append(name)
    return tuple(names)


def _outside_of_long_strings(text: str) -> Iterator[tuple[int, str]]:
    closing = ""
    for number, line in enumerate(text.splitlines(), 1):
        if closing:
            if closing in line:
                closing = ""
            continue
        yield number, line
        for quotes in ('"""', "'''"):
            if line.count(quotes) % 2:
                closing = quotes
