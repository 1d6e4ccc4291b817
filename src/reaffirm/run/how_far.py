"""How far a run is, read off its notebook."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from reaffirm.run.cells import heading_at, is_injected, number_of
from reaffirm.run.closing import outcome_of
from reaffirm.run.ending import own_cells
from reaffirm.run.part import is_replayed
from reaffirm.run.progress import Progress


def progress_of(notebook: Mapping[str, Any]) -> Progress | None:
    """How far a notebook is; ``None`` before its first cell."""
    cells = own_cells(dict(notebook))
    states = [cell["metadata"].get("papermill", {}) for cell in cells]
    begun = [i for i, state in enumerate(states) if state.get("start_time")]
    if not begun:
        return None
    at = begun[-1]
    return Progress(
        number_of(cells, at),
        number_of(cells, len(cells)),
        heading_at(cells, at),
        states[at]["status"],
        cells[at]["cell_type"] == "code" and not is_injected(cells[at]),
        _seconds(states[at]),
        "replayed" if is_replayed(cells[at]) else outcome_of(cells[at]),
        named if isinstance(named := cells[at]["metadata"].get("step"), str) else "",
    )


def _seconds(state: Mapping[str, Any]) -> float | None:
    """How long a cell took, or has been running."""
    if state.get("duration") is not None or not state.get("start_time"):
        return state.get("duration")
    return (datetime.now(UTC) - datetime.fromisoformat(state["start_time"])).total_seconds()
