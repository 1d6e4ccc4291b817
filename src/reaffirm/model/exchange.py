"""What goes to a node and what comes back: commands, answers, log lines, HTTP."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Answer:
    """The answer to one command. ``exit`` is the exit status (127: no such command there).

    ``started`` and ``ended`` are the node's time in seconds since the epoch.
    """

    exit: int
    stdout: str
    stderr: str
    started: float
    ended: float

    @property
    def ok(self) -> bool:
        """Whether the command ended with status 0."""
        return self.exit == 0


@dataclass(frozen=True)
class Line:
    """One line of a followed log, without its newline. ``at`` is the node's time of arrival."""

    text: str
    at: float


@dataclass(frozen=True)
class HttpRequest:
    """One HTTP request, sent from the node itself (so ``127.0.0.1`` is the node)."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None


@dataclass(frozen=True)
class Chunk:
    """A piece of an HTTP answer's body with the node's time of arrival (seconds)."""

    data: str
    at: float


@dataclass(frozen=True)
class HttpAnswer:
    """An HTTP answer. ``status`` 0 means that nobody answered; ``error`` then says why.

    A body that was cut by the limits of the request has ``error`` set too.
    """

    status: int
    headers: Mapping[str, str]
    chunks: tuple[Chunk, ...]
    started: float
    ended: float
    error: str = ""

    @property
    def body(self) -> str:
        """The whole body as text."""
        return "".join(chunk.data for chunk in self.chunks)


@dataclass(frozen=True)
class Sent:
    """What a step sent and where, in the form in which a reader can paste it.

    ``program`` is the file under ``scripts/node`` that went in on standard input, if one did; ``times`` is
    how often it was sent.
    """

    node: str
    argv: tuple[str, ...]
    program: str = ""
    times: int = field(default=1, compare=False)

    @property
    def line(self) -> str:
        """The command with its node before it and, where it was sent more than once, how often behind it."""
        often = f"  # {self.times} times" if self.times > 1 else ""
        return f"{self.node}$ {self.shell}{often}"

    @property
    def shell(self) -> str:
        """The command as one line for a shell on that node.

        A program passed as ``-c TEXT`` is shown as the file it comes from.
        """
        words: Sequence[str] = self.argv
        if self.program and "-c" in words:
            at = list(words).index("-c") + 1
            head, tail = shlex.join(words[:at]), shlex.join(words[at + 1 :])
            return f'{head} "$(cat scripts/node/{self.program})" {tail}'.rstrip()
        line = shlex.join(words)
        return f"{line} < scripts/node/{self.program}" if self.program else line
