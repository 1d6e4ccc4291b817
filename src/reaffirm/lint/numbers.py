"""Numbers and names: each number once, here and on the branch that this one goes to."""

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from reaffirm.errors import UsageError
from reaffirm.lint.subject import Subject, folder_of
from reaffirm.model.finding import Finding
from reaffirm.model.record import Record
from reaffirm.store.reading.naming import SUFFIXES, name_of, neighbour
from reaffirm.store.reading.targets import number_of

_HINT = "give one of them the next free number"


def numbers(subject: Subject) -> Iterator[Finding]:
    """Yield numbers that are used twice in a folder, numbers that nobody gave yet, and copies."""
    used: dict[tuple[str, object], list[Record]] = defaultdict(list)
    titles: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for _, record in subject.records:
        number = number_of(record.id)
        used[folder_of(record.path), record.id if number is None else number].append(record)
        if record.title:
            titles[record.path.rpartition("/")[2], record.title].append(record)
        if name_of(record.path).placeholder:
            message = f"{record.path.rpartition('/')[2]} has no number yet"
            yield Finding(record.path, 1, "number-placeholder", message, "give it the next free number")
    for records in used.values():
        for record in records if len(records) > 1 else ():
            others = ", ".join(one.path.rpartition("/")[2] for one in records if one is not record)
            message = f"the number {record.id} is also that of {others}"
            line = record.lines.get("title", record.line)
            yield Finding(record.path, line, "number-duplicate", message, _HINT)
    for records in titles.values():
        for record in records if len({folder_of(one.path) for one in records}) > 1 else ():
            others = ", ".join(one.path for one in records if one is not record)
            line = record.lines.get("status", record.line)
            yield Finding(record.path, line, "record-copy", f"a copy of {others}", "keep one of them")


def names(subject: Subject) -> Iterator[Finding]:
    """Yield files whose names are unlike those of nearly all others in their folder."""
    folders: dict[str, list[str]] = defaultdict(list)
    for document in subject.documents:
        folders[folder_of(document.path)].append(document.path)
    for paths in folders.values():
        styles = {path: _style(path) for path in paths}
        for style in set(styles.values()):
            unlike = [path for path in paths if styles[path] != style]
            if len(paths) >= 8 and len(unlike) <= len(paths) // 20 + 1 and len(unlike) < len(paths) // 2:
                for path in unlike:
                    name = path.rpartition("/")[2]
                    message = f"the name {name!r} is unlike the others here ({style})"
                    yield Finding(path, 1, "name-style", message, "rename it, and the links to it")


def _style(path: str) -> str:
    name = path.rpartition("/")[2].rpartition(".")[0]
    joined = "underscores" if "_" in name else "spaces" if " " in name else "dashes"
    case = "lower case" if name == name.lower() else "mixed case"
    return f"{joined}, {case}"


def collisions(subject: Subject) -> Iterator[Finding]:
    """Yield numbers that were taken on the other branch meanwhile.

    Raises:
        UsageError: git does not know the branch, or this is no repository.
    """
    ref = subject.settings.against
    if not ref:
        return
    base = _git(subject.root, "merge-base", ref, "HEAD").strip()
    before = set(_files(subject.root, base))
    theirs: dict[tuple[str, int], str] = {}
    for path in set(_files(subject.root, ref)) - before:
        number = name_of(path).number
        if number is not None and not neighbour(path):
            theirs[folder_of(path), number] = path
    for _, record in subject.records:
        path = _from_root(subject, record.path)
        number = number_of(record.id)
        if path in before or number is None:
            continue
        other = theirs.get((folder_of(path), number))
        if other is not None and other != path:
            message = f"the number {record.id} was taken on {ref} by {other.rpartition('/')[2]}"
            yield Finding(record.path, record.line, "number-collision", message, "take the next free number")


def _from_root(subject: Subject, path: str) -> str:
    whole = (subject.here / path).absolute()
    try:
        return whole.relative_to(subject.root.absolute()).as_posix()
    except ValueError:
        return path


def _files(root: Path, ref: str) -> list[str]:
    listed = _git(root, "ls-tree", "-r", "-z", "--name-only", ref)
    endings = tuple(SUFFIXES)
    return [path for path in listed.split("\0") if path.lower().endswith(endings)]


def _git(root: Path, *words: str) -> str:
    ref = next((word for word in words[1:] if not word.startswith("-")), "")
    if ref.startswith("-") or not re.fullmatch(r"[\w./@{}^~-]+", ref):
        msg = f"{ref!r} is no name of a branch"
        raise UsageError(msg, hint="such as origin/main")
    try:
        done = subprocess.run(  # noqa: S603
            ["git", "-C", str(root), *words],  # noqa: S607
            capture_output=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        msg = f"git could not be asked: {error}"
        raise UsageError(msg, hint="leave --against out") from error
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        msg = f"git knows no {ref!r} here: {told}"
        raise UsageError(msg, hint="git fetch, or name another branch")
    return done.stdout.decode("utf-8", "surrogateescape")
