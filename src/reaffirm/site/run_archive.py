"""The files of a run as one archive: the same files give the same bytes, and unpack into one folder."""

import io
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from reaffirm.site.file_hash import file_hash
from reaffirm.site.together import together
from reaffirm.store.kept import keep, kept

#: The name of the archive, beside the page of its run.
ARCHIVE = "run.zip"
#: Where the page of a run tells of it.
FILES = "run-files"
#: What of a run's files is in it.
IN_ARCHIVE = (".ipynb", ".jsonl", ".json", ".log", ".txt")
#: A file as it lies there, or a text that takes its place.
Content = Path | str

_WHEN = (1980, 1, 1, 0, 0, 0)
_MODE = stat.S_IFREG | 0o644
_UNIX = 3
_LEVEL = 6
#: Archives that a process makes in one go.
_AT_A_TIME = 6
_SORT = "archives"
_MAKER = f"1 {_LEVEL} {zlib.ZLIB_RUNTIME_VERSION}"
#: Those of the last build in this process: most are the same at the next build of a preview.
_MADE: dict[str, bytes] = {}
# What one system or another reads as a way to another folder, another drive, or not at all.
_UNSAFE = re.compile(r'[\\:*?"<>|]')


@dataclass(frozen=True)
class Contents:
    """What an archive holds: ``files`` by their path below the folder ``top``."""

    top: str
    files: Mapping[str, Content]


def archives(wanted: Sequence[Contents], *, clean: Callable[[Path], bool]) -> list[bytes]:
    """Return the archive of each; one whose files are those of an earlier build is not made again.

    Args:
        wanted: what each holds.
        clean: whether a file is known to hold no secret; what is not stays out of what is kept on disk.
    """
    keys = [_key(one) for one in wanted]
    lasting = [all(isinstance(file, Path) and clean(file) for file in one.files.values()) for one in wanted]
    found: dict[str, bytes] = {}
    for key, last in zip(keys, lasting, strict=True):
        known = _MADE.get(key) or (kept(_SORT, key, _MAKER) if last else None)
        if isinstance(known, bytes):
            found[key] = known
    missing = [at for at, key in enumerate(keys) if key not in found]
    made = together(lambda at: _packed(wanted[missing[at]]), len(missing), chunk=_AT_A_TIME)
    for at, one in zip(missing, made, strict=True):
        found[keys[at]] = one
        if lasting[at]:
            keep(_SORT, keys[at], _MAKER, one)
    _MADE.clear()
    _MADE.update(found)
    return [found[key] for key in keys]


def pack(top: str, files: Mapping[str, bytes]) -> bytes:
    """Return an archive of files.

    Args:
        top: the folder in the archive that holds them all.
        files: by their path below it.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, path in zip(_members(top, files), files, strict=True):
            about = zipfile.ZipInfo(name, _WHEN)
            about.compress_type, about.create_system = zipfile.ZIP_DEFLATED, _UNIX
            about.external_attr = _MODE << 16
            archive.writestr(about, files[path], compresslevel=_LEVEL)
    return out.getvalue()


def _packed(one: Contents) -> bytes:
    return pack(one.top, {name: bytes_of(one.files[name]) for name in sorted(one.files)})


def bytes_of(content: Content) -> bytes:
    """Return what a file of an archive holds."""
    return content.read_bytes() if isinstance(content, Path) else content.encode("utf-8", "replace")


def _key(one: Contents) -> str:
    """What an archive is known by: all that is in it."""
    parts = [one.top]
    for name in sorted(one.files):
        content = one.files[name]
        known = file_hash(content) if isinstance(content, Path) else sha256(bytes_of(content)).hexdigest()
        parts += [name, known]
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _members(top: str, names: Iterable[str]) -> list[str]:
    """The path of each file in the archive; no two share one, and none leads out of ``top``."""
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        path = "/".join(map(_safe, (*top.split("/"), *name.split("/"))))
        folder, _, last = path.rpartition("/")
        number = 0
        while path.casefold() in taken:
            number += 1
            path = f"{folder}/{number}-{last}"
        taken.add(path.casefold())
        found.append(path)
    return found


def _safe(part: str) -> str:
    """The name of a file or folder, without what would lead out of the archive's folder on some system."""
    known = part.encode("utf-8", "replace").decode("utf-8")
    shown = "".join(sign if sign.isprintable() else "_" for sign in _UNSAFE.sub("_", known))
    return shown if shown.strip(". ") else "_"
