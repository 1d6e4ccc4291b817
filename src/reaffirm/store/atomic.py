"""Writes a file whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_new(path: Path, text: str) -> None:
    """Write ``text`` (UTF-8) to a file that is not there yet: whole or not at all, and never over another.

    Raises:
        FileExistsError: there is something of that name, even when it came a moment ago.
        OSError: it cannot be written.
    """
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        Path(part).chmod(0o666 & ~_umask())
        path.hardlink_to(part)
    finally:
        Path(part).unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` (UTF-8) beside ``path`` and move it there, with the rights a new file would have.

    A link is followed, so that what it points to is replaced and the link stays.

    Raises:
        FileNotFoundError: the folder does not exist.
        OSError: it cannot be written; what was there is still there.
    """
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        msg = f"output folder {path.parent} doesn't exist."
        raise FileNotFoundError(msg)
    handle, part = tempfile.mkstemp(dir=target.parent, prefix=".part-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as out:
            out.write(text)
        Path(part).chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
        Path(part).replace(target)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
