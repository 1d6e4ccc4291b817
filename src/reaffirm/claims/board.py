"""The board: where every claim stands on a day, what is due, and which decisions ask to be looked at again.

Pure: records and evidence in, rows out. The command, the site and ``claims.json`` show the same board.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from reaffirm.claims.verdict import standing
from reaffirm.model.claim import Claim, Condition, Evidence, Judged, Result, Standing, Verdict, verdict_words
from reaffirm.model.record import Record

#: The version of what :meth:`Board.as_json` returns.
SCHEMA = 1


@dataclass(frozen=True)
class Row:
    """One claim: the record it stands in, its standing, and why it is due (empty where it is not)."""

    record: Record
    claim: Claim
    standing: Standing
    due: str = ""

    @property
    def again(self) -> date | None:
        """The last day on which the evidence is fresh; None where none is, or age does not matter."""
        decided = self.standing.deciding
        if decided is None or self.claim.recheck_after is None:
            return None
        if self.standing.verdict not in (Verdict.AFFIRMED, Verdict.REFUTED):
            return None
        return decided.started.date() + timedelta(days=self.claim.recheck_after)


@dataclass(frozen=True)
class Reopen:
    """A sentence of ``reopen-when`` and its standing; ``asks`` is whether it has come true."""

    record: Record
    claim: Claim
    standing: Standing

    @property
    def asks(self) -> bool:
        """Whether evidence of the needed kind shows it."""
        decided = self.standing.verdict in (Verdict.AFFIRMED, Verdict.STALE)
        return decided and self.standing.result is Result.PASSED


@dataclass(frozen=True)
class Board:
    """All rows in the order of the records, all sentences that would reopen one, and overdue reviews."""

    today: date
    rows: tuple[Row, ...]
    reopen: tuple[Reopen, ...]
    overdue: tuple[Record, ...]

    def only(self, *, record: str = "", claim: str = "", due: bool = False) -> "Board":
        """Return the part of the board about one record or claim, or what is due."""
        rows = tuple(
            row
            for row in self.rows
            if record in ("", row.record.id) and claim in ("", row.claim.id) and (row.due or not due)
        )
        reopen = tuple(one for one in self.reopen if record in ("", one.record.id) and (one.asks or not due))
        overdue = tuple(one for one in self.overdue if record in ("", one.id))
        return Board(self.today, rows, () if claim else reopen, () if claim else overdue)

    def as_json(self) -> dict[str, Any]:
        """Return the board as plain data; ``docs/reference/claims.md`` tells the fields."""
        return {
            "schema": SCHEMA,
            "today": self.today.isoformat(),
            "claims": [_row(row) for row in self.rows],
            "reopen": [_reopen(one) for one in self.reopen],
            "overdue": [
                {"record": one.id, "path": one.path, "review_by": one.review_by and one.review_by.isoformat()}
                for one in self.overdue
            ],
        }


def board(records: Sequence[Record], evidence: Iterable[Evidence], today: date) -> Board:
    """Return where everything stands on ``today``."""
    known = _Known(evidence)
    rows: list[Row] = []
    reopen: list[Reopen] = []
    overdue = tuple(one for one in records if one.review_by is not None and one.review_by < today)
    for record in records:
        for claim in record.claims:
            stands = standing(claim, known.about(claim), today)
            rows.append(Row(record, claim, stands, _due(record, claim, stands, today)))
        reopen += [Reopen(record, one, standing(one, known.about(one), today)) for one in record.reopen_when]
    return Board(today, tuple(rows), tuple(reopen), overdue)


class _Known:
    """Evidence by what it is about: a claim is not held against all of it."""

    def __init__(self, evidence: Iterable[Evidence]) -> None:
        self._by_fact: dict[tuple[str, str], list[Evidence]] = {}
        for one in evidence:
            self._by_fact.setdefault((one.runbook, one.fact), []).append(one)

    def about(self, claim: Claim) -> Iterator[Evidence]:
        """Yield the evidence of the facts that a claim's check names."""
        if claim.check is not None:
            for fact in dict.fromkeys(one.fact for one in claim.check.named):
                yield from self._by_fact.get((claim.check.runbook, fact), ())


def _due(record: Record, claim: Claim, stands: Standing, today: date) -> str:
    if claim.check is None:
        return ""
    if stands.verdict is Verdict.STALE:
        return stands.reason
    if record.review_by is not None and record.review_by < today:
        return f"the record was to be reviewed by {record.review_by.isoformat()}"
    return ""


def _row(row: Row) -> dict[str, Any]:
    claim = row.claim
    return {
        "record": row.record.id,
        "title": row.record.title,
        "status": row.record.status and str(row.record.status),
        "path": claim.path,
        "line": claim.line,
        "id": claim.id,
        "says": claim.says,
        "kind": str(claim.kind),
        "rivals": list(claim.rivals),
        "told_by": claim.told_by,
        "recheck_after_days": claim.recheck_after,
        "due": row.due,
        **_standing(claim, row.standing),
    }


def _reopen(one: Reopen) -> dict[str, Any]:
    claim = one.claim
    place = {"record": one.record.id, "path": claim.path, "line": claim.line, "says": claim.says}
    return place | {"asks": one.asks} | _standing(claim, one.standing)


def _conditions(conditions: Iterable[Condition]) -> list[dict[str, Any]]:
    return [
        {
            "fact": one.fact,
            "expect": {str(operator): value for operator, value in one.expect.terms.items()}
            | ({"unit": one.expect.unit} if one.expect.unit else {}),
        }
        for one in conditions
    ]


def _standing(claim: Claim, stands: Standing) -> dict[str, Any]:
    check = claim.check and {
        "runbook": claim.check.runbook,
        **({"given": _conditions(claim.check.given)} if claim.check.given else {}),
        "all": _conditions(claim.check.conditions),
        **({"with": dict(claim.check.parameters)} if claim.check.parameters else {}),
    }
    return {
        "needs": str(claim.needs),
        "check": check,
        "verdict": str(stands.verdict),
        "result": stands.result and str(stands.result),
        "words": verdict_words(stands, claim),
        "decision_expects": str(claim.expected),
        "against_decision": stands.against,
        "reason": stands.reason,
        "evidence": stands.deciding and _judged(stands.deciding),
        "beside": [_judged(one) for one in stands.beside],
    }


def _judged(one: Judged) -> dict[str, Any]:
    return {
        "runbook": one.runbook,
        "run": one.run,
        "path": one.path,
        "kind": str(one.kind),
        "via": str(one.via),
        "started": one.started.isoformat(),
        "result": str(one.result),
        "changed": one.changed,
        "facts": {
            found.fact: {"value": found.value, "unit": found.unit} | ({"by": found.by} if found.by else {})
            for found in one.found
        },
    }
