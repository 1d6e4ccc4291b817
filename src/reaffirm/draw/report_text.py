"""A step's report as plain text, for terminals and for notebooks without HTML."""

from collections.abc import Sequence
from textwrap import wrap

from reaffirm.model.evidence import Kind
from reaffirm.model.fact import Fact
from reaffirm.model.report import Block, Log, Picture, Report, Table

#: What a run of each kind shows and what it does not.
KIND_WORDS = {
    Kind.SIMULATED: "SIMULATED run: it shows that the procedure works, not that the world is so",
    Kind.LAB: "lab run: real software on lab hosts; shows nothing about a GPU, RDMA or speed",
    Kind.REAL: "real run",
}
#: Cells of a table are broken into lines of this many characters.
_CELL = 90


def report_text(report: Report) -> str:
    """Render a report as plain text; the kind stands on the first line.

    The facts are left out: a step shows them by themselves when it hands them to the run.
    """
    parts = [
        f"[{KIND_WORDS[report.kind]}]",
        f"{report.step}: {report.outcome.upper()}: {one_line(report.summary)}",
    ]
    parts += [_block(block) for block in report.blocks]
    if report.sent:
        parts.append("sent\n" + "\n".join(f"  {one_line(sent.line)}" for sent in report.sent))
    return "\n\n".join(parts)


def fact_text(fact: Fact) -> str:
    """A fact's value with its unit; what could not be told is ``unknown``."""
    match fact.value:
        case None:
            return "unknown"
        case bool():
            return "true" if fact.value else "false"
        case list():
            return ", ".join(fact.value) or "none"
        case _:
            return f"{fact.value} {fact.unit}".rstrip()


def one_line(text: str) -> str:
    """Return text without line breaks and without characters that steer a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def _block(block: Block) -> str:
    match block:
        case Table():
            return f"{block.title}\n{_table(block.columns, block.rows)}"
        case Log():
            return "\n".join([block.title, *(f"  | {one_line(line)}" for line in block.lines)])
        case Picture():
            return f"{block.title}\n  {one_line(block.alt)}"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = [[_lines(cell) for cell in row] for row in ((columns, *rows) if any(columns) else rows)]
    widths = [max((len(line) for row in cells for line in row[n]), default=0) for n in range(len(columns))]
    out = []
    for row in cells:
        for n in range(max(len(cell) for cell in row)):
            parts = [cell[n] if n < len(cell) else "" for cell in row]
            padded = [part.ljust(width) for part, width in zip(parts, widths, strict=True)]
            out.append(f"  {'  '.join(padded)}".rstrip())
    return "\n".join(out)


def _lines(cell: str) -> list[str]:
    return wrap(one_line(cell), _CELL, break_on_hyphens=False) or [""]
