"""What could not be read, and what stands where a status or a date should."""

import difflib
from collections.abc import Iterator

from reaffirm.lint.subject import Subject
from reaffirm.model.finding import Finding
from reaffirm.model.record import Record, Status
from reaffirm.store.reading.naming import name_of
from reaffirm.store.reading.status_words import status_at
from reaffirm.store.template import leftovers_in

# Problems that tell already why there is no status.
_NO_STATUS = frozenset(
    (
        *("status-contradiction", "status-template", "status-sign", "status-shape"),
        *("merge-conflict", "empty"),
    )
)
_KNOWN = [status.value for status in Status if status is not Status.OTHER]


def problems(subject: Subject) -> Iterator[Finding]:
    """Yield what the reader reported."""
    yield from subject.collection.problems


def template_text(subject: Subject) -> Iterator[Finding]:
    """Yield the lines that are word for word those of the template."""
    told = {(one.path, one.line) for one in subject.collection.problems if one.code == "template-text"}
    for document in subject.documents:
        for one in leftovers_in(subject.collection.files[document.path], document.path):
            if (one.path, one.line) not in told:
                yield one


def statuses(subject: Subject) -> Iterator[Finding]:
    """Yield records without a status, and words for one that nobody else knows."""
    told = {(one.path, one.line) for one in subject.collection.problems}
    for document, record in subject.records:
        at = record.lines.get("title", record.line)
        if record.status is None and not record.status_raw and not _told(subject, record):
            hint = f"say one of {', '.join(_KNOWN)}"
            yield Finding(document.path, at, "status-missing", "the record has no status", hint)
        elif record.status is Status.OTHER:
            line = record.lines.get("status", at)
            if (record.path, line) in told:
                continue
            near = difflib.get_close_matches(record.status_raw.lower().rstrip("."), _KNOWN, n=1, cutoff=0.75)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(_KNOWN)}"
            message = f"unknown status {record.status_raw!r}"
            yield Finding(document.path, line, "status-word", message, hint)


def _told(subject: Subject, record: Record) -> bool:
    codes = (
        "status-contradiction",
        "status-template",
        "status-sign",
        "status-shape",
        "merge-conflict",
        "empty",
    )
    return any(one.path == record.path and one.code in codes for one in subject.collection.problems)


def dates(subject: Subject) -> Iterator[Finding]:
    """Yield records without a date, and those whose file's name says another."""
    empty = {one.path for one in subject.collection.problems if one.code == "empty"}
    for document, record in subject.records:
        at = record.lines.get("title", record.line)
        if record.path in empty:
            continue
        if record.date is None and not record.date_raw:
            hint = "say when it was decided: date: YYYY-MM-DD"
            yield Finding(document.path, at, "date-missing", "the record has no date", hint)
        named = name_of(record.path).day
        if named is not None and record.date is not None and named != record.date:
            message = f"the date is {record.date}, the file's name says {named}"
            line = record.lines.get("date", at)
            yield Finding(document.path, line, "date-name", message, "mend the one that is wrong")
        if record.date is not None and record.date > subject.today:
            message = f"the date {record.date} is in the future"
            line = record.lines.get("date", at)
            yield Finding(document.path, line, "date-future", message, "write the day of the decision")


def headings(subject: Subject) -> Iterator[Finding]:
    """Yield files without a title, with several, and headings that skip a level."""
    for document in subject.documents:
        for record in document.records:
            if not record.title and not document.broken:
                told = any(
                    one.path == record.path and one.code in ("template-text", "empty")
                    for one in subject.collection.problems
                )
                if not told:
                    hint = "begin with a heading of level 1"
                    yield Finding(
                        document.path, record.line, "title-missing", "the record has no title", hint
                    )
        before = 0
        for heading in document.headings:
            if before and heading.level > before + 1:
                message = f"{heading.text!r} is of level {heading.level}, the one above of level {before}"
                hint = f"make it level {before + 1}"
                yield Finding(document.path, heading.line, "heading-level", message, hint)
            before = heading.level


def index_pages(subject: Subject) -> Iterator[Finding]:
    """Yield entries of an index kept by hand that say another status than the record."""
    from reaffirm.store.reading.markdown import read_markdown
    from reaffirm.store.reading.source import SourceProblemError, read_source, text_of

    for path, file in subject.neighbours():
        if file.suffix.lower() not in (".md", ".markdown"):
            continue
        try:
            outline = read_markdown(text_of(read_source(file)))
        except (SourceProblemError, RecursionError):
            continue
        for block in outline.blocks:
            links = [link for line in block.lines for link in line.links]
            leads = {subject.target(path, link) for link in links}
            documents = [subject.by_path[one] for one in leads if one in subject.by_path]
            if len(documents) != 1 or len(documents[0].records) != 1:
                continue
            record = documents[0].records[0]
            said = _said(block.lines[-1].text) if block.lines else None
            if said is not None and record.status is not None and said is not record.status:
                message = f"the index says {said} of {record.id}, the record {record.status}"
                hint = "change the word in the index, or remove the column"
                yield Finding(path, block.line, "index-status", message, hint)


def _said(text: str) -> Status | None:
    """The status at the end of an entry: a cell of its own, or behind a dash."""
    last = text.replace("–", "-").replace("—", "-").split(" - ")[-1].strip(" ()[].*_")
    status, rest = status_at(last)
    return status if status is not None and len(rest.split()) <= 4 else None
