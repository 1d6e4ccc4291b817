"""The journal of a run: one line for each event, on disk before anything else happens.

The first line holds the notebook as it was before the run; the others say what happened to it. No line
holds a secret.

===========  =====================================================================================
``op``       what the line says
===========  =====================================================================================
``begin``    the run: schema, name, runbook and its hash, parameters, time, notebook without outputs
``cell``     a cell begins: its index in that notebook, number in the source, step id
``text``     a piece of what it wrote: ``stream`` is ``stdout`` or ``stderr``
``display``  something it showed (``update`` and ``clear`` change what was shown)
``result``   the value of its last expression
``error``    an exception, with its traceback
``left out`` output that is not in the notebook: how many bytes, and the file that holds them
``done``     the cell ended: status, why, seconds, execution count
``end``      the run ended: how, at which cell, why, seconds
===========  =====================================================================================
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from reaffirm.errors import DocumentError
from reaffirm.redact import known
from reaffirm.run.book import Book
from reaffirm.run.secrets import Redactor

JOURNAL = "journal.jsonl"
SCHEMA = 1


def now() -> str:
    """The time of this machine in papermill's form."""
    return datetime.now(UTC).isoformat()


class Journal:
    """Writes events, and keeps the notebook that they make. Without a file it only keeps that."""

    def __init__(self, path: Path | None, redactor: Redactor) -> None:
        """Begin a new journal.

        Raises:
            OSError: the file cannot be made, or is there already.
        """
        self.path = path
        self.book = Book()
        self._redactor = redactor
        self._file: IO[bytes] | None = None
        self._version = -1
        self.failed = ""
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("xb", buffering=0)

    @property
    def masked(self) -> bool:
        """Whether all secrets that are known now were known from the beginning: none is in the book."""
        return self._version == known().version

    def begin(self, notebook: Mapping[str, Any], **about: Any) -> None:
        """Write the first line. The notebook is copied."""
        copy = json.loads(json.dumps(notebook))
        self._redactor.notebook(copy)
        self._version = known().version
        about = self._redactor.data(about)
        self.write({"op": "begin", "schema": SCHEMA, "at": now(), **about, "notebook": copy})

    def mask(self, data: Any) -> Any:
        """Take secrets out of data."""
        return self._redactor.data(data)

    def redacted(self, event: Mapping[str, Any]) -> None:
        """Write an event after taking secrets out of it."""
        self.write(self._redactor.data(dict(event)))

    def write(self, event: Mapping[str, Any]) -> None:
        """Write an event in which there is no secret.

        When that fails, such as on a full disk, ``failed`` says why. From then on the file stays as it is,
        with at most half a line too much, and only the book goes on.
        """
        if self._file is not None:
            text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
            line = text.encode("utf-8", "backslashreplace") + b"\n"
            try:
                while line:
                    line = line[self._file.write(line) :]
            except OSError as error:
                self.failed = f"the journal cannot be written: {error.strerror or error}"
                self.close()
        self.book.apply(event)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None


def events(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a journal. A last line that was cut off by the end of the runner is left out.

    Raises:
        DocumentError: it cannot be read, or a line before the last is none of a journal.
    """
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n"):
                    return
                try:
                    event = json.loads(line)
                    known = isinstance(event, dict) and (number > 1 or event["schema"] == SCHEMA)
                except (ValueError, KeyError):
                    known = False
                if not known:
                    msg = f"{path}:{number}: no line of a journal"
                    raise DocumentError(msg, hint="the file was changed; take it from a copy")
                yield event
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror or error}"
        raise DocumentError(msg, hint="give the folder of a run, such as runs/…/….run") from error
