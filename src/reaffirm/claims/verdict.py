"""What became of a claim, from all evidence there is and the date of today.

========= ==========================================================================================
affirmed  the newest evidence of the needed kind (or better) passed its check and is fresh
refuted   the newest evidence of the needed kind (or better) failed it
rehearsed only evidence of a lower kind exists; it passed or failed
stale     was affirmed or refuted, but is older than ``recheck-after``, or what it rests on changed
told      somebody said so; there is no check, or it never ran
unknown   the check ran and could not judge
========= ==========================================================================================
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

from reaffirm.claims.expectation import evaluate
from reaffirm.model.claim import Check, Claim, Evidence, Judged, Result, Standing, Verdict
from reaffirm.model.evidence import Kind, Via, name_order


def standing(claim: Claim, evidence: Iterable[Evidence], today: date) -> Standing:
    """Return the verdict on a claim and the runs that it follows from.

    Evidence of other runbooks and other facts is passed over. So is what is dated after ``today``
    (one day is allowed for time zones): a board for a day in the past shows that day.
    """
    return replace(_standing(claim, evidence, today), expected=claim.expected, needs=claim.needs)


def _standing(claim: Claim, evidence: Iterable[Evidence], today: date) -> Standing:
    if claim.check is None:
        return Standing(Verdict.TOLD, _told(claim, "there is no check"))
    judged = judge(claim.check, evidence, today)
    if not judged:
        return Standing(Verdict.TOLD, _told(claim, "its check never ran"))
    enough = [one for one in judged if one.kind.suffices(claim.needs)]
    if not enough:
        return _rehearsed(claim, judged)
    newest = enough[-1]
    if newest.result is Result.UNKNOWN:
        known = [one for one in enough if one.result is not Result.UNKNOWN][-1:]
        return Standing(Verdict.UNKNOWN, newest.reason, newest, tuple(known))
    beside = _failed_since(newest, judged)
    if old := _stale(claim, newest, today):
        return Standing(Verdict.STALE, old, newest, beside)
    verdict = Verdict.AFFIRMED if newest.result is Result.PASSED else Verdict.REFUTED
    return Standing(verdict, newest.reason, newest, beside)


def judge(check: Check, evidence: Iterable[Evidence], today: date) -> tuple[Judged, ...]:
    """Return what each run of the check's runbook says, oldest first.

    A run that found none of the facts is no evidence, nor is one in which something that the check takes
    as given was otherwise or is not known. A run that found only some is judged by
    those: one that failed fails the check, otherwise what is missing makes it unknown. Of two runs of
    the same second their names say which came first; where these do not, the one that failed comes last
    and so decides.
    """
    wanted = {condition.fact for condition in check.named}
    runs: dict[tuple[str, str], list[Evidence]] = {}
    for one in evidence:
        in_time = one.started.date() <= today + timedelta(days=1)
        if one.runbook == check.runbook and one.fact in wanted and in_time:
            runs.setdefault((one.run, one.path), []).append(one)
    judged = [_one_run(check, found) for found in runs.values() if _says_something(check, found)]
    return tuple(sorted(judged, key=lambda j: (j.started, _within_a_second(j), j.run, j.path)))


def _says_something(check: Check, found: list[Evidence]) -> bool:
    """Whether a run has one of the facts, and all that is given was so in it."""
    by_name = {one.fact: one for one in found}
    asked = any(condition.fact in by_name for condition in check.conditions)
    return asked and all(
        (one := by_name.get(given.fact)) is not None
        and evaluate(given.expect, one.value, one.unit)[0] is Result.PASSED
        for given in check.given
    )


def _within_a_second(one: Judged) -> tuple[int, str, int]:
    """The place of a run among those of its second: passed, then in the order of their names, then failed.

    A replay is dated by the run that was recorded, its name by when it was replayed: that one tells nothing.
    """
    order = name_order(one.run) if one.via is Via.LIVE else None
    if order is not None:
        return (1, *order)
    return (2 if one.result is Result.FAILED else 0, "", 0)


def _one_run(check: Check, found: list[Evidence]) -> Judged:
    by_name = {one.fact: one for one in found}
    results: list[tuple[Result, str]] = []
    for condition in check.conditions:
        if (one := by_name.get(condition.fact)) is None:
            results.append((Result.UNKNOWN, f"{condition.fact} was not found by this run"))
            continue
        result, why = evaluate(condition.expect, one.value, one.unit)
        results.append((result, f"{condition.fact}: {why}"))
    overall = Result.PASSED
    for worst in (Result.FAILED, Result.UNKNOWN):
        if any(result is worst for result, _ in results):
            overall = worst
            break
    reason = "; ".join(why for result, why in results if result is overall)
    first = found[0]
    # Evidence of one run has one kind; should it not, the run is worth the lowest of them.
    kind = min((one.kind for one in found), key=lambda kind: kind.weight)
    return Judged(
        overall, kind, first.via, max(one.started for one in found), first.run, first.runbook, reason,
        tuple(by_name[c.fact] for c in check.conditions if c.fact in by_name), first.path, first.changed,
    )  # fmt: skip


def _rehearsed(claim: Claim, judged: tuple[Judged, ...]) -> Standing:
    best = max(one.kind.weight for one in judged)
    newest = [one for one in judged if one.kind.weight == best][-1]
    beside = _failed_since(newest, judged)
    if newest.result is Result.UNKNOWN:
        return Standing(Verdict.UNKNOWN, newest.reason, newest, beside)
    reason = (
        f"{newest.reason}; {newest.kind} evidence, which decides nothing here: the claim needs {claim.needs}"
    )
    return Standing(Verdict.REHEARSED, reason, newest, beside)


def _failed_since(deciding: Judged, judged: tuple[Judged, ...]) -> tuple[Judged, ...]:
    """Newest runs of each lower kind that failed after the deciding one passed."""
    if deciding.result is not Result.PASSED:
        return ()
    newest: dict[Kind, Judged] = {}
    for one in judged:
        if one.kind.weight < deciding.kind.weight and one.started > deciding.started:
            newest[one.kind] = one
    return tuple(one for one in newest.values() if one.result is Result.FAILED)


def _stale(claim: Claim, newest: Judged, today: date) -> str:
    if newest.changed:
        return f"changed since that run: {newest.changed}"
    age = (today - newest.started.date()).days
    if claim.recheck_after is not None and age > claim.recheck_after:
        return f"{age} days old, to be checked again after {claim.recheck_after}"
    return ""


def _told(claim: Claim, why: str) -> str:
    return f"{why}; told by {claim.told_by}" if claim.told_by else f"{why}, and nobody is named"
