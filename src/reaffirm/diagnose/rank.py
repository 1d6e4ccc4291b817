"""Puts the pages that fit in order, and keeps rivals side by side. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from reaffirm.diagnose.match import Match
from reaffirm.diagnose.stages import stage_book
from reaffirm.model.failure import FailureMode, FailureStatus, OriginKind


@dataclass(frozen=True)
class Reading:
    """What the logs of a launch look like.

    ``matches`` come in order of how much fits. Those in ``later`` rest on nothing but errors that as a rule
    follow from another one, which may be one that no page tells of. ``contested`` are pairs of rivals that
    both fit: the logs cannot tell them apart.
    """

    matches: tuple[Match, ...] = ()
    later: tuple[Match, ...] = ()
    contested: tuple[tuple[Match, Match], ...] = ()

    @property
    def pages(self) -> tuple[str, ...]:
        """The ids of all pages that fit, in order."""
        return tuple(one.mode.id for one in (*self.matches, *self.later))


def rank(matches: Iterable[Match]) -> Reading:
    """Order the pages that fit: what is no mere consequence first, then by how much fits.

    Of pages that fit as much, the proven ones come first, then those that were seen more often.
    """
    ordered = sorted(matches, key=_place)
    first = tuple(one for one in ordered if not is_consequence(one))
    later = tuple(one for one in ordered if one not in first)
    pairs = tuple(
        (a, b) for a, b in combinations(first, 2) if b.mode.id in a.mode.rivals or a.mode.id in b.mode.rivals
    )
    return Reading(first, later, pairs)


def is_consequence(one: Match) -> bool:
    """Whether all that shows it are lines which as a rule follow from an error somewhere else."""
    return all(
        evidence.number and any(pattern.search(evidence.text) for pattern in stage_book().secondary)
        for evidence in one.evidence
    )


def _place(one: Match) -> tuple[bool, int, bool, int, str]:
    mode = one.mode
    proven = mode.status is FailureStatus.PROVEN
    return (is_consequence(one), -one.parts, not proven, -times_seen(mode), mode.id)


def times_seen(mode: FailureMode) -> int:
    """Return the number of hits on the page that nobody made up."""
    return sum(example.hit and example.origin.kind is not OriginKind.MADE_UP for example in mode.examples)
