"""``reaffirm run``: a runbook without papermill in the process, by the same rules."""

import os
from pathlib import Path
from typing import Any

from reaffirm.errors import ReaffirmError, UsageError
from reaffirm.run import executing
from reaffirm.run.execution import (
    OWN,
    Plan,
    is_device,
    is_ours,
    new_run,
    refuse_source,
    surroundings_of,
    under_way,
)
from reaffirm.run.injected import with_values
from reaffirm.run.parameters import check_complete, typed
from reaffirm.run.stopped import RunStoppedError
from reaffirm.run.underway import Run


class CellFailedError(Exception):
    """A cell failed; the notebook says which and why."""


def run_directly(plan: Plan, output: str, *, timeout: float | None = None) -> Run:
    """Run a planned runbook and write its notebook to ``output``, in which braces stand for parameters.

    Raises:
        ReaffirmError: a parameter or the output is wrong; nothing was started.
        RunStoppedError: the run did not reach its end.
    """
    runbook = plan.runbook
    assert runbook is not None
    values = typed(runbook.declarations, plan.values)
    check_complete(runbook.declarations, values)
    output = _formatted(output, values)
    refuse_source(output, runbook.file)
    if not Path(output).absolute().parent.is_dir():
        msg = f"output folder {Path(output).parent} doesn't exist."
        raise UsageError(msg, hint="make it, or give another output path")
    if is_device(Path(output)):
        msg = f"{output}: is no file that a notebook can be written to; nothing was run"
        raise UsageError(msg, hint="give a path of a file, or run it with papermill")
    if not is_ours(runbook, {}):
        return _through_papermill(plan, output, timeout)
    run = new_run(runbook, plan.source, output, values, _nowhere, plan.observer)
    run.engine, run.part = OWN, plan.part
    plan.result = run
    around = {k: None if v is None else os.fspath(v) for k, v in surroundings_of(run).items()}
    notebook = with_values(runbook.notebook, values, source=plan.source, output=output)
    try:
        with under_way(run, forget=False):
            outcome = executing.executed(
                run, notebook, around, limits=executing.limits(timeout), cwd=runbook.project or run.base
            )
            executing.raise_for(outcome)
            if outcome.ending.how != "completed":
                raise CellFailedError(outcome.ending.why)
    except ReaffirmError:
        raise
    except (Exception, KeyboardInterrupt) as error:
        raise RunStoppedError(run, error) from error
    return run


def _through_papermill(plan: Plan, output: str, timeout: float | None) -> Run:
    """A runbook for another kernel than ours is papermill's."""
    import papermill

    from reaffirm.run.command import active

    with active(plan):
        papermill.execute_notebook(
            plan.source.replace("{", "{{").replace("}", "}}"),
            output.replace("{", "{{").replace("}", "}}"),
            execution_timeout=timeout,
        )
    assert plan.result is not None
    return plan.result


def _formatted(path: str, values: dict[str, Any]) -> str:
    """A path with the values of parameters in its braces, as papermill has it."""
    if "{" not in path and "}" not in path:
        return path
    from datetime import UTC, datetime
    from uuid import uuid4

    own = {"run_uuid": str(uuid4()), "current_datetime_local": datetime.now()}
    own["current_datetime_utc"] = datetime.now(UTC)
    try:
        return path.format(**{"pm": own, **values})
    except Exception as error:
        told = f"Missing parameter {error}" if isinstance(error, KeyError) else str(error)
        msg = f"{path}: {told}"
        raise UsageError(msg, hint="braces in a path stand for parameters; write {{ for a brace") from error


def _nowhere(_text: str, path: object, *_: object) -> None:
    msg = f"{path}: cannot be written"
    raise UsageError(msg, hint="give a path of a file, or run it with papermill")
