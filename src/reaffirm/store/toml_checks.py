"""Checks of TOML tables that collect every mistake with its line, and never show a secret."""

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from reaffirm.redact import redact
from reaffirm.store.toml_lines import KeyPath, TomlLines

#: Keys that hold secrets wherever they are written.
_SECRET = re.compile(
    r"(?:^|[-_.])(?:passwords?|passwd|passphrase|secrets?|token|api[-_]?key|access[-_]?key|private[-_]?key|credentials?)\Z",
    re.IGNORECASE,
)

Check = Callable[["TomlReader", KeyPath, Any], Any]


class TomlReader:
    """Walks over the tables of one file and collects every mistake on the way."""

    def __init__(self, shown: str, lines: TomlLines, top: Iterable[str]) -> None:
        self.shown = shown
        self.top = frozenset(top)
        self.lines = lines
        self.mistakes: list[tuple[int, str]] = []
        self.hints: list[str] = []

    def wrong(self, path: KeyPath, what: str, hint: str) -> None:
        """Keep one mistake with its line."""
        line = self.lines.line(path)
        self.mistakes.append((line, f"{self.shown}:{line}: {what}"))
        self.hints.append(hint)

    def table(self, path: KeyPath, data: Any, known: Mapping[str, Check]) -> dict[str, Any]:
        """Check one table and return its values by the names that Python gives them."""
        if not isinstance(data, dict):
            self.wrong(path, f"{dotted(path)} must be a table, got {seen(data)}", f"write [{dotted(path)}]")
            return {}
        values: dict[str, Any] = {}
        for key, value in data.items():
            where = (*path, key)
            if key in known:
                checked = known[key](self, where, value)
                if checked is not None:
                    values[key.replace("-", "_")] = checked
            elif not self.secret(where, key, value):
                self.unknown(where, key, known)
        return values

    def unknown(self, path: KeyPath, key: str, known: Iterable[str]) -> None:
        """Say that a key is not one of ours, and which one it may be."""
        names = sorted(known)
        near = get_close_matches(key.replace("_", "-"), names, n=1, cutoff=0.6)
        if not near:
            near = [name for name in names if name.replace("-", "") == key.lower().replace("_", "")]
        inside = dotted(path[:-1])
        place = f" in [{inside}]" if inside else ""
        meant = f"; did you mean {near[0]!r}?" if near else ""
        hint = f"rename it to {near[0]!r}" if near else f"known here: {', '.join(names)}"
        if inside and key in self.top:
            hint = f"move it up: keys of the file itself stand above the first [table], got it in [{inside}]"
        self.wrong(path, f"unknown key{place}, got {key!r}{meant}", hint)

    def secret(self, path: KeyPath, key: str, value: Any) -> bool:
        """Refuse a secret. Its value is never shown."""
        named = isinstance(value, str) and bool(_SECRET.search(key))
        if not named and not (isinstance(value, str) and redact(value) != value):
            return False
        what = f"a machine file never holds a secret, got one under {dotted(path)!r}"
        hint = "use a key in the ssh agent, or set the variable on the machine; then change this secret"
        self.wrong(path, what, hint)
        return True

    def no_secrets(self, path: KeyPath, value: Any) -> None:
        """Refuse secrets anywhere below a table that may hold anything."""
        if isinstance(value, dict):
            for key, item in value.items():
                if not self.secret((*path, key), key, item):
                    self.no_secrets((*path, key), item)
        elif isinstance(value, list):
            for number, item in enumerate(value):
                self.no_secrets((*path, number), item)
        elif isinstance(value, str) and redact(value) != value:
            self.secret(path, str(path[-1]), value)


def dotted(path: KeyPath) -> str:
    """Name a key as a person would: ``launch.vllm.port``."""
    return ".".join(str(part) for part in path if not isinstance(part, int))


def seen(value: Any) -> str:
    """Say a value in a message, without a secret in it."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return redact(repr(value)) if not isinstance(value, bool) else str(value).lower()


def as_text(reader: TomlReader, path: KeyPath, value: Any) -> str | None:
    """Take text; refuse control characters and secrets."""
    key = str(path[-1])
    if not isinstance(value, str):
        reader.wrong(path, f"{key} must be text, got {seen(value)}", f'write {key} = "…"')
        return None
    if reader.secret(path, key, value):
        return None
    if any(ord(sign) < 32 and sign not in "\t\n" for sign in value):
        reader.wrong(path, f"{key} must be printable text, got {value!r}", "remove the control characters")
        return None
    return value


def as_number(low: float, high: float, *, whole: bool = False, unit: str = "") -> Check:
    """Return the check of a number from ``low`` to ``high``; ``unit`` is shown, such as `` of seconds``."""

    def check(reader: TomlReader, path: KeyPath, value: Any) -> Any:
        right = isinstance(value, int) or (isinstance(value, float) and not whole)
        if not right or isinstance(value, bool) or not low <= value <= high:
            number = f"{'a whole number' if whole else 'a number'}{unit} from {low:.15g} to {high:.15g}"
            hint = f"write {path[-1]} = … without quotes"
            reader.wrong(path, f"{path[-1]} must be {number}, got {seen(value)}", hint)
            return None
        return value

    return check


def as_list(reader: TomlReader, path: KeyPath, value: Any) -> tuple[str, ...] | None:
    """Take a list of text without secrets."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        got, hint = seen(value), f'write {path[-1]} = ["…"]'
        if isinstance(value, list):
            first = next(item for item in value if not isinstance(item, str))
            got, hint = f"{seen(first)} in it", "put quotes around each item, numbers too"
        reader.wrong(path, f"{path[-1]} must be a list of text, got {got}", hint)
        return None
    reader.no_secrets(path, value)
    return tuple(value)


def as_texts(reader: TomlReader, path: KeyPath, value: Any) -> dict[str, str]:
    """Take a table of text without secrets."""
    if not isinstance(value, dict):
        reader.table(path, value, {})
        return {}
    return reader.table(path, value, dict.fromkeys(value, as_text)) and {
        key: item for key, item in value.items() if isinstance(item, str)
    }


def as_anything(reader: TomlReader, path: KeyPath, value: Any) -> dict[str, Any]:
    """Take a table of anything but secrets."""
    if not isinstance(value, dict):
        reader.table(path, value, {})
        return {}
    reader.no_secrets(path, value)
    return value


def as_numbers(reader: TomlReader, path: KeyPath, value: Any) -> dict[str, float]:
    """Take a table of seconds."""
    known = (
        {key: as_number(0.001, 604_800, unit=" of seconds") for key in value}
        if isinstance(value, dict)
        else {}
    )
    checked = reader.table(path, value, known)
    return {key: float(checked[key.replace("-", "_")]) for key in known if key.replace("-", "_") in checked}
