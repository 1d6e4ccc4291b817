"""Which cells of a runbook a run executes, and what its notebook says of those that it does not."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reaffirm.run.cells import number_of
from reaffirm.run.runbook import Runbook


@dataclass(frozen=True)
class Part:
    """A run that is not simply the whole runbook. Cells are named by their number, from 1.

    ``skipped`` are cells that are not executed, and why; ``replayed`` those whose requests an earlier run has
    answered, and the name of that run. ``about`` goes into ``metadata.reaffirm``, ``environment`` to the
    process that runs the cells.
    """

    skipped: Mapping[int, str] = field(default_factory=dict)
    replayed: Mapping[int, str] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.skipped or self.replayed or self.about)


#: The whole runbook, as ever.
WHOLE = Part()


def annotated(runbook: Runbook, part: Part) -> Runbook:
    """Return the runbook with a note in each cell that is skipped or replayed."""
    if not part:
        return runbook
    notebook = json.loads(json.dumps(runbook.notebook))
    cells = notebook["cells"]
    for index, cell in enumerate(cells):
        number = number_of(cells, index)
        if cell["cell_type"] != "code":
            continue
        if number in part.skipped:
            cell["metadata"]["reaffirm"] = {"skipped": part.skipped[number]}
        elif number in part.replayed:
            cell["metadata"]["reaffirm"] = {"replayed_from": part.replayed[number]}
    return dataclasses.replace(runbook, notebook=notebook)


def is_skipped(cell: Mapping[str, Any]) -> bool:
    """Whether a cell of a notebook is not executed in this run."""
    return bool((cell.get("metadata", {}).get("reaffirm") or {}).get("skipped"))


def is_replayed(cell: Mapping[str, Any]) -> bool:
    """Whether what a cell of a notebook shows comes from an earlier run."""
    return bool((cell["metadata"].get("reaffirm") or {}).get("replayed_from"))


def settle_notes(notebook: Mapping[str, Any]) -> None:
    """Take back the note of a cell that was to be replayed and that the run did not come to, in place."""
    for cell in notebook["cells"]:
        note = cell["metadata"].get("reaffirm")
        status = (cell["metadata"].get("papermill") or {}).get("status")
        if isinstance(note, dict) and "replayed_from" in note and status != "completed":
            del note["replayed_from"]
            if not note:
                del cell["metadata"]["reaffirm"]
