"""From a run and a notebook to a finished record: the engine with all that stands around it."""

import os
import select
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from reaffirm.errors import ReaffirmError
from reaffirm.run import early, places
from reaffirm.run.cells import source_of
from reaffirm.run.engine import Engine, Limits, Outcome
from reaffirm.run.how_far import progress_of
from reaffirm.run.journal import JOURNAL, Journal
from reaffirm.run.listening import Asker
from reaffirm.run.progress import Lines
from reaffirm.run.secrets import Redactor
from reaffirm.run.surroundings import Terminated
from reaffirm.run.underway import Run
from reaffirm.run.worker_process import Worker

#: Told of every piece of text: the name of its stream, and the text.
Log = Callable[[str, str], None]
#: Set to change the seconds that an interrupted cell has to tidy up.
GRACE_VARIABLE = "REAFFIRM_GRACE"


class TimedOutError(Exception):
    """A cell ran longer than it may."""


class NotWrittenError(Exception):
    """The run was stopped because its journal could not be written any more."""


class WorkerDiedError(Exception):
    """The Python process of the notebook ended before its cells did."""


def executed(
    run: Run,
    notebook: Mapping[str, Any],
    environment: Mapping[str, str | None],
    *,
    limits: Limits,
    log: Log | None = None,
    cwd: Path | None = None,
) -> Outcome:
    """Run the cells of a notebook and write it; ``environment`` is what the cells see besides our own.

    Raises:
        DocumentError: the time limit of a cell is none; nothing was run.
        ReaffirmError: the folder of the run cannot be written; nothing was run.
        OSError: no process could be started, or the journal cannot be written any more.
    """
    code = "\n".join(source_of(c) for c in notebook["cells"] if c["cell_type"] == "code")
    worker = early.take(preload=early.preloads(code))
    folder = run.folder if run.notebook is not None and _is_file(run.notebook) else None
    try:
        journal = run.journal = Journal(folder / JOURNAL if folder else None, run.redactor)
        named = run.notebook.name if run.notebook else None
        journal.begin(notebook, notebook_file=named, runbook=run.about_runbook, **run.about())
        if journal.path is not None:
            worker.keep_journal(journal.path)
    except OSError as error:
        worker.close()
        where = places.shown(folder) if folder else "the journal"
        msg = f"{where}: cannot be written: {error.strerror or error}; nothing was run"
        raise ReaffirmError(msg, hint="give an output path that can be written (-o), or make room") from error
    except BaseException:
        worker.close()
        raise
    engine = Engine(journal, worker, notebook["cells"], limits, folder, run.follow, _asker(), log)
    engine.where = run.runbook.path
    try:
        outcome = engine.run(environment, cwd or Path.cwd())
    except BaseException:
        run.finish(engine.broken)
        raise
    run.finish(outcome.ending)
    return outcome


def executed_alone(
    notebook: Mapping[str, Any], *, limits: Limits, log: Log | None = None, observed: bool = True
) -> tuple[dict[str, Any], Outcome]:
    """Run the cells of a notebook that is no runbook of ours; nothing is written.

    Raises:
        DocumentError: the time limit of a cell is none; nothing was run.
        OSError: no process could be started.
    """
    code = "\n".join(source_of(c) for c in notebook["cells"] if c["cell_type"] == "code")
    redactor = Redactor()
    journal = Journal(None, redactor)
    journal.begin(notebook)
    worker = Worker(preload=early.preloads(code))
    engine = Engine(journal, worker, notebook["cells"], limits, asker=_asker(), log=log)
    if observed:
        lines = Lines()
        engine.changed = lambda: lines(progress_of(journal.book.notebook))
    outcome = engine.run({}, Path.cwd())
    return journal.book.notebook, outcome


def limits(execution_timeout: Any = None) -> Limits:
    """What papermill's ``--execution-timeout`` and the environment say; a limit of 0 or none is no limit."""
    grace = Limits.grace
    with suppress(ValueError):
        grace = max(float(os.environ.get(GRACE_VARIABLE, grace)), 0.0)
    return Limits(float(execution_timeout) if execution_timeout and execution_timeout > 0 else None, grace)


def raise_for(outcome: Outcome) -> None:
    """Raise what ended a run from outside, or what took its process away."""
    stop, ending = outcome.stop, outcome.ending
    if stop is not None and stop.number is not None:
        raise KeyboardInterrupt("Ctrl-C") if stop.number == 2 else Terminated(stop.number)
    if stop is not None:
        raise (TimedOutError if stop.status == "timed out" else NotWrittenError)(ending.why)
    if outcome.died:
        raise WorkerDiedError(ending.why)


def _is_file(path: Path) -> bool:
    return path.is_file() or not path.exists()


def _asker() -> Asker | None:
    """Who answers a question of a step: the person at the terminal, if there is one."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr and sys.stderr.isatty()):
        return None

    def ask(question: str, stopped: Callable[[], bool]) -> str | None:
        sys.stderr.write(f"\n{question}")
        sys.stderr.flush()
        while not stopped():
            if select.select([sys.stdin], [], [], 0.2)[0]:
                return sys.stdin.readline().strip() or None
        return None

    return ask
