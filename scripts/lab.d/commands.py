"""Running other programs: always an argument list, always with a time limit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from obstacles import CommandFailedError

# /usr/sbin is not on the PATH of every root shell ("sshd: command not found", 2026-11-30).
SEARCH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Answer:
    """What a command printed and how it ended. `code` is None when its time ran out."""

    code: int | None
    out: str
    err: str

    @property
    def ok(self) -> bool:
        """True when it ended with 0."""
        return self.code == 0


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Our own environment with a PATH that has the system folders, and `extra`."""
    path = os.environ.get("PATH", "")
    return {
        **os.environ,
        "PATH": f"{path}:{SEARCH}" if path else SEARCH,
        "LC_ALL": "C.UTF-8",
        **(extra or {}),
    }


def found(program: str) -> str | None:
    """Where `program` is, searching PATH and the system folders."""
    return shutil.which(program, path=environment()["PATH"])


def ask(
    argv: Sequence[str | Path],
    *,
    seconds: float = 30,
    given: str | None = None,
    extra: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Answer:
    """Run `argv` and return its answer, whatever it is. The whole process group ends with the time."""
    words = [str(word) for word in argv]
    try:
        child = subprocess.Popen(
            words,
            stdin=subprocess.PIPE if given is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=environment(extra),
            cwd=cwd,
            start_new_session=True,
        )
    except FileNotFoundError as error:
        return Answer(127, "", str(error))
    try:
        out, err = child.communicate(given, timeout=seconds)
        return Answer(child.returncode, out, err)
    except (subprocess.TimeoutExpired, KeyboardInterrupt) as error:
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate(timeout=10)
        if isinstance(error, KeyboardInterrupt):
            raise
        return Answer(None, out, err)


def must(
    argv: Sequence[str | Path],
    *,
    seconds: float = 30,
    given: str | None = None,
    extra: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> str:
    """Run `argv` and return what it printed on standard output.

    Raises `CommandFailedError` with the end of its output when it fails or its time runs out.
    """
    answer = ask(argv, seconds=seconds, given=given, extra=extra, cwd=cwd)
    if not answer.ok:
        raise CommandFailedError([str(word) for word in argv], answer.code, answer.out + answer.err)
    return answer.out
