"""A generated page, and the small signs that all pages share."""

from dataclasses import dataclass
from datetime import date, datetime

from reaffirm.model.claim import Claim, ClaimKind, Standing, Verdict, verdict_words
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.record import Record, Status
from reaffirm.site.marks import MEANS, sign_of
from reaffirm.site.text import raw


@dataclass(frozen=True)
class SitePage:
    """Markdown for one page. ``uri`` is its path as MkDocs names it.

    ``source`` is the file that it shows, from the root of the repository; empty: it is made of many. A page
    that is not ``in_nav`` is found from others.
    """

    uri: str
    title: str
    markdown: str
    source: str = ""
    in_nav: bool = True


#: What a run of a lower kind says of a cause.
NO_SUPPORT = "evidence of a lower kind speaks neither for a cause nor against it"


_KINDS = {
    Kind.SIMULATED: "on simulated nodes: shows that the procedure works, never that the world is so",
    Kind.LAB: (
        "on the lab: hosts made of namespaces on one Linux machine, with real SSH and real containers, "
        "without a GPU; not the machines that the claim is about"
    ),
    Kind.REAL: "on the machines themselves",
}

# What a claim is about that needs evidence of a kind.
_MACHINES = {
    Kind.SIMULATED: "simulated nodes",
    Kind.LAB: "hosts of the lab",
    Kind.REAL: "real machines",
}


def anchor(claim: Claim) -> str:
    """Return the id of a claim on the page of its record."""
    return f"claim-{claim.id}"


def verdict_badge(standing: Standing, claim: Claim) -> str:
    """Return the verdict as a badge; see :func:`~reaffirm.model.claim.verdict_words`."""
    sign = sign_of(standing)
    meaning = MEANS[sign]
    hypothesis = claim.kind is ClaimKind.HYPOTHESIS
    result = f" rf-{standing.result}" if standing.result and not standing.as_expected else ""
    if standing.verdict is Verdict.REHEARSED:
        result = "" if hypothesis else result
        if standing.deciding is not None:
            about = _MACHINES[claim.needs]
            meaning = f"rehearsed on {standing.deciding.kind} nodes: says nothing yet about {about}"
        meaning += f"; {NO_SUPPORT}" if hypothesis else ""
    words = verdict_words(standing, claim)
    return f'<span class="rf-badge rf-{sign}{result}" title="{meaning}">{words}</span>'


def verdict_and_kind(standing: Standing, claim: Claim) -> str:
    """Return the verdict, and beside it the kind of the evidence that it rests on."""
    badge = verdict_badge(standing, claim)
    one = standing.deciding
    return f"{badge} {kind_badge(one.kind, one.via)}" if one else badge


def kind_badge(kind: Kind, via: Via = Via.LIVE) -> str:
    """Return the kind of evidence as a badge; a replay says that it is one."""
    words = f"{kind}, replayed" if via is Via.REPLAY else str(kind)
    return f'<span class="rf-badge rf-kind-{kind}" title="{_KINDS[kind]}">{words}</span>'


def status_badge(record: Record) -> str:
    """Return a record's status as a badge."""
    if record.status is None:
        return '<span class="rf-badge rf-status">no status</span>'
    word = record.status_raw if record.status is Status.OTHER else str(record.status)
    return f'<span class="rf-badge rf-status rf-status-{record.status}">{raw(word)}</span>'


def day(moment: date | datetime | None) -> str:
    """Return ``2026-11-30``, or a dash."""
    if moment is None:
        return "-"
    return (moment.date() if isinstance(moment, datetime) else moment).isoformat()


def minute(moment: datetime) -> str:
    """Return ``2026-11-30 09:15 UTC``."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"
