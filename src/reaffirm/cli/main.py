"""The command ``reaffirm``, and the one place where errors become exit codes.

======  ==========================================================
status  meaning
======  ==========================================================
0       fine
1       findings, or a run that failed
2       could not judge: a node, a file or a service did not answer
3       usage: a wrong word, option, parameter or path
130     stopped by Ctrl-C (143: by SIGTERM)
======  ==========================================================
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated

import typer

from reaffirm import errors
from reaffirm.cli.words import joined_pairs
from reaffirm.errors import ReaffirmError
from reaffirm.run.command import say, tell_end
from reaffirm.run.places import check_here
from reaffirm.run.stopped import RunStoppedError

USAGE = 3
INTERRUPTED = 130

#: Where each command lives, in the order of the help. Only the module of the one that was named is imported:
#: a run is not kept waiting for what reads records.
COMMANDS = {
    "run": "reaffirm.cli.runs",
    "steps": "reaffirm.cli.runbooks",
    "parameters": "reaffirm.cli.runbooks",
    "render": "reaffirm.cli.runs",
    "runs": "reaffirm.cli.history",
    "diff": "reaffirm.cli.history",
    "check": "reaffirm.cli.checking",
    "check-runs": "reaffirm.cli.checking",
    "publish": "reaffirm.cli.publishing",
    "withdraw": "reaffirm.cli.publishing",
    "claims": "reaffirm.cli.claims",
    "recheck": "reaffirm.cli.claims",
    "init": "reaffirm.cli.starting",
    "records": "reaffirm.cli.records",
    "new": "reaffirm.cli.writing",
    "status": "reaffirm.cli.writing",
    "supersede": "reaffirm.cli.writing",
    "diagnose": "reaffirm.cli.diagnosing",
    "scan": "reaffirm.cli.scanning",
    "lint": "reaffirm.cli.linting",
    "pages": "reaffirm.cli.pages",
}
# Older names of commands: they work, and the help is silent about them.
_OLDER = ("check-runs",)
#: Commands of two words: their module has them in ``app``.
GROUPS = {
    "nodes": "reaffirm.cli.nodes",
    "ledger": "reaffirm.cli.publishing",
}


def _version(wanted: bool) -> None:
    if wanted:
        from reaffirm import __version__

        typer.echo(f"reaffirm {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Decision records whose claims are checked by runbooks that anyone can run again."""


def app_for(words: Sequence[str]) -> typer.Typer:
    """Return the command line with the command that is named first, or with all of them."""
    app = typer.Typer(
        name="reaffirm",
        help="Decision records whose claims are checked by runbooks that anyone can run again.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_options)
    named = words[0] if words else ""
    for name, module in COMMANDS.items():
        if named == name or named not in (*COMMANDS, *GROUPS):
            app.command(name, hidden=name in _OLDER)(getattr(import_module(module), name.replace("-", "_")))
    for name, module in GROUPS.items():
        if named == name or named not in (*COMMANDS, *GROUPS):
            app.add_typer(import_module(module).app, name=name)
    return app


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    words = joined_pairs(sys.argv[1:] if argv is None else argv) or ["--help"]
    try:
        check_here()
        status = app_for(words)(args=words, prog_name="reaffirm", standalone_mode=False)
    except ReaffirmError as error:
        say(f"reaffirm: {error}")
        return error.exit_code
    except RunStoppedError as stopped:
        tell_end(stopped.run, where=False)
        say(str(stopped))
        return _stopped(stopped)
    except (typer.Abort, KeyboardInterrupt):
        say("reaffirm: stopped")
        return INTERRUPTED
    except Exception as error:
        if not hasattr(error, "format_message"):  # not one of the command-line library's
            raise
        say(f"reaffirm: {error.format_message()}\n  next: see reaffirm --help")
        return USAGE
    return status if isinstance(status, int) else 0


def _stopped(stopped: RunStoppedError) -> int:
    """A failed run is 1, unless one of our own errors says that it could not judge."""
    if stopped.status > 128 and stopped.status != 138:  # a signal
        return stopped.status
    why = stopped.run.ending.why if stopped.run.ending else ""
    if why.startswith("the runner stopped: "):  # it, and not the run, met a full disk or the like
        return 2
    name = why.split(":")[0]
    kind = getattr(errors, name, None)
    known = isinstance(kind, type) and issubclass(kind, ReaffirmError)
    return kind.exit_code if known and kind is not None else 1
