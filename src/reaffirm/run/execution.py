"""One execution of a runbook by papermill: its values, its folder, its surroundings and its written notebook.

:func:`execute` stands around ``papermill.execute_notebook``; a :class:`Run` is asked by the door on every
write. papermill changes the working directory of the process, so runbooks of one process run one
after the other; several processes run side by side.
"""

import inspect
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reaffirm.errors import ReaffirmError, UsageError
from reaffirm.run import folder_lock, places
from reaffirm.run.checkout import Checkout
from reaffirm.run.local_ledger import LocalLedger
from reaffirm.run.parameters import check_complete, typed
from reaffirm.run.part import WHOLE, Part
from reaffirm.run.progress import Lines
from reaffirm.run.provenance import code_now
from reaffirm.run.runbook import Runbook, is_remote, leads_to_source, read_runbook, runbook_from_text
from reaffirm.run.secret_marks import knowing
from reaffirm.run.secrets import Redactor
from reaffirm.run.stopped import RunStoppedError
from reaffirm.run.surroundings import ending_signals, environment, kernel_options, undisturbed
from reaffirm.run.underway import Observer, Run, Write
from reaffirm.store.project import DRY_RUN_VARIABLE, RESUME_VARIABLE, Project

Read = Callable[..., str]
#: The name of our engine.
OWN = "reaffirm"
#: The options of an engine that ours understands, or can do without.
_UNDERSTOOD = {"autosave_cell_every", "execution_timeout", "coalesce_streams"}


@dataclass
class Plan:
    """What a command line decided before papermill is called."""

    runbook: Runbook | None = None
    source: str = ""
    values: Sequence[tuple[str, Any]] = ()
    observer: Observer | None = None
    result: Run | None = None
    part: Part = WHOLE


PLAN: ContextVar[Plan | None] = ContextVar("reaffirm_plan", default=None)

_lock = threading.RLock()
_current: Run | None = None
_piped: list[str] = []


def current() -> Run | None:
    """The run under way in this process."""
    return _current


def known(path: str) -> Runbook | None:
    """The runbook that papermill is about to read, if it was read already."""
    if _current is not None and path == _current.source:
        return _current.runbook
    plan = PLAN.get()
    return plan.runbook if plan is not None and path == plan.source else None


def piped_text() -> str | None:
    """Text that was read from standard input ahead of papermill, once."""
    return _piped.pop() if _piped else None


def load(path: str, read: Read) -> Runbook | None:
    """Read a runbook; ``None`` for a stream that carries an ordinary notebook."""
    if path != "-":
        return read_runbook(path, lambda p: read(p, [".py"]))
    text = piped_text() or read("-")
    if text.lstrip().startswith("{") or not text.strip():
        _piped[:] = [text]
        return None
    return runbook_from_text(text, "-")


def execute(original: Callable[..., Any], read: Read, write: Write, *args: Any, **kwargs: Any) -> Any:
    """Run ``papermill.execute_notebook`` on a runbook.

    Raises:
        ParameterError: a parameter is unknown, missing or of the wrong type; nothing was started.
        UsageError: the output would overwrite a source.
        DocumentError: the runbook cannot be read.
        RunStoppedError: a command line is behind this, and the run did not reach its end.
    """
    bound = inspect.signature(original).bind(*args, **kwargs)
    given = bound.arguments
    plan = PLAN.get() or Plan()
    from papermill.parameterize import add_builtin_parameters, parameterize_path

    parameters = dict(given.get("parameters") or {})
    source = os.fspath(given["input_path"])
    if not Path(source).exists():
        source = _formatted(source, add_builtin_parameters(parameters), parameterize_path)
    runbook = plan.runbook or load(source, read)
    if runbook is None:
        return original(*args, **kwargs)
    values = typed(runbook.declarations, [*plan.values, *parameters.items()])
    check_complete(runbook.declarations, values)
    output = _output(given.get("output_path"), runbook, add_builtin_parameters(values), parameterize_path)
    if given.get("cwd") is None and runbook.project:
        given["cwd"] = os.fspath(runbook.project)
    given |= {"input_path": _literal(source), "parameters": values}
    given["output_path"] = None if output is None else _literal(output)
    if plan.observer:
        given["progress_bar"] = False
    if given.get("engine_name") is None:
        given["engine_name"] = OWN if is_ours(runbook, given) else "nbclient"
    if given["engine_name"] == "nbclient":
        given["engine_kwargs"] = kernel_options(runbook) | given.get("engine_kwargs", {})
    elif given["engine_name"] == OWN and given.get("progress_bar", True) and plan.observer is None:
        given["progress_bar"] = False
        plan.observer = Lines()
    prepare_only = bool(given.get("prepare_only"))
    run = new_run(runbook, source, output, values, write, plan.observer, prepare_only=prepare_only)
    run.engine = given["engine_name"]
    if plan.part and run.engine != OWN:
        msg = f"a part of a runbook is run by our own engine, got {run.engine!r}"
        raise UsageError(msg, hint="leave out --engine; the notebook's kernel must be python3")
    run.part = plan.part
    plan.result = run
    try:
        with under_way(run):
            made = original(*bound.args, **bound.kwargs)
    except (Exception, KeyboardInterrupt) as error:
        if PLAN.get() is None or isinstance(error, ReaffirmError):
            raise
        raise RunStoppedError(run, error) from error
    if run.last is not None:
        import nbformat

        made.metadata = nbformat.from_dict(run.last["metadata"])
    return made


def is_ours(runbook: Runbook, given: Mapping[str, Any]) -> bool:
    """Whether our engine runs the cells: it has one kernel, the Python that it runs in.

    Options that only papermill's own engine understands are meant for that one.
    """
    name = given.get("kernel_name") or runbook.notebook["metadata"]["kernelspec"]["name"]
    return name == "python3" and set(given.get("engine_kwargs", ())) <= _UNDERSTOOD


def new_run(
    runbook: Runbook,
    source: str,
    output: str | None,
    values: Mapping[str, Any],
    write: Write,
    observer: Observer | None,
    *,
    prepare_only: bool = False,
) -> Run:
    """Return a run that has not begun; what an earlier run of this name saved is put aside."""
    base = Path.cwd()
    folder = None if prepare_only else _folder(runbook, output, base)
    run = Run(runbook, source, output, base, folder, Redactor(), write, observer)
    run.parameters = runbook.declarations.differing(values)
    run.values = values
    if runbook.project and not prepare_only:
        run.checkout = Checkout(runbook.project)
    return run


def surroundings_of(run: Run) -> dict[str, Path | str | None]:
    """The variables that tell the cells of a run where they are."""
    return {
        "REAFFIRM_RUNBOOK": run.runbook.file,
        "REAFFIRM_RUN_DIR": run.folder,
        "REAFFIRM_CALLED_FROM": run.base,
        RESUME_VARIABLE: run.part.environment.get(RESUME_VARIABLE),
        DRY_RUN_VARIABLE: None,
    }


@contextmanager
def under_way(run: Run, *, forget: bool | None = None) -> Iterator[None]:
    """Make a run the one under way in this process; afterwards its notebook says how it ended.

    ``forget`` says whether its secrets are forgotten then (default: unless a command line is behind it).
    """
    project = Project(run.runbook.project) if run.runbook.project else None
    forget = PLAN.get() is None if forget is None else forget
    with knowing(run.runbook.declarations, run.values, project, forget=forget), _current_is(run):
        yield


@contextmanager
def _current_is(run: Run) -> Iterator[None]:
    global _current
    entries = LocalLedger(run.runbook.project if run.folder else None, run.notebook, run.folder)
    with _lock:
        before, _current = _current, run
        error: BaseException | None = None
        run.code = code_now(run.runbook) if run.folder else None
        entries.begun(run.runbook.path, run.runbook.sha256, run.redactor.data(dict(run.parameters)))
        try:
            with environment(surroundings_of(run)), ending_signals():
                yield
        except BaseException as caught:
            error = caught
            raise
        finally:
            _current = before
            with undisturbed():
                ending = run.conclude(error)
                entries.ended((run.last or {}).get("metadata", {}).get("reaffirm", {}), ending.as_json())
                if run.folder:
                    places.release(run.folder)


def _output(
    given: Any, runbook: Runbook, parameters: Mapping[str, Any], format_path: Callable[..., Any]
) -> str | None:
    if given is None:
        return None
    output = _formatted(os.fspath(given), parameters, format_path)
    refuse_source(output, runbook.file)
    return output


def _formatted(path: str, parameters: Mapping[str, Any], format_path: Callable[..., Any]) -> str:
    try:
        return str(format_path(path, parameters))
    except Exception as error:
        if PLAN.get() is None:
            raise
        msg = f"{path}: {error}"
        raise UsageError(msg, hint="braces in a path stand for parameters; write {{ for a brace") from error


def refuse_source(path: str, source: Path | None = None) -> None:
    """Stop before a notebook is written over a source, or a run begins that could not be written.

    Raises:
        UsageError: the path names a ``.py`` file, or leads to one, or is another name of ``source``, or is a
            folder.
    """
    if Path(path).is_dir():
        msg = f"{path}: is a folder; nothing was run"
        raise UsageError(msg, hint="give the path of a notebook in it, such as one that ends in .ipynb")
    if leads_to_source(path) or (source is not None and _same_file(Path(path), source)):
        msg = f"{path}: a notebook is never written to a .py file: that is where sources are"
        raise UsageError(msg, hint="give an output path that ends in .ipynb, or none")


def is_device(path: Path) -> bool:
    """Whether nothing can lie beside it: ``/dev/null``, a pipe."""
    return path.exists() and not (path.is_file() or path.is_dir())


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _literal(path: str) -> str:
    """A path that papermill's own formatting leaves as it is."""
    return path.replace("{", "{{").replace("}", "}}")


def _folder(runbook: Runbook, output: str | None, base: Path) -> Path | None:
    if output is None or output == "-" or is_remote(output) or is_device(base / output):
        if runbook.project is None:
            return None
        # nothing is made here: only a run that connects needs it
        name = f"{places.stamp()}-{os.getpid()}.run"
        return runbook.project / "runs" / runbook.stem / name
    folder = places.run_folder(base / output)
    folder_lock.claim(folder)
    places.set_aside(folder)
    return folder
