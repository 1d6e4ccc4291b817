"""Failure modes: ways in which a launch on several nodes goes wrong, and how a log shows each."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from reaffirm.model.node import Engine

#: Of a line only the first characters are searched: a line of a megabyte is as cheap as one of two thousand.
LINE_LIMIT = 2000


class FailureStatus(StrEnum):
    """How well a page is supported by its own examples."""

    DRAFT = "draft"
    PROVEN = "proven"  # at least one hit and one near-miss that nobody made up


class OriginKind(StrEnum):
    """Where an example comes from."""

    RUN = "run"
    THREAD = "thread"
    PACKAGE = "package"
    MADE_UP = "made-up"


@dataclass(frozen=True)
class Origin:
    """Where an example comes from: ``run of the lab, 2026-11-30``, ``thread owner/repo#7``, ``made-up``."""

    kind: OriginKind
    text: str

    @property
    def url(self) -> str:
        """The address of a cited thread; empty for everything else."""
        if self.kind is not OriginKind.THREAD:
            return ""
        where, _, number = self.text.removeprefix("thread ").split()[0].partition("#")
        # The forge leads from an issue's address to the pull request of that number.
        return f"https://github.com/{where}/issues/{number}"


@dataclass(frozen=True)
class LinePattern:
    """One pattern that is searched in single lines. ``literal`` stands in every line that it can match."""

    text: str
    regex: re.Pattern[str]
    literal: str = ""

    def search(self, line: str) -> bool:
        """Whether the pattern is found in the first characters of the line."""
        line = line[:LINE_LIMIT]
        return self.literal in line and self.regex.search(line) is not None


@dataclass(frozen=True)
class EngineRange:
    """An engine and the versions of it that are meant; an empty range means all of them."""

    engine: Engine
    versions: SpecifierSet = field(default_factory=SpecifierSet)

    def holds(self, engine: Engine, version: Version | None) -> bool:
        """Whether that version is meant. One that is not known, or a pre-release, is never ruled out."""
        if engine is not self.engine:
            return False
        if version is None or version.is_prerelease:
            return True
        return self.versions.contains(version)

    def __str__(self) -> str:
        told = sorted(self.versions, key=lambda one: (Version(one.version.removesuffix(".*")), str(one)))
        return " ".join((str(self.engine), ", ".join(map(str, told)))).rstrip()


@dataclass(frozen=True)
class Silence:
    """All ranks have reached ``stage``, none has gone on to the next one, and nothing new came for long."""

    stage: str
    seconds: float


@dataclass(frozen=True)
class Signature:
    """What a log looks like in one case. Every part that is given must hold.

    ``all``: each is found on one and the same rank. ``any``: one of them is found on some rank. ``none``:
    found on no rank. ``ended``: a container ended with one of these statuses. ``engines`` narrows those of
    the page.
    """

    line: int
    engines: tuple[EngineRange, ...] = ()
    all: tuple[LinePattern, ...] = ()
    any: tuple[LinePattern, ...] = ()
    none: tuple[LinePattern, ...] = ()
    silence: Silence | None = None
    ended: tuple[int, ...] = ()


@dataclass(frozen=True)
class Example:
    """A log on a page, which is a test of its signatures: a hit must match, a near-miss must not.

    ``text`` holds the lines of one rank; where each line begins with a name and `` | ``, those of several.
    ``silent`` is how long nothing came after them (seconds), ``ended`` the exit status of the container of
    the rank that is named last.
    """

    line: int
    hit: bool
    title: str
    origin: Origin
    text: str
    engine: Engine
    version: str = ""
    silent: float = 0.0
    ended: int | None = None


@dataclass(frozen=True)
class FailureMode:
    """One page of ``docs/failures``.

    ``rivals`` are ids of other pages whose logs can look the same; ``deciding_check`` is the cheapest way to
    tell them apart, for reports of runs. ``told_apart`` says it to readers of the page and of the box, with
    what is known besides; empty: the check says it all. ``mistaken_for`` says what people took it for,
    ``also_called`` what they search for. ``decisions`` are ids of records. ``serves``: the engine serves
    nevertheless. ``lines`` has the line of each key, for findings.
    """

    id: str
    title: str
    status: FailureStatus
    stage: str
    engines: tuple[EngineRange, ...]
    signatures: tuple[Signature, ...]
    rivals: tuple[str, ...] = ()
    deciding_check: str = ""
    told_apart: str = ""
    mistaken_for: tuple[str, ...] = ()
    also_called: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    serves: bool = False
    examples: tuple[Example, ...] = ()
    path: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def tested(self) -> str:
        """In a few words what the recogniser of the page was tested on. It says nothing of the cause."""
        if self.status is FailureStatus.PROVEN:
            return "recogniser tested, also on genuine logs"
        if all(example.origin.kind is OriginKind.MADE_UP for example in self.examples):
            return "draft: examples made up only"
        return "draft: rests on too little yet"
