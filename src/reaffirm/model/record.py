"""Architecture decision records."""

import datetime
from dataclasses import dataclass
from enum import StrEnum

from reaffirm.model.claim import Claim


class Status(StrEnum):
    """Where a decision stands. ``other`` is a word that we do not know; None is no status at all."""

    DRAFT = "draft"
    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DEPRECATED = "deprecated"
    SUPERSEDED = "superseded"
    OTHER = "other"


@dataclass(frozen=True)
class Record:
    """One record. ``id`` is text, as in the file's name (``0001``); numbers would lose their zeros.

    ``status_raw`` is the status as it is written. ``supersedes`` and ``superseded_by`` hold ids.
    ``body`` is the Markdown below the title, which begins at ``body_line``. ``review_by`` is the day until
    which somebody wants to look at the decision again; ``reopen_when`` holds sentences which, once a run
    shows that they hold, ask for the same.
    """

    path: str
    id: str
    title: str
    status: Status | None
    status_raw: str = ""
    date: datetime.date | None = None
    deciders: tuple[str, ...] = ()
    consulted: tuple[str, ...] = ()
    informed: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    review_by: datetime.date | None = None
    reopen_when: tuple[Claim, ...] = ()
    body: str = ""
    body_line: int = 1
