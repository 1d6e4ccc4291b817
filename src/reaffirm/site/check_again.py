"""How to run again what decides claims: on simulated nodes first, as it was run, on a reader's own machines.

A command is never given without what the site knows of it: which images the machines must hold. Where nobody
knows where to get one of these, the part that does without it stands in its place; where there is none, that
it cannot be run as it stands.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from reaffirm.model.claim import Claim, Standing
from reaffirm.model.record import Record
from reaffirm.site.asked_images import AskedImage
from reaffirm.site.page import anchor
from reaffirm.site.prose_words import heading_ids
from reaffirm.site.text import cell, code, fence, table
from reaffirm.site.ways import MACHINES, Ways

#: What publishing a run on machines of one's own means.
PUBLISHING = (
    f"A run of a part, and one with {code('--no-publish')}, stays below {code('runs/')} and counts for "
    f"nothing yet. Look at it first: {code('reaffirm publish RUN')} puts it below {code('docs/runs')} with "
    "the names and addresses of your machines."
)
Standings = Mapping[tuple[str, str], Standing]
# Where a record says how it is to be checked (MADR).
_CONFIRMATION = "confirmation"


def own_machines(command: str) -> bool:
    """Whether a command names machines that only its reader has."""
    return f" --nodes {MACHINES} " in f"{command} "


def how_to_run(record: Record, claim: Claim, stands: Standing, ways: Ways, *, page: str = "") -> str:
    """Return, for a cell of a table, the command that checks a claim again and what it asks of machines.

    On machines of one's own the command on simulated nodes comes first. Where the one on the machines cannot
    be run as it stands, that is said in its place.

    Args:
        record: whose claim it is.
        claim: the claim.
        stands: where it stands.
        ways: what can be reached from the page.
        page: the way to the record's page, where that is another.
    """
    command = ways.recheck(record, claim, stands)
    if not command:
        return ""
    if not own_machines(command):
        return _to_copy(command)
    lines = []
    if first := ways.rehearse(record, claim):
        lines.append(f"{_to_copy(first)}<br><small>on simulated nodes, first: decides nothing</small>")
    asked = ways.asked.of(claim)
    if part := ways.part(claim):
        lines.append(f"{_to_copy(part)}<br><small>{_in_part(record, claim, ways, page)}</small>")
    elif any(one.nowhere for one in asked):
        lines.append(f"<small>{_not_as_it_stands(record, claim, ways, page)}</small>")
    else:
        holds = f": they must hold {_named(asked, ways)}" if asked else ""
        lines.append(
            f"{_to_copy(command)}<br><small>on your machines{holds}{_read_first(claim, ways)}</small>"
        )
    return "<br>".join(lines)


def _in_part(record: Record, claim: Claim, ways: Ways, page: str) -> str:
    """What stands behind the command of a part that decides a claim."""
    part = ways.asked.part(claim)
    names = part.images if part else ()
    asked = tuple(ways.asked.images[name] for name in names)
    holds = f" with {_named(asked, ways)} alone" if asked else ""
    missing = tuple(one for one in ways.asked.of(claim) if one.nowhere)
    return (
        f"on your machines, in part:{holds}{_read_first(claim, ways)}; it counts once it is published with "
        f"{code('reaffirm publish --partial RUN')}.{_more(record, claim, page)} The whole also asks for "
        f"{_nowhere(missing, ways)}."
    )


def _not_as_it_stands(record: Record, claim: Claim, ways: Ways, page: str) -> str:
    """How its record says that it can be decided, where it does; then what is missing."""
    missing = _cannot(ways.asked.of(claim), ways)
    if more := _more(record, claim, page):
        return f"On your machines:{more.replace(' See', ' see', 1)} As it stands it {missing}."
    return f"On your machines, as it stands, it {missing}."


def _cannot(asked: tuple[AskedImage, ...], ways: Ways) -> str:
    """Return why a check cannot be run on machines of one's own, to stand behind *it*."""
    missing = tuple(one for one in asked if one.nowhere)
    which = "image" if len(missing) == 1 else "images"
    return f"<strong>cannot be run</strong>: {which} {_nowhere(missing, ways)}"


def _nowhere(missing: tuple[AskedImage, ...], ways: Ways) -> str:
    return f"{_named(missing, ways)}: where to get {'it' if len(missing) == 1 else 'them'} is not known"


def check_again(record: Record, standings: Standings, ways: Ways) -> Iterator[str]:
    """Each runbook that decides claims here, and the commands for all of them."""
    checked = [(claim, standings[record.key, claim.id]) for claim in record.claims if claim.check]
    if not checked:
        return
    yield "### To check it again { #check-again }"
    deciding: dict[str, list[Claim]] = {}
    for claim, _ in checked:
        deciding.setdefault(claim.check.runbook if claim.check else "", []).append(claim)
    yield table(
        ("Runbook", "Decides"),
        [(ways.runbook(name), ", ".join(map(_link, found))) for name, found in deciding.items()],
    )
    first = dict.fromkeys(
        command.replace(f" --claim {claim.id}", "")
        for claim, _ in checked
        if (command := ways.rehearse(record, claim))
    )
    if first:
        yield (
            "<strong>On simulated nodes, first.</strong> This always runs, shows how a check goes, and "
            "decides nothing:"
        )
        yield fence("\n".join(first), "bash")
    commands = {claim.id: ways.recheck(record, claim, stands) for claim, stands in checked}
    known = dict.fromkeys(
        command.replace(f" --claim {ident}", "")
        for ident, command in commands.items()
        if not own_machines(command)
    )
    if known:
        what = "This runs" if len(known) == 1 else "Each of these commands runs"
        yield (
            f"<strong>Where the published runs were.</strong> {what} each runbook once and publishes what "
            "came of it, also where it failed; the verdicts follow from that:"
        )
        yield fence("\n".join(known), "bash")
    own = [claim for claim, _ in checked if own_machines(commands[claim.id])]
    if own:
        yield from _on_own_machines(record, own, commands, ways)


def _on_own_machines(
    record: Record, claims: list[Claim], commands: Mapping[str, str], ways: Ways
) -> Iterator[str]:
    """Per claim what runs on machines that somebody needs, what these must hold, and what cannot be run."""
    init = f"reaffirm nodes init HEAD WORKER -o runbooks/nodes/{MACHINES}.toml"
    yield "<strong>On your own machines</strong>"
    yield (
        f"{code(MACHINES)} is your machine file; {code(init)} writes one. Its table {code('[images]')} says "
        "how an image is called on your machines."
    )
    rows = []
    runnable: dict[str, str] = {}
    for claim in claims:
        asked = ways.asked.of(claim)
        if part := ways.part(claim):
            told = f"{_to_copy(part)}<br><small>{_in_part(record, claim, ways, '')}</small>"
            runnable[f"{part} --dry-run"] = claim.check.runbook if claim.check else ""
        elif any(one.nowhere for one in asked):
            told = f"<small>{_not_as_it_stands(record, claim, ways, '')}</small>"
        else:
            told = _to_copy(commands[claim.id])
            name = claim.check.runbook if claim.check else ""
            runnable[f"reaffirm run {name} -p nodes {MACHINES} --dry-run"] = name
            told += f"<br><small>the machines must hold {_named(asked, ways)}</small>" if asked else ""
        rows.append((_link(claim), told))
    yield table(("Claim", "What runs its check on your machines"), rows)
    if not runnable:
        return
    linked = [ways.runbook(name) for name in dict.fromkeys(runnable.values())]
    shown = linked[0] if len(linked) == 1 else f"{', '.join(linked[:-1])} and {linked[-1]}"
    pages = "its page" if len(linked) == 1 else "the page of each"
    yield (
        f"The commands run {shown} on your machines. Read first on {pages} "
        "what it needs there, *What its steps change* and what it leaves running, and look at what would be "
        "sent:"
    )
    yield fence("\n".join(runnable), "bash")
    yield PUBLISHING


def _to_copy(command: str) -> str:
    return f'<span class="rf-command">{code(command)}</span>'


def _link(claim: Claim) -> str:
    return f"[{code(claim.id)}](#{anchor(claim)})"


def _named(asked: tuple[AskedImage, ...], ways: Ways) -> str:
    shown = [f"[{code(one.name)}]({ways.to(one.page)})" if one.page else code(one.name) for one in asked]
    return ", ".join(shown)


def _read_first(claim: Claim, ways: Ways) -> str:
    page = ways.runbooks.get(claim.check.runbook) if claim.check else None
    return f"; read first [what it needs there]({ways.to(page)}#run-it)" if page else ""


@lru_cache(maxsize=2048)
def _has_confirmation(body: str) -> bool:
    return _CONFIRMATION in heading_ids(body, ())


def _more(record: Record, claim: Claim, page: str) -> str:
    """The way to the record's own words on how it is confirmed, where these name the claim."""
    part = record.body.split("Confirmation", 1)[-1].split("\n## ", 1)[0]
    if claim.id not in part or not _has_confirmation(record.body):
        return ""
    return f" See [how {cell(record.id)} is to be confirmed]({page}#{_CONFIRMATION})."
