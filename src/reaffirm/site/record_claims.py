"""The claims of a record on its page: the verdict and why, the runs behind it, rivals, what to run again."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from reaffirm.model.claim import Claim, ClaimKind, Condition, Expected, Standing, Verdict
from reaffirm.model.evidence import Kind
from reaffirm.model.record import Record
from reaffirm.site.check_again import check_again, how_to_run
from reaffirm.site.page import NO_SUPPORT, anchor, day, verdict_and_kind
from reaffirm.site.rehearsals import rehearsed_remark
from reaffirm.site.seen_values import seen, seen_in_range
from reaffirm.site.text import cell, code, inline, named_table, table
from reaffirm.site.told_by import told_in_brief
from reaffirm.site.ways import Ways

# Nothing else speaks for a cause or against it.
_DECIDED = (Verdict.AFFIRMED, Verdict.REFUTED)
Standings = Mapping[tuple[str, str], Standing]
_NEEDS = {
    Kind.SIMULATED: "evidence of any kind: simulated, lab or real",
    Kind.LAB: "lab or real evidence",
    Kind.REAL: "real evidence; no other kind decides it",
}


def still_true(
    record: Record,
    standings: Standings,
    ways: Ways,
    elsewhere: Sequence[tuple[Record, Claim]] = (),
) -> str:
    """Return the claims of a record as a table: verdict, kind and day of the evidence of each.

    Args:
        record: the record.
        standings: where each claim stands.
        ways: what can be reached from the page.
        elsewhere: claims of other records that its text names: what it decides may rest on them too.
    """
    parts = []
    if record.claims:
        rows = [_at_a_glance(claim, standings[record.key, claim.id]) for claim in record.claims]
        parts.append(table(("Still true?", "What the record claims"), rows))
    others = []
    for other, claim in elsewhere:
        page = ways.to(ways.records[other.key])
        sign, said = _at_a_glance(claim, standings[other.key, claim.id], page)
        others.append((sign, f"{said}<br><small>in {ways.named(other)}</small>"))
    if others:
        parts.append(
            table(("Still true?", "It rests also on what other records claim: its text names these"), others)
        )
    return "\n\n".join(parts)


def _at_a_glance(claim: Claim, stands: Standing, page: str = "") -> tuple[str, str]:
    """The verdict with its kind and day, or with who said so, and the sentence."""
    small = f'<span class="rf-nowrap">{day(stands.deciding.started)}</span>' if stands.deciding else ""
    if stands.verdict is Verdict.TOLD and claim.told_by:
        small = f"by {cell(told_in_brief(claim.told_by))}"
    when = f"<br><small>{small}</small>" if small else ""
    word = "Hypothesis: " if claim.kind is ClaimKind.HYPOTHESIS else ""
    remark = rehearsed_remark(claim, stands, alone=True) or seen_in_range(claim, stands)
    said = f"{word}[{cell(claim.says)}]({page}#{anchor(claim)})"
    return verdict_and_kind(stands, claim) + when, said + (f"<br><small>{remark}</small>" if remark else "")


def claims(record: Record, standings: Standings, ways: Ways) -> str:
    """Return all claims with their evidence, rivals first, and the runbooks that decide them."""
    if not record.claims:
        return ""
    parts = ["## Claims and their evidence { #claims-and-their-evidence }"]
    parts += _rivals(record, standings, ways)
    parts += [_claim(record, claim, standings[record.key, claim.id], ways) for claim in record.claims]
    parts += check_again(record, standings, ways)
    return "\n\n".join(parts)


def _claim(record: Record, claim: Claim, stands: Standing, ways: Ways) -> str:
    """One claim: the sentence, the verdict and why, the check, and the runs behind it."""
    ids = {one.id for one in record.claims}
    rows = [("Verdict", f"{verdict_and_kind(stands, claim)} {_reason(claim, stands)}")]
    if stands.deciding:
        rows.append(("Evidence", ways.evidence(stands.deciding)))
    rows += _changed(claim, stands)
    for judged in stands.beside:
        rows.append((f"Beside it: {judged.result}", ways.evidence(judged)))
    if claim.check:
        conditions = "<br>".join(
            f"{code(one.fact)} {cell(str(one.expect))}{_seen(one, stands)}" for one in claim.check.conditions
        )
        if premises := "<br>".join(f"{code(one.fact)} {cell(str(one.expect))}" for one in claim.check.given):
            rows.append(("Given", f"{premises}<br>a run in which that was not so says nothing here"))
        given = ", ".join(f"{name} = {value}" for name, value in claim.check.parameters)
        how = f" with {code(given)}" if given else ""
        rows.append(("Check", f"{conditions}<br>in a run of {ways.runbook(claim.check.runbook)}{how}"))
        rows.append(("Needs", _NEEDS[claim.needs]))
    if claim.expected is Expected.REFUTED:
        rows.append(("Decision expects", "refuted: what it rejects, or what it rests on being false"))
    if claim.recheck_after:
        rows.append(("Check again", _again(claim, stands)))
    if again := how_to_run(record, claim, stands, ways):
        rows.append(("To run it again", again))
    if claim.told_by and stands.verdict is not Verdict.TOLD:  # then the verdict has said it
        rows.append(("Told by", cell(claim.told_by)))
    if claim.rivals:
        links = (f"[{code(one)}](#claim-{one})" if one in ids else code(one) for one in claim.rivals)
        rows.append(("Rivals", ", ".join(links)))
    word = "Hypothesis: " if claim.kind is ClaimKind.HYPOTHESIS else ""
    head = f"### {claim.id} {{ #{anchor(claim)} }}"
    return f"{head}\n\n{word}{inline(claim.says)}\n\n{named_table('Claim', claim.id, rows)}"


def _seen(condition: Condition, stands: Standing) -> str:
    words = seen(condition, stands)
    return f" <small>({words})</small>" if words else ""


def _reason(claim: Claim, stands: Standing) -> str:
    reason = cell(stands.reason)
    if stands.verdict is Verdict.REHEARSED and claim.kind is ClaimKind.HYPOTHESIS:
        reason += f". This shows that the check can be run; {NO_SUPPORT}."
    elif remark := rehearsed_remark(claim, stands):
        reason += f". {remark[0].upper()}{remark[1:]}."
    return reason


def _changed(claim: Claim, stands: Standing) -> Iterator[tuple[str, str]]:
    """Since when a claim is stale; and what changed under a rehearsal, which decides nothing."""
    judged = stands.deciding
    if judged is None:
        return
    if stands.verdict is Verdict.STALE and not judged.changed and claim.recheck_after is not None:
        since = judged.started.date() + timedelta(days=claim.recheck_after + 1)
        yield "Stale since", f"{day(since)}: the evidence is of {day(judged.started)}"
    elif stands.verdict is Verdict.STALE:
        yield "Stale since", f"a change after the run of {day(judged.started)}"
    elif judged.changed:
        yield "Changed since", f"{cell(judged.changed)}: the rehearsal was of what was there before"


def _again(claim: Claim, stands: Standing) -> str:
    after = f"after {claim.recheck_after} days"
    if stands.verdict in (Verdict.AFFIRMED, Verdict.REFUTED) and stands.deciding:
        by = stands.deciding.started.date() + timedelta(days=claim.recheck_after or 0)
        return f"by {day(by)} ({after})"
    return after


def _rivals(record: Record, standings: Standings, ways: Ways) -> Iterator[str]:
    """Hypotheses that exclude each other, side by side."""
    for number, group in enumerate(_groups(record.claims), 1):
        rows: list[tuple[str, ...]] = []
        for claim in group:
            stands = standings[record.key, claim.id]
            speaks = cell(claim.told_by) if claim.told_by else "nobody is named"
            if stands.deciding and stands.verdict in _DECIDED:
                way = "" if stands.verdict is Verdict.AFFIRMED else "against it: "
                speaks += f"<br>{way}{ways.evidence(stands.deciding)}"
            decides = ways.runbook(claim.check.runbook) if claim.check else "no check of its own"
            if claim.check:
                decides += "".join(f"<br>{code(one.fact)}" for one in claim.check.conditions)
            said = f"[{cell(claim.says)}](#{anchor(claim)})<br>{verdict_and_kind(stands, claim)}"
            rows.append((said, speaks, decides))
        name = "Rival hypotheses" + (f" ({number})" if number > 1 else "")
        checks = dict.fromkeys(claim.check.runbook for claim in group if claim.check)
        apart = " or ".join(map(ways.runbook, checks))
        told = f"What tells them apart: a run of {apart} on machines of the needed kind. " if checks else ""
        told += (
            "Where the check of one fails, that makes none of the others true."
            if checks
            else "Nothing here tells them apart yet: none has a check."
        )
        yield f"### {name} {{ #rival-hypotheses{f'-{number}' if number > 1 else ''} }}"
        yield told
        yield table(("Hypothesis", "What speaks for it", "What decides it"), rows)


def _groups(claims_: Sequence[Claim]) -> Iterator[list[Claim]]:
    """Claims that name each other as rivals; whoever is named by one belongs to it."""
    known = {claim.id: claim for claim in claims_}
    beside: dict[str, set[str]] = {}
    for claim in claims_:
        for one in claim.rivals:
            if one in known:
                beside.setdefault(claim.id, set()).add(one)
                beside.setdefault(one, set()).add(claim.id)
    seen: set[str] = set()
    for claim in claims_:
        if claim.id in seen or claim.id not in beside:
            continue
        inside, waiting = {claim.id}, [claim.id]
        while waiting:
            more = beside[waiting.pop()] - inside
            inside |= more
            waiting += more
        seen |= inside
        yield [one for one in claims_ if one.id in inside]
