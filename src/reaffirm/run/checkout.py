"""The state of the git checkout that a run used, asked for while the kernel starts."""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_SECONDS = 10
#: Where the files of a run's own lie: its runbook, machine file and steps, node programs, pages of images,
#: and this package in its own repository.
_OWN = ("runbooks", "scripts/node", "docs/container-images", "src/reaffirm")


class Checkout:
    """Asks git about a folder in the background."""

    def __init__(self, folder: Path) -> None:
        own = [name for name in _OWN if (folder / name).is_dir()]
        status = ("status", "--porcelain=v2", "--branch", "--untracked-files=no")
        self._asked = [
            _ask(folder, *status),
            _ask(folder, "diff", "--name-only", "-z", "--relative", "--no-ext-diff", "HEAD", "--", *own),
            _ask(folder, "ls-files", "-z", "--others", "--exclude=__pycache__", "--", *own),
        ]
        self._state: dict[str, Any] | None = None
        self._own: dict[str, str] = {}

    def state(self, own: Iterable[str] = ()) -> dict[str, Any] | None:
        """Return ``{"commit": …, "dirty": …, "own": {path: "changed" or "untracked"}}``.

        Args:
            own: the files that the run used, from the folder; one that ends in ``/`` stands for all below it.

        ``dirty`` is whether any file that git knows differs from the commit, ``own`` tells which of the run's
        own are not those of the commit. ``None`` where there is no git or no commit.
        """
        if self._asked:
            told = [_told(process) for process in self._asked]
            self._asked = []
            self._state = _read(told[0])
            self._own = {name: "changed" for name in told[1].split("\0") if name}
            self._own |= {name: "untracked" for name in told[2].split("\0") if name}
        if self._state is None:
            return None
        used = tuple(own)
        mine = {name: how for name, how in sorted(self._own.items()) if _among(name, used)}
        return self._state | {"own": mine}


def _among(name: str, used: tuple[str, ...]) -> bool:
    return any(name == one or (one.endswith("/") and name.startswith(one)) for one in used)


def _ask(folder: Path, *words: str) -> "subprocess.Popen[str] | None":
    try:
        return subprocess.Popen(  # noqa: S603
            ["git", "-C", str(folder), "--no-optional-locks", *words],  # noqa: S607
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError:  # no git here
        return None


def _told(process: "subprocess.Popen[str] | None") -> str:
    if process is None:
        return ""
    try:
        told, _ = process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return ""
    return told if process.returncode == 0 else ""


def _read(told: str) -> dict[str, Any] | None:
    lines = told.splitlines()
    commit = next((line.split()[-1] for line in lines if line.startswith("# branch.oid ")), "")
    if not commit or commit == "(initial)":
        return None
    return {"commit": commit, "dirty": any(not line.startswith("#") for line in lines)}
