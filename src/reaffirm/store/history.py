"""Asks git once for the changes of all records; without git, or in a shallow clone, there is no history.

A change of a status is told where both words stand alone on a line of the commit: ``status: accepted`` in
front matter, ``Status: Accepted`` in the text, or a line that is only the word, as below ``## Status``.
"""

import os
import posixpath
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from reaffirm.model.history import Change, History
from reaffirm.model.record import Status
from reaffirm.redact.masking import redact
from reaffirm.store.reading.status_words import status_at

#: How long git may take (seconds).
SECONDS = 10.0
# More folders than that are asked for as one, by the endings of their files.
_FOLDERS = 40
_LONGEST = 160
# Further down no record has its status.
_LINES = 80
_COMMIT, _PART = "\x1e", "\x1f"
_LABELLED = re.compile(
    r"[\s>*+|-]*(?:\*\*|__)?(?P<word>status)(?:\*\*|__)?\s*[:=|](?:\*\*|__)?\s*[\"'*_]*(?P<value>\w.*)", re.I
)
_SETTINGS = ("core.quotePath=false", "diff.noprefix=false", "diff.mnemonicPrefix=false", "diff.renames=true")


class _NoHistoryError(Exception):
    """Why git tells nothing."""


def read_history(root: Path, paths: Iterable[str], *, seconds: float = SECONDS) -> History:
    """Return the changes of files of a project.

    Args:
        root: the folder of the project.
        paths: the files, from there.
        seconds: how long git may take.
    """
    wanted = frozenset(paths)
    if not wanted:
        return History()
    log = (
        *("log", "--no-color", f"--format={_COMMIT}%H{_PART}%cI{_PART}%s", "--patch", "--unified=0"),
        *("--no-ext-diff", "--no-textconv", "--find-renames", "--relative", "--", *_pathspecs(wanted)),
    )
    try:
        if _git(root, ("rev-parse", "--is-shallow-repository"), seconds).strip() == "true":
            return History(missing="this is a shallow clone: it does not hold the earlier commits")
        return History(_by_path(_git(root, log, seconds), wanted))
    except _NoHistoryError as why:
        return History(missing=str(why))


def _pathspecs(paths: Iterable[str]) -> Sequence[str]:
    """Folders instead of files: git holds each file of a commit against each of them."""
    folders = sorted({posixpath.dirname(path) for path in paths})
    endings = sorted({posixpath.splitext(path)[1] for path in paths})
    if len(folders) > _FOLDERS:
        return [f":(glob)**/*{ending}" for ending in endings]
    literal = [re.sub(r"([\\*?\[])", r"\\\1", folder) for folder in folders]
    return [f":(glob){posixpath.join(folder, '*')}{ending}" for folder in literal for ending in endings]


def _git(root: Path, words: Sequence[str], seconds: float) -> str:
    settings = [part for one in _SETTINGS for part in ("-c", one)]
    try:
        done = subprocess.run(  # noqa: S603
            ["git", "-C", str(root), "--no-optional-locks", "--no-pager", *settings, *words],  # noqa: S607
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except OSError as error:
        msg = "there is no git here"
        raise _NoHistoryError(msg) from error
    except subprocess.TimeoutExpired as error:
        msg = f"git took longer than {seconds:g} s"
        raise _NoHistoryError(msg) from error
    if done.returncode != 0:
        msg = "this folder is in no git repository with a commit"
        raise _NoHistoryError(msg)
    return done.stdout.decode("utf-8", "replace")


def _by_path(log: str, wanted: frozenset[str]) -> dict[str, tuple[Change, ...]]:
    """Go back in time; a file that was renamed is followed under its earlier name."""
    found: dict[str, list[Change]] = {}
    now: dict[str, str] = {}
    for text in log.split(f"\n{_COMMIT}") if log else ():
        head, _, patch = text.lstrip(f"{_COMMIT}\n").partition("\n")
        commit, when, subject = head.split(_PART, 2)
        moment, said = datetime.fromisoformat(when), redact(subject)
        renamed: dict[str, str] = {}
        for file in _files(patch):
            path = now.get(file.path, file.path)
            if file.old and file.old != file.path:
                renamed[file.old] = path
            if path in wanted:
                moved = file.old if file.old != file.path else ""
                before, after = _status(file.lines)
                change = Change(commit, moment, said, not file.old, moved, after, before)
                found.setdefault(path, []).append(change)
        now |= renamed
    return {path: tuple(changes) for path, changes in found.items()}


class _File:
    """What a commit does to one file: ``old`` is its name before, empty where there was none."""

    def __init__(self) -> None:
        self.path = self.old = ""
        self.lines: list[str] = []


def _files(patch: str) -> Iterator[_File]:
    file: _File | None = None
    hunk = False
    for line in patch.split("\n"):
        if line.startswith("diff --git "):
            if file and file.path:
                yield file
            file, hunk = _File(), False
        elif file is None:
            continue
        elif line.startswith("@@ "):
            hunk = True
        elif hunk:
            if len(file.lines) < _LINES and line[:1] in ("+", "-"):
                file.lines.append(line)
        elif line.startswith(("--- ", "+++ ", "rename from ", "rename to ")):
            name = _name(line)
            if line.startswith(("+++ ", "rename to ")):
                file.path = name
            else:
                file.old = name
    if file and file.path:
        yield file


def _name(line: str) -> str:
    """The path in ``+++ b/adrs/0001-x.md``; git quotes what has odd signs in it."""
    word = line.split(" ", 2 if line.startswith("rename") else 1)[-1].rstrip("\t")
    if word.startswith('"'):
        word = word.strip('"').encode("latin-1", "replace").decode("unicode_escape", "replace")
    if word == "/dev/null":
        return ""
    return word if line.startswith("rename") else word[2:]


def _status(lines: Iterable[str]) -> tuple[Status | None, Status | None]:
    """The status before and after, where it is written alone on its line."""
    found: dict[str, Status] = {}
    for line in lines:
        if line[0] not in found and (status := _word(line[1:].strip())) is not None:
            found[line[0]] = status
    return found.get("-"), found.get("+")


def _word(line: str) -> Status | None:
    labelled = _LABELLED.match(line)
    if labelled:
        return status_at(labelled["value"])[0]
    status, rest = status_at(line.lstrip("*_-+ "))
    rest = rest.strip(" .*_")
    alone = not rest or (status is Status.SUPERSEDED and len(rest) < _LONGEST and rest.startswith("by"))
    return status if alone else None
