"""A run under way: what papermill wants to write becomes the notebook of a runbook."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reaffirm.model.code import CodeHashes
from reaffirm.run import evidence, places
from reaffirm.run.checkout import Checkout
from reaffirm.run.draft import Draft
from reaffirm.run.ending import Ending, settle
from reaffirm.run.how_far import progress_of
from reaffirm.run.journal import Journal
from reaffirm.run.notebook_file import in_lines, plain, pretty, steady
from reaffirm.run.part import WHOLE, Part, settle_notes
from reaffirm.run.progress import Progress
from reaffirm.run.provenance import code_json, code_now, rests_on
from reaffirm.run.runbook import Runbook, is_remote
from reaffirm.run.secret_marks import learn_marks
from reaffirm.run.secrets import Redactor
from reaffirm.store.atomic import write_text

#: Told on every change: how many cells are done, how many there are, the heading of the current one.
Observer = Callable[[Progress], None]
Write = Callable[..., Any]

#: Seconds between two writes of an unfinished notebook, and how many times longer than a write that is.
_SECONDS, _TIMES = 1.0, 20


@dataclass
class Run:
    """A runbook under way.

    ``output`` is where papermill writes, as it was told; ``folder`` the folder of the run beside it;
    ``parameters`` are the values that differ from the runbook's own.
    """

    runbook: Runbook
    source: str
    output: str | None
    base: Path
    folder: Path | None
    redactor: Redactor
    write: Write
    observer: Observer | None = None
    last: dict[str, Any] | None = None
    ending: Ending | None = None
    checkout: Checkout | None = None
    #: The hashes of the code that it runs, taken when it began.
    code: CodeHashes | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    #: All that were given, secrets too; never written.
    values: Mapping[str, Any] = field(default_factory=dict, repr=False)
    #: Who runs the cells: ``reaffirm``, or the engine of papermill's that was named.
    engine: str = "nbclient"
    part: Part = WHOLE
    journal: Journal | None = None
    #: Why the notebook could not be written the last time; empty when it was.
    unwritten: str = ""
    _next_write: float = 0.0
    _seen: Progress | None = None
    #: When the runner began, by the clock of its own machine (UTC). The nodes' clock may be virtual.
    ran: str = field(default_factory=evidence.wall_time)
    _node: Any = None
    _draft: Draft | None = None
    _raw: str = ""
    _learnt: bool = False
    _states: tuple[list[Any], list[Any]] | None = None

    @property
    def name(self) -> str:
        """The name of the run: that of its notebook without the suffix."""
        return self.folder.stem if self.folder else places.stamp()

    @property
    def notebook(self) -> Path | None:
        """The notebook as a local file, if it is one."""
        if self.output is None or self.output == "-" or is_remote(self.output):
            return None
        return self.base / self.output

    @property
    def about_runbook(self) -> dict[str, Any]:
        """The path and the hash of the runbook."""
        about: dict[str, Any] = self.runbook.notebook["metadata"]["reaffirm"]["runbook"]
        return about

    def owns(self, path: object, text: str) -> bool:
        """Whether papermill is writing the notebook of this run: ``text`` then holds the runbook's hash."""
        return path == self.output and self.runbook.sha256 in text

    def follow(self) -> None:
        """Tell how far our own engine is, and write the notebook so far, now and then."""
        assert self.journal is not None
        notebook = self.journal.book.notebook
        self._tell(notebook)
        began = time.monotonic()
        self._next_write = self._next_write or began + _SECONDS
        if began < self._next_write or self.output == "-":
            return
        if self._draft is None:
            self._draft = Draft(self.redactor)
        self._put(self._draft.text(notebook, evidence.read_headers(self.folder), self.about()))
        took = time.monotonic() - began
        self._next_write = began + max(_SECONDS, _TIMES * took)

    def finish(self, ending: Ending) -> None:
        """Write the notebook that the journal makes, after the end of the run."""
        assert self.journal is not None
        self.ending = ending
        self._save_whole(in_lines(self.journal.book.finished()))

    def save(self, node: Any) -> None:
        """Write the notebook that papermill holds: truthful, redacted, at once or not at all."""
        if self.journal is not None:
            return  # it is written from the journal
        if node["metadata"].get("papermill", {}).get("end_time") or self.output == "-":
            raw = json.dumps(node, default=str)
            if raw != self._raw:  # papermill saves the finished notebook twice
                self._save_whole(plain(node))
                self._raw = raw
            return
        self._node = node
        self._learn()
        if self._draft is None:
            self._draft = Draft(self.redactor)
        self._tell(node)
        if self._only_prose(node):
            return
        about = self.about()
        self._put(self._draft.text(node, evidence.read_headers(self.folder), about))

    def about(self) -> dict[str, Any]:
        """What is known of the run from its beginning."""
        begun = {"run": self.name, "ran": self.ran, "engine": self.engine}
        about = {"versions": evidence.versions(), "parameters": dict(self.parameters)}
        code = {"code": code_json(self.code)} if self.code else {}
        return {**begun, **code, **about, **self.part.about}

    def save_text(self, text: str) -> None:
        """Write a notebook that was made into text already; see :meth:`save`."""
        self._save_whole(json.loads(text))

    def conclude(self, error: BaseException | None) -> Ending:
        """Say how the run ended and write the notebook a last time if that changes it."""
        if self.journal is not None:
            self.journal.close()
            if self.last is not None and self.ending is not None:
                return self.ending
        if self._node is not None:
            self.last = plain(self._node)  # papermill did not come to its last save
        if self.last is None:
            self.ending = settle({"metadata": {}, "cells": []}, error) or Ending("completed")
            return self.ending
        if error is not None or self._node is not None:
            before = json.dumps(self.last)
            self._complete(self.last, error)
            if self.output != "-" and (self._node is not None or json.dumps(self.last) != before):
                self._put(pretty(self.last))
        self.ending = self.ending or Ending("completed")
        return self.ending

    def _learn(self) -> None:
        """Take over the marks of the machine file as soon as the notebook has connected."""
        kept = self.folder / "machines.toml" if self.folder else None
        if not self._learnt and kept is not None and kept.is_file():
            learn_marks(kept)
            self._learnt = True

    def _only_prose(self, node: Any) -> bool:
        """Whether all that is new is that papermill passed over a cell of prose; the next save tells it."""
        prose: list[Any] = []
        code: list[Any] = []
        for cell in node["cells"]:
            state = cell["metadata"].get("papermill") or {}
            kind = code if cell["cell_type"] == "code" else prose
            kind.append((cell["id"], state.get("status"), state.get("start_time"), state.get("end_time")))
        before, self._states = self._states, (prose, code)
        return before is not None and before[1] == code and before[0] != prose

    def _save_whole(self, notebook: dict[str, Any]) -> None:
        self._complete(notebook, None)
        self.last, self._node = notebook, None
        self._tell(notebook)
        self._put(pretty(notebook))

    def _complete(self, notebook: dict[str, Any], error: BaseException | None) -> None:
        steady(notebook)
        settle_notes(notebook)
        self._learn()
        if self.journal is None:
            self.ending = settle(notebook, error)
        about = notebook["metadata"].setdefault("reaffirm", {})
        about |= evidence.summary(evidence.payloads(notebook["cells"]), evidence.read_headers(self.folder))
        about |= self.about()
        if self.ending:
            about["ended"] = self.ending.as_json()
            self.code = self.code or code_now(self.runbook)
            about |= rests_on(self.runbook, self.code, self.folder, about["facts"], self.checkout)
        if self.journal is not None and self.journal.masked:  # what it holds was masked when it was written
            notebook["metadata"] = self.redactor.data(notebook["metadata"])
        else:
            self.redactor.notebook(notebook)

    def _put(self, text: str) -> None:
        target = self.notebook
        if target is None or (target.exists() and not target.is_file()):
            self.write(text, self.output)
        else:
            try:
                write_text(target, text)
            except OSError as error:
                self.unwritten = error.strerror or str(error)
                raise
            self.unwritten = ""

    def _tell(self, notebook: Any) -> None:
        if self.observer is None:
            return
        now = progress_of(notebook)
        if now is not None and now != self._seen:
            self._seen = now
            self.observer(now)
