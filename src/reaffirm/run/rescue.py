"""Makes the notebook of a run whose runner was killed: of its journal, which knows all that happened.

The program that ends an orphaned worker calls this; ``reaffirm render RUN`` does when even that program was
killed, or the machine lost its power.
"""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from reaffirm.errors import DocumentError, UsageError
from reaffirm.run import evidence
from reaffirm.run.book import Book
from reaffirm.run.cells import heading_at, number_of
from reaffirm.run.ending import Ending
from reaffirm.run.journal import JOURNAL, events, now
from reaffirm.run.part import settle_notes
from reaffirm.store.atomic import write_text

_ABOUT = ("run", "ran", "engine", "code", "versions", "parameters", "partial", "resumed")
#: What is said of a run that ended without saying so.
KILLED = "the runner was killed"


def main(journal: str) -> None:
    """Write the notebook of a journal; there is nobody who could be told what goes wrong."""
    with suppress(Exception):
        render(Path(journal).parent)


def journal_of(run: Path) -> Path:
    """Return the journal of a run, named by its folder, its notebook or the journal itself.

    Raises:
        UsageError: there is none.
    """
    for path in (run, run / JOURNAL, run.with_suffix(".run") / JOURNAL):
        if path.name == JOURNAL and path.is_file():
            return path
    msg = f"{run}: no run with a {JOURNAL}"
    raise UsageError(msg, hint="give the folder of a run, such as runs/…/….run, or its notebook")


def render(run: Path) -> tuple[Path, Ending]:
    """Write the notebook of a run from its journal, beside the folder of the run; return both.

    A run that is still going on is left alone by those who know; whoever calls this for one gets the notebook
    so far, and the runner writes it again.

    Raises:
        UsageError: the run has no journal.
        DocumentError: the journal is damaged.
    """
    journal = journal_of(run)
    book, first, last_time = Book(), None, now()
    for event in events(journal):
        first = first or event
        last_time = event.get("at", last_time)
        book.apply(event)
    if first is None:
        msg = f"{journal}: empty: nothing was run"
        raise DocumentError(msg, hint="there is no notebook to make of it")
    ending = _ending(book)
    if ending is None:
        ending = _cut_off(book, last_time)
    notebook = _finished(book, first, journal.parent, ending)
    target = journal.parent.with_name(first.get("notebook_file") or journal.parent.stem + ".ipynb")
    write_text(target, json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
    return target, ending


def _ending(book: Book) -> Ending | None:
    if book.ended is None:
        return None
    told = book.ended
    return Ending(told["how"], told.get("cell"), told.get("heading", ""), told.get("why", ""))


def _cut_off(book: Book, at: str) -> Ending:
    """The ending of a run that did not tell it: the cell that was running was killed with it."""
    running = [i for i, cell in enumerate(book.cells) if cell["metadata"]["papermill"]["status"] == "running"]
    if not running:
        begun = [i for i, c in enumerate(book.cells) if c["metadata"]["papermill"]["start_time"]]
        if not begun:
            return Ending("killed", why=f"{KILLED} before the first cell")
        number, heading = number_of(book.cells, begun[-1]), heading_at(book.cells, begun[-1])
        return Ending("killed", number, heading, f"{KILLED} after this cell")
    index = running[-1]
    error = {"ename": "RunnerKilled", "evalue": KILLED, "traceback": [f"RunnerKilled: {KILLED}"]}
    book.apply({"op": "error", "cell": index, **error})
    done = {"op": "done", "cell": index, "at": at, "seconds": None, "status": "killed", "why": KILLED}
    book.apply(done)
    return Ending("killed", number_of(book.cells, index), heading_at(book.cells, index), KILLED)


def _finished(book: Book, first: dict[str, Any], folder: Path, ending: Ending) -> dict[str, Any]:
    from reaffirm.run.notebook_file import in_lines, steady

    notebook = in_lines(book.finished())
    steady(notebook)
    settle_notes(notebook)
    about = notebook["metadata"].setdefault("reaffirm", {})
    about |= evidence.summary(evidence.payloads(notebook["cells"]), evidence.read_headers(folder))
    about |= {key: first[key] for key in _ABOUT if key in first}
    about |= {"ended": ending.as_json(), "git": first.get("git")}
    return notebook
