"""A published run with all that its page shows: read once, kept by the content of its files."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from reaffirm.model.run_view import RunView
from reaffirm.site.requests import RequestLog, read_requests
from reaffirm.store.published import MAX_BYTES, PublishedRun
from reaffirm.store.run_view import view_of
from reaffirm.store.shown_facts import fact_cells

#: Recordings that were read in this process, by the hash of their bytes: most are the same at the next build.
_READ: dict[str, RequestLog] = {}
_MOST_KEPT = 1000


@dataclass(frozen=True)
class RunMaterial:
    """A run, its notebook, what its recording says, and the sizes of its files (bytes)."""

    run: PublishedRun
    notebook: Mapping[str, Any]
    requests: RequestLog = field(default_factory=RequestLog)
    sizes: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """The hash of the notebook."""
        return hashlib.sha256((self.run.folder / "notebook.ipynb").read_bytes()).hexdigest()

    @cached_property
    def fact_cells(self) -> Mapping[str, int]:
        """The number of the cell that shows each fact."""
        return fact_cells(self.notebook)

    @cached_property
    def view(self) -> RunView:
        """The run as it is compared with others."""
        return view_of(self.notebook, name=self.run.path, about=self.run.provenance)


def read_material(run: PublishedRun) -> RunMaterial:
    """Read what the page of a run shows.

    Raises:
        DocumentError: the notebook is missing or none.
    """
    sizes = {name: (run.folder / name).stat().st_size for name in run.files if (run.folder / name).is_file()}
    return RunMaterial(run, run.notebook(), _requests(run, sizes), sizes)


def _requests(run: PublishedRun, sizes: Mapping[str, int]) -> RequestLog:
    path = run.folder / "recording.jsonl"
    if not 0 < sizes.get(path.name, 0) <= MAX_BYTES:
        return RequestLog()
    given = run.provenance.get("node_programs")
    names = {str(digest): str(name) for name, digest in given.items()} if isinstance(given, dict) else {}
    raw = path.read_bytes()
    key = hashlib.sha256(raw + repr(sorted(names.items())).encode()).hexdigest()
    if key not in _READ:
        if len(_READ) >= _MOST_KEPT:
            _READ.clear()
        _READ[key] = read_requests(raw, names)
    return _READ[key]
