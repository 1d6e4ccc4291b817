"""The line between the runner and its worker: messages as JSON over one socket pair, no port anywhere.

Text that a cell writes does not come this way: it goes through two pipes, which programs that the cell
starts write to as well. Whoever sends a message that has to stay in order with that text waits for an
answer; the other side reads the pipes empty before it answers.
"""

import base64
import json
import numbers
import os
import select
import signal
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_SIZE = struct.Struct("!I")
_PIECE = 1 << 16
#: Seconds between two looks for an answer that another thread may have received.
_LOOK = 0.2

Message = dict[str, Any]


def packed(message: Mapping[str, Any]) -> bytes:
    """A message as bytes: its length, then JSON."""
    body = json.dumps(message, default=_plain).encode("utf-8", "surrogatepass")
    return _SIZE.pack(len(body)) + body


def _plain(value: Any) -> Any:
    """What JSON does not know, as Jupyter's kernels send it."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, set | frozenset) else str(value)


class Unpacker:
    """Makes messages of bytes as they arrive."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, piece: bytes) -> Iterator[Message]:
        """Yield the messages that are now complete."""
        self._bytes += piece
        while len(self._bytes) >= _SIZE.size:
            (size,) = _SIZE.unpack_from(self._bytes)
            end = _SIZE.size + size
            if len(self._bytes) < end:
                return
            body = bytes(self._bytes[_SIZE.size : end])
            del self._bytes[:end]
            yield json.loads(body)


class WorkerEnd:
    """The worker's end of the line. Any thread of the worker may use it; a fork of the worker may not."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self._lock = threading.RLock()
        self._unpacker = Unpacker()
        self._waiting: list[Message] = []
        self._last = 0
        self.shield = 0
        self.interrupted = False
        self.forked = False
        #: What may be done while the runner writes down what a cell shows. It must not raise.
        self.meanwhile: Callable[[], None] = lambda: None
        os.register_at_fork(after_in_child=self._in_fork)

    def _in_fork(self) -> None:
        self.forked = True
        self.line.close()
        self._lock = threading.RLock()

    def interrupt(self, _number: int, _frame: object) -> None:
        """Raise ``KeyboardInterrupt`` in the main thread, but never in the middle of a message."""
        if self.shield:
            self.interrupted = True
            return
        raise KeyboardInterrupt

    def send(self, message: Mapping[str, Any]) -> None:
        """Send without waiting for an answer."""
        if not self.forked:
            with _Whole(self, self._lock):
                self.line.sendall(packed(message))

    def request(self, message: Mapping[str, Any]) -> Any:
        """Send, and return the answer once it is there. In a fork nothing is sent, the answer is ``None``."""
        if self.forked:
            return None
        with _Whole(self, self._lock):
            number = self._sent(message)
            return self._answer(number)

    def show(self, message: Mapping[str, Any]) -> None:
        """Send what a cell shows, and return once the runner has written it down."""
        if self.forked:
            return
        with _Whole(self, self._lock):
            number = self._sent(message)
            self.meanwhile()
            self._answer(number)

    def ask(self, message: Mapping[str, Any]) -> Any:
        """Like :meth:`request` for an answer that a person gives: Ctrl-C ends the waiting."""
        if self.forked:
            return None
        with _Whole(self, self._lock):
            number = self._sent(message)
        while True:
            arrived = bool(select.select([self.line], [], [], _LOOK)[0])
            with _Whole(self, self._lock):
                for index, found in enumerate(self._waiting):
                    if found.get("answers") == number:
                        return self._waiting.pop(index).get("value")
                if arrived:
                    self._receive()

    def _sent(self, message: Mapping[str, Any]) -> int:
        self._last += 1
        self.line.sendall(packed({**message, "request": self._last}))
        return self._last

    def _answer(self, number: int) -> Any:
        return self._next(lambda m: m.get("answers") == number).get("value")

    def order(self, idle: Iterator[object]) -> Message:
        """Wait for the next order of the runner, and take a step of ``idle`` as long as none is there.

        Raises:
            EOFError: there is no runner any more.
        """
        while not self._waiting and not select.select([self.line], [], [], 0)[0]:
            if next(idle, self) is self:
                break
        return self._next(lambda m: m.get("answers") is None)

    def _next(self, wanted: Callable[[Message], bool]) -> Message:
        while True:
            for index, message in enumerate(self._waiting):
                if wanted(message):
                    return self._waiting.pop(index)
            self._receive()

    def _receive(self) -> None:
        piece = self.line.recv(_PIECE)
        if not piece:
            raise EOFError
        self._waiting += self._unpacker.feed(piece)


class _Whole:
    """While it is entered, no interrupt cuts a message into two."""

    def __init__(self, end: WorkerEnd, lock: Any) -> None:
        self._end = end
        self._lock = lock
        self._main = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        self._end.shield += self._main
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        self._end.shield -= self._main
        if self._main and self._end.interrupted and not self._end.shield:
            self._end.interrupted = False
            signal.raise_signal(signal.SIGINT)  # to whoever handles it now
