"""The records of a project, as the site and the claims need them. Reading is done by ``store.reading``."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from reaffirm.model.finding import Finding
from reaffirm.model.record import Document, Record, Status
from reaffirm.store.reading.collection import Collection, read_collection
from reaffirm.store.reading.front import split
from reaffirm.store.reading.naming import name_of
from reaffirm.store.reading.source import SourceProblemError, read_source, text_of
from reaffirm.store.reading.targets import number_of
from reaffirm.store.template import leftovers, placeholders

_OURS = ("claims", "review-by", "reopen-when")
_KEY = re.compile(r"['\"]?([A-Za-z][\w-]{2,30})['\"]?[ \t]*[:=]")
# Lines of a head that are looked at for misspelt keys, and the length of a key.
_HEAD, _LONGEST_KEY = 400, 30
_NOTHING = Collection((), (), (), {})


@dataclass(frozen=True)
class Records:
    """The records in the order of folders and numbers, what is no record, and what is wrong.

    ``collection`` is what the reader returned, with the text of each record.
    """

    records: tuple[Record, ...]
    skipped: tuple[str, ...]
    findings: tuple[Finding, ...]
    collection: Collection = field(default_factory=lambda: _NOTHING)

    def get(self, record_id: str) -> Record | None:
        """Return the record with that id."""
        return next((record for record in self.records if record.id == record_id), None)


def read_records(folder: Path, *, shown: str = "") -> Records:
    """Read every record of a folder. One bad file never hides another: it becomes a finding.

    Args:
        folder: such as ``adrs``; one that does not exist has no records.
        shown: how findings name the folder (default: its own name).
    """
    if not folder.is_dir():
        return Records((), (), ())
    root = folder
    for _ in Path(shown or folder.name).parts:  # none for "."
        root = root.parent
    return read_all([folder], root)


def read_all(paths: Sequence[Path], root: Path) -> Records:
    """Read every record below some paths.

    Args:
        paths: files and folders.
        root: names are given from here.
    """
    collection = read_collection(list(paths), root=root, keep_body=True)
    records: list[Record] = []
    findings = list(collection.problems)
    seen: dict[tuple[str, str], str] = {}
    templates: dict[Path, frozenset[str]] = {}
    for document in collection.documents:
        name, path = document.path, collection.files[document.path]
        if path.parent not in templates:
            templates[path.parent] = placeholders(path.parent)
        findings += _more(path, document, templates[path.parent])
        for record in document.records:
            key = (name.rpartition("/")[0], record.id)
            if key in seen:
                hint = "give one of them the next free number"
                message = f"{record.id} is also {seen[key]}"
                findings.append(Finding(name, record.line, "record-duplicate", message, hint))
            seen.setdefault(key, name)
            records.append(_titled(record))
    skipped = tuple(sorted(one.path for one in collection.skipped))
    return Records(tuple(_linked(records)), skipped, tuple(sorted(set(findings))), collection)


def _more(path: Path, document: Document, template: frozenset[str]) -> Iterator[Finding]:
    """What a reader takes as it is, and its author did not mean."""
    for record in document.records:
        if record.status is Status.OTHER:
            known = [one.value for one in Status if one is not Status.OTHER]
            near = difflib.get_close_matches(record.status_raw.lower(), known, n=1, cutoff=0.75)
            if near:
                message, hint = f"unknown status {record.status_raw!r}", f"did you mean {near[0]!r}?"
                yield Finding(document.path, record.lines.get("status", 1), "status-word", message, hint)
    try:
        text = text_of(read_source(path))
    except SourceProblemError:
        return
    lines = text.split("\n")
    # Only then is it worth to read the head once more.
    keys = (match[1] for line in lines[:_HEAD] if (match := _KEY.match(line)))
    if not any(_near(key) for key in keys) and template.isdisjoint(line.strip() for line in lines):
        return
    front = split(text)
    for key in front.data:
        if meant := _near(key):
            line = front.marks.get((key,), 1)
            hint = f"did you mean {meant!r}?"
            yield Finding(document.path, line, "record-key", f"unknown key {key!r}", hint)
    yield from leftovers(document.path, front.body, front.body_line, template)


def _near(key: str) -> str:
    """The key of ours that somebody meant with another; empty for none."""
    if key.replace("_", "-").lower() in _OURS or len(key) > _LONGEST_KEY:
        return ""
    return next(iter(difflib.get_close_matches(key.lower(), _OURS, n=1, cutoff=0.8)), "")


def _titled(record: Record) -> Record:
    """A page needs a heading; without a title the file's name has to do."""
    if record.title:
        return record
    slug = name_of(record.path).slug
    return replace(record, title=slug.replace("-", " ").replace("_", " ") or record.id)


def _linked(records: list[Record]) -> Iterator[Record]:
    """Give each id that a record names the zeros that the record named has in its folder."""
    ids = {
        (_folder(record), number): record.id
        for record in records
        if (number := number_of(record.id)) is not None
    }

    def form(record: Record, ident: str) -> str:
        number = number_of(ident)
        return ids.get((_folder(record), number), ident) if number is not None else ident

    for record in records:
        yield replace(
            record,
            supersedes=tuple(dict.fromkeys(form(record, one) for one in record.supersedes)),
            superseded_by=tuple(dict.fromkeys(form(record, one) for one in record.superseded_by)),
        )


def _folder(record: Record) -> str:
    return record.path.rpartition("/")[0]
