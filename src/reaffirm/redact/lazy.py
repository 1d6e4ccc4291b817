"""Patterns that are compiled when they are needed: most texts need few of them, and a command none."""

import re
from typing import Any, cast


class _Pattern:
    """Stands for a compiled pattern, and takes its methods over with the first one that is asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self.pattern = text
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self.flags)
        for method in ("search", "match", "fullmatch", "finditer", "sub", "split"):
            self.__dict__[method] = getattr(compiled, method)
        return getattr(compiled, name)


#: All of them, for those who look whether one could be slow.
ALL: list[re.Pattern[str]] = []


def lazily(text: str, flags: int = 0) -> re.Pattern[str]:
    """Return what works like ``re.compile(text, flags)``."""
    pattern = cast("re.Pattern[str]", _Pattern(text, flags))
    ALL.append(pattern)
    return pattern
