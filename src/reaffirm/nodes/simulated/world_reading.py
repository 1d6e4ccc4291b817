"""Reads values of the ``[world]`` table of a machine file, and words the mistakes."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from ipaddress import IPv4Interface
from typing import Any

from reaffirm.errors import MachineFileError
from reaffirm.store.toml_lines import KeyPath, names_in, nearest

#: A message counts the tables of a list from 1.
_NUMBER = re.compile(r", number (\d+)")


class Reader:
    """Reads values. All methods raise MachineFileError.

    ``where`` is the table that a message names, ``key`` the key in it. ``lines`` are those of the keys of the
    file, where it is known.
    """

    def __init__(self, path: str, lines: Mapping[KeyPath, int] | None = None) -> None:
        self.path = path
        self._lines = lines or {}

    def wrong(self, where: str, what: str, key: str = "", *, at: str = "") -> MachineFileError:
        """Return the error for a value that cannot be meant; ``at`` is a key that the words name already."""
        table, *numbers = _NUMBER.split(where)
        path: KeyPath = (*names_in(table), *(int(number) - 1 for number in numbers if number))
        line = nearest(self._lines, (*path, key or at))
        place = f"{self.path}:{line}" if line else self.path
        named = f"{key}: " if key else ""
        return MachineFileError(
            f"{place}: [{where}]: {named}{what}", hint="compare with runbooks/nodes/simulated.toml"
        )

    def keys(self, table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        """Stop at an unknown key."""
        for key in table:
            if key not in known:
                close = get_close_matches(key, known, n=1)
                meant = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
                raise self.wrong(where, f"unknown key {key!r}; {meant}", at=key)

    def table(self, value: Any, where: str) -> dict[str, Any]:
        """Read a table."""
        if not isinstance(value, Mapping):
            raise self.wrong(where, f"a table is needed, got {value!r}")
        return dict(value)

    def number(self, value: Any, where: str, key: str = "") -> float:
        """Read a number of zero or more."""
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise self.wrong(where, f"a number of zero or more is needed, got {value!r}", key)
        return float(value)

    def whole(self, value: Any, where: str, key: str = "") -> int:
        """Read a whole number."""
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.wrong(where, f"a whole number is needed, got {value!r}", key)
        return value

    def text(self, value: Any, where: str, key: str = "") -> str:
        """Read text."""
        if not isinstance(value, str):
            raise self.wrong(where, f"text is needed, got {value!r}", key)
        return value

    def texts(self, value: Any, where: str, key: str = "") -> list[str]:
        """Read a list of texts."""
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(where, f"a list of texts is needed, got {value!r}", key)
        return list(value)

    def address(self, value: Any, where: str, key: str = "") -> str:
        """Read an address with its network."""
        try:
            return str(IPv4Interface(self.text(value, where, key)))
        except ValueError as error:
            raise self.wrong(
                where, f"an address such as 192.0.2.1/24 is needed, got {value!r}", key
            ) from error
