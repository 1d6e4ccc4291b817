"""Plain data that is made of a text and kept from one process to the next, because making it takes long.

Kept in ``$XDG_CACHE_HOME/reaffirm`` (``~/.cache/reaffirm``), by the hash of the text and of what made it.
What is read there is plain data and never code; whatever is wrong with a file, the text is read again. The
folder may be removed at any time.
"""

import hashlib
import io
import os
import pickle
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from reaffirm.redact import redact

_FORM = 2
#: So many files of one sort are kept, the newest.
_FILES = 500
_HASH = 32
_PLAIN = {("datetime", "date"), ("datetime", "datetime"), ("datetime", "timezone"), ("datetime", "timedelta")}


def kept(sort: str, text: str, maker: str) -> Any:
    """Return what was made of a text, ``None`` where it is not known.

    Args:
        sort: the folder, such as ``notebooks``.
        text: what it was made of.
        maker: what made it: a version, or a hash of code.
    """
    path = _path(sort, text, maker)
    if path is None:
        return None
    try:
        whole = path.read_bytes()
        if hashlib.sha256(whole[_HASH:]).digest() != whole[:_HASH]:
            return None
        return _Plain(io.BytesIO(whole[_HASH:])).load()
    except Exception:  # cut off, of another time, or of another hand
        return None


def keep(sort: str, text: str, maker: str, made: Any) -> None:
    """Keep what was made of a text. A disk that is full or read-only is no reason to stop."""
    path = _path(sort, text, maker)
    if path is None or redact(text) != text:  # what holds a secret is in its own file and in no other
        return
    body = pickle.dumps(made, protocol=5)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as out:
            out.write(hashlib.sha256(body).digest() + body)
        part.replace(path)
        _tidy(path.parent)


def _tidy(folder: Path) -> None:
    files = [entry for entry in os.scandir(folder) if entry.is_file()]
    if len(files) > _FILES:
        for old in sorted(files, key=lambda entry: entry.stat().st_mtime)[: len(files) - _FILES]:
            Path(old.path).unlink(missing_ok=True)


class _Plain(pickle.Unpickler):
    """Makes nothing but plain data, dates and times."""

    def find_class(self, module: str, name: str) -> Any:
        """Refuse everything else."""
        if (module, name) in _PLAIN:
            return super().find_class(module, name)
        msg = f"{module}.{name} is no plain data"
        raise pickle.UnpicklingError(msg)


def _path(sort: str, text: str, maker: str) -> Path | None:
    """The file of a text; ``None`` where there is no place for it that is ours alone."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    if not os.path.isabs(base):  # noqa: PTH117
        return None
    folder = Path(base) / "reaffirm" / sort
    with suppress(OSError):
        state = folder.stat()
        if state.st_uid != os.getuid() or state.st_mode & 0o022:
            return None  # somebody else could have written there
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    key = "\0".join((str(_FORM), maker, python, text)).encode("utf-8", "surrogatepass")
    return folder / hashlib.sha256(key).hexdigest()
