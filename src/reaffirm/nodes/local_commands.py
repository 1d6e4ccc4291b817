"""Commands on this machine: started without a shell, read within bounds, and ended with all they started."""

import asyncio
import os
import secrets
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from reaffirm.errors import RemoteCommandError
from reaffirm.nodes.command_output import MOST_OUTPUT, read_to_end, shortened
from reaffirm.store.project import RUN_DIR_VARIABLE, RUNBOOK_VARIABLE

#: How long an ended command may take to go after TERM, and after KILL (seconds).
TERM_SECONDS = 2.0
KILL_SECONDS = 1.0

# Every command carries this variable with a word of its own, and so do its children: by it those are found
# that left the process group.
_MARK = "REAFFIRM_CALL"


class NotStartedError(Exception):
    """The command does not exist here, or may not be run: ``status`` is what a shell would answer."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class LocalCommand:
    """One command that was started on this machine."""

    def __init__(self, node: str, process: "subprocess.Popen[bytes]", doing: str, mark: str) -> None:
        self.node = node
        self.process = process
        self.doing = doing
        self.lost = False  # this machine always answers
        self._mark = mark
        self._pipes: list[asyncio.ReadTransport] = []
        self.out = self.err = asyncio.StreamReader()

    @classmethod
    async def start(
        cls, node: str, argv: Sequence[str], folder: Path, *, stdin: str | None = None, merged: bool = False
    ) -> "LocalCommand":
        """Start a command in ``folder``. With ``merged``, standard error comes with standard output.

        Raises:
            NotStartedError: there is no such program, or it may not be run.
            RemoteCommandError: the system refuses to start it, such as for too many words.
        """
        doing = shortened(argv)
        mark = secrets.token_hex(8)
        try:
            process = _popen(argv, folder, {_MARK: mark}, stdin, merged)
        except (FileNotFoundError, NotADirectoryError) as error:
            if not folder.is_dir():
                msg = f"the folder in which {node} works is gone: {folder.name}"
                raise RemoteCommandError(
                    msg, node=node, hint="connect again from a folder that is there"
                ) from error
            raise NotStartedError(127, f"{argv[0]}: command not found") from error
        except PermissionError as error:
            raise NotStartedError(126, f"{argv[0]}: Permission denied") from error
        except (OSError, ValueError, IndexError) as error:
            msg = f"{node} did not start {doing!r}: {error}"
            raise RemoteCommandError(msg, node=node, hint="look at the words of the command") from error
        command = cls(node, process, doing, mark)
        command.out = await command._reader(process.stdout)
        command.err = await command._reader(process.stderr) if process.stderr else command.out
        return command

    async def part(self) -> bytes:
        """Return more of standard output, nothing at its end."""
        return await self.out.read(65536)

    async def collect(self) -> tuple[int, str, str]:
        """Run to the end; return exit status, standard output and standard error."""
        out, err = await asyncio.gather(
            read_to_end(self.out, MOST_OUTPUT), read_to_end(self.err, MOST_OUTPUT)
        )
        return await self.status(), out, err

    async def status(self) -> int:
        """Return the exit status, once all output was read; 128 + N for a command ended by signal N."""
        pause = 0.001
        while self.process.poll() is None:
            await asyncio.sleep(pause)
            pause = min(pause * 2, 0.05)
        self._close()
        status = self.process.returncode
        return status if status >= 0 else 128 - status

    async def end(self) -> None:
        """End the command, and what it started: TERM, then KILL. Ending twice is harmless."""
        for number, seconds in ((signal.SIGTERM, TERM_SECONDS), (signal.SIGKILL, KILL_SECONDS)):
            if self._gone():
                break
            self._signal(number)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wait(), seconds)
        self._close()

    async def _wait(self) -> None:
        while not self._gone():
            await asyncio.sleep(0.02)

    def _gone(self) -> bool:
        return self.process.poll() is not None and not self._marked()

    def _signal(self, number: signal.Signals) -> None:
        if self.process.poll() is None:
            with suppress(OSError):
                os.killpg(self.process.pid, number)
        for pid in self._marked():
            with suppress(OSError):
                os.kill(pid, number)

    def _marked(self) -> list[int]:
        """Return the processes that carry our word. Where there is no /proc, nobody can tell."""
        wanted = f"{_MARK}={self._mark}".encode()
        found = []
        for environ in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if wanted in environ.read_bytes().split(b"\0"):
                    found.append(int(environ.parent.name))
        return found

    async def _reader(self, pipe: object) -> asyncio.StreamReader:
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        self._pipes.append(transport)
        return reader

    def _close(self) -> None:
        for transport in self._pipes:
            transport.close()


def _popen(
    argv: Sequence[str], folder: Path, more: Mapping[str, str], stdin: str | None, merged: bool
) -> "subprocess.Popen[bytes]":
    # What the command starts is not this run: a runbook in it has a folder of its own.
    around = {k: v for k, v in os.environ.items() if k not in (RUN_DIR_VARIABLE, RUNBOOK_VARIABLE)}
    with tempfile.TemporaryFile() as fed:
        fed.write((stdin or "").encode("utf-8", "surrogateescape"))
        fed.seek(0)
        return subprocess.Popen(  # noqa: S603
            list(argv),
            stdin=subprocess.DEVNULL if stdin is None else fed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merged else subprocess.PIPE,
            cwd=folder,
            env={**around, **more},
            start_new_session=True,
        )
