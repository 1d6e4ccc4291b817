"""What git tells of the records: when each changed, and when its status did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from reaffirm.model.record import Status


@dataclass(frozen=True)
class Change:
    """One commit that changed a record. Who made it is not kept: a record says who decided.

    ``status`` is the word that the commit gave the record, ``before`` the one that it took away; None where
    the commit changed no status, or where it cannot be read off.
    """

    commit: str
    when: datetime
    subject: str
    created: bool = False
    moved_from: str = ""
    status: Status | None = None
    before: Status | None = None


@dataclass(frozen=True)
class History:
    """The changes of each file by its path from the root of the project, newest first.

    ``missing`` says why there are none; empty where git was asked and answered.
    """

    changes: Mapping[str, tuple[Change, ...]] = field(default_factory=dict)
    missing: str = ""

    def of(self, path: str) -> tuple[Change, ...]:
        """Return the changes of a file; none for a file that is in no commit."""
        return self.changes.get(path, ())
