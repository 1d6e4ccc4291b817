"""Our engine as papermill knows engines: ``papermill … --engine reaffirm``, and every runbook by default."""

from collections.abc import Callable
from typing import Any

# Every start of papermill loads this module; nothing heavy is imported before there is a notebook to run.


class ReaffirmEngine:
    """Runs the cells of one notebook in a worker of our own."""

    @classmethod
    def execute_notebook(
        cls,
        nb: Any,
        kernel_name: str,
        output_path: Any = None,
        progress_bar: Any = True,
        log_output: bool = False,
        autosave_cell_every: int = 30,
        **given: Any,
    ) -> Any:
        """Run ``nb`` and return it with its outputs.

        Raises:
            CellTimeoutError, DeadKernelError, KeyboardInterrupt: what ended it from outside of its cells.
        """
        log = _log(log_output, given.get("stdout_file"), given.get("stderr_file"))
        return _execute(nb, given.get("execution_timeout"), log, observed=bool(progress_bar))

    @classmethod
    def nb_kernel_name(cls, nb: Any, name: str | None = None) -> str:
        """The name of the kernel that the notebook asks for."""
        from papermill.utils import nb_kernel_name

        return str(nb_kernel_name(nb, name))

    @classmethod
    def nb_language(cls, nb: Any, language: str | None = None) -> str:
        """The language that the notebook is written in."""
        from papermill.utils import nb_language

        return str(nb_language(nb, language))


def _execute(nb: Any, timeout: Any, log: Callable[[str, str], None] | None, *, observed: bool) -> Any:
    import json
    import os

    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    from reaffirm.run import executing, execution

    run = execution.current()
    plain = json.loads(json.dumps(nb, default=str))
    most = executing.limits(timeout)
    if run is None:
        done, outcome = executing.executed_alone(plain, limits=most, log=log, observed=observed)
    else:
        around = {k: None if v is None else os.fspath(v) for k, v in execution.surroundings_of(run).items()}
        outcome = executing.executed(run, plain, around, limits=most, log=log)
        assert run.journal is not None
        done = run.journal.book.notebook
    _copy(done, nb)
    try:
        executing.raise_for(outcome)
    except executing.TimedOutError as error:
        raise CellTimeoutError(str(error)) from None
    except executing.WorkerDiedError as error:
        raise DeadKernelError(str(error)) from None
    return nb


def _copy(done: dict[str, Any], nb: Any) -> None:
    """Put what happened into papermill's notebook; of expected errors papermill would make failures."""
    import nbformat

    for made, cell in zip(done["cells"], nb.cells, strict=True):
        cell.metadata = nbformat.from_dict(made["metadata"])
        if cell.cell_type == "code":
            expected = "raises-exception" in made["metadata"].get("tags", ())
            shown = [o for o in made["outputs"] if not (expected and o["output_type"] == "error")]
            cell.outputs = [nbformat.from_dict(output) for output in shown]
            cell.execution_count = made["execution_count"]
    nb.metadata = nbformat.from_dict(done["metadata"])


def _log(logs: bool, out: Any, err: Any) -> Callable[[str, str], None] | None:
    """What papermill's ``--log-output``, ``--stdout-file`` and ``--stderr-file`` ask for."""
    if not (logs or out or err):
        return None
    from papermill.log import logger

    files = {"stdout": out, "stderr": err}

    def log(stream: str, text: str) -> None:
        if logs:
            (logger.info if stream == "stdout" else logger.warning)(text)
        if (file := files[stream]) is not None:
            file.write(text)
            file.flush()

    return log
