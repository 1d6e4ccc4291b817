"""Verdicts as small marks: one sign each, so that a row of them is read at a glance and without colours."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from reaffirm.draw.proportion import proportion_svg
from reaffirm.model.claim import Standing, Verdict
from reaffirm.model.record import Record, Status


class Sign(StrEnum):
    """A verdict as a reader must take it: what the decision expects of a claim belongs to it.

    The value is the id of its part of the board, and behind ``rf-`` the class of its mark. Worst news come
    first: what asks for a deed, then what is known, then what nobody checked.
    """

    REFUTED = "refuted"
    AGAINST = "affirmed-against"
    STALE = "stale"
    UNKNOWN = "unknown"
    REHEARSED = "rehearsed"
    AFFIRMED = "affirmed"
    AS_EXPECTED = "refuted-as-expected"
    TOLD = "told"

    @property
    def words(self) -> str:
        """The verdict in words, as all pages say it."""
        return _WORDS.get(self, str(self))


_WORDS = {
    Sign.AGAINST: "affirmed against what the decision expects",
    Sign.AS_EXPECTED: "refuted as the decision expects",
}
#: Worst news first.
ORDER = tuple(Sign)
#: What each verdict says, in a few words.
MEANS = {
    Sign.REFUTED: "the newest evidence of the needed kind failed its check",
    Sign.AGAINST: (
        "the newest evidence of the needed kind passed its check, and the decision rests on its being false"
    ),
    Sign.STALE: "was decided, but the evidence grew old or what it rests on changed",
    Sign.UNKNOWN: "the check ran and could not judge",
    Sign.REHEARSED: (
        "its check ran, but only on evidence of a lower kind than it needs; "
        "passed or failed, that decides nothing"
    ),
    Sign.AFFIRMED: "the newest evidence of the needed kind passed its check and is fresh",
    Sign.AS_EXPECTED: (
        "the newest evidence of the needed kind failed its check; the decision rests on that or rejects what "
        "the sentence says, so this supports it"
    ),
    Sign.TOLD: "somebody said so; no check decided it",
}
# The same for whoever reads the word for the first time.
_SHORT = {
    Sign.REFUTED: "checked, and does not hold",
    Sign.AGAINST: "checked: it speaks against the decision",
    Sign.STALE: "checked, too long ago or before a change",
    Sign.UNKNOWN: "checked, without an answer",
    Sign.REHEARSED: "checked on lesser evidence only",
    Sign.AFFIRMED: "checked, and holds",
    Sign.AS_EXPECTED: "checked: it supports the decision",
    Sign.TOLD: "somebody said so",
}
_SIGNS = {
    Sign.REFUTED: "✗",
    Sign.AGAINST: "!",
    Sign.STALE: "↻",
    Sign.UNKNOWN: "?",
    Sign.REHEARSED: "◐",
    Sign.AFFIRMED: "✓",
    Sign.AS_EXPECTED: "✗",
    Sign.TOLD: "“",
}
# So many marks stand one by one; of more each verdict has one mark and its number.
_MOST = 10
# A record with so many claims sorts like one with a few less.
_LAST = 999
_NO_STATUS = "no status"


def sign_of(standing: Standing) -> Sign:
    """Return the verdict as a reader must take it."""
    if standing.as_expected:
        return Sign.AS_EXPECTED
    if standing.against and standing.verdict is Verdict.AFFIRMED:
        return Sign.AGAINST
    return Sign(str(standing.verdict))


def mark(sign: Sign) -> str:
    """Return the sign of a verdict; the words stand beside it."""
    return f'<i class="rf-mark rf-{sign}" aria-hidden="true">{_SIGNS[sign]}</i>'


def counted(standings: Iterable[Standing]) -> list[tuple[Sign, int]]:
    """Return how many claims have each verdict, worst news first; what none has is left out."""
    counts = Counter(map(sign_of, standings))
    return [(sign, counts[sign]) for sign in ORDER if counts[sign]]


def verdict_bar(standings: Sequence[Standing]) -> str:
    """Return the claims of one record as a row of marks; empty for a record without claims."""
    if not standings:
        return ""
    counts = counted(standings)
    told = ", ".join(f"{number} {sign.words}" for sign, number in counts)
    label = f"{len(standings)} claim{'' if len(standings) == 1 else 's'}: {told}"
    if len(standings) <= _MOST:
        shown = "".join(mark(sign) * number for sign, number in counts)
    else:
        shown = "".join(f"{mark(sign)}<small>{number}</small>" for sign, number in counts)
    number_of = dict(counts)
    rank = " ".join(str(_LAST - number_of.get(sign, 0)) for sign in ORDER)
    said = f'aria-label="{label}" title="{label}" data-rf-rank="{rank}"'
    return f'<span class="rf-bar" role="img" {said}>{shown}</span>'


def verdict_picture(standings: Sequence[Standing], links: Mapping[Sign, str]) -> str:
    """Return all claims as one bar, and below it what each part of it is.

    Args:
        standings: where each claim stands.
        links: where a reader finds the claims with a verdict.
    """
    counts = counted(standings)
    names = [
        (f"{mark(sign)} {number} {sign.words}", links.get(sign, ""), _SHORT[sign]) for sign, number in counts
    ]
    return _picture([(f"rf-{sign}", number) for sign, number in counts], names)


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
