"""The hash of a file, worked out once as long as the file is what it was."""

from hashlib import sha256
from pathlib import Path

#: What a file is known by in this process: its path, when it was written, and how long it is.
FileKey = tuple[str, int, int]

_KNOWN: dict[FileKey, str] = {}
_MOST_KEPT = 50_000


def file_key(path: Path) -> FileKey | None:
    """Return what a file is known by in this process; ``None`` where there is none."""
    try:
        about = path.stat()
    except OSError:
        return None
    return str(path), about.st_mtime_ns, about.st_size


def file_hash(path: Path) -> str:
    """Return the hash of what a file holds; empty where it cannot be read."""
    key = file_key(path)
    if key is None:
        return ""
    if key not in _KNOWN:
        if len(_KNOWN) >= _MOST_KEPT:
            _KNOWN.clear()
        try:
            _KNOWN[key] = sha256(path.read_bytes()).hexdigest()
        except OSError:
            return ""
    return _KNOWN[key]
