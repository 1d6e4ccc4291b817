"""Appends to a ledger: one writer at a time, a line as a whole, also after a crash."""

import errno
import fcntl
import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reaffirm.errors import DocumentError
from reaffirm.redact import redact
from reaffirm.store.ledger import SCHEMA, Ledger, ledger_of, line_of

#: How long another process may hold the ledger (seconds).
PATIENCE = 30.0
#: How much of the end of a ledger is read where only its last line is wanted (bytes).
_TAIL = 65_536


class LedgerWriter:
    """A ledger that this process alone may append to. ``ledger`` is what stood there when it was opened."""

    def __init__(self, file: int, shown: str, *, whole: bool, sync: bool) -> None:
        self._file = file
        self._sync = sync
        size = os.fstat(file).st_size
        start = 0 if whole else max(0, size - _TAIL)
        raw = os.pread(file, size - start, start)
        if start:
            raw = raw.partition(b"\n")[2]
        self.ledger: Ledger = ledger_of(raw, shown)
        self._heads = self.ledger.heads if whole else self.ledger.heads[-1:]
        self._unended = bool(raw) and not raw.endswith(b"\n")

    def append(self, op: str, **fields: Any) -> str:
        """Write one line and return its hash.

        Raises:
            OSError: it cannot be written; what was there is still there.
        """
        body: dict[str, Any] = {"schema": SCHEMA, "op": op, "at": now(), "heads": list(self._heads), **fields}
        if self.ledger.torn:
            body["after_torn"] = hashlib.sha256(self.ledger.torn).hexdigest()
        line, digest = line_of(_clean(body))
        data = (b"\n" if self._unended else b"") + line.encode("utf-8", "surrogatepass") + b"\n"
        before = os.fstat(self._file).st_size
        try:
            written = os.write(self._file, data)  # the file is open for appending: one write, at its end
            if written != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if self._sync:
                os.fsync(self._file)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, before)  # nobody else wrote meanwhile
            raise
        self._heads, self._unended = (digest,), False
        if self.ledger.torn:
            self.ledger = Ledger(self.ledger.path, self.ledger.entries, self.ledger.findings)
        return digest


@contextmanager
def writing(
    path: Path, *, shown: str = "", whole: bool = True, sync: bool = True, patience: float = PATIENCE
) -> Iterator[LedgerWriter]:
    """Open a ledger for appending and keep others out meanwhile.

    Args:
        path: the file; it and its folder are made.
        shown: how messages name it.
        whole: read all of it. Where no branches are merged the last line is enough.
        sync: wait until each line is on the disk.
        patience: how long to wait for another process (seconds).

    Raises:
        DocumentError: another process did not let go of it in time.
        OSError: it cannot be opened or locked.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = _locked(path, shown or str(path), patience)
    try:
        yield LedgerWriter(file, shown or str(path), whole=whole, sync=sync)
    finally:
        if os.fstat(file).st_size == 0:
            path.unlink(missing_ok=True)  # nothing was written into the one that we made
        os.close(file)


def now() -> str:
    """The time of this machine (UTC), such as ``2026-11-30T10:22:37Z``."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _locked(path: Path, shown: str, patience: float) -> int:
    until = time.monotonic() + patience
    while True:
        file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            _wait(file, shown, until)
            if _is_still(path, file):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # git, or another process, put another file in its place


def _wait(file: int, shown: str, until: float) -> None:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > until:
                msg = f"{shown}: another process has been writing to it for too long"
                hint = "look for a reaffirm that hangs (fuser names it), end it, and do this again"
                raise DocumentError(msg, hint=hint) from error
            time.sleep(0.02)
        else:
            return


def _is_still(path: Path, file: int) -> bool:
    try:
        there, here = path.stat(), os.fstat(file)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)


def _clean(body: Mapping[str, Any]) -> dict[str, Any]:
    """Mask what people typed."""
    return {key: redact(value) if key in ("because", "why") else value for key, value in body.items()}
