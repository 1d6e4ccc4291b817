"""What the terminal is told when a run has ended: how each step ended, and what to do about what failed."""

from collections.abc import Iterator, Mapping
from typing import Any

from reaffirm.draw.report_text import one_line
from reaffirm.model.report import REPORT_MIME

#: How many steps and failed checks are told, and the length of a line in characters.
_STEPS, _FAILED, _WIDTH = 14, 3, 160


def reports(cells: list[dict[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The reports of all steps in the outputs of cells, in order."""
    for cell in cells:
        for output in cell.get("outputs", ()):
            found = output.get("data", {}).get(REPORT_MIME)
            if isinstance(found, dict):
                yield found


def outcome_of(cell: dict[str, Any]) -> str:
    """How the last step of a cell ended; empty where the cell shows no report."""
    return "".join(str(report.get("outcome", "")) for report in list(reports([cell]))[-1:])


def replayed(cell: Mapping[str, Any]) -> str:
    """The words that stand before what a cell shows when an earlier run was told it; else empty."""
    run = (cell.get("metadata", {}).get("reaffirm") or {}).get("replayed_from")
    return f"(from {run}) " if run else ""


def closing(notebook: Mapping[str, Any]) -> list[str]:
    """Return the lines that tell of an executed notebook: one per step, then the checks that failed."""
    found = list(reports(notebook["cells"]))
    lines = [
        _short(f"{replayed(cell)}{r['step']}: {r['outcome']}: {r['summary']}")
        for cell in notebook["cells"]
        for r in reports([cell])
    ]
    if len(lines) > _STEPS:
        lines = [*lines[: _STEPS - 1], f"… {len(lines) - _STEPS + 1} more steps: see the notebook"]
    failed = [check for report in found for check in _failed(report)]
    lines += [line for check in failed[:_FAILED] for line in check]
    if len(failed) > _FAILED:
        lines.append(f"… {len(failed) - _FAILED} more failed checks: see the notebook")
    return lines


def _failed(report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The failed rows of a table of checks, each with what to do."""
    for block in report["blocks"]:
        if "what to do" not in block.get("columns", ()):
            continue
        for verdict, node, check, seen, then in block["rows"]:
            if verdict == "FAIL":
                where = f" on {node}" if node else ""
                yield _short(f"FAIL {check}{where}: {seen}"), _short(f"  next: {then}")


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
