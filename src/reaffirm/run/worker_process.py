"""The runner's side of a worker: its process, its two pipes, its line, and that it never outlives us."""

import os
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from reaffirm.run.channel import Message, Unpacker, packed

_PIECE = 1 << 16
#: What one of the pipes holds at most.
PIPE_BYTES = 1 << 20
_CODE = "import sys; from reaffirm.run.worker import main; main(int(sys.argv[1]), preload={preload})"
# Whoever dies, by whatever signal: the other end of this program's standard input closes, and the worker and
# all that its cells started are killed. Then the notebook is made of the journal, if there is one.
_KEEPER = """
trap '' INT TERM HUP
IFS= read -r said
kill -KILL "-$1" 2>/dev/null
[ -n "$said" ] && exec "$2" -c 'import sys; from reaffirm.run.rescue import main; main(sys.argv[1])' "$said"
"""


class Worker:
    """One worker. ``out`` and ``err`` are what its cells and their programs write to."""

    def __init__(self, *, preload: bool) -> None:
        """Start it; it loads what it needs while we do other things.

        Raises:
            OSError: no process could be started.
        """
        ours, theirs = socket.socketpair()
        self.out, out = _pipe()
        self.err, err = _pipe()
        try:
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-c", _CODE.format(preload=preload), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        finally:
            theirs.close()
            os.close(out)
            os.close(err)
        self.line = ours
        self.preloads = preload
        self.pid = self._process.pid
        self._unpacker = Unpacker()
        self._keeper = _keeper(self.pid)
        self._ended = False

    def keep_journal(self, journal: Path) -> None:
        """Have the notebook made of this journal should we be killed."""
        name = os.fspath(journal.absolute())
        if self._keeper is not None and self._keeper.stdin and "\n" not in name:
            with suppress(OSError):
                self._keeper.stdin.write(os.fsencode(name))
                self._keeper.stdin.flush()

    def send(self, message: Message) -> None:
        """Send an order or an answer. A worker that is gone is noticed where we read."""
        with suppress(OSError):
            self.line.sendall(packed(message))

    def received(self) -> list[Message] | None:
        """Return the messages that are there; ``None`` when the worker has closed its end."""
        try:
            piece = self.line.recv(_PIECE)
        except ConnectionError:
            return None
        return list(self._unpacker.feed(piece)) if piece else None

    def interrupt(self) -> None:
        """Raise ``KeyboardInterrupt`` in the cell, as Ctrl-C on a terminal would; its programs get it too."""
        self._signal(signal.SIGINT)

    def kill(self) -> None:
        """End the worker and all that its cells have started, at once."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        if not self._ended:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def wait(self, seconds: float) -> int | None:
        """Return how the worker ended, as :mod:`subprocess` counts it; ``None`` if it is still there then.

        All that its cells started and left behind in its process group has ended too, then.
        """
        if self._ended:
            return self._process.returncode
        until = time.monotonic() + seconds
        while os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            left = until - time.monotonic()
            if left <= 0:
                return None
            select.select([], [], [], min(left, 0.002))
        self.kill()  # its group, while its number cannot be anybody else's yet
        self._ended = True
        return self._process.wait()

    def close(self) -> None:
        """End it, whatever it is doing, and give everything back."""
        if not self._ended:
            self.kill()
            self.wait(10)
        if self._keeper is not None and self._keeper.stdin:
            with suppress(OSError):
                self._keeper.kill()
                self._keeper.stdin.close()
            self._keeper.wait()
            self._keeper = None
        self.line.close()
        for descriptor in (self.out, self.err):
            with suppress(OSError):
                os.close(descriptor)


def _pipe() -> tuple[int, int]:
    reads, writes = os.pipe()
    os.set_blocking(reads, False)
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(writes, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return reads, writes


def _keeper(pid: int) -> "subprocess.Popen[bytes] | None":
    """Start the program that ends the worker if we cannot any more."""
    argv = ["/bin/sh", "-c", _KEEPER, "reaffirm-keeper", str(pid), sys.executable]
    try:
        return subprocess.Popen(  # noqa: S603
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None
