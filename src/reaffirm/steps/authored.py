"""What the general steps and steps of one's own share: names given by authors, values, results."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from reaffirm.draw.report_text import fact_text, report_text
from reaffirm.errors import StepFailedError, UsageError
from reaffirm.model.extract import Extract
from reaffirm.model.fact import STEP_WORDS, Fact, FactValue
from reaffirm.model.report import Log, Outcome, Table
from reaffirm.steps.extracting import found
from reaffirm.steps.result import StepResult

_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)*\Z")
#: Lines of an answer that a report shows, and how long one may be (characters).
_LINES, _LONG = 20, 200


@dataclass(frozen=True)
class AuthoredResult(StepResult):
    """The result of a step whose facts an author named. ``result["p95"]`` is the value of a fact."""

    name: str = ""
    values: Mapping[str, FactValue] = field(default_factory=dict)

    def __getitem__(self, key: str) -> FactValue:
        """Return the value of a fact by its last word; ``None`` is unknown.

        Raises:
            UsageError: the step has no such fact.
        """
        if key not in self.values:
            msg = f"{self.name} found no {key!r}"
            raise UsageError(msg, hint=f"it found {', '.join(self.values) or 'nothing'}")
        return self.values[key]

    def expect(self, outcome: str = "pass") -> Self:
        """Return this result when the step ended that way: ``pass``, ``fail`` or ``unknown``.

        Raises:
            StepFailedError: it ended otherwise; the message holds the report.
            UsageError: there is no outcome of that name.
        """
        if outcome not in tuple(Outcome):
            msg = f"no outcome {outcome!r}"
            raise UsageError(msg, hint="one of: pass, fail, unknown")
        if self.outcome != outcome:
            msg = f"{self.name}: expected {outcome}, got {self.outcome}\n{report_text(self.report)}"
            raise StepFailedError(msg, hint="look at what was sent and answered above")
        return self


def checked_name(name: str) -> str:
    """Return a name that may stand before the facts of an author's step.

    Raises:
        UsageError: it is no name, or belongs to a shipped step.
    """
    if not isinstance(name, str) or not _NAME.match(name):
        msg = f"the name of a step is lower-case words joined by dots, got {name!r}"
        raise UsageError(msg, hint='such as name="search" or name="search.warm"')
    if name.split(".")[0] in STEP_WORDS:
        msg = f"facts that begin with {name.split('.')[0]!r} are found by the step of that name, got {name!r}"
        raise UsageError(msg, hint=f"choose another name; taken are {', '.join(sorted(STEP_WORDS))}")
    return name


@dataclass(frozen=True)
class Taken:
    """What came of the recipes of one step."""

    rows: tuple[tuple[Extract, FactValue, str], ...]

    @property
    def facts(self) -> dict[str, tuple[FactValue, str]]:
        """Each fact's own name with its value and unit."""
        return {extract.key: (value, extract.unit) for extract, value, _ in self.rows}

    @property
    def unknown(self) -> tuple[str, ...]:
        """The facts that could not be told, with the reason."""
        return tuple(f"{extract.key}: {why}" for extract, value, why in self.rows if value is None)

    @property
    def tables(self) -> tuple[Table, ...]:
        """What was taken from where, for the report; nothing when nothing was asked for."""
        rows = tuple(
            (e.key, fact_text(Fact("x.y", value, e.unit)), str(e), why) for e, value, why in self.rows
        )
        return (Table("Taken from the answer", ("fact", "value", "where", "why not"), rows),) if rows else ()


def take(extracts: Sequence[Extract], text: str, why_not: str = "") -> Taken:
    """Take each fact from ``text``; all are unknown where ``why_not`` says why nothing can be taken."""
    return Taken(tuple((e, *((None, why_not) if why_not else found(e, text))) for e in extracts))


def named_facts(name: str, values: Mapping[str, tuple[FactValue, str]]) -> tuple[Fact, ...]:
    """Return the facts of a step under its name."""
    return tuple(Fact(f"{name}.{key}", value, unit) for key, (value, unit) in values.items())


def excerpt(title: str, text: str) -> tuple[Log, ...]:
    """Return the last lines of an answer; nothing where it is empty."""
    lines = text.splitlines()
    if not lines:
        return ()
    shown = [line if len(line) <= _LONG else f"{line[: _LONG - 1]}…" for line in lines[-_LINES:]]
    left = len(lines) - len(shown)
    return (Log(f"{title}, the last {_LINES} of {len(lines)} lines" if left else title, tuple(shown)),)
