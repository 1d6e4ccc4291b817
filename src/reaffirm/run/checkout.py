"""The state of the git checkout that a run used, asked for while the kernel starts."""

import subprocess
from pathlib import Path
from typing import Any

_SECONDS = 10


class Checkout:
    """Asks git about a folder in the background."""

    def __init__(self, folder: Path) -> None:
        argv = ["git", "-C", str(folder), "--no-optional-locks", "status", "--porcelain=v2", "--branch"]
        try:
            self._process: subprocess.Popen[str] | None = subprocess.Popen(  # noqa: S603
                [*argv, "--untracked-files=no"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                errors="replace",
                start_new_session=True,
            )
        except OSError:  # no git here
            self._process = None
        self._state: dict[str, Any] | None = None

    def state(self) -> dict[str, Any] | None:
        """Return ``{"commit": …, "dirty": …}``; ``None`` where there is no git or no commit."""
        if self._process is not None:
            process, self._process = self._process, None
            try:
                told, _ = process.communicate(timeout=_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                return None
            self._state = _read(told) if process.returncode == 0 else None
        return self._state


def _read(told: str) -> dict[str, Any] | None:
    lines = told.splitlines()
    commit = next((line.split()[-1] for line in lines if line.startswith("# branch.oid ")), "")
    if not commit or commit == "(initial)":
        return None
    return {"commit": commit, "dirty": any(not line.startswith("#") for line in lines)}
