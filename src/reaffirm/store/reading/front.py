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
_TOML_KEY = re.compile(r"([A-Za-z][\w-]*)\s*=\s*(.*?)[ \t]*\Z")
_TOML_VALUE = re.compile(r"'[^']*'\Z|\"[^\"\\]*\"\Z|\d{4}-\d\d-\d\d\Z")
_COMMENT = re.compile(r"\s*#+\s*(.+?)\s*\Z")


@dataclass
class Front:
    """What stands before the body. ``marks`` gives the line in the file of each key, by its path.

    ``begins`` is the line on which a key's value begins. ``broken`` is true when not all of it could be
    read; ``data`` then holds the lines that are beyond doubt, and ``twice`` the keys that are given twice,
    with what stands there first. ``wrong`` is (line, message, hint); ``comments`` are (line, words).
    """

    data: dict[str, Any] = field(default_factory=dict)
    marks: dict[Path, int] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)
    begins: dict[str, int] = field(default_factory=dict)
    body: str = ""
    body_line: int = 1
    kind: str = ""
    broken: bool = False
    twice: dict[str, tuple[int, str]] = field(default_factory=dict)
    wrong: list[tuple[int, str, str]] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)


def split(text: str) -> Front:
    """Split a text into its front matter and its body. What is wrong is noted, never raised."""
    lines = text.split("\n")
    start = next((n for n, line in enumerate(lines[:20]) if line.strip()), 0)
    fence = lines[start].rstrip()
    if fence not in ("---", "+++") or not _is_front(lines, start, fence):
        return Front(body=text)
    ends = ("---", "...") if fence == "---" else ("+++",)
    end = next((n for n in range(start + 1, len(lines)) if lines[n].rstrip() in ends), None)
    if end is None:
        return _unclosed(lines, start, fence)
    inner = "\n".join(lines[start + 1 : end])
    front = Front(body="\n".join(lines[end + 1 :]), body_line=end + 2)
    if fence == "---":
        _yaml(front, inner, start + 1)
    else:
        _toml(front, inner, start + 1)
    return front


def _is_front(lines: list[str], start: int, fence: str) -> bool:
    """Whether a fence at the top opens front matter; two rulers around prose are none."""
    if fence == "+++":
        return True
    below = lines[start + 1] if start + 1 < len(lines) else ""
    first = next((line for line in lines[start + 1 : start + 20] if line.strip()), "")
    if start or not below.strip():
        return bool(_KEY.match(first)) and first != "---"
    return bool(re.match(r"\s*(?:- |[\w'\"{\[#&!*?<>=]|---|\.\.\.)", first))


def _unclosed(lines: list[str], start: int, fence: str) -> Front:
    """Front matter without an end: the lines that look like it are taken, and the rest is the body."""
    form = _KEY if fence == "---" else _TOML_KEY
    end = start + 1
    while end < len(lines) and (form.match(lines[end]) or lines[end].startswith((" ", "\t", "- "))):
        end += 1
    message = f"the front matter opened by '{fence}' is never closed"
    front = Front(body="\n".join(lines[end:]), body_line=end + 1, broken=True)
    if any(line.strip() for line in lines[start + 1 :]):
        front.wrong.append((start + 1, message, f"add a line '{fence}' after it"))
    _line_by_line(front, lines[start + 1 : end], start + 1, form)
    return front


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
        if not error.bomb:
            _line_by_line(front, text.split("\n"), offset, _KEY, at=line)
        return
    front.data = found.data
    front.raw = found.raw
    front.begins = {key: line + offset for key, line in found.begins.items()}
    front.marks = {path: line + offset for path, line in found.marks.items()}
    for tag, at in found.tagged:
        hint = "write the value without a tag"
        message = f"the YAML tag {tag!r} is not followed; the value is left out"
        front.wrong.append((at + offset, message, hint))


def _line_by_line(front: Front, lines: list[str], offset: int, form: re.Pattern[str], at: int = 0) -> None:
    """Take the lines that mean the same however the rest is mended: ``key: plain words`` at the margin.

    ``at`` is the line with the fault; it is not taken.
    """
    plain = _PLAIN if form is _KEY else _TOML_VALUE
    for number, line in enumerate(lines):
        match = form.match(line)
        if not match or not match[2] or not plain.match(match[2]) or ": " in match[2]:
            continue
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if form is _KEY and following.startswith((" ", "\t")) and following.strip():
            continue  # it goes on
        key, value = match[1], match[2].strip().strip("'\"")
        if key in front.raw:
            if front.raw[key] != value:
                front.twice.setdefault(key, (front.marks[key,], front.raw[key]))
                front.data.pop(key, None)
            continue
        if number + offset + 1 == at:
            continue
        front.data[key] = front.raw[key] = value
        front.marks[key,] = front.begins[key] = number + offset + 1
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
        line = int(match[1]) + offset if match else offset + 1
        message = re.sub(r"\s*\(at .*\)\Z", "", str(error))
        lines = text.split("\n")
        if "Cannot overwrite a value" in message and line - offset - 1 < len(lines):
            # The parser has read on to the next line when it notices.
            line = _second(lines) + offset or line
        front.wrong.append((line, f"not TOML: {message}", 'quote texts; write lists as ["a", "b"]'))
        front.broken = True
        _line_by_line(front, lines, offset, _TOML_KEY, at=line)
        return
    places = TomlLines(text)
    _mark(front, front.data, (), places, offset)
    front.raw = {key: str(value) for key, value in front.data.items() if not isinstance(value, dict | list)}
    front.begins = {str(path[0]): line for path, line in front.marks.items() if len(path) == 1}


def _second(lines: list[str]) -> int:
    seen: set[str] = set()
    for number, line in enumerate(lines, 1):
        if match := _TOML_KEY.match(line):
            if match[1] in seen:
                return number
            seen.add(match[1])
    return 0


def _mark(front: Front, value: Any, path: Path, places: TomlLines, offset: int, depth: int = 0) -> None:
    items: Any = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, item in items:
        here = (*path, key)
        front.marks[here] = places.line(here) + offset
        if isinstance(item, dict | list) and depth < 20:
            _mark(front, item, here, places, offset, depth + 1)
