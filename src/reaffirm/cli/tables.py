"""The console that tables are printed on."""

from rich.console import Console

#: Columns where stdout is no terminal: names stay whole for grep and awk.
_WIDE = 250


def table_console() -> Console:
    """Return a console as wide as the terminal, and wide where stdout is a file or a pipe."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDE)
