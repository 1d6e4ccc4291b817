"""Patterns that are compiled when they are needed: most texts need few of them, and a command none."""

import re
from collections.abc import Iterator
from typing import Any, cast


class _Pattern:
    """Stands for a compiled pattern, and takes its methods over with the first one that is asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self.pattern = text
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self.flags)
        for method in ("search", "match", "fullmatch", "finditer", "findall", "sub", "split"):
            self.__dict__[method] = getattr(compiled, method)
        return getattr(compiled, name)


#: All of them, for those who look whether one could be slow.
ALL: list[re.Pattern[str]] = []


def lazily(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return what works like ``re.compile(text, flags)``, and is one of :data:`ALL`."""
    pattern = later(text, flags)
    ALL.append(pattern)
    return pattern


def later(text: str, flags: int = 0) -> re.Pattern[str]:
    """The same for a pattern that somebody else answers for."""
    return cast("re.Pattern[str]", _Pattern(text, flags))


def warming() -> Iterator[re.Pattern[str]]:
    """Compile one of them at each step, for a process that has nothing else to do."""
    for pattern in ALL:
        assert pattern.search is not None
        yield pattern


def compile_all() -> None:
    """Compile all of them now, where nobody waits."""
    for _ in warming():
        pass
