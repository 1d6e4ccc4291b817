"""Cells of an executed notebook as a page shows them: their number and their state."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reaffirm.site.output import text_of
from reaffirm.site.prose_words import words
from reaffirm.site.text import code, inline

_INJECTED = "injected-parameters"
# papermill puts banners above a cell that failed; the page says so itself.
_BANNER = "papermill-error-cell-tag"
_HEADING = "#"


@dataclass(frozen=True)
class Cell:
    """One cell. ``number`` counts from 1 over the cells of the source, as messages do.

    ``injected``: the values that were given, which count as the cell before them. ``heading`` is the nearest
    one above. ``state`` is empty for a cell that ran to its end, else a word about it, with ``why``.
    """

    number: int
    kind: str
    source: str
    outputs: object
    injected: bool = False
    heading: str = ""
    state: str = ""
    why: str = ""

    @property
    def anchor(self) -> str:
        """The id of the cell on the page of its run; it stays the same as long as the runbook does."""
        return f"cell-{self.number}"


def cells_of(notebook: Mapping[str, Any], ended: object = None) -> tuple[Cell, ...]:
    """Return the cells of a notebook.

    Args:
        notebook: the data of an ``.ipynb`` file.
        ended: how its run ended, as its provenance has it: what came after is shown as never run.
    """
    return tuple(_cells(notebook, ended if isinstance(ended, dict) else {}))


def _cells(notebook: Mapping[str, Any], ended: Mapping[str, Any]) -> Iterator[Cell]:
    number, heading, over = 0, "", False
    cells = notebook.get("cells")
    for cell in cells if isinstance(cells, list) else ():
        if not isinstance(cell, dict):
            continue
        about = cell.get("metadata")
        metadata: Mapping[str, Any] = about if isinstance(about, dict) else {}
        tags = metadata.get("tags")
        tags = tags if isinstance(tags, list) else []
        if _BANNER in tags:
            continue
        injected = _INJECTED in tags
        number += not injected
        kind, source = str(cell.get("cell_type")), text_of(cell.get("source"))
        if kind == "markdown":
            heading = _heading(source) or heading
        state, why = "", ""
        if kind == "code":
            state, why = _state(cell, metadata, number, ended, over=over)
            over = over or state in ("failed", "timed out", "killed", "interrupted", "not ended")
        yield Cell(number, kind, source, cell.get("outputs", []), injected, heading, state, why)


def _state(
    cell: Mapping[str, Any], metadata: Mapping[str, Any], number: int, ended: Mapping[str, Any], *, over: bool
) -> tuple[str, str]:
    """What a reader must know of a cell that did not simply run to its end."""
    noted = metadata.get("reaffirm")
    about: Mapping[str, Any] = noted if isinstance(noted, dict) else {}
    if run := about.get("replayed_from"):
        return "replayed", f"Not run again: what this shows is what the run {code(str(run))} was answered."
    if why := about.get("skipped"):
        return "skipped", f"Not run: {inline(str(why))}."
    if word := about.get("status"):
        return str(word), inline(str(about.get("why") or ""))
    papermill = metadata.get("papermill")
    status = papermill.get("status") if isinstance(papermill, dict) else None
    if any(one.get("output_type") == "error" for one in _dicts(cell.get("outputs"))):
        return "failed", ""
    if status == "running":
        return "not ended", "The run ended while this cell ran; what it showed until then is below."
    blank = not text_of(cell.get("source")).strip()
    if blank or cell.get("outputs"):
        return "", ""
    stopped = ended.get("how") not in (None, "", "completed")
    beyond = isinstance(ended.get("cell"), int) and number > ended["cell"]
    unnumbered = "execution_count" in cell and cell["execution_count"] is None
    if status == "pending" or (stopped and (beyond or over) and unnumbered):
        return "never run", "The run ended before it came to this cell."
    return "", ""


def _heading(source: str) -> str:
    found = [line.strip() for line in source.split("\n") if line.startswith(_HEADING)]
    return words(found[-1].lstrip("#").strip().rstrip("#").strip()) if found else ""


def _dicts(value: object) -> Sequence[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
