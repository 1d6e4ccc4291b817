"""One run at a time writes one notebook and its folder: a lock on this machine, gone with its process.

The lock is a file in the folder for temporary files, named by a hash of the run's folder: nothing is left
beside the notebook. The kernel holds it (``flock``): a process that was killed holds none.
"""

import atexit
import fcntl
import hashlib
import json
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from reaffirm.errors import LockedError
from reaffirm.run import evidence

#: What this process holds: the run's folder → (file, its descriptor, the process that took it).
_held: dict[Path, tuple[Path, int, int]] = {}
_TRIES = 20


def claim(folder: Path) -> None:
    """Take the folder of a run for this process; taking it again, for a run after another, is fine.

    Where locks cannot be used, nothing is locked.

    Raises:
        LockedError: another process runs into this folder.
    """
    whole = folder.absolute().resolve()
    if whole in _held and _held[whole][2] == os.getpid():
        return
    name = hashlib.sha256(os.fsencode(whole)).hexdigest()[:24]
    path = Path(tempfile.gettempdir()) / f"reaffirm-run-{name}.lock"
    for _ in range(_TRIES):
        try:
            at = _opened(path)
        except OSError:
            return
        try:
            fcntl.flock(at, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            said = os.pread(at, 2000, 0).decode("utf-8", "replace")
            os.close(at)
            msg = f"{folder} is in use by another run{_by(said)}; nothing was started and nothing written"
            raise LockedError(msg, hint="wait for its end, or name another output") from None
        except OSError:
            os.close(at)
            return
        if _is(at, path):  # else it was given back, and removed, between opening and locking
            break
        os.close(at)
    with suppress(OSError):
        os.ftruncate(at, 0)
        os.pwrite(at, json.dumps({"pid": os.getpid(), "since": evidence.wall_time()}).encode(), 0)
    if not _held:
        atexit.register(_give_back)
    _held[whole] = (path, at, os.getpid())


def _opened(path: Path) -> int:
    with suppress(FileNotFoundError, PermissionError):
        return os.open(path, os.O_RDWR | os.O_NOFOLLOW)
    with suppress(FileNotFoundError):
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)  # another user's
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)


def _is(at: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(at), path.stat())
    except OSError:
        return False


def _by(said: str) -> str:
    try:
        told = json.loads(said)
        return f", process {int(told['pid'])}, since {told['since']}"
    except (ValueError, KeyError, TypeError):
        return ""


def _give_back() -> None:
    """Remove what this process holds; what it inherited from the one that forked it is not its own."""
    for path, at, pid in _held.values():
        if pid == os.getpid():
            with suppress(OSError):
                path.unlink()
            with suppress(OSError):
                os.close(at)
