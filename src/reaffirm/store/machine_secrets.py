"""Reads what a machine file marks as secret: names of variables and patterns, never a value."""

import re

from reaffirm.model.node import SecretsHere
from reaffirm.store.patterns import read_pattern
from reaffirm.store.toml_checks import TomlReader, as_list
from reaffirm.store.toml_lines import KeyPath

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}\Z")


def as_secrets(reader: TomlReader, path: KeyPath, value: object) -> SecretsHere:
    """Take the names of secret variables and patterns of secrets; a value among them is refused."""
    return SecretsHere(**reader.table(path, value, {"variables": _variables, "patterns": _patterns}))


def _variables(reader: TomlReader, path: KeyPath, value: object) -> tuple[str, ...] | None:
    names = as_list(reader, path, value)
    for number, name in enumerate(names or ()):
        if not _VARIABLE.match(name):
            # whoever writes NAME=value here has put a secret into a file
            what = f"variables are names such as REGISTRY_PAT, got {len(name)} characters that are none"
            reader.wrong((*path, number), what, "write the name alone; the value stays in the environment")
            return None
    return names


def _patterns(reader: TomlReader, path: KeyPath, value: object) -> tuple[str, ...] | None:
    found = as_list(reader, path, value)
    for number, text in enumerate(found or ()):
        try:
            read_pattern(text)
        except ValueError as error:
            reader.wrong((*path, number), str(error), r"write what such secrets look like: acme-[0-9a-f]{32}")
            return None
    return found
