"""What a piece of evidence is worth: its kind, and whether it was seen live or replayed."""

import re
from collections.abc import Iterable
from enum import StrEnum

_NAMED_BY_TIME = re.compile(r"(\d{8}T\d{6}Z)(?:-(\d+))?")


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


def name_order(run: str) -> tuple[str, int] | None:
    """Return the place of a run among those named by a runner: its second, and its number within that second.

    A runner reserves ``20261130T092301Z``, then ``20261130T092301Z-2``: of two runs whose nodes tell the same
    second, the names say which came first. None where somebody gave the run another name.
    """
    found = _NAMED_BY_TIME.fullmatch(run)
    return (found[1], int(found[2] or 1)) if found else None
