"""The ledger as a commit has it: the history of git is the anchor of a chain without a signature."""

import subprocess
from pathlib import Path

from reaffirm.errors import UsageError
from reaffirm.store.ledger import Ledger, ledger_of

_SECONDS = 30


def ledger_at(path: Path, commit: str) -> Ledger:
    """Return the ledger at ``path`` as it was in a commit; empty where that had none.

    Raises:
        UsageError: there is no such commit, or no git.
    """
    name = f"{commit}:{path.name}"
    folder = path.resolve().parent
    if _git(folder, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}") is None:
        msg = f"{folder}: git knows no commit {commit!r} here"
        raise UsageError(msg, hint="give a branch, a tag or a hash, such as origin/main; fetch it first")
    return ledger_of(_git(folder, "show", f"{commit}:./{path.name}") or b"", name)


def _git(folder: Path, *words: str) -> bytes | None:
    try:
        done = subprocess.run(  # noqa: S603
            ["git", "-C", str(folder), *words],  # noqa: S607
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
