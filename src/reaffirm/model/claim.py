"""Claims: sentences that can turn out false, what would decide them, and what became of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from reaffirm.model.evidence import Kind, Via
from reaffirm.model.fact import FactValue

Scalar = bool | int | float | str | None
Operand = Scalar | tuple[Scalar, ...]


class Operator(StrEnum):
    """How a fact's value is held against an expectation. The words are those of the claim format."""

    EQUALS = "equals"
    NOT = "not"
    CONTAINS = "contains"
    MATCHES = "matches"
    LESS_THAN = "less-than"
    AT_MOST = "at-most"
    GREATER_THAN = "greater-than"
    AT_LEAST = "at-least"
    BETWEEN = "between"
    VERSION = "version"


@dataclass(frozen=True)
class Expectation:
    """What a fact must be: every operator must hold. ``unit`` empty means that none is asked for."""

    terms: Mapping[Operator, Operand]
    unit: str = ""

    def __str__(self) -> str:
        words = " and ".join(f"{operator} {_shown(operand)}" for operator, operand in self.terms.items())
        return f"{words} {self.unit}".rstrip()


@dataclass(frozen=True)
class Condition:
    """One fact and what it must be. ``line`` is where the record names the fact."""

    fact: str
    expect: Expectation
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.fact} {self.expect}"


@dataclass(frozen=True)
class Check:
    """What decides a claim: a runbook and the conditions that all must hold in one run of it.

    ``line`` is where the record names the runbook. ``parameters`` are what it is run with to decide the
    claim, where its own values would not do. ``given`` is what must have been so in a run: where one of
    these conditions does not hold, the run says nothing about the claim.
    """

    runbook: str
    conditions: tuple[Condition, ...]
    line: int = field(default=0, compare=False)
    parameters: tuple[tuple[str, bool | int | float | str], ...] = ()
    given: tuple[Condition, ...] = ()

    @property
    def named(self) -> tuple[Condition, ...]:
        """Every condition that the check names."""
        return (*self.given, *self.conditions)

    def __str__(self) -> str:
        return "; ".join(str(condition) for condition in self.conditions)


class ClaimKind(StrEnum):
    """A hypothesis is a claim about a cause; it has rivals."""

    CLAIM = "claim"
    HYPOTHESIS = "hypothesis"


class Expected(StrEnum):
    """What the decision of a record expects of a claim.

    ``refuted`` is for a sentence that the decision rejects, such as an assumption of an option not chosen.
    """

    AFFIRMED = "affirmed"
    REFUTED = "refuted"


@dataclass(frozen=True)
class Claim:
    """A sentence of a record that can turn out false.

    ``needs`` is the kind of evidence that can decide it; ``recheck_after`` the age in days beyond
    which evidence is stale (None: never by age alone); ``line`` where the claim stands in ``path``.
    ``expected`` is what the decision needs to become of it.
    """

    id: str
    says: str
    kind: ClaimKind = ClaimKind.CLAIM
    rivals: tuple[str, ...] = ()
    told_by: str = ""
    needs: Kind = Kind.REAL
    check: Check | None = None
    recheck_after: int | None = None
    path: str = ""
    line: int = 0
    expected: Expected = Expected.AFFIRMED


@dataclass(frozen=True)
class Evidence:
    """One fact as one run found it.

    ``started`` is the node's time (UTC) at which the run, or for a replay the recorded run, began.
    ``by`` is ``notebook`` for a value that no step asked for, else empty.
    ``changed`` names what the run rests on that is different now; empty when nothing is known to be.
    ``whole`` says that the run is known to have gone through all of its runbook.
    """

    fact: str
    value: FactValue
    unit: str
    kind: Kind
    via: Via
    started: datetime
    run: str
    runbook: str
    path: str = ""
    changed: str = ""
    by: str = ""
    whole: bool = field(default=False, compare=False)


class Result(StrEnum):
    """What holding evidence against an expectation gave. ``unknown`` is never a pass."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Verdict(StrEnum):
    """What became of a claim."""

    AFFIRMED = "affirmed"
    REFUTED = "refuted"
    REHEARSED = "rehearsed"
    STALE = "stale"
    TOLD = "told"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Judged:
    """What one run says about one claim, and the facts that it says it with."""

    result: Result
    kind: Kind
    via: Via
    started: datetime
    run: str
    runbook: str
    reason: str
    found: tuple[Evidence, ...] = ()
    path: str = ""
    changed: str = ""


@dataclass(frozen=True)
class Standing:
    """Where a claim stands on a day.

    ``deciding`` is the run that the verdict follows from, ``beside`` the runs that a reader must see
    with it: newer failures of a lower kind, or what was last known before a run could not judge.
    ``expected`` is what the decision expects of the claim, ``needs`` the kind of evidence that decides it.
    """

    verdict: Verdict
    reason: str
    deciding: Judged | None = None
    beside: tuple[Judged, ...] = field(default=())
    expected: Expected = Expected.AFFIRMED
    needs: Kind = Kind.SIMULATED

    @property
    def against(self) -> bool:
        """Whether what is known of the claim speaks against the decision: the one thing that is an alarm."""
        other = Verdict.AFFIRMED if self.expected is Expected.REFUTED else Verdict.REFUTED
        return self.verdict is other

    @property
    def as_expected(self) -> bool:
        """Whether the claim is refuted, and the decision expects just that."""
        return self.verdict is Verdict.REFUTED and self.expected is Expected.REFUTED

    @property
    def result(self) -> Result | None:
        """How the deciding run went; None when there is none."""
        return self.deciding.result if self.deciding else None

    def __str__(self) -> str:
        if self.verdict in (Verdict.REHEARSED, Verdict.STALE) and self.result:
            return f"{self.verdict} ({self.result})"
        if self.as_expected:
            return f"{self.verdict} as the decision expects"
        if self.against and self.expected is Expected.REFUTED:
            return f"{self.verdict} against what the decision expects"
        if self.verdict is Verdict.UNKNOWN and self.deciding and not self.deciding.kind.suffices(self.needs):
            return f"{self.verdict} (rehearsal)"
        return str(self.verdict)


def verdict_words(standing: Standing, claim: Claim) -> str:
    """Return the verdict in words; ``rehearsed`` and ``stale`` say how the run went.

    Every page and every command says it with these words.

    A rehearsed hypothesis does not: *passed* beside a cause would read like support.
    """
    if standing.verdict is Verdict.REHEARSED and claim.kind is ClaimKind.HYPOTHESIS:
        return str(standing.verdict)
    return str(standing)


def _shown(operand: Operand) -> str:
    match operand:
        case bool():
            return "true" if operand else "false"
        case tuple():
            return " and ".join(_shown(item) for item in operand)
        case str():
            return f'"{operand}"'
        case _:
            return str(operand)
