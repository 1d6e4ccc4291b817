"""A baseline: what was found before, so that only what is new fails.

A finding is known by file, code and message, not by its line: lines move.
"""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from reaffirm.errors import UsageError
from reaffirm.model.finding import Finding

SCHEMA = 1


def write_baseline(path: Path, findings: Iterable[Finding]) -> int:
    """Write a baseline and return how many findings it holds."""
    known = tuple(findings)
    path.write_text(baseline_text(known), encoding="utf-8")
    return len(known)


def baseline_text(findings: Iterable[Finding]) -> str:
    """Return what a baseline of these findings holds."""
    counted = Counter(_key(one) for one in findings)
    entries = [
        {"path": file, "code": code, "message": message, "count": count}
        for (file, code, message), count in sorted(counted.items())
    ]
    text = json.dumps({"schema": SCHEMA, "findings": entries}, indent=1, ensure_ascii=True)
    return f"{text}\n"


def read_baseline(path: Path) -> Counter[tuple[str, str, str]]:
    """Read a baseline.

    Raises:
        UsageError: there is none, or it is none.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["schema"] != SCHEMA:
            msg = f"{path}: baseline of schema {data['schema']!r} is not understood"
            raise UsageError(msg, hint="write it again with --write-baseline")
        return Counter(
            {(one["path"], one["code"], one["message"]): int(one["count"]) for one in data["findings"]}
        )
    except FileNotFoundError as error:
        msg = f"there is no baseline {str(path)!r}"
        raise UsageError(msg, hint="write it first: --baseline FILE --write-baseline") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        msg = f"{path} is no baseline: {error}"
        raise UsageError(msg, hint="write it again with --write-baseline") from error


def new_ones(
    findings: Iterable[Finding], known: Counter[tuple[str, str, str]]
) -> tuple[tuple[Finding, ...], Counter[tuple[str, str, str]]]:
    """Return the findings that the baseline has not, and what of the baseline is gone."""
    left = Counter(known)
    new = []
    for one in findings:
        if left[_key(one)] > 0:
            left[_key(one)] -= 1
        else:
            new.append(one)
    return tuple(new), +left


def _key(finding: Finding) -> tuple[str, str, str]:
    return finding.path, finding.code, finding.message
