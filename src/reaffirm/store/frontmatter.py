"""Splits a Markdown file into its YAML front matter and its body, keeping line numbers for findings."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.constructor import RoundTripConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from reaffirm.errors import DocumentError

#: A page is prose; what is larger is not one of ours (bytes).
MAX_BYTES = 2_000_000


@dataclass(frozen=True)
class Page:
    """A Markdown file: its front matter as plain data, its body, and where each begins.

    ``lines`` gives the line in the file (from 1) of each top-level key. ``body_line`` is the line of
    the body's first line. ``marks`` gives the line of each nested key or list item, by its path:
    ``("claims", 0, "says")``.
    """

    path: str
    data: Mapping[str, Any]
    body: str
    body_line: int
    lines: Mapping[str, int]
    marks: Mapping[tuple[str | int, ...], int] = field(default_factory=dict)

    def line(self, key: str) -> int:
        """Return the line of a top-level key; 1 where the key is absent."""
        return self.lines.get(key, 1)

    def at(self, *path: str | int) -> int:
        """Return the line of a nested key or item; where it is absent, that of what would hold it."""
        while path:
            if path in self.marks:
                return self.marks[path]
            path = path[:-1]
        return 1


def read_page(path: Path, *, shown: str = "") -> Page:
    """Read one Markdown file.

    Args:
        path: the file.
        shown: how messages name it (default: ``path`` as given).

    Raises:
        DocumentError: unreadable, too large, not UTF-8, or front matter that is not a YAML mapping.
    """
    name = shown or str(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        msg = f"{name}: cannot be read: {error.strerror}"
        raise DocumentError(msg, hint="check the path and its permissions") from error
    if len(raw) > MAX_BYTES:
        msg = f"{name}: {len(raw)} bytes is more than a page may have ({MAX_BYTES})"
        raise DocumentError(msg, hint="put long logs into a file of their own and link it")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{name}: not UTF-8: byte {raw[error.start]:#04x} at offset {error.start}"
        raise DocumentError(msg, hint="save the file as UTF-8") from error
    return parse_page(text, shown=name)


def parse_page(text: str, *, shown: str) -> Page:
    """Split text into front matter and body; see :func:`read_page`."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines or lines[0].rstrip() != "---":
        return Page(shown, {}, "\n".join(lines), 1, {})
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        msg = f"{shown}:1: the front matter opened by '---' is never closed"
        raise DocumentError(msg, hint="add a line '---' after it")
    data = _load("\n".join(lines[1:end]), shown)
    keys = {str(key): data.lc.key(key)[0] + 2 for key in data}
    return Page(shown, plain(data), "\n".join(lines[end + 1 :]), end + 2, keys, dict(_marks(data, ())))


def _marks(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], int]]:
    if isinstance(value, CommentedMap):
        for key, item in value.items():
            here = (*path, str(key))
            if key in value.lc.data:
                yield here, value.lc.key(key)[0] + 2
            yield from _marks(item, here)
    elif isinstance(value, CommentedSeq):
        for index, item in enumerate(value):
            here = (*path, index)
            if index in value.lc.data:
                yield here, value.lc.item(index)[0] + 2
            yield from _marks(item, here)


class _Constructor(RoundTripConstructor):
    """Takes a day that does not exist (2026-02-30) as text, so that its reader can name the line."""

    def construct_yaml_timestamp(self, node: Any, values: Any = None) -> Any:
        try:
            return super().construct_yaml_timestamp(node, values)
        except ValueError:
            return self.construct_scalar(node)


_Constructor.add_constructor("tag:yaml.org,2002:timestamp", _Constructor.construct_yaml_timestamp)


def _load(text: str, shown: str) -> CommentedMap:
    yaml = YAML(typ="rt", pure=True)
    yaml.Constructor = _Constructor
    yaml.allow_duplicate_keys = False
    if "&" in text and "*" in text and text.count("*") > 50:
        msg = f"{shown}:1: too many YAML aliases in the front matter"
        raise DocumentError(msg, hint="write the values out")
    try:
        data = yaml.load(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        msg = f"{shown}:{line}: not YAML: {error.problem}"
        raise DocumentError(msg, hint="quote values that hold ': ' or begin with a special sign") from error
    except (YAMLError, ValueError, RecursionError) as error:
        msg = f"{shown}:1: not YAML: {error}"
        raise DocumentError(msg, hint="compare with adrs/0000-template.md") from error
    if data is None:
        return CommentedMap()
    if not isinstance(data, CommentedMap):
        msg = f"{shown}:2: the front matter must be 'key: value' lines, got {type(data).__name__}"
        raise DocumentError(msg, hint="compare with adrs/0000-template.md")
    return data


def plain(value: Any) -> Any:
    """Return ruamel's commented values as dicts, lists and text."""
    if isinstance(value, CommentedMap | dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, CommentedSeq | list):
        return [plain(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str(value)
    return value
