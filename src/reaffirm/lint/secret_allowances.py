"""Allowances for what looks like a secret and is none: an example in a page, a made-up key in a test.

::

    [[allow]]
    path = "docs/how-to/registry.md"
    code = "named-secret"
    count = 2
    why = "the password of the example is made up"

Neither a secret nor its hash stands there. An allowance that is wider than what is found is a finding itself.
"""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from reaffirm.errors import DocumentError
from reaffirm.model.finding import Finding

#: The file of allowances at the root of a project.
ALLOWED = ".secrets-allowed.toml"


@dataclass(frozen=True)
class Allowance:
    """So many findings of a code in a file are known to be no secrets. ``path`` may be a pattern."""

    path: str
    code: str
    count: int
    why: str
    line: int = 1


def read_allowances(path: Path) -> tuple[Allowance, ...]:
    """Read a file of allowances.

    Raises:
        DocumentError: it cannot be read, or an entry lacks something.
    """
    try:
        text = path.read_text(encoding="utf-8")
        entries = tomllib.loads(text).get("allow", [])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        msg = f"{path}: no file of allowances: {error}"
        raise DocumentError(msg, hint="it is TOML with [[allow]] path, code, count and why") from error
    lines = [number for number, line in enumerate(text.split("\n"), 1) if line.strip() == "[[allow]]"]
    found = []
    for number, entry in enumerate(entries):
        line = lines[number] if number < len(lines) else 1
        right = isinstance(entry, dict) and all(
            isinstance(entry.get(key), kind) for key, kind in (("path", str), ("code", str), ("why", str))
        )
        count = entry.get("count", 1) if right else 0
        if not right or not entry["why"].strip() or not isinstance(count, int) or count < 1:
            msg = f"{path}:{line}: an allowance has path, code and why as text, and a count from 1"
            raise DocumentError(msg, hint="say in why how you know that it is no secret")
        found.append(Allowance(entry["path"], entry["code"], count, entry["why"], line))
    return tuple(found)


def not_allowed(
    findings: Iterable[Finding], allowances: Iterable[Allowance], *, file: str, whole: bool = True
) -> Iterator[Finding]:
    """Yield the findings that no allowance covers, and the allowances that are wider than they need to be.

    Args:
        findings: what was found.
        allowances: those of ``file``.
        file: how messages name their file.
        whole: whether all was scanned that the allowances may be about.
    """
    left = {allowance: allowance.count for allowance in allowances}
    for finding in findings:
        path = finding.path.removeprefix("./")
        fit = [a for a, n in left.items() if n and a.code == finding.code and fnmatchcase(path, a.path)]
        if fit:
            left[fit[0]] -= 1
        else:
            yield finding
    for allowance, unused in left.items():
        if unused and whole:
            message = f"{unused} of {allowance.count} allowed for {allowance.path} were not found"
            yield Finding(file, allowance.line, "allowance-unused", message, "lower the count, or remove it")
