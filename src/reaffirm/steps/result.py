"""What every step returns: a report that shows itself in a notebook, and its facts."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from reaffirm.draw.report_html import report_html
from reaffirm.draw.report_text import report_text
from reaffirm.errors import StepFailedError, UsageError
from reaffirm.model.exchange import Sent
from reaffirm.model.fact import Fact
from reaffirm.model.report import REPORT_MIME, Block, Log, Outcome, Picture, Report, Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.redact import MASK, LineRedactor, is_secret, redact, redact_words
from reaffirm.steps.asking import Asker


@dataclass(frozen=True)
class StepResult:
    """The result of a step."""

    report: Report

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts that the step found."""
        return self.report.facts

    @property
    def outcome(self) -> Outcome:
        """How the step ended."""
        return self.report.outcome

    def __str__(self) -> str:
        return report_text(self.report)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return bundle(self.report)


def bundle(report: Report) -> dict[str, Any]:
    """Return a report as the display data of a notebook: text, HTML and our own type."""
    return {
        "text/plain": report_text(report),
        "text/html": report_html(report),
        REPORT_MIME: report.as_json(),
    }


def expect_outcome(result: StepResult, cluster: Cluster | None, outcome: str, *, hint: str) -> None:
    """Show the report and stop unless the step ended that way.

    Raises:
        UsageError: there is no outcome of that name.
        StepFailedError: it ended otherwise.
    """
    try:
        wanted = Outcome(outcome)
    except ValueError:
        msg = f"no outcome {outcome!r}"
        raise UsageError(msg, hint=f"one of: {', '.join(o.value for o in Outcome)}") from None
    if result.outcome is wanted:
        return
    if cluster is not None:
        cluster.context.display(bundle(result.report))
    msg = f"{result.report.step} ended in {result.outcome}, not in {wanted}: {result.report.summary}"
    raise StepFailedError(msg, hint=hint)


def tell(
    cluster: Cluster,
    asker: Asker,
    step: str,
    outcome: Outcome,
    summary: str,
    *,
    blocks: tuple[Block, ...] = (),
    facts: tuple[Fact, ...] = (),
) -> Report:
    """Make a step's report, free of secrets, and hand its facts to the run."""
    kind = cluster.kind
    clean = tuple(_clean_fact(fact) for fact in facts)
    sent = tuple(Sent(s.node, tuple(redact_words(s.argv)), s.program, s.times) for s in asker.sent)
    report = Report(step, kind, outcome, redact(summary), tuple(map(_clean, blocks)), sent, clean)
    cluster.context.emit(step, kind, clean, outcome=outcome, summary=report.summary)
    return report


def _clean(block: Block) -> Block:
    match block:
        case Table():
            rows = tuple(map(_clean_row, block.rows))
            return dataclasses.replace(block, rows=rows)
        case Log():
            return dataclasses.replace(block, lines=tuple(map(LineRedactor(), block.lines)))
        case Picture():
            return dataclasses.replace(block, svg=redact(block.svg), alt=redact(block.alt))


def _clean_row(row: tuple[str, ...]) -> tuple[str, ...]:
    """A row may be a name and its value."""
    if len(row) > 1 and row[1] and is_secret(row[0]):
        row = (row[0], MASK, *row[2:])
    return tuple(redact(cell) for cell in row)


def _clean_fact(fact: Fact) -> Fact:
    match fact.value:
        case str():
            return dataclasses.replace(fact, value=redact(fact.value))
        case list():
            return dataclasses.replace(fact, value=[redact(item) for item in fact.value])
        case _:
            return fact
