"""Architecture decision records, and files of records as a reader finds them."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from reaffirm.model.claim import Claim
from reaffirm.model.finding import Finding


class Status(StrEnum):
    """Where a decision stands. ``other`` is a word that we do not know; None is no status at all."""

    DRAFT = "draft"
    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DEPRECATED = "deprecated"
    SUPERSEDED = "superseded"
    OTHER = "other"


class DateOf(StrEnum):
    """What the date of a record is: that of the decision, or the day on which it was written down."""

    DECISION = "decision"
    WRITING = "writing"


class Dialect(StrEnum):
    """The language that a file of records is written in."""

    MARKDOWN = "markdown"
    ASCIIDOC = "asciidoc"
    RESTRUCTUREDTEXT = "restructuredtext"
    TOML = "toml"


@dataclass(frozen=True)
class Link:
    """Where a record points. ``relation`` is what the record says of it (``amends``), else empty."""

    target: str
    text: str
    line: int
    relation: str = ""


@dataclass(frozen=True)
class Record:
    """One record. ``id`` is text, as in the file's name (``0001``); numbers would lose their zeros.

    ``status_raw`` and ``date_raw`` are as they are written. ``supersedes`` and ``superseded_by`` hold
    ids. ``title`` is empty when the record has none. ``lines`` gives the line of each field that was
    found. ``body`` is the text below the title, which begins at ``body_line``; it is left out of
    records that come from the cache. ``date_of`` is what the date is of. ``review_by`` is the day until which
    somebody wants to look at the decision again; ``reopen_when`` holds sentences which, once a run shows that
    they hold, ask for the same.
    """

    path: str
    id: str
    title: str
    status: Status | None
    status_raw: str = ""
    date: datetime.date | None = None
    date_raw: str = ""
    deciders: tuple[str, ...] = ()
    consulted: tuple[str, ...] = ()
    informed: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    claims: tuple[Claim, ...] = ()
    date_of: DateOf = DateOf.DECISION
    review_by: datetime.date | None = None
    reopen_when: tuple[Claim, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)
    dialect: Dialect = Dialect.MARKDOWN
    line: int = 1
    body: str = ""
    body_line: int = 1

    @property
    def key(self) -> str:
        """What no other record of a repository has: ids are only unique inside of a folder, if at all."""
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Heading:
    """A heading of a file: its words, its depth (1 is the title) and its line."""

    level: int
    text: str
    line: int


@dataclass(frozen=True)
class CodePlace:
    """A place in a file of code that a record names: ``src/a.py:12`` gives ``src/a.py``, 12, 12."""

    path: str
    first: int
    last: int
    line: int


@dataclass(frozen=True)
class Document:
    """One file as it was read: its records, what could not be read, and what its text points at.

    ``figures`` are the lines that state a measured number. ``silenced`` are (line, code) that lint passes
    over; line 0 is the whole file. ``review_by`` is the line and the words of a review date. ``broken`` is
    true when the file's front matter could not be read as a whole.
    """

    path: str
    dialect: Dialect
    records: tuple[Record, ...] = ()
    problems: tuple[Finding, ...] = ()
    headings: tuple[Heading, ...] = ()
    anchors: tuple[str, ...] = ()
    places: tuple[CodePlace, ...] = ()
    figures: tuple[tuple[int, str], ...] = ()
    silenced: tuple[tuple[int, str], ...] = ()
    review_by: tuple[int, str] = (0, "")
    broken: bool = False
    skipped: str = ""


@dataclass(frozen=True, order=True)
class Skipped:
    """A file or folder beside the records that is none, and why."""

    path: str
    why: str
