"""Verdicts as small marks: one sign each, so that a row of them is read at a glance and without colours."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from reaffirm.draw.proportion import proportion_svg
from reaffirm.model.claim import Standing, Verdict
from reaffirm.model.record import Record, Status

#: Worst news first: what asks for a deed, then what is known, then what nobody checked.
ORDER = (
    Verdict.REFUTED,
    Verdict.STALE,
    Verdict.UNKNOWN,
    Verdict.REHEARSED,
    Verdict.AFFIRMED,
    Verdict.TOLD,
)
#: What each verdict says, in a few words.
MEANS = {
    Verdict.REFUTED: "the newest evidence of the needed kind failed its check",
    Verdict.STALE: "was decided, but the evidence grew old or what it rests on changed",
    Verdict.UNKNOWN: "the check ran and could not judge",
    Verdict.REHEARSED: (
        "its check ran, but only on evidence of a lower kind than it needs; "
        "passed or failed, that decides nothing"
    ),
    Verdict.AFFIRMED: "the newest evidence of the needed kind passed its check and is fresh",
    Verdict.TOLD: "somebody said so; no check decided it",
}
# The same for whoever reads the word for the first time.
_SHORT = {
    Verdict.REFUTED: "checked, and does not hold",
    Verdict.STALE: "checked, too long ago or before a change",
    Verdict.UNKNOWN: "checked, without an answer",
    Verdict.REHEARSED: "checked on lesser evidence only",
    Verdict.AFFIRMED: "checked, and holds",
    Verdict.TOLD: "somebody said so",
}
_SIGNS = {
    Verdict.REFUTED: "✗",
    Verdict.STALE: "↻",
    Verdict.UNKNOWN: "?",
    Verdict.REHEARSED: "◐",
    Verdict.AFFIRMED: "✓",
    Verdict.TOLD: "“",
}
# So many marks stand one by one; of more each verdict has one mark and its number.
_MOST = 10
# A record with so many claims sorts like one with a few less.
_LAST = 999
_NO_STATUS = "no status"


def mark(verdict: Verdict) -> str:
    """Return the sign of a verdict; the words stand beside it."""
    return f'<i class="rf-mark rf-{verdict}" aria-hidden="true">{_SIGNS[verdict]}</i>'


def counted(standings: Iterable[Standing]) -> list[tuple[Verdict, int]]:
    """Return how many claims have each verdict, worst news first; what none has is left out."""
    counts = Counter(one.verdict for one in standings)
    return [(verdict, counts[verdict]) for verdict in ORDER if counts[verdict]]


def verdict_bar(standings: Sequence[Standing]) -> str:
    """Return the claims of one record as a row of marks; empty for a record without claims."""
    if not standings:
        return ""
    counts = counted(standings)
    told = ", ".join(f"{number} {verdict}" for verdict, number in counts)
    label = f"{len(standings)} claim{'' if len(standings) == 1 else 's'}: {told}"
    if len(standings) <= _MOST:
        shown = "".join(mark(verdict) * number for verdict, number in counts)
    else:
        shown = "".join(f"{mark(verdict)}<small>{number}</small>" for verdict, number in counts)
    number_of = dict(counts)
    rank = " ".join(str(_LAST - number_of.get(verdict, 0)) for verdict in ORDER)
    said = f'aria-label="{label}" title="{label}" data-rf-rank="{rank}"'
    return f'<span class="rf-bar" role="img" {said}>{shown}</span>'


def verdict_picture(standings: Sequence[Standing], links: Mapping[Verdict, str]) -> str:
    """Return all claims as one bar, and below it what each part of it is.

    Args:
        standings: where each claim stands.
        links: where a reader finds the claims with a verdict.
    """
    counts = counted(standings)
    names = [
        (f"{mark(verdict)} {number} {verdict}", links.get(verdict, ""), _SHORT[verdict])
        for verdict, number in counts
    ]
    return _picture([(f"rf-{verdict}", number) for verdict, number in counts], names)


def status_picture(records: Sequence[Record]) -> str:
    """Return all records as one bar by status, and below it what each part of it is."""
    counts = Counter(record.status for record in records)
    shown = [(one, counts[one]) for one in (*Status, None) if counts[one]]
    names = []
    for status, number in shown:
        word = _NO_STATUS if status is None else "with another word" if status is Status.OTHER else status
        sign = f'<i class="rf-mark rf-mark-status rf-status-{status}" aria-hidden="true"></i>'
        names.append((f"{sign} {number} {word}", "", ""))
    return _picture([(f"rf-status-{status}", number) for status, number in shown], names)


def _picture(parts: Sequence[tuple[str, int]], names: Sequence[tuple[str, str, str]]) -> str:
    """The words are the picture's text: whoever does not see it reads the same."""
    legend = " ".join(
        f'<span class="rf-key">{f"[{words}]({link})" if link else words}'
        f"{f' <small>{meaning}</small>' if meaning else ''}</span>"
        for words, link, meaning in names
    )
    bar = f'<span class="rf-proportion">{proportion_svg(parts)}</span>'
    return f'{bar}\n<span class="rf-legend">{legend}</span>'
