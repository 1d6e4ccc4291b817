"""Remembers what was read, so that an unchanged file is not parsed again.

The cache is a folder of JSON files outside of the repository (``$XDG_CACHE_HOME/reaffirm``); it can be
deleted at any time. An entry holds for a file of the same size, time of change and number, and only for
the reader that wrote it: its own source is part of the key.
"""

import hashlib
import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from reaffirm.model.record import Document
from reaffirm.store.reading.codec import from_plain, to_plain

#: What a cache may have (bytes); a larger one is begun anew.
MAX_BYTES = 200_000_000
# A file changed within this time before it was read may change again without a new time (nanoseconds).
_YOUNG = 2_000_000_000
# Modules of the folder above that decide what is read, too.
_BESIDE = ("claim_format", "frontmatter", "operands", "review", "toml_lines")


class Cache:
    """What was read in one repository. Problems with the cache are never the user's: it is then empty."""

    def __init__(self, root: Path, folder: Path | None = None) -> None:
        where = folder or cache_folder()
        name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:24]
        self.path = where / f"records-{name}.json"
        self.changed = False
        self.entries: dict[str, Any] = {}
        try:
            if self.path.stat().st_size <= MAX_BYTES:
                kept = json.loads(self.path.read_bytes())
                if kept.get("reader") == reader_hash():
                    self.entries = kept["files"]
        except (OSError, ValueError, AttributeError, KeyError, RecursionError):
            self.entries = {}

    def get(self, name: str, path: Path) -> Document | None:
        """Return what was read of a file that has not changed since."""
        entry = self.entries.get(name)
        if not isinstance(entry, list) or len(entry) != 2 or entry[0] != _stamp(path):
            return None
        try:
            return from_plain(Document, entry[1])
        except ValueError:
            return None

    def put(self, name: str, path: Path, document: Document, stamp: list[int] | None) -> None:
        """Remember a document, unless the file changed while it was read or only just before."""
        now = _stamp(path)
        if now is None or stamp != now:
            return
        self.entries[name] = [now, to_plain(document)]
        self.changed = True

    def keep_only(self, names: set[str]) -> None:
        """Forget files that are no longer there."""
        gone = self.entries.keys() - names
        for name in gone:
            del self.entries[name]
            self.changed = True

    def save(self) -> None:
        """Write the cache, whole or not at all."""
        if not self.changed:
            return
        temporary = ""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps({"reader": reader_hash(), "files": self.entries}, separators=(",", ":"))
            handle, temporary = tempfile.mkstemp(dir=self.path.parent)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(temporary).replace(self.path)
        except (OSError, UnicodeEncodeError):
            if temporary:
                Path(temporary).unlink(missing_ok=True)


def stamp_of(path: Path) -> list[int] | None:
    """Return what tells a file from its other versions; None for one that changed just now."""
    return _stamp(path)


def cache_folder() -> Path:
    """Return the folder of caches."""
    named = os.environ.get("REAFFIRM_CACHE") or os.environ.get("XDG_CACHE_HOME")
    base = Path(named) if named and Path(named).is_absolute() else Path.home() / ".cache"
    return base / "reaffirm"


def _stamp(path: Path) -> list[int] | None:
    import time

    try:
        state = path.stat()
    except OSError:
        return None
    if time.time_ns() - state.st_mtime_ns < _YOUNG:
        return None
    return [state.st_size, state.st_mtime_ns, state.st_ino]


@cache
def reader_hash() -> str:
    """Return a hash of the reader's own code: another reader may read the same file differently."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    models = here.parents[1] / "model"
    beside = (here.parent / f"{name}.py" for name in _BESIDE)
    for path in sorted((*here.glob("*.py"), *beside, models / "record.py", models / "claim.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
