"""Fields of a record's front matter: a text, a list of texts, a known word. What is wrong is noted."""

import difflib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from reaffirm.model.finding import Finding
from reaffirm.store.frontmatter import Page
from reaffirm.store.operands import type_of

Path = tuple[str | int, ...]
_Word = TypeVar("_Word", bound=StrEnum)


class FieldReader:
    """One page's worth of reading; collects findings on the way."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.findings: list[Finding] = []

    def wrong(self, path: Path, code: str, message: str, hint: str = "") -> None:
        """Note what is wrong at a place in the front matter."""
        self.findings.append(Finding(self.page.path, self.page.at(*path), code, message, hint))

    def keys(self, item: Mapping[str, Any], known: tuple[str, ...], path: Path, code: str, what: str) -> None:
        """Note every key that is not known."""
        for key in item:
            if key not in known:
                self.wrong((*path, key), code, f"{what} has no key {key!r}", meant(key, known))

    def text(self, item: Mapping[str, Any], key: str, path: Path, *, required: bool = False) -> str:
        """Read a text; empty where it is missing."""
        value = item.get(key)
        if value is None or (isinstance(value, str) and not value.strip()):
            if required:
                self.wrong(
                    path if key not in item else (*path, key),
                    f"{key}-missing",
                    f"{key!r} is missing or empty",
                    f"add '{key}: …'",
                )
            elif key in item:
                self.wrong((*path, key), "value-type", f"{key!r} is empty", "remove the line or fill it")
            return ""
        if not isinstance(value, str):
            self.wrong(
                (*path, key),
                "value-type",
                f"{key!r} must be text, got {type_of(value)} {value!r}",
                "put it in quotes",
            )
            return ""
        return " ".join(value.split())

    def texts(self, item: Mapping[str, Any], key: str, path: Path) -> tuple[str, ...]:
        """Read a list of texts."""
        value = item.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self.wrong(
                (*path, key),
                "value-type",
                f"{key!r} must be a list of texts, got {type_of(value)}",
                f"write '{key}: [one, two]'",
            )
            return ()
        return tuple(value)

    def word(self, item: Mapping[str, Any], key: str, path: Path, of: type[_Word], default: _Word) -> _Word:
        """Read one word of a vocabulary."""
        if key not in item:
            return default
        words = [str(one) for one in of]
        if item[key] in words:
            return of(item[key])
        self.wrong(
            (*path, key),
            f"claim-{key}",
            f"{key!r} must be one of {', '.join(words)}, got {item[key]!r}",
            meant(str(item[key]), words),
        )
        return default


def meant(word: str, known: Iterable[str]) -> str:
    """Return which of the known words was meant, or all of them."""
    words = list(known)
    near = difflib.get_close_matches(word.lower().replace("_", "-"), words, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(words)}"
