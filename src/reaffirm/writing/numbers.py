"""The next number of a record: free here, and on every other branch that git knows."""

import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

from reaffirm.model.record import Record
from reaffirm.store.reading.naming import name_of

_NUMBER = re.compile(r"(?:adr[-_ ]?)?(\d{1,9})(?=[-_. ])", re.IGNORECASE)
#: So many branches are asked at most, and git has so long for each answer (seconds).
_BRANCHES, _SECONDS = 300, 10


def next_number(folder: Path, ids: Iterable[str] = ()) -> tuple[str, dict[str, str]]:
    """Return the next free number, with the zeros that the others have, and what was taken elsewhere.

    Args:
        folder: the folder of the records.
        ids: the ids of the records that were read in it.

    The second value names files on other branches whose numbers are above those here, each with its branch.
    """
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    here = [*filter(None, map(_digits, names)), *(one for one in ids if one.isdecimal())]
    highest = max(map(int, here), default=0)
    elsewhere: dict[str, str] = {}
    for branch, name in _on_branches(folder):
        digits = _digits(name)
        if digits and int(digits) > highest:
            elsewhere.setdefault(name, branch)
    taken = [int(_digits(name)) for name in elsewhere]
    width = Counter(map(len, here)).most_common(1)[0][0] if here else 4
    return str(max([highest, *taken]) + 1).zfill(width), elsewhere


def dated_name(records: Sequence[Record], today: date) -> tuple[str, str] | None:
    """Return how a new name begins where most records are named by their day, and its number if any.

    The day has the form that theirs have (``20240311-``, ``2024-03-11-``); None elsewhere.
    """
    names = [(Path(record.path).name, name_of(record.path)) for record in records]
    forms = [
        (match[1], match[2], named)
        for name, named in names
        if named.day and (match := re.match(r"\d{4}([-_.]?)\d\d[-_.]?\d\d([-_ ]+)", name))
    ]
    if not forms or 2 * len(forms) <= len(names):
        return None
    between, join = Counter((one[0], one[1]) for one in forms).most_common(1)[0][0]
    day = today.strftime(f"%Y{between}%m{between}%d")
    numbered = [named for _, _, named in forms if named.number is not None]
    if 2 * len(numbered) <= len(forms):
        return day + join, ""
    last = max(numbered, key=lambda named: named.number or 0)
    number = str((last.number or 0) + 1).zfill(len(last.id))
    return f"{day}{join}{number}-", number


def _digits(name: str) -> str:
    if name_of(name).day is not None:
        return ""  # a day at the front is no number
    found = _NUMBER.match(name)
    return found[1] if found else ""


def _on_branches(folder: Path) -> Iterator[tuple[str, str]]:
    """Names of files in this folder on all branches, here and on remotes; nothing outside of git."""
    if not folder.is_dir():
        return
    refs = _git(folder, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes")
    for ref in refs.split("\n")[:_BRANCHES]:
        if ref:
            for name in _git(folder, "ls-tree", "-z", "--name-only", ref, ".").split("\0"):
                if name:
                    yield ref, name.rpartition("/")[2]


def _git(folder: Path, *words: str) -> str:
    argv = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(argv, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
