"""What claims rest on, in one sentence that is counted from where they stand."""

from collections import Counter
from collections.abc import Sequence
from types import MappingProxyType

from reaffirm.model.claim import Standing
from reaffirm.model.evidence import Kind
from reaffirm.site.marks import ORDER, Sign, sign_of
from reaffirm.site.run_places import Places
from reaffirm.site.text import inline


def evidence_sentence(standings: Sequence[Standing], at_home: Places = MappingProxyType({})) -> str:
    """Return ``4 of 8 claims affirmed (4 lab), 2 rehearsed (2 lab), 2 told. No verdict here rests on a run on
    real machines.``; empty without claims.

    Args:
        standings: where each claim stands.
        at_home: real runs that asked no other machine than the one that ran them.
    """
    if not standings:
        return ""
    by_sign: dict[Sign, list[Standing]] = {}
    for one in standings:
        by_sign.setdefault(sign_of(one), []).append(one)
    affirmed = by_sign.pop(Sign.AFFIRMED, [])
    told = [f"{len(affirmed)} of {_claims(len(standings))} affirmed{_kinds(affirmed, at_home)}"]
    for sign in ORDER:
        if found := by_sign.get(sign):
            told.append(f"{len(found)} {sign.words}{_kinds(found, at_home)}")
    real = any(one.deciding is not None and one.deciding.kind is Kind.REAL for one in standings)
    return f"{', '.join(told)}." + ("" if real else " No verdict here rests on a run on real machines.")


def _claims(number: int) -> str:
    return f"{number} claim{'' if number == 1 else 's'}"


def _kinds(standings: Sequence[Standing], at_home: Places) -> str:
    """Of what kind the evidence of each is, the weightiest first; what was real says which runbook it was."""
    runs = [one.deciding for one in standings if one.deciding is not None]
    counts = Counter(one.kind for one in runs)
    told = [f"{counts[kind]} {kind}" for kind in reversed(Kind) if counts[kind]]
    if counts[Kind.REAL]:
        real = [one for one in runs if one.kind is Kind.REAL]
        books = sorted({inline(one.runbook) for one in real})
        where = {at_home.get(one.path, "") for one in real}
        told[0] += f" by {', '.join(books)}" + (f", {where.pop()}" if len(where) == 1 and any(where) else "")
    return f" ({', '.join(told)})" if told else ""
