"""The records of one folder, as the site and the claims need them. Reading is done by ``store.reading``."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from reaffirm.model.finding import Finding
from reaffirm.model.record import Document, Record, Status
from reaffirm.store.reading.document import read_document
from reaffirm.store.reading.files import find_files
from reaffirm.store.reading.front import split
from reaffirm.store.reading.naming import name_of
from reaffirm.store.reading.source import SourceProblemError, read_source, text_of
from reaffirm.store.reading.targets import number_of
from reaffirm.store.template import leftovers, placeholders

_OURS = ("claims", "review-by", "reopen-when")


@dataclass(frozen=True)
class Records:
    """The records of a folder in the order of their numbers, what is no record, and what is wrong."""

    records: tuple[Record, ...]
    skipped: tuple[str, ...]
    findings: tuple[Finding, ...]

    def get(self, record_id: str) -> Record | None:
        """Return the record with that id."""
        return next((record for record in self.records if record.id == record_id), None)


def read_records(folder: Path, *, shown: str = "") -> Records:
    """Read every record of a folder. One bad file never hides another: it becomes a finding.

    Args:
        folder: such as ``adrs``; one that does not exist has no records.
        shown: how findings name the folder (default: its own name).
    """
    prefix = "" if shown == "." else f"{shown or folder.name}/"
    if not folder.is_dir():
        return Records((), (), ())
    found = find_files([folder], folder)
    records: list[Record] = []
    skipped = [f"{prefix}{one.path}" for one in found.skipped]
    findings = [replace(problem, path=f"{prefix}{problem.path}") for problem in found.problems]
    seen: dict[tuple[str, str], str] = {}
    template = placeholders(folder)
    for inside, path in found.files.items():
        name = f"{prefix}{inside}"
        document = read_document(path, shown=name, keep_body=True)
        if document.skipped:
            skipped.append(name)
            continue
        findings += document.problems
        findings += _more(path, document, template)
        for record in document.records:
            key = (name.rpartition("/")[0], record.id)
            if key in seen:
                hint = "give one of them the next free number"
                message = f"{record.id} is also {seen[key]}"
                findings.append(Finding(name, record.line, "record-duplicate", message, hint))
            seen.setdefault(key, name)
            records.append(_titled(record))
    return Records(tuple(_linked(records)), tuple(sorted(skipped)), tuple(sorted(findings)))


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
        front = split(text_of(read_source(path)))
    except SourceProblemError:
        return
    for key in front.data:
        near = [] if key in _OURS else difflib.get_close_matches(key.lower(), _OURS, n=1, cutoff=0.8)
        if near and key.replace("_", "-").lower() not in _OURS:
            line = front.marks.get((key,), 1)
            hint = f"did you mean {near[0]!r}?"
            yield Finding(document.path, line, "record-key", f"unknown key {key!r}", hint)
    yield from leftovers(document.path, front.body, front.body_line, template)


def _titled(record: Record) -> Record:
    """A page needs a heading; without a title the file's name has to do."""
    if record.title:
        return record
    slug = name_of(record.path).slug
    return replace(record, title=slug.replace("-", " ").replace("_", " ") or record.id)


def _linked(records: list[Record]) -> Iterator[Record]:
    """Give each id that a record names the zeros that the record named has."""
    ids = {number: record.id for record in records if (number := number_of(record.id)) is not None}

    def form(ident: str) -> str:
        number = number_of(ident)
        return ids.get(number, ident) if number is not None else ident

    for record in records:
        yield replace(
            record,
            supersedes=tuple(dict.fromkeys(form(one) for one in record.supersedes)),
            superseded_by=tuple(dict.fromkeys(form(one) for one in record.superseded_by)),
        )
