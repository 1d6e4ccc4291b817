"""A generated page, and the small signs that all pages share."""

from dataclasses import dataclass
from datetime import date, datetime

from reaffirm.model.claim import Claim, ClaimKind, Standing, Verdict
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.record import Record, Status
from reaffirm.site.text import attribute


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


_MEANING = {
    Verdict.AFFIRMED: "the newest evidence of the needed kind passed its check and is fresh",
    Verdict.REFUTED: "the newest evidence of the needed kind failed its check",
    Verdict.REHEARSED: "only evidence of a lower kind exists",
    Verdict.STALE: "was decided, but the evidence grew old or what it rests on changed",
    Verdict.TOLD: "somebody said so; no check decided it",
    Verdict.UNKNOWN: "the check ran and could not judge",
}


#: What a run of a lower kind says of a cause.
NO_SUPPORT = "evidence of a lower kind speaks neither for a cause nor against it"


def verdict_badge(standing: Standing, claim: Claim) -> str:
    """Return the verdict as a badge; ``rehearsed`` and ``stale`` say how the run went.

    A rehearsed hypothesis does not: *passed* beside a cause would read like support.
    """
    meaning = _MEANING[standing.verdict]
    if standing.verdict is Verdict.REHEARSED and claim.kind is ClaimKind.HYPOTHESIS:
        title = f"its check ran, on lower evidence only; {NO_SUPPORT}"
        return f'<span class="rf-badge rf-rehearsed" title="{title}">rehearsed</span>'
    result = f" rf-{standing.result}" if standing.result else ""
    return f'<span class="rf-badge rf-{standing.verdict}{result}" title="{meaning}">{standing}</span>'


def kind_badge(kind: Kind, via: Via = Via.LIVE) -> str:
    """Return the kind of evidence as a badge; a replay says that it is one."""
    words = f"{kind}, replayed" if via is Via.REPLAY else str(kind)
    return f'<span class="rf-badge rf-kind-{kind}">{words}</span>'


def status_badge(record: Record) -> str:
    """Return a record's status as a badge."""
    if record.status is None:
        return '<span class="rf-badge rf-status">no status</span>'
    word = record.status_raw if record.status is Status.OTHER else str(record.status)
    return f'<span class="rf-badge rf-status rf-status-{record.status}">{attribute(word)}</span>'


def day(moment: date | datetime | None) -> str:
    """Return ``2026-11-30``, or a dash."""
    if moment is None:
        return "-"
    return (moment.date() if isinstance(moment, datetime) else moment).isoformat()


def minute(moment: datetime) -> str:
    """Return ``2026-11-30 09:15 UTC``."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"
