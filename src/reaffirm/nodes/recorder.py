"""The recorder: one file of lines in one order over all nodes, redacted, written as it happens."""

import os
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from reaffirm.clock import Clock
from reaffirm.errors import RecordingError, UsageError
from reaffirm.model.evidence import Kind
from reaffirm.nodes import marks
from reaffirm.nodes.recording_format import Header
from reaffirm.nodes.recording_lines import Written, encoded
from reaffirm.nodes.transport import Transport
from reaffirm.redact import redact
from reaffirm.store.installed import version_of
from reaffirm.store.node_programs import digest

#: Lines that are kept back at most, of times and waits, and of what simulated nodes answered.
_MOST_KEPT = 256


class Recorder:
    """Writes one recording. Lines come in one order over all nodes and are flushed one by one.

    Where all nodes are simulated and somebody says when a cell ends, up to 256 lines are kept back until it
    ends or waits: what such nodes answered can be had again.

    ``started`` (seconds) and ``resumed`` go into the header of a run that takes an earlier one up again.

    The header is written by :meth:`begin`, at the latest with the first request, and names every transport
    that :func:`reaffirm.nodes.recording.recording` wrapped before. The last line is written when all of them
    are closed; a run that dies leaves a recording without it.
    """

    def __init__(
        self,
        path: Path,
        *,
        machines: str = "",
        machines_path: str = "",
        runbook: str = "",
        run: str = "",
        started: float | None = None,
        resumed: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = path
        self._about = (machines, machines_path, runbook)
        self.run = run
        self._started = started
        self.resumed = resumed or {}
        #: What time notes are of; that of the first transport unless it is set.
        self.clock: Clock | None = None
        self._transports: dict[str, Transport] = {}
        self._open: set[str] = set()
        self._file: Any = None
        self._ended = False
        self._at = Written()
        self._process = os.getpid()
        self._waits = True
        self._failure: RecordingError | None = None
        self._texts: set[str] = set()
        self._streams: dict[str, int] = {}
        self._lock = threading.RLock()

    def add(self, transport: Transport) -> None:
        """Name a transport in the header.

        Raises:
            UsageError: the header is already written.
        """
        if self._file is not None or self._ended:
            msg = f"{transport.node.name} cannot join a recording that has begun"
            raise UsageError(msg, hint="wrap all transports first")
        self._transports[transport.node.name] = transport
        self._open.add(transport.node.name)

    def begin(self) -> None:
        """Write the header. Asks every node for its kind."""
        with self._lock:
            if self._begun or self._ended:
                return
            transports = tuple(self._transports.values())
            machines, machines_path, runbook = self._about
            header = Header(
                machines,
                machines_path,
                runbook,
                transports[0].clock.now() if self._started is None else self._started,
                _versions(),
                tuple(t.node for t in transports),
                {t.node.name: t.kind for t in transports},
                self.run,
                self.resumed,
            )
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("wb", buffering=0)
            self._waits = any(kind is not Kind.SIMULATED for kind in header.kinds.values())
            marks.joins(self)
            self._write("begin", header.as_json())
            if (now := marks.current()) is not None:
                self.mark(now)

    def mark(self, mark: marks.Mark) -> None:
        """Note that a cell begins; see :mod:`reaffirm.nodes.marks`. What goes wrong is told to that cell."""
        try:
            self.write("cell", {"cell": mark.cell, "step": redact(mark.step)})
        except RecordingError as error:
            self._failure = error

    def write(self, op: str, fields: Mapping[str, Any]) -> None:
        """Write one line. ``fields`` are already redacted."""
        with self._lock:
            self._tell_failure()
            if not self._begun:
                self.begin()
            if not self._ended:
                self._hold((op, fields))
                if self._waits or self._is_forked() or not self._may_keep():
                    self._put_held()

    def seconds(self, op: str, node: str, key: str, seconds: float) -> None:
        """Write one line of a node that says nothing but a time or a duration (seconds).

        Most lines of a recording are such. One may be written together with the line after it: see
        :meth:`settle`.
        """
        with self._lock:
            self._tell_failure()
            if not self._begun:
                self.begin()
            if not self._ended:
                self._hold((op, node, key, seconds))
                if not self._may_keep():
                    self._put_held()

    def settle(self) -> None:
        """Write what is kept back, before a request or a wait; but a simulated node answers at once."""
        if self._at.held and self._waits:
            with self._lock:
                self._put_held()

    def cell_ends(self) -> None:
        """Write what is kept back.

        Raises:
            RecordingError: that cannot be done, or what the cell did was not recorded at all.
        """
        with self._lock:
            self._tell_failure()
            if self._holds():
                self._put_held()

    def cell_waits(self) -> None:
        """Write what is kept back, unless another thread is writing; a failure is told when the cell ends."""
        if self._holds() and self._lock.acquire(blocking=False):
            try:
                self._put_held()
            except RecordingError as error:
                self._failure = error
            finally:
                self._lock.release()

    def _holds(self) -> bool:
        """Whether lines are kept back that this process is to write."""
        return bool(self._at.held) and not self._ended and not self._is_forked()

    def note(self, op: str, fields: Mapping[str, Any]) -> None:
        """Write a line about the run itself, which no replay asks for. ``fields`` are already redacted."""
        with self._lock:
            self.begin()
            clock = self.clock or next(iter(self._transports.values())).clock
            at = clock.now()
            self.write(op, {**fields, "at": at})

    def text(self, text: str | None) -> str | None:
        """Write a text once, redacted, and return the hash by which later lines name it."""
        if text is None:
            return None
        clean = redact(text)
        name = digest(clean)
        with self._lock:
            if name not in self._texts:
                self.write("text", {"sha256": name, "text": clean})
                self._texts.add(name)
        return name

    def stream(self) -> str:
        """Return the name of a new stream."""
        name = str(len(self._streams) + 1)
        self._streams[name] = 0
        return name

    def count(self, stream: str) -> int:
        """Count one more read of a stream and return its number, from 1."""
        self._streams[stream] += 1
        return self._streams[stream]

    def release(self, node: str) -> None:
        """Let go of one transport; with the last one the recording ends."""
        self._open.discard(node)
        if not self._open:
            self.close()

    def close(self) -> None:
        """Write the last line. Closing twice is harmless; a recording that never began stays unwritten."""
        with self._lock:
            if self._begun and not self._ended and not self._is_forked():
                if not self._at.closed:
                    self._hold(("end", {"streams": self._streams}), closed=True)
                self._put_held()
                self._file.close()
            self._ended = True
            marks.leaves(self)

    def _write(self, op: str, fields: Mapping[str, Any]) -> None:
        """Put a line into the file at once."""
        self._hold((op, fields))
        self._put_held()

    @property
    def _begun(self) -> bool:
        """Whether there is a header."""
        return self._at.seq > 0 or self._at.held is not None

    def _may_keep(self) -> bool:
        """Whether what is kept back may wait for more, or for the end of the cell."""
        return marks.ends_are_told() and self._at.kept < _MOST_KEPT

    def _tell_failure(self) -> None:
        """Raise, once, what went wrong between two cells."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _is_forked(self) -> bool:
        """Whether this is a copy of the process that records: the file is not its own."""
        return os.getpid() != self._process

    def _hold(self, line: tuple[Any, ...], *, closed: bool = False) -> None:
        """Take the next line."""
        at = self._at
        self._at = Written(at.seq, at.hash, (line, at.held), at.size, closed, at.kept + 1)

    def _put_held(self) -> None:
        """Put the lines into the file that are not there yet, all of them or none.

        Each has its place: where an interrupt came after it was written, it is written there once more.
        """
        if self._is_forked():
            msg = f"{self.path}: a process that was forked asks; what it hears cannot be recorded"
            hint = "ask machines from the notebook's own process, or from its threads"
            raise RecordingError(msg, hint=hint)
        at = self._at
        lines, held = [], at.held
        while held:
            line, held = held
            lines.append(line)
        data, after = encoded(reversed(lines), at)
        done = 0
        try:
            while done < len(data):
                done += os.pwrite(self._file.fileno(), data[done:], at.size + done)
            self._at = after._replace(size=at.size + done)
        except OSError as error:
            # Half a line is worse than none: what was written before can be read and replayed.
            self._ended = True
            with suppress(OSError):
                self._file.truncate(at.size)
                self._file.close()
            msg = f"{self.path} cannot be written: {error.strerror or error}; the run stops here"
            hint = (
                "make room or allow writing there, then run again; the recording is whole up to this request"
            )
            raise RecordingError(msg, hint=hint) from error


def _versions() -> dict[str, str]:
    found = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    return found | {package: version_of(package) for package in ("reaffirm", "asyncssh")}
