"""Writes a tree into a folder: what did not change is not touched, what nobody here wrote is left alone.

``.reaffirm-pages.json`` in the folder tells the hash of every file that was written. Before anything changes
it also tells what is about to be written, so that a writer that is killed leaves a folder that the next one
mends. A file that has another hash, or that is not in there, is somebody else's.
"""

import errno
import fcntl
import hashlib
import json
import os
import shutil
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from reaffirm.errors import DocumentError, LockedError, UsageError
from reaffirm.store.reading.files import PAGES_MANIFEST

#: The file that tells what was written.
MANIFEST = PAGES_MANIFEST
# Holds files that are not whole yet; a rename on one file system is all or nothing.
_DRAFTS = ".reaffirm-pages.tmp"
_SCHEMA = 1
_CHUNK = 1 << 20
#: How long another writer is waited for, in seconds.
PATIENCE = 60.0
_PAUSE = 0.05
_SHOWN = 5

#: What is written at an address: a text, bytes, or the content of a file.
Content = str | bytes | Path


@dataclass(frozen=True)
class Written:
    """What a writer did, by address; ``unchanged`` were there already."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


def write(folder: Path, files: Mapping[str, Content], *, patience: float = PATIENCE) -> Written:
    """Let a folder hold these files, and none that was written here earlier.

    Args:
        folder: made when it is not there.
        files: what to write, by address with slashes.
        patience: how long another writer is waited for, in seconds.

    Raises:
        UsageError: the folder is none of ours, or a file that nobody here wrote is in the way. Nothing was
            changed then.
        LockedError: another writer did not end.
        DocumentError: a file cannot be read or written, or the manifest is damaged.
    """
    for uri in files:
        if not _plain(uri):
            msg = f"{uri!r} is no address of a file"
            raise UsageError(msg, hint="give it a name below the folder, without ..")
    try:
        _enter(folder)
        with _alone(folder, patience):
            return _Writer(folder).write(files)
    except OSError as error:
        msg = f"{error.filename or folder}: {error.strerror or error}"
        raise DocumentError(
            msg, hint="see that the folder can be written and has room, then again"
        ) from error


def is_ours(folder: Path) -> bool:
    """Return whether a folder was written by :func:`write`."""
    return (folder / MANIFEST).is_file()


def _plain(uri: str) -> bool:
    """Whether an address stays below its folder and is no file of the writer's own."""
    parts = uri.split("/")
    safe = all(part not in ("", ".", "..") and "\0" not in part and "\\" not in part for part in parts)
    try:
        os.fsencode(uri)
    except UnicodeEncodeError:
        return False
    return safe and parts[0] not in (MANIFEST, _DRAFTS) and not PurePosixPath(uri).is_absolute()


def _enter(folder: Path) -> None:
    """Make the folder; refuse one that holds what nobody here wrote."""
    if (folder.exists() or folder.is_symlink()) and not folder.is_dir():
        msg = f"{folder} is a {'file' if folder.exists() else 'link that leads nowhere'}"
        raise UsageError(msg, hint="name a folder")
    if folder.is_dir() and not is_ours(folder) and any(one.name != _DRAFTS for one in folder.iterdir()):
        msg = f"{folder} is not empty, and reaffirm did not write it: there is no {MANIFEST} in it"
        raise UsageError(msg, hint="name a new folder, or empty this one")
    folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def _alone(folder: Path, patience: float) -> Iterator[None]:
    """Hold the folder; a lock of a process that ended is gone with it."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        end = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    msg = f"another process has been writing into {folder} for {patience:.0f} s"
                    raise LockedError(msg, hint="wait until it ends, or end it; then again") from None
                time.sleep(_PAUSE)
        yield
    finally:
        os.close(handle)


class _Writer:
    """Works in one folder that it holds alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._drafts = folder / _DRAFTS
        self._known = self._read()

    def write(self, files: Mapping[str, Content]) -> Written:
        self._clear()
        new = {uri: _hash(content) for uri, content in files.items()}
        there: dict[str, str] = {}
        foreign: list[str] = []
        for uri in {**self._known, **new}:
            found = self._there(uri, foreign)
            if found and found not in self._known.get(uri, ()):
                foreign.append(uri)
            elif found:
                there[uri] = found
        self._refuse(sorted(set(foreign)))
        gone = [uri for uri in there if uri not in new]
        late = [uri for uri, wanted in new.items() if there.get(uri) != wanted]
        ours = {uri: (one,) for uri, one in new.items()}
        if late or gone:
            self._note(
                {uri: (*self._known.get(uri, ()), *ours.get(uri, ())) for uri in {**self._known, **ours}}
            )
            for uri in gone:
                self._remove(uri)
            for uri in late:
                ours[uri] = (self._put(uri, files[uri]),)
        if late or gone or self._known != ours or not is_ours(self._folder):
            self._note(ours)
        self._clear()
        same = sorted(new.keys() - set(late))
        return Written(tuple(sorted(late)), tuple(same), tuple(sorted(gone)))

    def _clear(self) -> None:
        """Let no draft be there: one that somebody made a link would be written through."""
        kind = _mode(self._drafts)
        if kind is None:
            return
        if not stat.S_ISDIR(kind):
            self._refuse([_DRAFTS])
        shutil.rmtree(self._drafts)

    def _there(self, uri: str, foreign: list[str]) -> str:
        """The hash of what is at an address; empty for nothing. What can be no file of ours is foreign."""
        path = self._folder
        *above, _ = uri.split("/")
        for part in above:
            path /= part
            kind = _mode(path)
            if kind is None:
                return ""
            if not stat.S_ISDIR(kind):
                name = path.relative_to(self._folder).as_posix()
                if name not in self._known or not stat.S_ISREG(kind):
                    foreign.append(name)
                return ""
        path = self._folder / uri
        kind = _mode(path)
        if kind is None:
            return ""
        if stat.S_ISDIR(kind):
            if any(not self._below(one) for one in path.rglob("*") if one.is_symlink() or not one.is_dir()):
                foreign.append(uri)
            return ""
        if not stat.S_ISREG(kind):
            foreign.append(uri)
            return ""
        return _hash(path)

    def _below(self, path: Path) -> bool:
        """Whether a file in a folder that must go was written here."""
        return path.relative_to(self._folder).as_posix() in self._known

    def _refuse(self, foreign: list[str]) -> None:
        if not foreign:
            return
        names = ", ".join(str(self._folder / uri) for uri in foreign[:_SHOWN])
        more = f" and {len(foreign) - _SHOWN} more" if len(foreign) > _SHOWN else ""
        were = "was" if len(foreign) == 1 else "were"
        msg = f"{names}{more} {were} not written by reaffirm, or {were} changed since"
        raise UsageError(
            msg, hint="move them elsewhere or remove them, then again; a page is changed at its source"
        )

    def _put(self, uri: str, content: Content) -> str:
        """Put a file where it belongs and return its hash: what is copied may have changed meanwhile."""
        path = self._folder / uri
        if path.is_dir():  # empty: what was in it is removed
            path.rmdir()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._drafts.mkdir(exist_ok=True)
        draft = self._drafts / "draft"
        if isinstance(content, Path):
            shutil.copyfile(content, draft)
        else:
            draft.write_bytes(_bytes(content))
        found = _hash(draft)
        draft.replace(path)
        return found

    def _remove(self, uri: str) -> None:
        path = self._folder / uri
        path.unlink(missing_ok=True)
        for above in path.relative_to(self._folder).parents:
            try:
                (self._folder / above).rmdir() if above != Path() else None
            except OSError:  # something is left in it
                break

    def _read(self) -> dict[str, tuple[str, ...]]:
        path = self._folder / MANIFEST
        if not path.exists():
            return {}
        try:
            data = json.loads(path.read_bytes())
            return {str(uri): tuple(map(str, found)) for uri, found in data["files"].items() if _plain(uri)}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            msg = f"{path} is damaged: {error}"
            raise DocumentError(msg, hint=f"remove {self._folder} and write it again") from error

    def _note(self, files: Mapping[str, tuple[str, ...]]) -> None:
        """Write down which hashes each file of ours may have."""
        data = {"schema": _SCHEMA, "files": {uri: sorted(set(files[uri])) for uri in sorted(files)}}
        self._drafts.mkdir(exist_ok=True)
        draft = self._drafts / "manifest"
        draft.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        draft.replace(self._folder / MANIFEST)


def _mode(path: Path) -> int | None:
    try:
        return path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def _bytes(made: str | bytes) -> bytes:
    return made if isinstance(made, bytes) else made.encode("utf-8", "replace")


def _hash(content: Content) -> str:
    if not isinstance(content, Path):
        return hashlib.sha256(_bytes(content)).hexdigest()
    if not content.is_file():  # a pipe would be waited for
        raise FileNotFoundError(errno.ENOENT, "there is no file of this name", str(content))
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
