"""Which page a record gets: its file's name, below the folder that it is of where there is more than one."""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePosixPath

from reaffirm.model.record import Record

#: The folder of the pages of records.
DECISIONS = "decisions"
# Parts of a path that only say that records are below.
_GENERIC = re.compile(
    r"(?:docs?|documentation|architecture|m?adrs?|decisions?|(?:architecture|decision)[-_]?(?:decisions?|records?|logs?))\Z",
    re.IGNORECASE,
)
_ENDING = re.compile(r"\.[A-Za-z]{2,8}\Z")
_SIGN = re.compile(r"[^\w.,+@-]+")
_LONGEST = 100
_TAKEN = ("index", "template")


def folder_of(record: Record) -> str:
    """Return the folder of a record; one with a folder of its own (``0001-x/index.md``) is of that above."""
    path = PurePosixPath(record.path)
    if path.stem.lower() in ("index", "readme"):
        path = path.parent
    return path.parent.as_posix()


def places(records: Sequence[Record]) -> dict[str, str]:
    """Return what each folder of records is called on the site: its path without words like ``docs/adr``.

    Two folders never have one name. The only folder of a repository has none.
    """
    folders = list(dict.fromkeys(folder_of(record) for record in records))
    if len(folders) < 2:
        return dict.fromkeys(folders, "")
    short = {
        folder: "/".join(part for part in folder.split("/") if not _GENERIC.match(part) and part != ".")
        for folder in folders
    }
    names = [name.casefold() for name in short.values()]
    return {
        folder: folder if names.count(name.casefold()) > 1 else name or "" for folder, name in short.items()
    }


def record_pages(records: Sequence[Record]) -> dict[str, str]:
    """Return the page of each record by its key; no two records have one page, on any file system."""
    called = places(records)
    several: dict[str, int] = {}
    for record in records:
        several[record.path] = several.get(record.path, 0) + 1
    found: dict[str, str] = {}
    taken = {f"{DECISIONS}/{name}" for name in _TAKEN}
    for record in records:
        path = PurePosixPath(record.path)
        stem = path.parent.name if path.stem.lower() in ("index", "readme") else path.stem
        if several[record.path] > 1:
            stem = f"{stem}-{record.id}"
        parts = [_safe(part) for part in called[folder_of(record)].split("/") if part]
        name = "/".join((DECISIONS, *parts, _safe(stem)))
        ending = _ENDING.search(record.path)
        tries = [name, f"{name}-{ending[0].lstrip('.').lower()}" if ending else name]
        number = 2
        while tries[0].casefold() in taken:
            tries = tries[1:] or [f"{name}-{number}"]
            number += 1
        taken.add(tries[0].casefold())
        found[record.key] = f"{tries[0]}.md"
    return found


def _safe(part: str) -> str:
    """A part of a path that is the same on every file system and in every address."""
    text = _SIGN.sub("-", unicodedata.normalize("NFC", part)).strip("-.")
    if text.casefold() in ("index", "readme"):
        text += "-page"
    return text.encode("utf-8")[:_LONGEST].decode("utf-8", "ignore") or "record"
