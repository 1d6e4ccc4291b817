"""What claims rest on, in one sentence that is counted from where they stand."""

from collections import Counter
from collections.abc import Sequence

from reaffirm.model.claim import Standing, Verdict
from reaffirm.model.evidence import Kind
from reaffirm.site.marks import ORDER
from reaffirm.site.text import inline


def evidence_sentence(standings: Sequence[Standing]) -> str:
    """Return ``4 of 8 claims affirmed (4 lab), 2 rehearsed (2 lab), 2 told. No verdict here rests on a run on
    real machines.``; empty without claims.
    """
    if not standings:
        return ""
    by_verdict: dict[Verdict, list[Standing]] = {}
    for one in standings:
        by_verdict.setdefault(one.verdict, []).append(one)
    affirmed = by_verdict.pop(Verdict.AFFIRMED, [])
    told = [f"{len(affirmed)} of {_claims(len(standings))} affirmed{_kinds(affirmed)}"]
    for verdict in ORDER:
        if found := by_verdict.get(verdict):
            told.append(f"{len(found)} {verdict}{_kinds(found)}")
    real = any(one.deciding is not None and one.deciding.kind is Kind.REAL for one in standings)
    return f"{', '.join(told)}." + ("" if real else " No verdict here rests on a run on real machines.")


def _claims(number: int) -> str:
    return f"{number} claim{'' if number == 1 else 's'}"


def _kinds(standings: Sequence[Standing]) -> str:
    """Of what kind the evidence of each is, the weightiest first; what was real says which runbook it was."""
    runs = [one.deciding for one in standings if one.deciding is not None]
    counts = Counter(one.kind for one in runs)
    told = [f"{counts[kind]} {kind}" for kind in reversed(Kind) if counts[kind]]
    if counts[Kind.REAL]:
        books = sorted({inline(one.runbook) for one in runs if one.kind is Kind.REAL})
        told[0] += f" by {', '.join(books)}"
    return f" ({', '.join(told)})" if told else ""
