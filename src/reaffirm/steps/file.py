"""file: is a file there, how large, and does it hold what it should?"""

import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass

from reaffirm.errors import UsageError
from reaffirm.model.changes import Change
from reaffirm.model.exchange import Answer
from reaffirm.model.extract import Recipe
from reaffirm.model.fact import FactValue
from reaffirm.model.report import Outcome
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.transport import Transport
from reaffirm.steps.asking import NO_ANSWER, Asker, why_not
from reaffirm.steps.authored import AuthoredResult, checked_name, excerpt, named_facts, take
from reaffirm.steps.check_rows import FAIL, PASS, UNKNOWN, Checks, all_of
from reaffirm.steps.declaring import declares
from reaffirm.steps.extracting import extracts
from reaffirm.steps.result import tell

#: A larger file is not read (bytes). What is hashed may be larger: it stays where it is.
MOST_BYTES = 1_000_000
_OWN = ("passed", "exists", "size", "mode", "sha256", "contains", "matches")
_ABSENT = re.compile(r"No such file|Not a directory", re.IGNORECASE)
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_MODE = re.compile(r"0?[0-7]{3,4}\Z")


@dataclass(frozen=True)
class FileResult(AuthoredResult):
    """What a file was found to be. ``text`` is empty where it was not read."""

    text: str = ""


@dataclass(frozen=True)
class _Seen:
    """``None`` is what could not be told; ``why`` says why."""

    exists: bool | None
    size: int | None = None
    mode: int | None = None
    why: str = ""

    @property
    def readable(self) -> str:
        """Why it is not read; empty when it is."""
        if not self.exists:
            return self.why or "there is no such file"
        if self.mode is not None and not stat.S_ISREG(self.mode):
            return "not a regular file"
        if self.size is not None and self.size > MOST_BYTES:
            return f"{self.size} bytes are more than the {MOST_BYTES} that are read"
        return ""


@declares(Change.NOTHING)
def file(
    cluster: Cluster,
    path: str,
    *,
    node: str = "",
    name: str = "file",
    exists: bool = True,
    contains: str = "",
    matches: str = "",
    sha256: str = "",
    mode: str = "",
    facts: Mapping[str, Recipe] | None = None,
) -> FileResult:
    """Look at one file of one node, with ``stat``, ``cat`` and ``sha256sum``. Nothing is changed.

    Args:
        cluster: the nodes of the run.
        path: the file. One that is not absolute begins at the login's home behind SSH, and at the project's
            root on this machine.
        node: the node's name (default: the head, or the only node).
        name: what stands before the facts: ``<name>.passed``, ``.exists``, ``.size`` (B), ``.mode``, and
            ``.contains``, ``.matches``, ``.sha256`` where they were asked for.
        exists: whether it should be there.
        contains: a text that must be in it.
        matches: a regular expression that must be found in it; ``^`` and ``$`` are ends of lines.
        sha256: the hash that it must have (64 hexadecimal digits).
        mode: the permissions that it must have, such as ``"0600"``.
        facts: more facts and how each is found in its text; see :func:`command`.

    A file of more than a megabyte is not read, only hashed. Secrets in it are masked before anything looks.

    Raises:
        UsageError: a value that cannot be used. Nothing was sent.
    """
    checked_name(name)
    recipes = extracts(facts or {}, _OWN)
    word = _checked(path, matches, sha256, mode, exists, content=bool(contains or recipes))
    where = cluster.one(node)
    asker = Asker()
    seen = _look(asker, where, word)
    text, unread = "", seen.readable
    # Where stat does not tell, reading does: cat says too when there is no such file.
    if seen.exists is None or (not unread and (contains or matches or recipes)):
        text, unread, seen = _read(asker, where, word, seen)
    checks = Checks()
    values: dict[str, tuple[FactValue, str]] = {}
    verdicts: list[bool | None] = []

    def judge(check: str, verdict: bool | None, told: str) -> None:
        checks.add(where.node.name, check, {True: PASS, False: FAIL, None: UNKNOWN}[verdict], told)
        verdicts.append(verdict)

    there = {True: "there", False: "not there", None: f"unknown: {seen.why}"}[seen.exists]
    judge(
        "is there" if exists else "is not there",
        None if seen.exists is None else seen.exists is exists,
        there,
    )
    if mode:
        permissions = None if seen.mode is None else stat.S_IMODE(seen.mode)
        told = "unknown" if permissions is None else f"{permissions:04o}"
        judge(f"mode is {mode}", None if permissions is None else permissions == int(mode, 8), told)
    for key, wanted, hit in (
        ("contains", contains, contains in text),
        ("matches", matches, bool(matches) and re.search(matches, text, re.MULTILINE) is not None),
    ):
        if wanted:
            verdict = None if unread else hit
            judge(f"{key} {wanted!r}", verdict, unread or ("found" if hit else "not found"))
            values[key] = (verdict, "")
    if sha256:
        digest, told = _digest(asker, where, word, seen)
        judge(f"sha256 is {sha256[:12]}…", None if digest is None else digest == sha256.lower(), told)
        values["sha256"] = (digest, "")
    taken = take(recipes, text, unread)
    passed = all_of(verdicts)
    outcome = Outcome.FAIL if passed is False else Outcome.PASS if passed else Outcome.UNKNOWN
    if passed and taken.unknown:
        outcome = Outcome.UNKNOWN
    size = None if not seen.exists else seen.size
    whole: dict[str, tuple[FactValue, str]] = {
        "passed": (passed, ""),
        "exists": (seen.exists, ""),
        "size": (size, "B"),
        "mode": (None if seen.mode is None else f"{stat.S_IMODE(seen.mode):04o}", ""),
        **values,
        **taken.facts,
    }
    bad = [row for row in checks.rows if row[0] != PASS]
    reason = "; ".join(f"{check}: {told}" for _, _, check, told, _ in bad) or "as expected"
    if taken.unknown and not bad:
        reason = f"unknown: {taken.unknown[0]}"
    report = tell(
        cluster,
        asker,
        name,
        outcome,
        f"{path} on {where.node.name}: {reason}",
        blocks=(checks.table(), *taken.tables, *excerpt("Text", text)),
        facts=named_facts(name, whole),
    )
    return FileResult(report, name, {key: value for key, (value, _) in whole.items()}, text)


def _checked(path: str, matches: str, sha256: str, mode: str, exists: bool, *, content: bool) -> str:
    """Return the path as a word that no program takes for an option."""
    if not isinstance(path, str) or not path or "\0" in path or path.startswith("~"):
        msg = f"a path is a text such as /etc/hosts, got {path!r}"
        raise UsageError(msg, hint="no shell reads it, so ~ is not a home; write the path from /")
    if not exists and (content or matches or sha256 or mode):
        msg = f"{path} should not be there, so nothing can be said of what is in it"
        raise UsageError(msg, hint="leave out exists=False, or the other expectations")
    try:
        re.compile(matches)
    except re.error as error:
        msg = f"matches is not a regular expression: {error}, got {matches!r}"
        raise UsageError(msg, hint="try it in Python's re module first") from error
    if sha256 and not _SHA256.match(sha256.lower()):
        msg = f"sha256 has 64 hexadecimal digits, got {sha256!r}"
        raise UsageError(msg, hint="take it from sha256sum")
    if mode and not _MODE.match(mode):
        msg = f"mode is permissions in octal, got {mode!r}"
        raise UsageError(msg, hint='such as mode="0644"')
    return f"./{path}" if path.startswith("-") else path


def _look(asker: Asker, where: Transport, path: str) -> _Seen:
    # %f is the raw mode in hexadecimal: the same in every language, unlike the name of a file's type.
    answer = asker.look(where, ["stat", "-L", "-c", "%s %f", path])
    words = answer.stdout.split()
    try:
        if answer.ok:
            return _Seen(True, int(words[0]), int(words[1], 16))
    except (IndexError, ValueError):
        return _Seen(None, why="stat says something that cannot be read")
    return _absent(answer) or _Seen(None, why=why_not(answer))


def _absent(answer: Answer) -> _Seen | None:
    missing = answer.exit not in (NO_ANSWER, 127) and _ABSENT.search(answer.stderr)
    return _Seen(False, why="there is no such file") if missing else None


def _read(asker: Asker, where: Transport, path: str, seen: _Seen) -> tuple[str, str, _Seen]:
    answer = asker.look(where, ["cat", path])
    if answer.ok:
        size = len(answer.stdout.encode("utf-8", "replace"))
        known = seen if seen.exists else _Seen(True, why=seen.why)
        if size > MOST_BYTES:
            return "", f"{size} bytes are more than the {MOST_BYTES} that are read", known
        return answer.stdout, "", known
    return "", why_not(answer), seen if seen.exists else (_absent(answer) or seen)


def _digest(asker: Asker, where: Transport, path: str, seen: _Seen) -> tuple[str | None, str]:
    if not seen.exists or (seen.mode is not None and not stat.S_ISREG(seen.mode)):
        return None, seen.readable or seen.why
    answer = asker.look(where, ["sha256sum", path], timeout=600)
    word = answer.stdout.removeprefix("\\").split()
    if not answer.ok or not word or not _SHA256.match(word[0]):
        return None, why_not(answer)
    return word[0], f"{word[0][:12]}…"
