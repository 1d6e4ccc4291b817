"""Where the command ``reaffirm`` begins: a worker for ``reaffirm run`` loads while the command does."""

import gc
import os
import sys


def main() -> int:
    """Run the command and return its exit status."""
    gc.disable()  # what is loaded stays; looking for what does not takes longer than loading some of it
    _start_early(sys.argv[1:])
    from reaffirm.cli import main as command

    gc.freeze()
    gc.enable()
    return command.main()


def _start_early(words: list[str]) -> None:
    """Start a worker if this is plainly ``reaffirm run X`` of a runbook that is there."""
    if words[:1] != ["run"] or len(words) < 2 or words[1].startswith("-"):
        return
    if "--help" in words or "--dry-run" in words:
        return
    found = _runbook(words[1])
    if found:
        from pathlib import Path

        from reaffirm.run import early

        early.start(Path(found))


def _runbook(word: str) -> str:
    """The file of a runbook; a guess is enough, the command itself looks again and says what is wrong."""
    if word.endswith(".py"):
        return word if os.path.isfile(word) else ""  # noqa: PTH113
    try:
        here = os.getcwd()  # noqa: PTH109
    except OSError:
        return ""
    while word.isidentifier():
        named = f"{here}/runbooks/{word}.py"
        if os.path.isfile(named):  # noqa: PTH113
            return named
        above = os.path.dirname(here)  # noqa: PTH120
        if above == here:
            break
        here = above
    return ""
