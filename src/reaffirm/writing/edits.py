"""Changes one thing in the text of a record and leaves every other byte as it is.

After each edit the text is read again: an edit that the reader does not understand as it was meant, or that
changed anything else, is refused.
"""

import re
from dataclasses import replace
from typing import Any

from reaffirm.errors import UsageError
from reaffirm.model.record import Record, Status
from reaffirm.store.reading.document import parse_document
from reaffirm.store.reading.source import text_of

_SAME = ("id", "title", "date", "deciders", "tags", "line")
_LABEL = re.compile(r"\bstatus\b", re.IGNORECASE)


def with_status(text: str, record: Record, raw: str, status: Status) -> str:
    """Return the text of a record with another status.

    Args:
        text: the whole file.
        record: the record as it was read from it.
        raw: the words to put in the place of the old ones.
        status: what a reader must then see.

    Raises:
        UsageError: the status stands in a form that cannot be changed safely; the line is named.
    """
    number = record.lines.get("status")
    if number is None or not record.status_raw:
        msg = f"{record.path}: this record has no status that could be changed"
        raise UsageError(msg, hint=f"write one by hand, such as 'status: {raw}' in its front matter")
    lines = text.split("\n")
    line = lines[number - 1]
    front = _in_front(lines, number)
    key = re.match(r"\s*[\w-]+\s*:\s*", line) if front else None
    at = key.end() if key else 0  # a comment behind the value may name every status
    if (line.count(record.status_raw) != 1 and not key) or (front and not _fits_yaml(raw)):
        raise _by_hand(record, number, line, raw)
    lines[number - 1] = line[:at] + line[at:].replace(record.status_raw, raw, 1)
    changed = "\n".join(lines)
    _read_back(record, changed, {"status": status, "status_raw": raw}, number, line, raw)
    return changed


def with_predecessor(text: str, record: Record, old: Record, link: str) -> str:
    """Return the text of a record that says which one it supersedes.

    Args:
        text: the whole file.
        record: the record as it was read from it.
        old: the record that is superseded.
        link: the path of its file, from the folder of this one.

    Raises:
        UsageError: there is no place that is surely right; the line to write is told.
    """
    if old.id in record.supersedes:
        return text
    number = record.lines.get("status")
    shown = f"[{_title(old)}]({link})"
    if number is None:
        msg = f"{record.path}: this record has no status, so there is no place for what it supersedes"
        raise UsageError(msg, hint=f"write 'Supersedes {shown}' by hand")
    lines = text.split("\n")
    line = lines[number - 1]
    ending = "\r" if line.endswith("\r") else ""
    if _in_front(lines, number):
        lines = _front(lines, number, old.id, ending)
    elif _LABEL.search(line.replace(record.status_raw, "")):
        label = _LABEL.sub("Supersedes", line.replace(record.status_raw, "\0"), count=1)
        lines.insert(number, label.replace("\0", shown))
    else:
        lines[number:number] = [ending, f"Supersedes {shown}{ending}"]
    changed = "\n".join(lines)
    wanted = {"supersedes": (*record.supersedes, old.id)}
    _read_back(record, changed, wanted, number, line, f"supersedes: {old.id}")
    return changed


def _front(lines: list[str], number: int, ident: str, ending: str) -> list[str]:
    """Add an id to ``supersedes`` in the front matter, where it is a list in one line, or not there yet."""
    end = next(n for n, one in enumerate(lines[1:], 1) if one.strip() in ("---", "..."))
    for at in range(1, end):
        if re.match(r"supersedes\s*:", lines[at]):
            found = re.match(r"(supersedes\s*:\s*\[)(.*?)(\]\s*(?:#.*)?)$", lines[at].rstrip("\r"))
            if found is None:
                return lines  # the reading back says that nothing came of it
            items = f'{found[2].rstrip()}, "{ident}"' if found[2].strip() else f'"{ident}"'
            return [*lines[:at], f"{found[1]}{items}{found[3]}{ending}", *lines[at + 1 :]]
    return [*lines[:number], f'supersedes: ["{ident}"]{ending}', *lines[number:]]


def _in_front(lines: list[str], number: int) -> bool:
    if lines[0].lstrip("\ufeff").rstrip() != "---":
        return False
    end = next((n for n, one in enumerate(lines[1:], 1) if one.strip() in ("---", "...")), 0)
    return number - 1 < end


def _fits_yaml(raw: str) -> bool:
    """Whether words can stand in YAML without quotes."""
    return not re.search(r": |\s#|^[\[\]{}>|*&!%#`@,'\"?-]", raw)


def _read_back(record: Record, text: str, wanted: dict[str, Any], number: int, line: str, what: str) -> None:
    """Stop unless the changed text reads as it was meant and everything else as before."""
    document = parse_document(text_of(text.encode()), record.path, record.dialect)
    again = next((one for one in document.records if one.id == record.id), None)
    if again is not None:
        same = all(getattr(again, key) == getattr(record, key) for key in _SAME if key != "line")
        claims = [replace(one, line=0, check=None) for one in again.claims] == [
            replace(one, line=0, check=None) for one in record.claims
        ]
        if same and claims and all(getattr(again, key) == value for key, value in wanted.items()):
            return
    raise _by_hand(record, number, line, what)


def _by_hand(record: Record, number: int, line: str, what: str) -> UsageError:
    msg = f"{record.path}:{number}: cannot be changed safely here: {line.strip()!r}; nothing was written"
    return UsageError(msg, hint=f"edit it by hand: {what}")


def _title(record: Record) -> str:
    return re.sub(r"[\[\]]", "", f"{record.id} {record.title}".strip())
