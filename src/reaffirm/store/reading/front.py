"""Front matter: YAML between ``---``, TOML between ``+++``; the body below it, and where it begins."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reaffirm.store.reading.yaml_text import Path, YamlProblemError, read_yaml
from reaffirm.store.toml_lines import TomlLines

_KEY = re.compile(r"([A-Za-z][\w-]*):(?:[ \t]+(.*?))?[ \t]*\Z")
_PLAIN = re.compile(r"[^\s\[\]{}&*!|>%@`#'\",?-][^#]*\Z|'[^']*'\Z|\"[^\"\\]*\"\Z")
_COMMENT = re.compile(r"\s*#+\s*(.+?)\s*\Z")


@dataclass
class Front:
    """What stands before the body. ``marks`` gives the line in the file of each key, by its path.

    ``broken`` is true when not all of it could be read; ``data`` then holds the lines that are beyond
    doubt. ``wrong`` is (line, message, hint); ``comments`` are (line, words).
    """

    data: dict[str, Any] = field(default_factory=dict)
    marks: dict[Path, int] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)
    body: str = ""
    body_line: int = 1
    kind: str = ""
    broken: bool = False
    wrong: list[tuple[int, str, str]] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)


def split(text: str) -> Front:
    """Split a text into its front matter and its body. What is wrong is noted, never raised."""
    lines = text.split("\n")
    start = next((n for n, line in enumerate(lines[:20]) if line.strip()), 0)
    fence = lines[start].rstrip()
    if fence not in ("---", "+++") or (start and fence == "---" and not _is_key(lines, start + 1)):
        return Front(body=text)
    ends = ("---", "...") if fence == "---" else ("+++",)
    end = next((n for n in range(start + 1, len(lines)) if lines[n].rstrip() in ends), None)
    if end is None:
        below = lines[start + 1].strip() if start + 1 < len(lines) else ""
        if fence == "---" and not below and not _is_key(lines, start + 1):
            return Front(body=text)  # a ruler
        message = f"the front matter opened by '{fence}' is never closed"
        wrong = (start + 1, message, f"add a line '{fence}' after it")
        return Front(body=text, broken=True, wrong=[wrong])
    inner = "\n".join(lines[start + 1 : end])
    if (
        fence == "---"
        and inner.strip()
        and not re.search(r"^\s*(?:- |[\w'\"-]+\s*:|[{\[#&!*])", inner, re.MULTILINE)
    ):
        return Front(body=text)  # prose between two rulers
    front = Front(body="\n".join(lines[end + 1 :]), body_line=end + 2)
    if fence == "---":
        _yaml(front, inner, start + 1)
    else:
        _toml(front, inner, start + 1)
    return front


def _is_key(lines: list[str], number: int) -> bool:
    return any(_KEY.match(line) for line in lines[number : number + 3])


def _yaml(front: Front, text: str, offset: int) -> None:
    front.kind = "yaml"
    for number, words in enumerate(text.split("\n"), offset + 1):
        if match := _COMMENT.match(words):
            front.comments.append((number, match[1]))
    try:
        found = read_yaml(text)
    except YamlProblemError as error:
        line = error.line + offset if error.line else 1
        message = re.sub(r"\{(\d+)\}", lambda m: str(int(m[1]) + offset), error.message)
        front.wrong.append((line, message, error.hint))
        front.broken = True
        _line_by_line(front, text, offset)
        return
    front.data = found.data
    front.raw = found.raw
    front.marks = {path: line + offset for path, line in found.marks.items()}
    for tag, at in found.tagged:
        hint = "write the value without a tag"
        message = f"the YAML tag {tag!r} is not followed; the value is left out"
        front.wrong.append((at + offset, message, hint))


def _line_by_line(front: Front, text: str, offset: int) -> None:
    """Take the lines that mean the same however the rest is mended: ``key: plain words`` at the margin."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        match = _KEY.match(line)
        if not match or not match[2] or not _PLAIN.match(match[2]) or ": " in match[2]:
            continue
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if following.startswith((" ", "\t")) and following.strip():
            continue  # it goes on
        key, value = match[1], match[2].strip().strip("'\"")
        if key in front.data:
            front.data[key] = None  # said twice: neither is beyond doubt
            continue
        front.data[key] = front.raw[key] = value
        front.marks[key,] = number + offset + 1
    front.data = {key: value for key, value in front.data.items() if value is not None}
    front.data.pop("claims", None)


def _toml(front: Front, text: str, offset: int) -> None:
    front.kind = "toml"
    read_toml(front, text, offset)


def read_toml(front: Front, text: str, offset: int = 0) -> None:
    """Read TOML into a front; a file that is TOML throughout has no body."""
    try:
        front.data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        match = re.search(r"\(at line (\d+)", str(error))
        line = int(match[1]) + offset if match else 1
        message = re.sub(r"\s*\(at .*\)\Z", "", str(error))
        front.wrong.append((line, f"not TOML: {message}", 'quote texts; write lists as ["a", "b"]'))
        front.broken = True
        return
    places = TomlLines(text)
    _mark(front, front.data, (), places, offset)
    front.raw = {key: str(value) for key, value in front.data.items() if not isinstance(value, dict | list)}


def _mark(front: Front, value: Any, path: Path, places: TomlLines, offset: int, depth: int = 0) -> None:
    items: Any = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, item in items:
        here = (*path, key)
        front.marks[here] = places.line(here) + offset
        if isinstance(item, dict | list) and depth < 20:
            _mark(front, item, here, places, offset, depth + 1)
