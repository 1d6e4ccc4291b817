"""Splits a Markdown file into its YAML front matter and its body, keeping line numbers for findings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reaffirm.errors import DocumentError
from reaffirm.store.reading.front import Front, split
from reaffirm.store.reading.source import MAX_BYTES, SourceProblemError, read_source, text_of

__all__ = ["MAX_BYTES", "Page", "parse_page", "read_page", "read_text"]


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
    return parse_page(read_text(path, shown=name), shown=name)


def read_text(path: Path, *, shown: str) -> str:
    """Read the text of a Markdown file.

    Raises:
        DocumentError: unreadable, too large, or not UTF-8.
    """
    try:
        return text_of(read_source(path))
    except SourceProblemError as error:
        at = f":{error.line}" if error.line > 1 else ""
        msg = f"{shown}{at}: {error.message}"
        raise DocumentError(msg, hint=error.hint) from error


def parse_page(text: str, *, shown: str) -> Page:
    """Split text into front matter and body; see :func:`read_page`."""
    return page_of(split(text), shown)


def page_of(front: Front, shown: str) -> Page:
    """Return front matter and body as a page.

    Raises:
        DocumentError: the front matter could not be read as a whole.
    """
    for line, message, hint in front.wrong:
        msg = f"{shown}:{line}: {message}"
        raise DocumentError(msg, hint=hint)
    lines = {str(path[0]): line for path, line in front.marks.items() if len(path) == 1}
    return Page(shown, front.data, front.body, front.body_line, lines, front.marks)
