"""papermill's own command line on a runbook: typed values, an output path, short messages."""

import base64
import binascii
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reaffirm.errors import ParameterError, ReaffirmError
from reaffirm.redact import redact
from reaffirm.run import places
from reaffirm.run.closing import closing
from reaffirm.run.declarations import Declarations, declared
from reaffirm.run.execution import PLAN, Plan, Read, load
from reaffirm.run.parameters import Text, check_complete, read_yaml, typed
from reaffirm.run.runbook import Runbook, command_line, folder_for_runbook, near_runbook, no_runbook
from reaffirm.run.stopped import RunStoppedError
from reaffirm.run.underway import Observer, Run


def run_command(callback: Callable[..., Any], read: Read, given: dict[str, Any]) -> Any:
    """Run papermill's callback on a runbook; on anything else call it as it is.

    Ends the process with papermill's own statuses, 3 for a wrong parameter, 130 for Ctrl-C.
    """
    command_line()
    try:
        plan = plan_of(read, given)
        if plan is None:
            return callback(**given)
        reserved = _reserve(plan, given)
        try:
            with active(plan):
                done = callback(**given)
            tell_end(plan.result)
            return done
        finally:
            if reserved:
                places.release(places.run_folder(reserved))
    except ReaffirmError as error:
        say(f"reaffirm: {error}")
        sys.exit(error.exit_code)
    except RunStoppedError as stopped:
        logging.getLogger("asyncio").setLevel(
            logging.CRITICAL
        )  # it would tell of every task that was cut off
        tell_end(stopped.run, where=False)
        say(str(stopped))
        sys.exit(stopped.status)


def stop_without_ending(path: Any) -> None:
    """End the process where a runbook is meant, typed without its ``.py``; anything else is papermill's."""
    if near := near_runbook(path):
        error = no_runbook(path, near)
        say(f"reaffirm: {error}")
        sys.exit(error.exit_code)


def stop_at_folder(path: str) -> None:
    """End the process where a folder stands in place of a notebook: papermill ends in a trace of its own."""
    error = folder_for_runbook(path)
    say(f"reaffirm: {error}")
    sys.exit(error.exit_code)


def tell_end(run: Run | None, *, where: bool = True) -> None:
    """Say how the steps of a run ended, unless the notebook itself goes to the terminal.

    ``where`` adds the notebook and its kind.
    """
    if run is None or run.last is None or run.notebook is None:
        return
    for line in closing(run.last):
        say(line)
    if where:
        kind = run.last["metadata"]["reaffirm"].get("kind")
        say(f"notebook: {places.shown(run.notebook)}{f' ({kind} run)' if kind else ''}")


def say(text: str) -> None:
    """Write to standard error, redacted: CI keeps what it sees. A closed one is no reason to fail."""
    try:
        sys.stderr.write(f"{redact(text)}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return


@contextmanager
def active(plan: Plan) -> Iterator[None]:
    """Let the next execution in this thread use ``plan``."""
    token = PLAN.set(plan)
    try:
        yield
    finally:
        PLAN.reset(token)


def plan_of(read: Read, given: dict[str, Any], observer: Observer | None = None) -> Plan | None:
    """Read the runbook and take its parameters out of what was typed; ``None`` for an ordinary notebook.

    In ``given`` (the command's arguments) the parameters of a typed runbook are then gone: papermill
    would guess their types.

    Raises:
        ReaffirmError: the runbook cannot be read, or a parameter is wrong.
    """
    places.check_here()
    source = _source(given)
    if "{" in source and not Path(source).exists():
        names = dict(given.get("parameters") or ()) | dict(given.get("parameters_raw") or ())
        try:
            source = source.format(**names)
        except (KeyError, IndexError, ValueError):
            return Plan(None, source, (), observer)  # papermill says what is missing
    runbook = load(source, read)
    if runbook is None:
        return None
    values: list[tuple[str, Any]] = []
    if runbook.declarations.typed:
        values = list(values_in(given, read))
        done = typed(runbook.declarations, values)
        if not given.get("help_notebook"):
            check_complete(runbook.declarations, done)
        values = list(done.items())
        for option in (
            "parameters",
            "parameters_raw",
            "parameters_file",
            "parameters_yaml",
            "parameters_base64",
        ):
            given[option] = ()
    return Plan(runbook, source, values, observer)


def _source(given: Mapping[str, Any]) -> str:
    """Where the notebook comes from; see how papermill's command decides between its two paths."""
    named = given.get("notebook_path")
    return os.fspath(named) if named and str(named).endswith(".py") else "-"


def values_in(given: Mapping[str, Any], read: Read) -> Iterator[tuple[str, Any]]:
    """Yield all parameters as typed, in papermill's order: of a name given twice the last one counts."""
    for coded in given.get("parameters_base64") or ():
        try:
            text = base64.b64decode("".join(coded.split()), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError) as error:
            msg = f"-b: not text in base64: {error}"
            raise ParameterError(msg, hint="give YAML, encoded") from error
        yield from _of_yaml(text, "-b")
    for path in given.get("parameters_file") or ():
        try:
            text = read(path, [".json", ".yaml", ".yml"])
        except (OSError, UnicodeDecodeError) as error:
            msg = f"-f {path}: cannot be read: {getattr(error, 'strerror', None) or error}"
            raise ParameterError(msg, hint="give a YAML or JSON file of name: value lines") from error
        yield from _of_yaml(text, f"-f {path}")
    for text in given.get("parameters_yaml") or ():
        yield from _of_yaml(text, "-y")
    for name, value in given.get("parameters") or ():
        yield name, Text(value)
    for name, value in given.get("parameters_raw") or ():
        yield name, Text(value, raw=True)


def _of_yaml(text: str, option: str) -> Iterator[tuple[str, Any]]:
    try:
        data = read_yaml(text)
    except ValueError as error:
        msg = f"{option}: not YAML: {error}"
        raise ParameterError(msg, hint="give name: value lines") from error
    if data is None:
        return
    if not isinstance(data, dict):
        msg = f"{option}: parameters are name: value pairs, got {type(data).__name__}"
        raise ParameterError(msg, hint="give name: value lines")
    yield from data.items()


def _reserve(plan: Plan, given: dict[str, Any]) -> Path | None:
    """Choose the output where none was named: ``runs/<stem>/<stamp>.ipynb`` in the project."""
    if given.get("output_path") or given.get("help_notebook") or plan.runbook is None or plan.source == "-":
        return None
    notebook = default_output(plan.runbook)
    given["output_path"] = places.shown(notebook).replace("{", "{{").replace("}", "}}")
    return notebook


def default_output(runbook: Runbook) -> Path:
    """Reserve and return the notebook of a run that names none. Outside of a project: in the current folder.

    Raises:
        ReaffirmError: the folder cannot be made.
    """
    base = runbook.project or Path.cwd()
    try:
        return places.reserve_output(base, runbook.stem)
    except OSError as error:
        msg = f"{base / 'runs'}: cannot be written: {error.strerror or error}"
        raise ReaffirmError(msg, hint="give an output path") from error


def papermill_parameters(nb: Any) -> list[Any]:
    """The declared parameters of a runbook's notebook in papermill's own form, for its help."""
    from papermill.models import Parameter

    found = Declarations("")
    for cell in nb.cells:
        if cell.cell_type == "code" and "parameters" in cell.metadata.get("tags", ()):
            found = declared(cell.source, file="")
            break
    return [Parameter(d.name, d.annotation or "None", d.shown_default, d.help) for d in found.found.values()]
