"""``runs/ledger.jsonl``: every run of this checkout, when it begins and how it ended. Git ignores it.

A run whose beginning has no end was killed. A ledger that cannot be written ends no run: it is said, and
the run goes on.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reaffirm.errors import ReaffirmError
from reaffirm.run.evidence import recordings
from reaffirm.store.ledger import LEDGER
from reaffirm.store.ledger_check import hash_of
from reaffirm.store.ledger_writing import writing

_LOG = logging.getLogger("reaffirm")
#: How long to wait for another run that writes to the ledger (seconds).
_PATIENCE = 5.0


class LocalLedger:
    """The lines of one run. ``project`` is the project's folder; without one nothing is entered."""

    def __init__(self, project: Path | None, notebook: Path | None, folder: Path | None) -> None:
        self._project = project if folder is not None or notebook is not None else None
        self._notebook = notebook
        self._folder = folder
        self._begun = ""

    def begun(self, runbook: str, sha256: str, parameters: Mapping[str, Any]) -> None:
        """Enter that the run begins; ``parameters`` are free of secrets."""
        fields = {"runbook": runbook, "runbook_sha256": sha256, "parameters": dict(parameters)}
        self._begun = self._enter("begun", supersedes=[], **fields)

    def ended(self, about: Mapping[str, Any], how: Mapping[str, Any]) -> None:
        """Enter how it ended, and the hashes of its notebook and its recordings."""
        files = [path for path in (self._notebook, *recordings(self._folder)) if path and path.is_file()]
        fields = {
            "ended": {key: how[key] for key in ("how", "cell") if how.get(key) is not None},
            "kind": about.get("kind"),
            "facts": len(about.get("facts") or ()),
        }
        hashes = {self._name(path): hash_of(path) for path in files}
        self._enter("ended", supersedes=[self._begun] if self._begun else [], files=hashes, **fields)

    def _enter(self, op: str, **fields: Any) -> str:
        if self._project is None:
            return ""
        run = self._notebook or self._folder
        assert run is not None
        path = self._project / "runs" / LEDGER
        shown = f"runs/{LEDGER}"
        try:
            with writing(path, shown=shown, whole=False, sync=False, patience=_PATIENCE) as ledger:
                return ledger.append(op, run=self._name(run), **fields)
        except (OSError, ReaffirmError) as error:
            why = getattr(error, "strerror", None) or getattr(error, "message", error)
            _LOG.warning("%s: this run is not entered: %s", shown, why)
            return ""

    def _name(self, path: Path) -> str:
        root = (self._project or Path()).resolve()
        real = path.parent.resolve() / path.name
        return real.relative_to(root).as_posix() if real.is_relative_to(root) else str(real)
