"""The notebook of a run that goes on, as text.

papermill saves twice for each cell, and each time makes everything anew; here only what changed is.
"""

import json
from dataclasses import dataclass
from typing import Any

from reaffirm import redact
from reaffirm.run import evidence
from reaffirm.run.secrets import Redactor

#: A cell with one of these statuses stays as it is until the run ends.
_AT_REST = ("pending", "completed", "failed")


@dataclass(frozen=True)
class _Cell:
    text: str
    payloads: tuple[dict[str, Any], ...]


class Draft:
    """The texts of one run's unfinished notebook, redacted; remembers the cells that are at rest."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._cells: dict[tuple[Any, ...], _Cell] = {}

    def text(self, node: Any, headers: list[dict[str, Any]], about: dict[str, Any]) -> str:
        """Return the text of an ``.ipynb`` file for the notebook that papermill holds.

        Args:
            node: that notebook; it is not changed.
            headers: the first lines of the recordings so far.
            about: what more ``metadata.reaffirm`` holds.
        """
        cells = [self._cell(cell) for cell in node["cells"]]
        payloads = [payload for cell in cells for payload in cell.payloads]
        metadata = dict(node["metadata"])
        metadata["reaffirm"] = metadata.get("reaffirm", {}) | evidence.summary(payloads, headers) | about
        rest = json.dumps(self._redactor.data(metadata), ensure_ascii=False)
        joined = ",".join(cell.text for cell in cells)
        return f'{{"cells":[{joined}],"metadata":{rest},"nbformat":4,"nbformat_minor":5}}\n'

    def _cell(self, cell: Any) -> _Cell:
        state = cell["metadata"].get("papermill") or {}
        # what becomes known later is masked in the earlier cells, too
        key = (cell["id"], state.get("status"), state.get("end_time"), redact.known().version)
        known = self._cells.get(key) if key[1] in _AT_REST else None
        if known is None:
            masked = self._redactor.cell(cell)
            known = _Cell(json.dumps(masked, ensure_ascii=False), tuple(evidence.payloads([cell])))
            self._cells[key] = known
        return known
