"""The ledger: JSON lines, each with the hash of itself and the hashes of the newest lines that it saw.

::

    {"schema":1,"op":"published","at":"2026-11-30T12:00:00Z","run":"pivot_to_vllm/20261130T142913Z",
     "files":{"facts.json":"<sha256>",…},"heads":["<h of an earlier line>"],"supersedes":[],"h":"<sha256>"}

``heads`` makes a chain that survives merges: two branches that both append have two newest lines, git's union
merge keeps both, and the next line names both. ``supersedes`` names the lines about the same run that this
one takes the place of. ``h`` is over all other fields. Nothing is ever taken out. A line that a crash cut
short stays where it is; the next one says so by its hash (``after_torn``).
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from reaffirm.errors import DocumentError
from reaffirm.model.finding import Finding

SCHEMA = 1
#: Name of a ledger, in ``docs/runs`` and in ``runs``.
LEDGER = "ledger.jsonl"
_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, sort_keys=True)
_HINT = "git's history has the line as it was: git log -p"


@dataclass(frozen=True)
class Entry:
    """One line. ``hash`` is what it says of itself, ``line`` where it stands (from 1)."""

    line: int
    hash: str
    fields: Mapping[str, Any]

    @property
    def op(self) -> str:
        """What happened, such as ``published``."""
        return str(self.fields.get("op", ""))

    @property
    def run(self) -> str:
        """Which run it is about."""
        return str(self.fields.get("run", ""))

    @property
    def at(self) -> str:
        """When it was written (UTC)."""
        return str(self.fields.get("at", ""))

    @property
    def files(self) -> Mapping[str, str]:
        """The SHA-256 of each file of the run, by its path."""
        found = self.fields.get("files")
        return {str(k): str(v) for k, v in found.items()} if isinstance(found, dict) else {}

    @property
    def heads(self) -> tuple[str, ...]:
        """The newest lines that it saw."""
        return _words(self.fields.get("heads"))

    @property
    def supersedes(self) -> tuple[str, ...]:
        """The lines about the same run that it takes the place of."""
        return _words(self.fields.get("supersedes"))


@dataclass(frozen=True)
class Ledger:
    """A ledger that was read, and what is wrong with its lines. ``torn`` is a last line without its end."""

    path: str
    entries: tuple[Entry, ...]
    findings: tuple[Finding, ...] = ()
    torn: bytes = b""

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """The newest lines: those that no other line names."""
        named = {head for entry in self.entries for head in entry.heads}
        return tuple(dict.fromkeys(e.hash for e in self.entries if e.hash not in named))

    @cached_property
    def runs(self) -> Mapping[str, tuple[Entry, ...]]:
        """What counts about each run: its lines that no other takes the place of. Two branches leave two."""
        gone = {old for entry in self.entries for old in entry.supersedes}
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            if entry.hash not in gone and entry.run:
                found.setdefault(entry.run, []).append(entry)
        return {run: tuple(entries) for run, entries in found.items()}


def line_of(fields: Mapping[str, Any]) -> tuple[str, str]:
    """Return a line without its newline, and its hash."""
    body = _ENCODER.encode(fields)
    digest = hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()
    return _ENCODER.encode({**fields, "h": digest}), digest


def read_ledger(path: Path, *, shown: str = "") -> Ledger:
    """Read a ledger; one that is not there is empty. What is wrong with a line becomes a finding.

    Raises:
        DocumentError: the file cannot be read.
    """
    name = shown or str(path)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return Ledger(name, ())
    except OSError as error:
        msg = f"{name}: cannot be read: {error.strerror}"
        raise DocumentError(msg, hint="check the path and its permissions") from error
    return ledger_of(raw, name)


def ledger_of(raw: bytes, name: str) -> Ledger:
    """Read a ledger from its bytes; see :func:`read_ledger`."""
    *whole, rest = raw.split(b"\n")
    entries: dict[str, Entry] = {}
    broken: dict[int, tuple[bytes, str]] = {}
    wrong: list[Finding] = []
    for number, line in enumerate(whole, 1):
        if not line.strip():
            continue
        found = _entry(line, number)
        if isinstance(found, str):
            broken[number] = (line, found)
        else:
            entries.setdefault(found.hash, found)  # a line that a merge took twice is one line
            wrong += _changed(found, line, name)
    torn = b""
    if rest:
        found = _entry(rest, len(whole) + 1)
        if isinstance(found, str):
            torn = rest
            msg = f"the last line breaks off after {len(rest)} bytes: a crash cut it short, or somebody did"
            hint = "reaffirm ledger adopt enters the run that it was about, and the ledger goes on"
            wrong.append(Finding(name, len(whole) + 1, "ledger-torn", msg, hint))
        else:  # only its newline is missing
            entries.setdefault(found.hash, found)
            wrong += _changed(found, rest, name)
    known = {str(e.fields.get("after_torn")) for e in entries.values() if e.fields.get("after_torn")}
    for number, (line, why) in broken.items():
        if hashlib.sha256(line).hexdigest() not in known:
            wrong.append(Finding(name, number, "ledger-damaged", why, _HINT))
    wrong += _gaps(entries, name)
    return Ledger(name, tuple(entries.values()), tuple(sorted(wrong)), torn)


def _entry(line: bytes, number: int) -> Entry | str:
    """Read one line, or say why it is none."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return f"not JSON, got … {line[-40:].decode('utf-8', 'replace')!r}"
    if not isinstance(fields, dict) or not isinstance(fields.get("h"), str) or not fields.get("op"):
        return f"not a line of a ledger, got {str(fields)[:60]!r}"
    if fields.get("schema") != SCHEMA:
        return f"schema {SCHEMA} is what this version reads, got {fields.get('schema')!r}"
    return Entry(number, str(fields.pop("h")), fields)


def _changed(entry: Entry, line: bytes, name: str) -> Iterator[Finding]:
    as_written, digest = line_of(entry.fields)
    msg = f"this line about {entry.run or entry.op} was changed"
    if digest != entry.hash:
        msg = f"{msg}: its hash is {digest[:12]}…, it says {entry.hash[:12]}…"
        yield Finding(name, entry.line, "ledger-changed", msg, _HINT)
    elif line.removesuffix(b"\r") != as_written.encode("utf-8", "surrogatepass"):
        # JSON reads {"run":"a","run":"b"} as b, and a person the a
        msg = f"{msg}: a ledger does not write it so, with a key given twice or a blank put in"
        yield Finding(name, entry.line, "ledger-changed", msg, _HINT)


def _gaps(entries: Mapping[str, Entry], name: str) -> Iterator[Finding]:
    for entry in entries.values():
        for head in dict.fromkeys((*entry.heads, *entry.supersedes)):
            if head not in entries:
                msg = f"this line comes after one that is not here: {head[:12]}… was removed or changed"
                yield Finding(name, entry.line, "ledger-gap", msg, _HINT)


def _words(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list) else ()
