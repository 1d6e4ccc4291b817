"""Commands on a machine behind SSH: started, fed, read, and ended when we give up on them."""

import asyncio
import secrets
import shlex
import signal
from collections.abc import Sequence
from contextlib import suppress

import asyncssh

from reaffirm.nodes.command_output import MOST_OUTPUT, read_to_end, shortened
from reaffirm.nodes.ssh_connections import Link
from reaffirm.nodes.ssh_errors import dropped, not_started

#: How long an ended command may take to go after TERM, and after KILL (seconds).
TERM_SECONDS = 2.0
KILL_SECONDS = 1.0
#: How long the search for an ended command's processes may take (seconds).
ANSWER_SECONDS = 5.0

# Every command carries this variable with a word of its own, and so do its children: by it they are
# found again. Signals over the channel alone do not do. OpenSSH 9.2 says for every root login "session
# signalling requires privilege separation", and refuses them for forced commands too.
_MARK = "REAFFIRM_CALL"
# The second search finds the login shell that has yet to start it.
_END = (
    'for f in $(grep -slzx -- "$2" /proc/[0-9]*/environ; grep -sl -- "$3" /proc/[0-9]*/cmdline); '
    'do p=${f#/proc/}; kill -"$1" "${p%/*}" 2>/dev/null; done; :'
)
# Runs a followed command for as long as its standard input is open: that is the connection. sshd leaves
# commands behind when a connection is lost, and a silent log would be followed for ever.
_WHILE_CONNECTED = (
    'exec 3<&0 </dev/null; "$@" 3<&- & p=$!; '
    "{ cat <&3; kill $p; sleep 2; kill -9 $p; } >/dev/null 2>&1 & w=$!; "
    "exec 3<&-; wait $p; s=$?; kill $w 2>/dev/null; exit $s"
)


class RemoteCommand:
    """One command that was started on a machine."""

    def __init__(
        self, link: Link, process: "asyncssh.SSHClientProcess[bytes]", mark: str, doing: str
    ) -> None:
        self.link = link
        self.process = process
        self.doing = doing
        #: Whether nobody can tell if it still runs: the connection was lost, or answers nothing any more.
        self.lost = False
        self._mark = mark

    @classmethod
    async def start(cls, link: Link, argv: Sequence[str], *, merged: bool = False) -> "RemoteCommand":
        """Start a command. With ``merged``, standard error comes with standard output, and the command ends
        with the connection, whatever becomes of us.

        Raises:
            NetworkError: the connection was lost.
            RemoteCommandError: the machine refuses to start commands.
        """
        if link.orphans:
            await _end_marked(link, "KILL", *link.orphans)
            link.orphans.clear()
        mark = f"{_MARK}={secrets.token_hex(8)}"
        doing = shlex.join(argv)
        words = shlex.join(["sh", "-c", _WHILE_CONNECTED, "sh", *argv]) if merged else doing
        shown = shortened(argv)
        tries = 4  # sshd counts a session until its process is gone, a moment after we saw the end
        while True:
            tries -= 1
            try:
                process = await link.connection.create_process(
                    f"env {mark} {words}", encoding=None, stderr=asyncssh.STDOUT if merged else asyncssh.PIPE
                )
            except asyncssh.ChannelOpenError as error:
                if link.connection.is_closed():
                    raise dropped(link.target, shown, error) from error
                if not tries:
                    raise not_started(link.target, shown, error) from error
            except (OSError, asyncssh.Error) as error:
                raise dropped(link.target, shown, error) from error
            else:
                command = cls(link, process, mark, shown)
                link.running[mark] = command.end
                return command
            await asyncio.sleep(0.2)

    @property
    def node(self) -> str:
        """The name of the node."""
        return self.link.target.node

    async def part(self) -> bytes:
        """Return more of standard output, nothing at its end."""
        try:
            return await self.process.stdout.read(65536)
        except Exception:  # the missing exit status will tell
            return b""

    async def feed(self, stdin: str | None) -> None:
        """Write the standard input and close it. A command that does not read it all is no error."""
        with suppress(BrokenPipeError, ConnectionError, asyncssh.Error, OSError):
            if stdin:
                self.process.stdin.write(stdin.encode("utf-8", "surrogateescape"))
                await self.process.stdin.drain()
            self.process.stdin.write_eof()

    async def collect(self, stdin: str | None) -> tuple[int, str, str]:
        """Run to the end; return exit status, standard output and standard error.

        Raises:
            NetworkError: the connection was lost on the way.
        """
        out, err, _ = await asyncio.gather(
            read_to_end(self.process.stdout, MOST_OUTPUT),
            read_to_end(self.process.stderr, MOST_OUTPUT),
            self.feed(stdin),
        )
        return await self.status(), out, err

    async def status(self) -> int:
        """Return the exit status, once all output was read; 128 + N for a command ended by signal N.

        Raises:
            NetworkError: the connection was lost and nobody knows how the command ended.
        """
        await self.process.wait_closed()
        self.link.running.pop(self._mark, None)
        if (signalled := self.process.exit_signal) is not None:
            number = getattr(signal, f"SIG{signalled[0]}", signal.SIGKILL)
            return 128 + int(number)
        status = self.process.exit_status
        if status is None:
            self.link.orphans.add(self._mark)
            raise dropped(self.link.target, self.doing)
        return status

    async def end(self) -> None:
        """End the command there, and what it started: TERM, then KILL. Ending twice is harmless."""
        await self._end()
        self.link.running.pop(self._mark, None)

    async def _end(self) -> None:
        for signal_name, seconds in (("TERM", TERM_SECONDS), ("KILL", KILL_SECONDS)):
            if await self._closed(0):
                return
            with suppress(OSError, asyncssh.Error):
                self.process.channel.send_signal(signal_name)
            if not await _end_marked(self.link, signal_name, self._mark):
                # Half-open: without this every request would wait until the keepalive notices.
                self.lost = True
                self.link.orphans.add(self._mark)
                self.link.connection.abort()
                return
            if await self._closed(seconds):
                return
        self.process.channel.abort()
        await self._closed(KILL_SECONDS)

    async def _closed(self, seconds: float) -> bool:
        if self.link.connection.is_closed():
            if self.process.exit_status is None:
                self.lost = True
                self.link.orphans.add(self._mark)
            return True
        # Output that nobody reads any more would keep the channel open.
        drain = asyncio.gather(
            read_to_end(self.process.stdout, 0), read_to_end(self.process.stderr, 0), return_exceptions=True
        )
        try:
            await asyncio.wait_for(asyncio.gather(drain, self.process.wait_closed()), seconds + 0.01)
        except TimeoutError:
            return False
        except (OSError, asyncssh.Error):
            return True
        return True


async def end_all(link: Link) -> None:
    """End every command that still runs over a connection."""
    await asyncio.gather(*(end() for end in tuple(link.running.values())))


async def _end_marked(link: Link, signal_name: str, *marks: str) -> bool:
    """Signal every process of the machine that carries one of the marks; return whether it answered."""
    # "e[n]v" finds "env …" but not the words of this search itself.
    shells = "\n".join(f"e[n]v {mark} " for mark in marks)
    command = shlex.join(["sh", "-c", _END, "sh", signal_name, "\n".join(marks), shells])
    try:
        await asyncio.wait_for(link.connection.run(command, stdin=asyncssh.DEVNULL), ANSWER_SECONDS)
    except TimeoutError:
        return False
    except (OSError, asyncssh.Error):
        return True
    return True
