"""Reads the records of ``adrs/``. One bad file never hides another: it becomes a finding."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from reaffirm.errors import DocumentError
from reaffirm.model.finding import Finding
from reaffirm.model.record import Record, Status
from reaffirm.store.claim_format import read_claims
from reaffirm.store.frontmatter import Page, read_page
from reaffirm.store.review import read_review
from reaffirm.store.template import leftovers, placeholders

_FILE = re.compile(r"(?P<id>\d+)-(?P<slug>.+)\.md\Z", re.IGNORECASE)
_NO_RECORDS = re.compile(r"(readme|index|_index|(0+-|adr-)?template.*|.*-template)\.md\Z", re.IGNORECASE)
_OURS = ("claims", "review-by", "reopen-when")
_NUMBER = r"(?:ADR[- ]?\d+\s*[.:–-]?\s+|\d+[.:]\s+|\d+\s+[-–]\s+)?"
_TITLE = re.compile(rf"#\s+{_NUMBER}(?P<title>.+?)\s*#*\s*\Z")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)[^)]*\)|<([^>\s]+)>")
_LOCATED = re.compile(r"(?P<path>.+?):(?P<line>\d+): (?P<message>.*)", re.DOTALL)


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
    """Read every record of a folder.

    Args:
        folder: such as ``adrs``; one that does not exist has no records.
        shown: how findings name the folder (default: its own name).
    """
    prefix = shown or folder.name
    records: list[Record] = []
    skipped: list[str] = []
    findings: list[Finding] = []
    seen: dict[str, str] = {}
    template = placeholders(folder)
    for path in sorted(folder.glob("*.[mM][dD]"), key=_order):
        name = f"{prefix}/{path.name}"
        if _NO_RECORDS.match(path.name):
            skipped.append(name)
            continue
        try:
            record, wrong = read_record(path, shown=name, template=template)
        except DocumentError as error:
            findings.append(_finding(name, error))
            continue
        findings.extend(wrong)
        if record.id in seen:
            hint = "give one of them the next free number"
            findings.append(
                Finding(name, 1, "record-duplicate", f"{record.id} is also {seen[record.id]}", hint)
            )
        seen.setdefault(record.id, name)
        records.append(record)
    return Records(tuple(records), tuple(skipped), tuple(sorted(findings)))


def read_record(
    path: Path, *, shown: str = "", template: frozenset[str] = frozenset()
) -> tuple[Record, tuple[Finding, ...]]:
    """Read one record. ``template`` holds lines that nobody may leave as they are.

    Raises:
        DocumentError: the file cannot be read at all; what is merely wrong in it is a finding.
    """
    page = read_page(path, shown=shown)
    findings = [*_strangers(page), *leftovers(page, template)]
    match = _FILE.match(path.name)
    record_id = match["id"] if match else path.stem
    title, body, body_line = _title(page)
    if not title:
        findings.append(Finding(page.path, page.body_line, "title-missing", "there is no '# Title' line"))
        title = match["slug"].replace("-", " ") if match else path.stem
    status_raw = _status_text(page.data.get("status"))
    status, successors = read_status(status_raw)
    if status is Status.OTHER:
        known = ", ".join(one for one in Status if one is not Status.OTHER)
        message = f"unknown status {status_raw!r}"
        findings.append(
            Finding(page.path, page.line("status"), "status-word", message, f"use one of {known}")
        )
    day, wrong_day = _date(page)
    findings.extend(wrong_day)
    claims, wrong_claims = read_claims(page)
    findings.extend(wrong_claims)
    review_by, reopen_when, wrong_review = read_review(page)
    findings.extend(wrong_review)
    people = ("decision-makers", "deciders")
    record = Record(
        path=page.path,
        id=record_id,
        title=title,
        status=status,
        status_raw=status_raw,
        date=day,
        deciders=next((_texts(page.data[key]) for key in people if page.data.get(key)), ()),
        consulted=_texts(page.data.get("consulted")),
        informed=_texts(page.data.get("informed")),
        supersedes=_ids(page.data.get("supersedes")),
        superseded_by=_ids(page.data.get("superseded-by", page.data.get("superseded_by"))) or successors,
        tags=_texts(page.data.get("tags")),
        claims=claims,
        review_by=review_by,
        reopen_when=reopen_when,
        body=body,
        body_line=body_line,
    )
    return record, tuple(sorted(findings))


def read_status(text: str) -> tuple[Status | None, tuple[str, ...]]:
    """Return the status that a text begins with and the ids that it says supersede the record.

    ``superseded by [ADR-0062](0062-x.md)`` gives ``superseded`` and ``("0062",)``.
    """
    words = re.findall(r"[a-z]+", text.lower())
    if not words:
        return None, ()
    word = {"superceded": "superseded"}.get(words[0], words[0])
    if word not in set(Status) - {Status.OTHER}:
        return Status.OTHER, ()
    if word != Status.SUPERSEDED:
        return Status(word), ()
    return Status.SUPERSEDED, tuple(re.findall(r"(?<![\d-])\d{3,}(?!\d)", _LINK.sub(r" \1\2 ", text))[:1])


def _order(path: Path) -> tuple[int, str]:
    match = _FILE.match(path.name)
    return (int(match["id"]) if match else 10**9, path.name)


def _finding(name: str, error: DocumentError) -> Finding:
    match = _LOCATED.match(error.message)
    line, message = (
        (int(match["line"]), match["message"]) if match else (1, error.message.removeprefix(f"{name}: "))
    )
    return Finding(name, line, "unreadable", message, error.hint)


def _strangers(page: Page) -> Iterator[Finding]:
    """A misspelt key of ours would be passed over in silence; other keys belong to other tools."""
    for key in page.data:
        near = [] if key in _OURS else difflib.get_close_matches(key.lower(), _OURS, n=1, cutoff=0.8)
        if near:
            yield Finding(
                page.path, page.line(key), "record-key", f"unknown key {key!r}", f"did you mean {near[0]!r}?"
            )


def _title(page: Page) -> tuple[str, str, int]:
    lines = page.body.split("\n")
    for number, line in enumerate(lines):
        if match := _TITLE.match(line):
            return match["title"], "\n".join(lines[number + 1 :]), page.body_line + number + 1
        if line.strip() and not line.lstrip().startswith("<!--"):
            break
    return "", page.body, page.body_line


def _status_text(value: Any) -> str:
    if isinstance(value, dict):  # status: {accepted} is a mapping in YAML
        return " ".join(value)
    return str(value).strip() if value is not None else ""


def _date(page: Page) -> tuple[date | None, tuple[Finding, ...]]:
    value = page.data.get("date")
    if isinstance(value, datetime):
        return value.date(), ()
    if value is None or isinstance(value, date):
        return value, ()
    try:
        return date.fromisoformat(str(value).strip()), ()
    except ValueError:
        message = f"'date' must be YYYY-MM-DD and a real day, got {value!r}"
        return None, (Finding(page.path, page.line("date"), "date-form", message),)


def _texts(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(str(item) for item in value if item is not None)
    return tuple(part.strip() for part in str(value).split(",") if part.strip())


def _ids(value: Any) -> tuple[str, ...]:
    """Ids are text; YAML reads ``0010`` as a number, so its zeros are put back."""
    items = value if isinstance(value, list) else [] if value is None else [value]
    ids = []
    for item in items:
        if isinstance(item, int):
            ids.append(f"{item:04d}")
        elif match := re.search(r"(?<!\d)\d{3,}(?!\d)", str(item)):
            ids.append(match[0])
    return tuple(ids)
