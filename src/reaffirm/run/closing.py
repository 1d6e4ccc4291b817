"""What the terminal is told when a run has ended: how each step ended, and what to do about what failed."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reaffirm.draw.report_text import one_line
from reaffirm.model.report import REPORT_MIME, STEP_ENDED, Outcome

#: How many steps and failed checks are told, and the length of a line in characters.
_STEPS, _FAILED, _WIDTH = 14, 3, 160
_WELL = (Outcome.PASS, Outcome.READY, Outcome.REACHED)
_WORST_FIRST = ((Outcome.FAILED, Outcome.FAIL), (Outcome.STUCK, Outcome.TIMEOUT), (Outcome.UNKNOWN,))


def reports(cells: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The reports of all steps in the outputs of cells, in order."""
    for cell in cells:
        for output in cell.get("outputs", ()):
            found = output.get("data", {}).get(REPORT_MIME)
            if isinstance(found, dict):
                yield found


def ends(cell: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Step, outcome and summary of each step of a cell, in order: of all reports that it shows, and of steps
    that did not end well and whose report nobody showed.
    """
    shown = [_words(report) for report in reports([cell])]
    left = list(shown)
    found = []
    for output in cell.get("outputs", ()):
        if isinstance(told := output.get("metadata", {}).get(STEP_ENDED), dict):
            if (words := _words(told)) in left:
                left.remove(words)  # its report comes later
            elif words[1] not in _WELL:
                found.append(words)
        elif isinstance(report := output.get("data", {}).get(REPORT_MIME), dict):
            found.append(_words(report))
    return found


def _words(told: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(told.get("step", "")), str(told.get("outcome", "")), str(told.get("summary", ""))


def not_well(notebook: Mapping[str, Any]) -> list[str]:
    """Return a line for each step of an executed notebook that did not end well."""
    found = [
        _short(f"{step}: {outcome}: {summary}")
        for cell in notebook["cells"]
        for step, outcome, summary in ends(cell)
        if outcome not in _WELL
    ]
    return _first_steps(found)


def _first_steps(lines: list[str]) -> list[str]:
    """The lines of as many steps as are shown, and how many more there are."""
    if len(lines) <= _STEPS:
        return lines
    return [*lines[: _STEPS - 1], f"… {len(lines) - _STEPS + 1} more steps: see the notebook"]


def outcome_of(cell: Mapping[str, Any]) -> str:
    """How the step of a cell ended that ended worst; empty where no step tells of itself."""
    outcomes = [outcome for _, outcome, _ in ends(cell)]
    worst = min(map(_rank, outcomes), default=0)
    return next((outcome for outcome in reversed(outcomes) if _rank(outcome) == worst), "")


def _rank(outcome: str) -> int:
    return next((rank for rank, some in enumerate(_WORST_FIRST) if outcome in some), len(_WORST_FIRST))


def replayed(cell: Mapping[str, Any]) -> str:
    """The words that stand before what a cell shows when an earlier run was told it; else empty."""
    run = (cell.get("metadata", {}).get("reaffirm") or {}).get("replayed_from")
    return f"(from {run}) " if run else ""


def closing(notebook: Mapping[str, Any]) -> list[str]:
    """Return the lines that tell of an executed notebook: one per step, then the checks that failed."""
    found = list(reports(notebook["cells"]))
    lines = _first_steps(
        [
            _short(f"{replayed(cell)}{step}: {outcome}: {summary}")
            for cell in notebook["cells"]
            for step, outcome, summary in ends(cell)
        ]
    )
    lines += _partial((notebook["metadata"].get("reaffirm") or {}).get("partial"))
    failed = [check for report in found for check in _failed(report)]
    lines += [line for check in failed[:_FAILED] for line in check]
    if len(failed) > _FAILED:
        lines.append(f"… {len(failed) - _FAILED} more failed checks: see the notebook")
    return lines


def _partial(about: Any) -> Iterator[str]:
    """What was asked for of a run that is not the whole runbook, and how much of it was left out."""
    if isinstance(about, dict):
        asked = " ".join(f"--{key} {about[key]}" for key in ("from", "until", "only") if about.get(key))
        left = ", ".join(map(str, about.get("skipped") or ())) or "nothing"
        yield _short(f"PARTIAL RUN ({asked}): not run: {left}")


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
