"""Which record supersedes which: both sides say so, the chain ends, and reality agrees."""

import re
from collections.abc import Iterator, Mapping

from reaffirm.lint.subject import Subject
from reaffirm.model.finding import Finding
from reaffirm.model.record import Record, Status

# What a link says of a record that this one rests on.
_BUILDS = re.compile(
    r"\b(?:builds on|depends on|extends|refines|based on|as decided|as agreed|according to)\b", re.IGNORECASE
)


def supersession(subject: Subject) -> Iterator[Finding]:
    """Yield links of supersession that lead nowhere, stand on one side only, or contradict a status."""
    successors: dict[str, list[Record]] = {}
    for _, record in subject.records:
        at = record.lines.get("superseded_by", record.lines.get("status", record.line))
        found = successors.setdefault(_key(record), [])
        for ident in record.superseded_by:
            others = subject.named(record, ident)
            if not others:
                yield from _nowhere(record, ident, at)
            for other in others:
                found.append(other)
                yield from _by(subject, record, other, at)
        if record.status is Status.SUPERSEDED and not record.superseded_by:
            hint = "name the record: superseded by [0012](0012-….md)"
            message = "superseded, and by which record is not said"
            yield Finding(record.path, at, "supersede-by-whom", message, hint)
        at = record.lines.get("supersedes", record.line)
        for ident in record.supersedes:
            others = subject.named(record, ident)
            if not others:
                yield from _nowhere(record, ident, at)
            for other in others:
                yield from _supersedes(subject, record, other, at)
    yield from _cycles(subject, successors)


def _nowhere(record: Record, ident: str, at: int) -> Iterator[Finding]:
    if ident.startswith(("#", "!")) or "://" in ident:
        message = f"superseded by {ident}, which is no record"
        yield Finding(record.path, at, "supersede-no-record", message, "write a record and name it")
    else:
        message = f"there is no record {ident!r}"
        yield Finding(record.path, at, "supersede-missing", message, "mend the id, or the path of the link")


def _by(subject: Subject, record: Record, other: Record, at: int) -> Iterator[Finding]:
    if _key(record) == _key(other):
        yield Finding(record.path, at, "supersede-self", "the record supersedes itself", "name the other one")
        return
    if record.status is Status.SUPERSEDED and other.status in (Status.PROPOSED, Status.DRAFT):
        message = f"superseded by {other.id}, which is only {other.status}"
        hint = "it holds until the other is accepted"
        yield Finding(record.path, at, "superseded-by-proposed", message, hint)
    if record.status is Status.SUPERSEDED and other.status is Status.REJECTED:
        message = f"superseded by {other.id}, which was rejected"
        yield Finding(record.path, at, "superseded-by-rejected", message, "one of the two is wrong")
    if record.status not in (Status.SUPERSEDED, Status.OTHER, None) and not _in_part(record):
        message = f"the status is {record.status}, and the record says that {other.id} supersedes it"
        yield Finding(record.path, at, "supersede-status", message, "write: superseded by …")
    if not any(
        _key(one) == _key(record) for ident in other.supersedes for one in subject.named(other, ident)
    ):
        message = f"{other.id} does not say that it supersedes {record.id}"
        hint = f"add 'Supersedes {record.id}' to {other.path}"
        yield Finding(record.path, at, "supersede-one-sided", message, hint)


def _supersedes(subject: Subject, record: Record, other: Record, at: int) -> Iterator[Finding]:
    if _key(record) == _key(other):
        if not record.superseded_by:
            hint = "name the other one"
            yield Finding(record.path, at, "supersede-self", "the record supersedes itself", hint)
        return
    back = [one for ident in other.superseded_by for one in subject.named(other, ident)]
    if any(_key(one) == _key(record) for one in back) or record.status in (
        Status.PROPOSED,
        Status.DRAFT,
        Status.REJECTED,
    ):
        return
    line = other.lines.get("status", other.lines.get("title", other.line))
    message = f"{record.id} says that it supersedes this record, which does not say so"
    hint = f"write: superseded by [{record.id}]({record.path.rpartition('/')[2]})"
    yield Finding(other.path, line, "supersede-one-sided", message, hint)


def _cycles(subject: Subject, successors: Mapping[str, list[Record]]) -> Iterator[Finding]:
    by_key = {_key(record): record for _, record in subject.records}
    for start, record in by_key.items():
        seen, waiting = {start}, list(successors.get(start, ()))
        while waiting:
            other = waiting.pop()
            key = _key(other)
            if key == start and not any(_key(one) == start for one in successors[start]):
                at = record.lines.get("superseded_by", record.line)
                message = f"a cycle: {record.id} is superseded by others, and in the end supersedes them"
                yield Finding(record.path, at, "supersede-cycle", message, "find the one that still holds")
                break
            if key not in seen:
                seen.add(key)
                waiting += successors.get(key, ())


def _in_part(record: Record) -> bool:
    return any("part" in link.relation for link in record.links) or "part" in record.status_raw.lower()


def _key(record: Record) -> str:
    return f"{record.path}:{record.line}"


def builds_on(subject: Subject) -> Iterator[Finding]:
    """Yield records in force that build on one that was rejected."""
    for _, record in subject.records:
        if record.status not in (Status.ACCEPTED, Status.PROPOSED):
            continue
        for link in record.links:
            document = subject.by_path.get(subject.target(record.path, link))
            wants = _BUILDS.search(f"{link.relation} {link.text}") is not None
            for other in document.records if document and wants else ():
                if other.status is Status.REJECTED:
                    message = f"builds on {other.id}, which was rejected"
                    yield Finding(record.path, link.line, "builds-on-rejected", message, "say what holds now")
                    line = other.lines.get("status", other.line)
                    message = f"rejected, and {record.id} builds on it"
                    yield Finding(other.path, line, "builds-on-rejected", message, "say what holds now")
