"""How a run ended, and cell statuses that say the same.

Our own engine writes them down as they happen. With ``--engine nbclient`` papermill marks the cell that was
cut off and all cells that never ran ``completed`` when a run ends by anything but an exception inside a cell;
:func:`settle` makes them ``interrupted`` (or ``failed``) and ``pending``.
"""

from dataclasses import dataclass
from typing import Any

from reaffirm.run.cells import heading_at, number_of

_BANNER = "papermill-error-cell-tag"


@dataclass(frozen=True)
class Ending:
    """The end of a run. ``how`` is ``completed``, ``failed``, ``interrupted`` or ``kernel died``.

    ``cell`` counts from 1 over the cells of the source, whatever papermill put between them; ``None`` when
    no cell was reached. ``heading`` is the nearest heading above it.
    """

    how: str
    cell: int | None = None
    heading: str = ""
    why: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return what ``metadata.reaffirm.ended`` holds."""
        return {"how": self.how, "cell": self.cell, "heading": self.heading, "why": self.why}

    def __str__(self) -> str:
        place = "before the first cell" if self.cell is None else f"at cell {self.cell}"
        title = f' "{self.heading}"' if self.heading else ""
        return f"{self.how.upper()} {place}{title}: {self.why}"


def own_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells of a notebook without the banners that papermill puts into a failed one."""
    return [cell for cell in notebook["cells"] if _BANNER not in cell["metadata"].get("tags", ())]


def settle(notebook: dict[str, Any], error: BaseException | None = None) -> Ending | None:
    """Say how the run ended and put the statuses of its cells right, in place.

    ``error`` is what ended it, where that is known. Returns ``None`` while the run goes on.
    """
    if error is None and not notebook["metadata"].get("papermill", {}).get("end_time"):
        return None
    cells = own_cells(notebook)
    if (failed := _failure(cells)) is not None:
        index, why = failed
        return Ending("failed", number_of(cells, index), heading_at(cells, index), why)
    # papermill writes 'completed' into a cell that it never began
    never = [i for i, cell in enumerate(cells) if not _state(cell).get("start_time")]
    for index in never:
        if "papermill" in cells[index]["metadata"]:
            cells[index]["metadata"]["papermill"]["status"] = "pending"
    left = _early_exit(cells)
    if error is None and left is not None:
        return Ending(
            "completed", number_of(cells, left), heading_at(cells, left), "the cell called sys.exit(0)"
        )
    if error is None and not never:
        return Ending("completed")
    return _cut_off(cells, error)


def _cut_off(cells: list[dict[str, Any]], error: BaseException | None) -> Ending:
    how, why = _cause(error)
    begun = [i for i, cell in enumerate(cells) if _state(cell).get("start_time")]
    if not begun:
        return Ending(how, why=why)
    last = begun[-1]
    state = cells[last]["metadata"]["papermill"]
    state["status"] = "interrupted" if how == "interrupted" else "failed"
    state["exception"] = True
    return Ending(how, number_of(cells, last), heading_at(cells, last), why)


def _cause(error: BaseException | None) -> tuple[str, str]:
    if error is None:
        return "interrupted", "the run was cut off"
    if isinstance(error, KeyboardInterrupt):
        return "interrupted", str(error) or "Ctrl-C"
    name = type(error).__name__
    if name == "DeadKernelError":
        return "kernel died", "the Python process of the notebook died"
    if name == "CellTimeoutError":
        return "failed", "the cell did not end within its time limit"
    first = next((line for line in str(error).splitlines() if line.strip()), "")
    return "failed", f"{name}: {first}".rstrip(": ")


def _failure(cells: list[dict[str, Any]]) -> tuple[int, str] | None:
    """The first cell that failed by itself, and its error."""
    for index, cell in enumerate(cells):
        if _state(cell).get("status") != "failed":
            continue
        for output in cell.get("outputs", ()):
            if output["output_type"] == "error" and not _is_exit(output):
                return index, f"{output['ename']}: {output['evalue']}".rstrip(": ")
        if _early_exit([cell]) is None:
            return index, "the cell failed"
    return None


def _early_exit(cells: list[dict[str, Any]]) -> int | None:
    for index, cell in enumerate(cells):
        if any(o["output_type"] == "error" and _is_exit(o) for o in cell.get("outputs", ())):
            return index
    return None


def _is_exit(output: dict[str, Any]) -> bool:
    return output["ename"] == "SystemExit" and output["evalue"] in ("", "0")


def _state(cell: dict[str, Any]) -> dict[str, Any]:
    state = cell["metadata"].get("papermill")
    return state if isinstance(state, dict) else {}
