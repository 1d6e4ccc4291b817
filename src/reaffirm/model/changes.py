"""What a step changes on nodes: the words that steps declare it with."""

from dataclasses import dataclass
from enum import StrEnum


class Change(StrEnum):
    """One kind of change. The words are what authors write: ``changes="writes files"``."""

    NOTHING = "nothing"
    STARTS = "starts containers"
    REMOVES = "removes containers"
    FILES = "writes files"
    IMAGES = "copies images"
    RUNS = "runs a command"


@dataclass(frozen=True)
class Declaration:
    """What one step says that it changes.

    ``changes`` is ``None`` where its author did not say. ``destructive`` are the changes that may destroy
    what somebody needs: on real machines they need consent. ``note`` is for the table of steps.
    """

    step: str
    changes: frozenset[Change] | None
    destructive: frozenset[Change] = frozenset()
    note: str = ""

    @property
    def harmless(self) -> bool:
        """Whether it is declared that nothing is changed."""
        return self.changes is not None and not self.changes - {Change.NOTHING}
