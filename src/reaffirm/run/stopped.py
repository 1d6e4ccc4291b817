"""What is told of a run that did not reach its end: how, where its notebook is, how to go on."""

import shlex

from reaffirm.run import evidence, places
from reaffirm.run.ending import Ending
from reaffirm.run.surroundings import Terminated
from reaffirm.run.underway import Run

#: papermill's own status for a kernel that died.
_DEAD_KERNEL = 138
#: How much of an error's message is told.
_LINES = 12


class RunStoppedError(Exception):
    """A run did not reach its end; its notebook says how far it came. ``status`` is the exit status."""

    def __init__(self, run: Run, cause: BaseException) -> None:
        if run.ending is None:  # it did not even begin
            run.ending = Ending("failed", why=f"{type(cause).__name__}: {cause}".rstrip(": "))
        super().__init__(str(run.ending))
        self.run = run
        self.status = _status(cause)

    def __str__(self) -> str:
        notebook = self.run.notebook
        where = f"\nnotebook: {places.shown(notebook)}" if notebook and notebook.is_file() else ""
        if notebook and where and self.run.engine == "reaffirm" and any(evidence.recordings(self.run.folder)):
            where += f"\nresume: reaffirm run --resume {shlex.quote(places.shown(notebook))}"
        if notebook and self.run.unwritten:
            where = f"\nnotebook: {places.shown(notebook)} cannot be written: {self.run.unwritten}"
            if self.run.journal is not None and self.run.journal.path is not None:
                again = shlex.quote(places.shown(self.run.journal.path.parent))
                where += f"\nnext: make room, then reaffirm render {again} makes it from the journal"
        lines = str(self.run.ending).splitlines()
        if self.run.ending is not None and self.run.ending.how == "completed":
            lines = ["COMPLETED, but the record of it is not whole"]
        if len(lines) > _LINES:
            lines = [*lines[:_LINES], f"… {len(lines) - _LINES} more lines"]
        return "\n".join(lines) + where


def _status(error: BaseException) -> int:
    if isinstance(error, Terminated):
        return 128 + error.number
    if isinstance(error, KeyboardInterrupt):
        return 130
    return _DEAD_KERNEL if type(error).__name__ == "DeadKernelError" else 1
