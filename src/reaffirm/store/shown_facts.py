"""Facts as the outputs of a notebook show them, and the cell that shows each."""

from collections.abc import Iterator, Mapping
from typing import Any

from reaffirm.model.fact import FACTS_MIME

# papermill's: the values that were given count as the cell before them, its banners as none.
_PUT_IN = ("injected-parameters", "papermill-error-cell-tag")


def shown_facts(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """Return the facts in the outputs of a notebook, of one found twice the last."""
    return {name: fact for _, facts in _cells(notebook) for name, fact in facts.items()}


def fact_cells(notebook: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of the cell that shows each fact, of several the last: its anchor is ``cell-<n>``.

    Cells are counted from 1 over those of the source, as everywhere.
    """
    return {name: number for number, facts in _cells(notebook) for name in facts}


def _cells(notebook: Mapping[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    number = 0
    cells = notebook.get("cells")
    for cell in cells if isinstance(cells, list) else ():
        if not isinstance(cell, dict):
            continue
        metadata = cell.get("metadata")
        tags = metadata.get("tags") if isinstance(metadata, dict) else None
        number += not (isinstance(tags, list) and any(one in tags for one in _PUT_IN))
        found: dict[str, Any] = {}
        outputs = cell.get("outputs")
        for output in outputs if isinstance(outputs, list) else ():
            data = output.get("data") if isinstance(output, dict) else None
            payload = data.get(FACTS_MIME) if isinstance(data, dict) else None
            facts = payload.get("facts") if isinstance(payload, dict) else None
            found |= facts if isinstance(facts, dict) else {}
        yield number, found
