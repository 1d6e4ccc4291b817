"""One execution of a runbook by papermill: its values, its folder, its surroundings and its written notebook.

:func:`execute` stands around ``papermill.execute_notebook``; a :class:`Run` is asked by the door on every
write. papermill changes the working directory of the process, so runbooks of one process run one
after the other; several processes run side by side.
"""

import inspect
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reaffirm.errors import UsageError
from reaffirm.run import evidence, places
from reaffirm.run.atomic import write_text
from reaffirm.run.checkout import Checkout
from reaffirm.run.ending import Ending, heading_at, own_cells, settle
from reaffirm.run.parameters import check_complete, typed
from reaffirm.run.runbook import Runbook, is_python, is_remote, read_runbook, runbook_from_text
from reaffirm.run.secrets import Redactor, secret_values

#: Told on every change: how many cells are done, how many there are, the heading of the current one.
Observer = Callable[["Progress"], None]
Read = Callable[..., str]
Write = Callable[..., Any]


@dataclass(frozen=True)
class Progress:
    """How far a run is. ``cell`` counts from 1; ``status`` is that of this cell."""

    cell: int
    of: int
    heading: str
    status: str
    code: bool
    seconds: float | None


@dataclass
class Plan:
    """What a command line decided before papermill is called."""

    runbook: Runbook | None = None
    source: str = ""
    values: Sequence[tuple[str, Any]] = ()
    observer: Observer | None = None
    result: "Run | None" = None


PLAN: ContextVar[Plan | None] = ContextVar("reaffirm_plan", default=None)

_lock = threading.RLock()
_current: "Run | None" = None
_piped: list[str] = []


class Terminated(KeyboardInterrupt):
    """A signal that asks us to end. It unwinds like Ctrl-C, so that the notebook is saved."""

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {signal.Signals(number).name}")
        self.number = number


@dataclass
class Run:
    """A runbook under way.

    ``output`` is where papermill writes, as it was told; ``folder`` the folder of the run beside it.
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
    _seen: Progress | None = None
    _compact: bool = False

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

    def owns(self, path: object, text: str) -> bool:
        """Whether papermill is writing the notebook of this run."""
        return path == self.output and self.runbook.sha256 in text

    def save(self, text: str) -> None:
        """Write what papermill wants to write: truthful, redacted, at once or not at all."""
        notebook = json.loads(text)
        self._complete(notebook, None)
        self.last = notebook
        self._tell(notebook)
        self._put(notebook)

    def conclude(self, error: BaseException | None) -> Ending:
        """Say how the run ended and write the notebook a last time if that changes it."""
        if self.last is None:
            self.ending = settle({"metadata": {}, "cells": []}, error) or Ending("completed")
            return self.ending
        if error is not None:
            before = json.dumps(self.last)
            self._complete(self.last, error)
            self._compact = self._compact or json.dumps(self.last) != before
        self.ending = self.ending or Ending("completed")
        if self._compact and self.output != "-":
            self._put(self.last)
        return self.ending

    def _complete(self, notebook: dict[str, Any], error: BaseException | None) -> None:
        _steady(notebook)
        self.ending = settle(notebook, error)
        about = notebook["metadata"].setdefault("reaffirm", {})
        about |= evidence.summary(notebook, evidence.read_headers(self.folder))
        about |= {"run": self.name, "versions": evidence.versions()}
        if self.ending:
            about["ended"] = self.ending.as_json()
            about["git"] = self.checkout.state() if self.checkout else None
        self.redactor.notebook(notebook)

    def _put(self, notebook: dict[str, Any]) -> None:
        # every write but the last is for the case that we are killed: compact, since that is ten times faster
        indent = 1 if self.ending else None
        self._compact = indent is None
        text = json.dumps(notebook, ensure_ascii=False, indent=indent, sort_keys=True) + "\n"
        target = self.notebook
        if target is None or (target.exists() and not target.is_file()):
            self.write(text, self.output)
        else:
            write_text(target, text)

    def _tell(self, notebook: dict[str, Any]) -> None:
        if self.observer is None:
            return
        cells = own_cells(notebook)
        states = [cell["metadata"].get("papermill", {}) for cell in cells]
        begun = [i for i, state in enumerate(states) if state.get("start_time")]
        if begun:
            at = begun[-1]
            now = Progress(
                at + 1,
                len(cells),
                heading_at(cells, at),
                states[at]["status"],
                cells[at]["cell_type"] == "code",
                states[at].get("duration"),
            )
            if now != self._seen:
                self._seen = now
                self.observer(now)


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
    """
    bound = inspect.signature(original).bind(*args, **kwargs)
    given = bound.arguments
    plan = PLAN.get() or Plan()
    from papermill.parameterize import add_builtin_parameters, parameterize_path

    parameters = dict(given.get("parameters") or {})
    source = os.fspath(given["input_path"])
    if not Path(source).exists():
        source = parameterize_path(source, add_builtin_parameters(parameters))
    runbook = plan.runbook or load(source, read)
    if runbook is None:
        return original(*args, **kwargs)
    values = typed(runbook.declarations, [*plan.values, *parameters.items()])
    check_complete(runbook.declarations, values)
    output = _output(given.get("output_path"), add_builtin_parameters(values), parameterize_path)
    base = Path.cwd()
    folder = None if given.get("prepare_only") else _folder(runbook, output, base)
    if given.get("cwd") is None and runbook.project:
        given["cwd"] = os.fspath(runbook.project)
    given |= {"input_path": _literal(source), "parameters": values}
    given["output_path"] = None if output is None else _literal(output)
    if plan.observer:
        given["progress_bar"] = False
    if given.get("engine_name") in (None, "nbclient"):
        given["engine_kwargs"] = _kernel(runbook) | given.get("engine_kwargs", {})
    redactor = Redactor(secret_values(values))
    run = Run(runbook, source, output, base, folder, redactor, write, plan.observer)
    if runbook.project and not given.get("prepare_only"):
        run.checkout = Checkout(runbook.project)
    plan.result = run
    return _run(run, original, bound)


def _run(run: Run, original: Callable[..., Any], bound: inspect.BoundArguments) -> Any:
    global _current
    surroundings = {"REAFFIRM_RUNBOOK": run.runbook.file, "REAFFIRM_RUN_DIR": run.folder}
    with _lock:
        before, _current = _current, run
        error: BaseException | None = None
        try:
            with _environment(surroundings), _ending_signals():
                made = original(*bound.args, **bound.kwargs)
        except BaseException as caught:
            error = caught
            raise
        finally:
            _current = before
            with _undisturbed():
                run.conclude(error)
                if run.folder:
                    places.release(run.folder)
        if run.last is not None:
            import nbformat

            made.metadata = nbformat.from_dict(run.last["metadata"])
        return made


def _kernel(runbook: Runbook) -> dict[str, Any]:
    """How the kernel is started and its outputs are read, where the caller does not say it."""
    wanted: dict[str, Any] = {"coalesce_streams": True}  # one output for one stream, so that two runs compare
    if runbook.notebook["metadata"]["kernelspec"]["name"] == "python3":
        # no warning on every start about plain text on the loopback interface
        wanted["extra_arguments"] = ["--log-level=ERROR"]
    return wanted


def _output(given: Any, parameters: Mapping[str, Any], format_path: Callable[..., Any]) -> str | None:
    if given is None:
        return None
    output: str = format_path(os.fspath(given), parameters)
    refuse_source(output)
    return output


def refuse_source(path: object) -> None:
    """Stop before a notebook is written over a source.

    Raises:
        UsageError: the path names a ``.py`` file.
    """
    if is_python(path):
        msg = f"{path}: a notebook is never written to a .py file: that is where sources are"
        raise UsageError(msg, hint="give an output path that ends in .ipynb, or none")


def _literal(path: str) -> str:
    """A path that papermill's own formatting leaves as it is."""
    return path.replace("{", "{{").replace("}", "}}")


def _folder(runbook: Runbook, output: str | None, base: Path) -> Path | None:
    if output is None or output == "-" or is_remote(output):
        if runbook.project is None:
            return None
        # nothing is made here: only a run that connects needs it
        name = f"{places.stamp()}-{os.getpid()}.run"
        return runbook.project / "runs" / runbook.stem / name
    folder = places.run_folder(base / output)
    places.set_aside(folder)
    return folder


@contextmanager
def _environment(values: Mapping[str, Path | None]) -> Iterator[None]:
    """Set variables for the kernel; ``None`` unsets one that we were started with."""
    before = {name: os.environ.get(name) for name in values}
    try:
        for name, value in values.items():
            _set(name, None if value is None else os.fspath(value))
        yield
    finally:
        for name, old in before.items():
            _set(name, old)


def _set(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


@contextmanager
def _ending_signals() -> Iterator[None]:
    """Let SIGTERM and a lost terminal unwind us like Ctrl-C does, unless somebody handles them already."""

    def end(number: int, _frame: object) -> None:
        raise Terminated(number)

    taken = []
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, end)
                taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold off a second Ctrl-C while the last write is under way."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _steady(notebook: dict[str, Any]) -> None:
    """Give the cells that papermill adds an id that is the same in every run."""
    for number, cell in enumerate(notebook["cells"]):
        tags = cell["metadata"].get("tags", ())
        if "injected-parameters" in tags:
            cell["id"] = "injected"
        elif "papermill-error-cell-tag" in tags:
            cell["id"] = f"banner-{number}"
