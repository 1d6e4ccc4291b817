"""The claims of a record on its page: the verdict and why, the runs behind it, rivals, what to run again."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from reaffirm.model.claim import Claim, ClaimKind, Standing, Verdict
from reaffirm.model.evidence import Kind
from reaffirm.model.record import Record
from reaffirm.site.page import NO_SUPPORT, day, verdict_and_kind
from reaffirm.site.text import cell, code, fence, inline, named_table, table
from reaffirm.site.ways import MACHINES, Ways

# Nothing else speaks for a cause or against it.
_DECIDED = (Verdict.AFFIRMED, Verdict.REFUTED)
Standings = Mapping[tuple[str, str], Standing]
_NEEDS = {
    Kind.SIMULATED: "evidence of any kind: simulated, lab or real",
    Kind.LAB: "lab or real evidence",
    Kind.REAL: "real evidence; no other kind decides it",
}


def anchor(claim: Claim) -> str:
    """Return the id of a claim on the page of its record."""
    return f"claim-{claim.id}"


def still_true(record: Record, standings: Standings) -> str:
    """Return the claims of a record as a table: verdict, kind and day of the evidence of each."""
    if not record.claims:
        return ""
    rows = []
    for claim in record.claims:
        stands = standings[record.key, claim.id]
        when = (
            f'<br><small class="rf-nowrap">{day(stands.deciding.started)}</small>' if stands.deciding else ""
        )
        word = "Hypothesis: " if claim.kind is ClaimKind.HYPOTHESIS else ""
        rows.append((verdict_and_kind(stands, claim) + when, f"{word}[{cell(claim.says)}](#{anchor(claim)})"))
    return table(("Still true?", "What the record claims"), rows)


def claims(record: Record, standings: Standings, ways: Ways) -> str:
    """Return all claims with their evidence, rivals first, and the runbooks that decide them."""
    if not record.claims:
        return ""
    parts = ["## Claims and their evidence { #claims-and-their-evidence }"]
    parts += _rivals(record, standings, ways)
    parts += [_claim(record, claim, standings[record.key, claim.id], ways) for claim in record.claims]
    parts += _runbooks(record, standings, ways)
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
            f"{code(one.fact)} {cell(str(one.expect))}" for one in claim.check.conditions
        )
        given = ", ".join(f"{name} = {value}" for name, value in claim.check.parameters)
        how = f" with {code(given)}" if given else ""
        rows.append(("Check", f"{conditions}<br>in a run of {ways.runbook(claim.check.runbook)}{how}"))
        rows.append(("Needs", _NEEDS[claim.needs]))
    if claim.recheck_after:
        rows.append(("Check again", _again(claim, stands)))
    if command := ways.recheck(record, claim, stands):
        first = ""
        if (
            command.endswith(f" {MACHINES}")
            and claim.check
            and (page := ways.runbooks.get(claim.check.runbook))
        ):
            first = f"<br>Read first [what it needs on your machines]({ways.to(page)}#run-it)."
        rows.append(("To run it again", f'<span class="rf-command">{code(command)}</span>{first}'))
    if claim.told_by and stands.verdict is not Verdict.TOLD:  # then the verdict has said it
        rows.append(("Told by", cell(claim.told_by)))
    if claim.rivals:
        links = (f"[{code(one)}](#claim-{one})" if one in ids else code(one) for one in claim.rivals)
        rows.append(("Rivals", ", ".join(links)))
    word = "Hypothesis: " if claim.kind is ClaimKind.HYPOTHESIS else ""
    head = f"### {claim.id} {{ #{anchor(claim)} }}"
    return f"{head}\n\n{word}{inline(claim.says)}\n\n{named_table('Claim', claim.id, rows)}"


def _reason(claim: Claim, stands: Standing) -> str:
    reason = cell(stands.reason)
    if stands.verdict is Verdict.REHEARSED and claim.kind is ClaimKind.HYPOTHESIS:
        reason += f". This shows that the check can be run; {NO_SUPPORT}."
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


def _runbooks(record: Record, standings: Standings, ways: Ways) -> Iterator[str]:
    """Each runbook that decides claims here, and the command for all of them."""
    deciding: dict[str, list[Claim]] = {}
    for claim in record.claims:
        if claim.check:
            deciding.setdefault(claim.check.runbook, []).append(claim)
    if not deciding:
        return
    yield "### To check it again { #check-again }"
    rows = [
        (ways.runbook(name), ", ".join(f"[{code(one.id)}](#{anchor(one)})" for one in found))
        for name, found in deciding.items()
    ]
    yield table(("Runbook", "Decides"), rows)
    known: dict[str, None] = {}
    own: dict[str, str] = {}
    for name, found in deciding.items():
        for claim in found:
            one = ways.recheck(record, claim, standings[record.key, claim.id])
            command = one.replace(f" --claim {claim.id}", "")
            if command.endswith(f" {MACHINES}"):
                own[name] = command
            else:
                known[command] = None
    if known:
        what = "This runs" if len(known) == 1 else "Each of these commands runs"
        yield (
            f"{what} each runbook once and publishes what came of it, also where it failed; the verdicts "
            "follow from that:"
        )
        yield fence("\n".join(known), "bash")
    if own:
        yield from _on_own_machines(list(deciding), next(iter(own.values())), ways)


def _on_own_machines(names: Sequence[str], command: str, ways: Ways) -> Iterator[str]:
    """What is to be read and to be tried before anything runs on machines that somebody needs."""
    linked = [ways.runbook(name) for name in names]
    shown = linked[0] if len(linked) == 1 else f"{', '.join(linked[:-1])} and {linked[-1]}"
    it = "this runbook" if len(linked) == 1 else "these runbooks"
    init = f"reaffirm nodes init HEAD WORKER -o runbooks/nodes/{MACHINES}.toml"
    yield "<strong>On your own machines</strong>"
    yield (
        f"The last command below runs {it} on your machines: {shown}. Read on "
        f"{'its page' if len(linked) == 1 else 'the page of each'} first what it needs there and *What its "
        "steps change*, and look at what would be sent. "
        f"{code(MACHINES)} is your machine file; {code(init)} writes one."
    )
    yield fence("\n".join(f"reaffirm run {name} --nodes {MACHINES} --dry-run" for name in names), "bash")
    yield (
        f"Then the command itself. It publishes each run below {code('docs/runs')} when it ends, also one "
        f"that failed, with the names and addresses of your machines; with {code('--no-publish')} a run "
        f"stays below {code('runs/')}, and {code('reaffirm publish RUN')} can follow when you have looked."
    )
    yield fence(command, "bash")
