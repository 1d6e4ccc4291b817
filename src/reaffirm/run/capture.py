"""What a cell writes, on its way from the pipes into the journal: as text, redacted, joined and bounded.

Up to :data:`SHOWN` bytes of a cell are in the notebook. Of more, the begin and the end are there, with a
line between them that says how much was left out; all of it is in a file beside the notebook, up to
:data:`KEPT` bytes.
"""

import codecs
import json
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from reaffirm.model.fact import FACTS_MIME
from reaffirm.redact import StreamRedactor
from reaffirm.run.channel import Message
from reaffirm.run.journal import Journal

#: Characters of one cell that its notebook shows, and how many of them come from the end.
SHOWN = 1 << 20
_TAIL = 1 << 18
#: Characters of pictures, tables and other displays of one cell that its notebook shows.
PICTURES = 16 << 20
#: Characters of one cell that the file beside the notebook holds.
KEPT = 64 << 20
#: Characters, and seconds, for which text is collected before it is written into the journal.
_JOINED = 1 << 16
JOIN_SECONDS = 0.05

STREAMS = ("stdout", "stderr")
#: The folder of those files in the folder of a run.
OUTPUTS = "outputs"


class Capture:
    """The text of one cell."""

    def __init__(self, journal: Journal, cell: int, folder: Path | None, name: str) -> None:
        self._journal = journal
        self._cell = cell
        self._decoders = {s: codecs.getincrementaldecoder("utf-8")("replace") for s in STREAMS}
        self._redactors = {s: StreamRedactor() for s in STREAMS}
        self._pending: dict[str, list[str]] = {}
        self._pending_size = 0
        self._since = 0.0
        self._shown = 0
        self._path = folder / OUTPUTS / f"{name}.txt" if folder else None
        self._file: IO[str] | None = None
        self._written: list[tuple[str, str]] = []
        self._kept = 0
        self._tail: deque[tuple[str, str]] = deque()
        self._tail_size = 0
        self._over = 0
        self._lost = 0
        self._pictures = 0
        self._kept_pictures = 0
        self._number = 0
        self._redact = journal.mask
        self.log: Any = None

    @property
    def waiting(self) -> bool:
        """Whether there is text that the journal does not have yet."""
        return self._pending_size > 0

    def feed(self, stream: str, data: bytes) -> None:
        """Take bytes that were read from a pipe."""
        text = self._decoders[stream].decode(data)
        self._take(stream, self._redactors[stream].feed(text))

    def flush(self) -> None:
        """Put what has been collected into the journal; a line that is not whole yet stays here."""
        pending, self._pending, self._pending_size = self._pending, {}, 0
        for stream in STREAMS:
            if text := "".join(pending.get(stream, ())):
                self._journal.write({"op": "text", "cell": self._cell, "stream": stream, "text": text})

    def settle(self) -> None:
        """Put everything into the journal, also what is no whole line, unless a secret may be under way."""
        for stream in STREAMS:
            self._take(stream, self._redactors[stream].flush())
        self.flush()

    def bounded(self, message: Message) -> Message:
        """Return what a cell shows, or a line in its place when the cell has shown too much already.

        The facts of a step are always kept.
        """
        size = sum(len(v) if isinstance(v, str) else len(json.dumps(v)) for v in message["data"].values())
        self._pictures += size
        if self._pictures <= PICTURES or FACTS_MIME in message["data"]:
            return message
        self._pictures -= size
        where = "it is kept nowhere"
        if self._path is not None and self._kept_pictures + size <= KEPT:
            self._kept_pictures += size
            self._number += 1
            path = self._path.with_suffix(f".{self._number}.json")
            with suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps(self._redact(message["data"])), encoding="utf-8")
                where = f"it is in {OUTPUTS}/{path.name}"
        line = f"… an output of {size:,} characters is left out here; {where} …"
        return message | {"data": {"text/plain": line}}

    def close(self) -> None:
        """End the text of the cell; say what was left out, and show its end."""
        for stream in STREAMS:
            rest = self._decoders[stream].decode(b"", final=True)
            self._take(stream, self._redactors[stream].feed(rest))
            self._take(stream, self._redactors[stream].close())
        self.flush()
        if self._over:
            self._close_long()
        if self._file is not None:
            self._file.close()
            self._file = None

    def _close_long(self) -> None:
        left_out = self._over - self._tail_size
        stream = self._tail[0][0]
        if left_out:
            where = f"{OUTPUTS}/{self._path.name}" if self._path else None
            lost = f", without the last {self._lost:,} characters" if self._lost else ""
            kept = f"all of it is in {where}{lost}" if where else "it is kept nowhere"
            line = f"\n… {left_out:,} characters of output are left out here; {kept} …\n"
            about = {"left_out": left_out, "file": where, "lost": self._lost}
            self._journal.write({"op": "left out", "cell": self._cell, **about})
            self._journal.write({"op": "text", "cell": self._cell, "stream": stream, "text": line})
        for stream, text in self._tail:
            self._journal.write({"op": "text", "cell": self._cell, "stream": stream, "text": text})

    def _take(self, stream: str, text: str) -> None:
        if not text:
            return
        if self.log is not None:
            self.log(stream, text)
        room = SHOWN - _TAIL - self._shown
        if not self._over and len(text) <= room:
            self._collect(stream, text)
            return
        if not self._over:
            cut = text.rfind("\n", 0, max(room, 0)) + 1 or max(room, 0)
            self._collect(stream, text[:cut])
            text = text[cut:]
            self._begin_file()
        self._over += len(text)
        self._keep(text)
        self._tail.append((stream, text))
        self._tail_size += len(text)
        while self._tail_size - len(self._tail[0][1]) >= _TAIL:
            self._tail_size -= len(self._tail.popleft()[1])
        self._trim()

    def _trim(self) -> None:
        """Cut the oldest piece of the end, if one piece alone is longer than all of it may be."""
        stream, text = self._tail[0]
        if (excess := self._tail_size - _TAIL) > _JOINED:
            at = text.find("\n", excess) + 1 or excess
            self._tail[0] = (stream, text[at:])
            self._tail_size -= at

    def _collect(self, stream: str, text: str) -> None:
        if not text:
            return
        if not self._pending_size:
            self._since = time.monotonic()
        self._pending.setdefault(stream, []).append(text)
        self._written.append((stream, text))
        self._pending_size += len(text)
        self._shown += len(text)
        if self._pending_size >= _JOINED or time.monotonic() - self._since >= JOIN_SECONDS:
            self.flush()

    def _begin_file(self) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("w", encoding="utf-8", errors="backslashreplace")
        except OSError:
            self._path = None
            return
        for _, text in self._written:
            self._keep(text)
        self._written.clear()

    def _keep(self, text: str) -> None:
        if self._file is None:
            return
        room = KEPT - self._kept
        try:
            self._file.write(text[:room])
            self._file.flush()
        except OSError:  # the disk is full; what is there stays
            room = 0
        self._kept += min(len(text), room)
        self._lost += max(len(text) - room, 0)
