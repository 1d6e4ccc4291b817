"""What a step tells people: one report, rendered as text, HTML or Markdown elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from reaffirm.model.evidence import Kind
from reaffirm.model.exchange import Sent
from reaffirm.model.fact import Fact

#: A step's report travels in a notebook as display data of this type.
REPORT_MIME = "application/vnd.reaffirm.step+json"
#: The key in the metadata of an output that says how a step ended: step, outcome, summary.
STEP_ENDED = "reaffirm_step"


class Outcome(StrEnum):
    """How a step ended. ``unknown`` is never shown as a pass."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    UNKNOWN = "unknown"
    READY = "ready"
    REACHED = "reached"
    FAILED = "failed"
    STUCK = "stuck"
    TIMEOUT = "timeout"


@dataclass(frozen=True)
class Table:
    """Rows of text under column names."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Log:
    """Lines of a log, shown as they came."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """An SVG with the sentence that says the same to those who cannot see it."""

    title: str
    svg: str
    alt: str


Block = Table | Log | Picture


@dataclass(frozen=True)
class Report:
    """The whole of what one step tells."""

    step: str
    kind: Kind
    outcome: Outcome
    summary: str
    blocks: tuple[Block, ...] = ()
    sent: tuple[Sent, ...] = ()
    facts: tuple[Fact, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain data; :meth:`from_json` reads it back."""
        blocks: list[dict[str, Any]] = []
        for block in self.blocks:
            match block:
                case Table():
                    rows = [list(row) for row in block.rows]
                    blocks.append({"table": block.title, "columns": list(block.columns), "rows": rows})
                case Log():
                    blocks.append({"log": block.title, "lines": list(block.lines)})
                case Picture():
                    blocks.append({"picture": block.title, "svg": block.svg, "alt": block.alt})
        return {
            "schema": 1,
            "step": self.step,
            "kind": str(self.kind),
            "outcome": str(self.outcome),
            "summary": self.summary,
            "blocks": blocks,
            "sent": [
                {"node": s.node, "shell": s.shell} | ({"times": s.times} if s.times > 1 else {})
                for s in self.sent
            ],
            "facts": {fact.name: fact.as_json() for fact in self.facts},
        }


def facts_from_json(data: Mapping[str, Any]) -> tuple[Fact, ...]:
    """Read ``{"name": {"value": …, "unit": …}}`` back into facts."""
    return tuple(
        Fact(name, entry["value"], entry.get("unit", ""), entry.get("by", "")) for name, entry in data.items()
    )
