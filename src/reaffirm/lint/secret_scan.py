"""Finds secrets in files that exist: notebooks, recordings, logs, pages, sources. None is ever shown."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii
from pathlib import Path
from typing import Any

from reaffirm.model.finding import Finding
from reaffirm.redact import find, hidden, secrets_of

#: Of a file, that much is looked at (bytes).
MOST_BYTES = 32 * 1024 * 1024
#: A longer JSON text is looked at as text only (bytes).
_MOST_JSON = 16 * 1024 * 1024
_SKIPPED = frozenset(
    [".git", ".venv", "node_modules", "__pycache__", ".hypothesis", ".mypy_cache", ".ruff_cache"]
)
_BINARY = 8192
#: A line with this word, or under a line with it that says nothing else, is not looked at.
INLINE = "reaffirm: not-a-secret"
_HINT = (
    "take it out and change the secret; one that is made up is allowed by a comment or a file of allowances"
)
#: What is shown of a secret at most, and from which length on (characters).
_SHOWN, _SHOWN_FROM = 3, 12

# What JSON may write otherwise than it reads though nothing asks for it (PHP: \/, Go: \u0026), and a list
# that begins with a text.
_NEEDLESS = re.compile(r"\\(?:/|u00[2-7])")
_LIST = re.compile(r"\[\s*\"")

_WHAT = {
    "known-secret": "a value that this environment holds as a secret",
    "private-key": "a private key",
    "url-password": "a password or token in an address",
    "url-parameter": "a secret parameter of an address",
    "named-secret": "a value under a secret's name",
    "option-secret": "a secret on a command line",
    "header": "a header that authorises",
    "netrc": "a password of a .netrc",
    "docker-auth": "credentials of a registry",
    "marked-pattern": "what a machine file marks as secret",
}


@dataclass
class Looked:
    """What a scan did not look at, or not to the end; paths as they are shown."""

    files: int = 0
    binary: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def scan(paths: Iterable[Path], looked: Looked) -> Iterator[Finding]:
    """Yield what looks like a secret in these files and in all files below these folders, by path and line.

    ``looked`` is filled on the way.
    """
    for path in paths:
        for file in _files(path, looked):
            yield from _scan_file(file, str(file), looked)


def _files(path: Path, looked: Looked) -> Iterator[Path]:
    try:
        if path.is_symlink() or not path.is_dir():
            children = None
        else:
            names = sorted(path.iterdir())
            children = [one for one in names if one.name not in _SKIPPED and not one.is_symlink()]
    except OSError:  # a folder that may not be entered
        looked.unreadable.append(str(path))
        return
    if children is None:
        yield path
    for child in children or ():
        yield from _files(child, looked)


def _scan_file(path: Path, shown: str, looked: Looked) -> Iterator[Finding]:
    try:
        if not path.is_file():  # a pipe, a socket
            return
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError:
        looked.unreadable.append(shown)
        return
    if len(data) > MOST_BYTES:
        looked.cut.append(shown)
        data = data[:MOST_BYTES]
    text = _as_text(data)
    if text is None:
        looked.binary.append(shown)
        return
    looked.files += 1
    yield from scan_text(text, shown)


def _as_text(data: bytes) -> str | None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return None if b"\0" in data[:_BINARY] else data.decode("utf-8", "replace")


def scan_text(text: str, shown: str) -> Iterator[Finding]:
    """Yield what looks like a secret in a text; ``shown`` is the path that the findings have."""
    allowed = _allowed_lines(text)
    found: dict[tuple[int, str], Finding] = {}
    ends = _Lines(text)
    masked: set[int] = set()
    for one in sorted(find(text)):
        line = ends.line(one.start)
        masked.update(range(line, ends.line(max(one.start, one.end - 1)) + 1))
        found.setdefault((line, one.code), _finding(shown, line, one.code, text[one.start : one.end]))
    # what colours, line ends or the form of JSON cut up
    places = [(places[0][0], places) for places in hidden(text)]
    for start, parts in sorted(places):
        line = ends.line(start)
        if line not in masked:
            masked.add(line)
            secret = "".join(text[a:b] for a, b in parts)
            found[line, "split"] = _finding(shown, line, "split-secret", secret)
    for line, secret in _in_json(text, shown):
        if line not in masked and (line, "json") not in found:
            found[line, "json"] = _finding(shown, line, "split-secret", secret)
    yield from (finding for (line, _), finding in sorted(found.items()) if line not in allowed)


def _finding(shown: str, line: int, code: str, secret: str) -> Finding:
    what = _WHAT.get(code, f"what looks like a {code.replace('-', ' ')}")
    if code == "split-secret":
        what = "a secret that colours, line ends or quotes cut up"
    begin = (
        f", begins with {secret[:_SHOWN]!r}" if len(secret) >= _SHOWN_FROM and secret[:3].isalnum() else ""
    )
    return Finding(shown, line, code, f"{what} ({len(secret)} characters{begin})", _HINT)


class _Lines:
    """Line numbers of places in a text that is asked from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def line(self, at: int) -> int:
        """The line of a place, from 1."""
        if at < self._at:
            self._at, self._line = 0, 1
        self._line += self._text.count("\n", self._at, at)
        self._at = at
        return self._line


def _allowed_lines(text: str) -> frozenset[int]:
    if INLINE not in text:
        return frozenset()
    lines = text.split("\n")
    allowed = set()
    for number, line in enumerate(lines, 1):
        if INLINE in line:
            alone = line.strip().startswith(("#", "<!--", "//", ";", "--"))
            allowed |= {number, number + 1} if alone else {number}
    return frozenset(allowed)


def _in_json(text: str, shown: str) -> Iterator[tuple[int, str]]:
    """Secrets that only the texts inside of JSON show: a key over the lines of a notebook's output."""
    if not shown.endswith((".ipynb", ".json", ".jsonl", ".ndjson")) or len(text) > _MOST_JSON:
        return
    parts = [text] if shown.endswith((".ipynb", ".json")) else text.split("\n")
    for number, part in enumerate(parts, 1):
        if "\\" not in part and not _LIST.search(part):
            continue  # no text here reads otherwise than it stands, and no list has lines
        try:
            data = json.loads(part)
        except (ValueError, RecursionError):
            continue
        otherwise = _NEEDLESS.search(part) is not None
        for string in _strings(data, otherwise):
            for places in secrets_of(string):
                secret = "".join(string[a:b] for a, b in places)
                line = _line_of(part, string, places[0][0]) + number - 1
                yield line, secret


def _line_of(raw: str, string: str, at: int) -> int:
    """The line of the raw JSON that holds the place ``at`` of a text; 1 if unknown."""
    begin = string.rfind("\n", 0, at) + 1
    end = string.find("\n", at)
    line = string[begin : len(string) if end < 0 else end]
    for form in (json.dumps(line)[1:-1], json.dumps(line, ensure_ascii=False)[1:-1]):
        place = raw.find(form)
        if place >= 0:
            return raw.count("\n", 0, place) + 1
    return 1


def _strings(data: Any, otherwise: bool) -> Iterator[str]:
    """The texts that JSON writes in another form than they have; the others were looked at as they stand.

    ``otherwise`` is whether it may have written each text so.
    """
    if isinstance(data, str):
        if otherwise or len(encode_basestring_ascii(data)) != len(data) + 2:
            yield data
    elif isinstance(data, dict):
        for value in data.values():
            yield from _strings(value, otherwise)
    elif isinstance(data, list):
        if len(data) > 1 and all(isinstance(item, str) for item in data):
            yield "".join(data)  # a text in lines, as notebooks have it
        for item in data:
            yield from _strings(item, otherwise)
