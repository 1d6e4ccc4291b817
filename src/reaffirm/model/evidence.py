"""What a piece of evidence is worth: its kind, and whether it was seen live or replayed."""

from collections.abc import Iterable
from enum import StrEnum


class Kind(StrEnum):
    """Where a run happened. The transport says it, never a parameter or a file somebody edits."""

    SIMULATED = "simulated"
    LAB = "lab"
    REAL = "real"

    @property
    def weight(self) -> int:
        """0 for simulated, 1 for lab, 2 for real."""
        return (Kind.SIMULATED, Kind.LAB, Kind.REAL).index(self)

    def suffices(self, needed: "Kind") -> bool:
        """Whether evidence of this kind is of the needed kind or better."""
        return self.weight >= needed.weight


def lowest(kinds: Iterable[Kind]) -> Kind:
    """Return the kind of a run that mixes kinds: the lowest of them.

    Raises:
        ValueError: there are no kinds.
    """
    return min(kinds, key=lambda kind: kind.weight)


class Via(StrEnum):
    """How the run came by its answers."""

    LIVE = "live"
    REPLAY = "replay"
