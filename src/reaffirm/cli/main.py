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
from typing import Annotated

import typer

from reaffirm import __version__, errors
from reaffirm.cli import checking, history, nodes, publishing
from reaffirm.cli.runs import commands, joined_pairs
from reaffirm.errors import ReaffirmError
from reaffirm.run.command import say, tell_end
from reaffirm.run.places import check_here
from reaffirm.run.underway import RunStoppedError

USAGE = 3
INTERRUPTED = 130

app = typer.Typer(
    name="reaffirm",
    help="Decision records whose claims are checked by runbooks that anyone can run again.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"reaffirm {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Decision records whose claims are checked by runbooks that anyone can run again."""


for command in (*commands, *history.commands, *publishing.commands, *checking.commands):
    app.command()(command)
for command in checking.hidden:
    app.command(hidden=True)(command)


app.add_typer(nodes.app, name="nodes")
app.add_typer(publishing.app, name="ledger")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    words = joined_pairs(sys.argv[1:] if argv is None else argv) or ["--help"]
    try:
        check_here()
        status = app(args=words, prog_name="reaffirm", standalone_mode=False)
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
    name = stopped.run.ending.why.split(":")[0] if stopped.run.ending else ""
    kind = getattr(errors, name, None)
    known = isinstance(kind, type) and issubclass(kind, ReaffirmError)
    return kind.exit_code if known and kind is not None else 1
