"""The rules of a machine file: ``protected``, ``names``, ``read-only``, for all nodes or for one."""

import re
from typing import Any

from reaffirm.model.rules import NameRule, Rules
from reaffirm.store.toml_checks import TomlReader, seen
from reaffirm.store.toml_lines import KeyPath

#: The keys, as they stand at the top of the file and in a ``[[node]]``.
RULE_KEYS = ("protected", "names", "read-only")
# A name of a container, with the signs of a pattern.
_PATTERN = re.compile(r"[A-Za-z0-9_.*?\[\]!-]+\Z")


def as_patterns(reader: TomlReader, path: KeyPath, value: Any) -> NameRule | None:
    """Take a list of container names and patterns."""
    key = str(path[-1])
    if not isinstance(value, list) or not value:
        hint = f'write {key} = ["vllm-*", "sglang-*"], or leave it out'
        got = "an empty list" if value == [] else seen(value)
        reader.wrong(path, f"{key} must be a list of container names or patterns, got {got}", hint)
        return None
    for word in value:
        if not isinstance(word, str) or not _PATTERN.match(word):
            hint = "use letters, digits, '_', '.', '-', and '*', '?', '[…]' for a pattern"
            reader.wrong(path, f"{key} holds no name or pattern of containers, got {seen(word)}", hint)
            return None
    return NameRule(key, tuple(value), _at(reader, path))


def as_read_only(reader: TomlReader, path: KeyPath, value: Any) -> str | None:
    """Take ``true`` or ``false``; return where ``true`` is written."""
    if not isinstance(value, bool):
        reader.wrong(path, f"read-only must be true or false, got {seen(value)}", "write read-only = true")
        return None
    return _at(reader, path) if value else ""


def rules_from(values: dict[str, Any]) -> Rules:
    """Take the keys of the rules out of a checked table."""
    protected, names = values.pop("protected", None), values.pop("names", None)
    return Rules(
        (protected,) if protected else (), (names,) if names else (), values.pop("read_only", None) or ""
    )


def _at(reader: TomlReader, path: KeyPath) -> str:
    return f"{reader.shown}:{reader.lines.line(path)}"
