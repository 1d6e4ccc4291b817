"""What can be mended without a thought: spellings and dates that were read with certainty. ``--fix``."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from reaffirm.lint.subject import Subject
from reaffirm.model.finding import Finding
from reaffirm.model.record import Link
from reaffirm.store.reading.dates import dates_in

_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_DAY_ALONE = re.compile(r"[\w\s.,/年月日-]+\Z")


@dataclass(frozen=True)
class Fix:
    """On one line of a file, ``old`` becomes ``new``; everything else stays as it is."""

    path: str
    line: int
    code: str
    old: str
    new: str


def spelling(subject: Subject) -> Iterator[Finding]:
    """Yield what ``--fix`` would mend."""
    for fix in fixes(subject):
        message = f"{fix.old!r} should be {fix.new!r}"
        yield Finding(fix.path, fix.line, fix.code, message, "reaffirm lint --fix does it")


def fixes(subject: Subject) -> Iterator[Fix]:
    """Yield the changes that are safe."""
    for document, record in subject.records:
        line = record.lines.get("status", 0)
        if line and (match := re.search(r"supercede", record.status_raw, re.IGNORECASE)):
            old = match[0]
            new = f"{old[:5]}{'S' if old[5].isupper() else 's'}{old[6:]}"
            yield Fix(document.path, line, "status-spelling", old, new)
        line = record.lines.get("date", 0)
        if line and record.date is not None and _is_foreign(record.date_raw):
            yield Fix(document.path, line, "date-iso", record.date_raw, record.date.isoformat())
        for link in record.links:
            new = _extension(subject, document.path, link)
            if new:
                yield Fix(document.path, link.line, "link-extension", link.target, new)


def _is_foreign(raw: str) -> bool:
    """Whether a date is one day, alone on its line, and not as ISO 8601 writes it."""
    alone = bool(raw) and len(raw) < 30 and not _ISO.search(raw) and _DAY_ALONE.match(raw) is not None
    return alone and len(dates_in(raw)[0]) == 1


def _extension(subject: Subject, path: str, link: Link) -> str:
    """The target with .md for .html, where only that file is there."""
    if "://" in link.target or not re.search(r"\.html?(?:#|\Z)", link.target):
        return ""
    to = subject.target(path, link)
    markdown = re.sub(r"\.html?\Z", ".md", to)
    if not to or subject.exists(to) or not subject.exists(markdown):
        return ""
    return re.sub(r"\.html?(?=#|\Z)", ".md", link.target)


def apply(here: Path, wanted: Iterable[Fix]) -> int:
    """Write the changes; line ends, encoding and all other bytes stay. Returns how many were made."""
    by_file: dict[str, list[Fix]] = {}
    for fix in dict.fromkeys(wanted):
        by_file.setdefault(fix.path, []).append(fix)
    made = 0
    for path, changes in by_file.items():
        file = here / path
        lines = file.read_bytes().split(b"\n")
        for fix in changes:
            if fix.line > len(lines):
                continue
            before = lines[fix.line - 1]
            after = before.replace(fix.old.encode(), fix.new.encode(), 1)
            if after != before:
                lines[fix.line - 1] = after
                made += 1
        temporary = file.with_name(f".{file.name}.reaffirm")
        temporary.write_bytes(b"\n".join(lines))
        temporary.chmod(file.stat().st_mode & 0o7777)
        temporary.replace(file)
    return made
