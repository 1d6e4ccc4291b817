"""A collection of records as JSON, by the published schema, and as a table for people."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reaffirm.model.claim import Claim
from reaffirm.model.finding import Finding
from reaffirm.model.record import Record
from reaffirm.store.reading.collection import Collection

#: The number of the format; it changes when a field changes its meaning or goes away.
SCHEMA = 1


def schema_text() -> str:
    """Return the JSON Schema of what :func:`as_json` gives."""
    return Path(__file__).with_name("records.schema.json").read_text(encoding="utf-8")


def as_json(found: Collection) -> dict[str, Any]:
    """Return records, what was passed over, and problems as plain data."""
    return {
        "schema": SCHEMA,
        "records": [record_json(record) for record in found.records],
        "skipped": [{"path": one.path, "why": one.why} for one in found.skipped],
        "problems": [problem_json(one) for one in found.problems],
    }


def record_json(record: Record) -> dict[str, Any]:
    """Return one record; what it does not say is null or empty."""
    return {
        "path": record.path,
        "line": record.line,
        "dialect": record.dialect.value,
        "id": record.id,
        "title": record.title or None,
        "status": record.status.value if record.status else None,
        "status_raw": record.status_raw or None,
        "date": record.date.isoformat() if record.date else None,
        "date_raw": record.date_raw or None,
        "date_of": record.date_of.value,
        "deciders": list(record.deciders),
        "consulted": list(record.consulted),
        "informed": list(record.informed),
        "supersedes": list(record.supersedes),
        "superseded_by": list(record.superseded_by),
        "tags": list(record.tags),
        "links": [
            {"target": link.target, "text": link.text, "line": link.line, "relation": link.relation or None}
            for link in record.links
        ],
        "claims": [_claim(claim) for claim in record.claims],
        "lines": dict(record.lines),
    }


def problem_json(problem: Finding) -> dict[str, Any]:
    """Return what is wrong at one place."""
    return {
        "path": problem.path,
        "line": problem.line,
        "code": problem.code,
        "message": problem.message,
        "hint": problem.hint or None,
    }


def as_table(found: Collection, width: int = 0) -> Iterator[str]:
    """Yield a line for each record, then what was passed over, then what is wrong, and a count."""
    records = found.records
    rows = [
        (
            record.id,
            str(record.status or "none"),
            str(record.date or ""),
            record.title or "(no title)",
            record.path,
        )
        for record in records
    ]
    sizes = [max((len(row[n]) for row in rows), default=0) for n in range(3)]
    for ident, status, day, title, path in rows:
        front = f"{ident:<{sizes[0]}}  {status:<{sizes[1]}}  {day:<{sizes[2]}}  "
        room = max(width - len(front) - len(path) - 2, 20) if width else 60
        shown = title if len(title) <= room else f"{title[: room - 1]}…"
        yield f"{front}{shown:<{room}}  {path}".rstrip()
    for one in found.skipped:
        yield f"skipped {one.path}: {one.why}"
    yield from (str(problem) for problem in found.problems)
    counts = Counter(str(record.status or "no status") for record in records)
    told = ", ".join(f"{number} {status}" for status, number in counts.most_common())
    plural = "" if len(records) == 1 else "s"
    told = f": {told}" if told else ""
    yield f"{len(records)} record{plural}{told}; {len(found.skipped)} skipped, {_many(found)}"


def _many(found: Collection) -> str:
    return f"{len(found.problems)} problem{'' if len(found.problems) == 1 else 's'}"


def _claim(claim: Claim) -> dict[str, Any]:
    check = None
    if claim.check:
        given, conditions = (
            [{"fact": one.fact, "expect": str(one.expect)} for one in some]
            for some in (claim.check.given, claim.check.conditions)
        )
        check = {"runbook": claim.check.runbook, "given": given, "conditions": conditions}
    return {
        "id": claim.id,
        "says": claim.says,
        "kind": claim.kind.value,
        "needs": claim.needs.value,
        "told_by": claim.told_by or None,
        "rivals": list(claim.rivals),
        "recheck_after_days": claim.recheck_after,
        "decision_expects": claim.expected.value,
        "check": check,
        "line": claim.line,
    }
