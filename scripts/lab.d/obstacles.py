"""Why the lab cannot run on a machine, by name."""

from __future__ import annotations


class CannotRunError(Exception):
    """The lab cannot run here. `name` is a word to search for in README.md; `advice` says what to do."""

    def __init__(self, name: str, seen: str, advice: str) -> None:
        super().__init__(f"{name}: {seen}. {advice}")
        self.name = name


class CommandFailedError(Exception):
    """A command that had to succeed did not: which one, its exit code, the end of what it printed."""

    def __init__(self, argv: list[str], code: int | None, output: str) -> None:
        ended = "ran out of time" if code is None else f"ended with {code}"
        tail = "\n".join(output.strip().splitlines()[-15:])
        super().__init__(f"`{' '.join(argv)[:300]}` {ended}:\n{tail}")
        self.argv, self.code, self.output = argv, code, output
