"""Which status may follow which, and how one record takes the place of another."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from reaffirm.errors import UsageError
from reaffirm.model.record import Record, Status
from reaffirm.store.atomic import write_text
from reaffirm.store.reading.collection import Collection
from reaffirm.store.template import leftovers_in
from reaffirm.writing.edits import with_predecessor, with_status

#: What a status may become by ``reaffirm status``. Superseded it becomes by ``reaffirm supersede`` alone:
#: that needs the other record.
NEXT: Mapping[Status | None, tuple[Status, ...]] = {
    Status.DRAFT: (Status.PROPOSED, Status.REJECTED),
    Status.PROPOSED: (Status.ACCEPTED, Status.REJECTED, Status.DRAFT),
    Status.ACCEPTED: (Status.DEPRECATED,),
    Status.REJECTED: (Status.PROPOSED,),
    Status.DEPRECATED: (Status.ACCEPTED,),
    Status.SUPERSEDED: (),
    Status.OTHER: (Status.DRAFT, Status.PROPOSED, Status.ACCEPTED, Status.REJECTED, Status.DEPRECATED),
    None: (Status.DRAFT, Status.PROPOSED, Status.ACCEPTED, Status.REJECTED, Status.DEPRECATED),
}


def find(found: Collection, word: str) -> Record:
    """Return the record of that id, number or path.

    Raises:
        UsageError: there is none, or more than one.
    """
    named = [one for one in found.records if one.path == Path(word).as_posix()]
    named = named or [one for one in found.records if one.id == word]
    if not named and word.isdecimal():
        named = [one for one in found.records if one.id.isdecimal() and int(one.id) == int(word)]
    if len(named) == 1:
        return named[0]
    if named:
        paths = ", ".join(one.path for one in named)
        msg = f"{len(named)} records are called {word!r}: {paths}"
        raise UsageError(msg, hint="say which one by its path")
    ids = [one.id for one in found.records]
    near = get_close_matches(word, ids, n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    msg = f"there is no record {word!r}{meant}"
    raise UsageError(msg, hint="reaffirm records lists them")


def set_status(found: Collection, word: str, wanted: str) -> tuple[Record, str]:
    """Give a record another status and return it as it was, with the words that stand there now.

    Raises:
        UsageError: no such record or status, this one may not follow that one, or the record to accept has
            text of the template; nothing was written.
    """
    record = find(found, word)
    status = _status(wanted)
    if status is Status.SUPERSEDED:
        msg = "a record is superseded by another one"
        raise UsageError(msg, hint=f"reaffirm supersede {record.id} NEW")
    allowed = NEXT.get(record.status, ())
    if status is record.status:
        return record, record.status_raw
    if status not in allowed:
        may = ", ".join(allowed) or "nothing else"
        msg = f"{record.path}: {record.status or 'no status'} cannot become {status}"
        raise UsageError(msg, hint=f"from there it may become: {may}")
    path = found.files[record.path]
    if status is Status.ACCEPTED:
        _need_written(found, record)
    raw = _like(record.status_raw, status)
    write_text(path, with_status(_text(path), record, raw, status))
    return record, raw


def supersede(found: Collection, old_word: str, new_word: str) -> tuple[Record, Record]:
    """Let one record take the place of another: both say so, or neither.

    Raises:
        UsageError: no such record, or their status does not allow it; nothing was written.
    """
    old, new = find(found, old_word), find(found, new_word)
    if old.path == new.path:
        msg = f"{old.path}: a record cannot supersede itself"
        raise UsageError(msg, hint="name the old record first, then the new one")
    if old.status is Status.SUPERSEDED:
        by = ", ".join(old.superseded_by) or "another one"
        msg = f"{old.path} is superseded already, by {by}"
        raise UsageError(msg, hint="supersede that one instead")
    if new.status is not Status.ACCEPTED:
        msg = f"{new.path} is {new.status or 'without a status'}: only an accepted decision takes the place"
        raise UsageError(msg, hint=f"first: reaffirm status {new.id} accepted")
    old_path, new_path = found.files[old.path], found.files[new.path]
    before = _text(old_path)
    raw = _like(old.status_raw, Status.SUPERSEDED) + f" by [{new.id}]({_link(old_path, new_path)})"
    after = with_status(before, old, raw, Status.SUPERSEDED)
    newer = with_predecessor(_text(new_path), new, old, _link(new_path, old_path))
    write_text(old_path, after)
    try:
        write_text(new_path, newer)
    except BaseException:
        write_text(old_path, before)
        raise
    return old, new


def _need_written(found: Collection, record: Record) -> None:
    """Refuse to accept what nobody wrote."""
    titles = [one for one in found.problems if (one.path, one.code) == (record.path, "template-text")]
    left = sorted({*titles, *leftovers_in(found.files[record.path], record.path)})
    if left:
        lines = "".join(f"\n{one.path}:{one.line}: {one.message}" for one in left)
        msg = f"{record.path} still has text of the template and cannot be accepted{lines}"
        raise UsageError(msg, hint="write what holds for this decision, or remove these lines")


def _status(word: str) -> Status:
    known = [str(one) for one in Status if one is not Status.OTHER]
    if word.lower() in known:
        return Status(word.lower())
    near = get_close_matches(word.lower(), known, n=1)
    msg = f"there is no status {word!r}" + (f"; did you mean {near[0]}?" if near else "")
    raise UsageError(msg, hint=f"one of: {', '.join(known)}")


def _like(raw: str, status: Status) -> str:
    """The word with a capital where the old one had one."""
    return status.capitalize() if raw[:1].isupper() else str(status)


def _link(start: Path, target: Path) -> str:
    return Path(os.path.relpath(target, start.parent)).as_posix()


def _text(path: Path) -> str:
    """The text as it is: ends of lines and a mark at the beginning stay."""
    return path.read_bytes().decode("utf-8")
