"""Findings as lines for people, as JSON, and as remarks of GitHub Actions."""

import json
from collections.abc import Iterable, Iterator

from reaffirm.model.finding import Finding


def as_text(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield ``path:line: CODE message; what to do``."""
    return (printable(str(finding)) for finding in findings)


def as_json(findings: Iterable[Finding]) -> str:
    """Return the findings as one JSON object."""
    entries = [
        {
            "path": one.path,
            "line": one.line,
            "code": one.code,
            "message": one.message,
            "hint": one.hint or None,
        }
        for one in findings
    ]
    return json.dumps({"schema": 1, "findings": entries}, indent=1)


def as_github(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield one ``::error`` command each; signs that end a value are written out."""
    for one in findings:
        message = f"{one.message}; {one.hint}" if one.hint else one.message
        title = _value(f"reaffirm {one.code}")
        yield f"::error file={_value(one.path)},line={one.line},title={title}::{_data(message)}"


def printable(text: str) -> str:
    """Replace signs that a terminal would obey."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def _data(text: str) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return printable(escaped)


def _value(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
