"""The one Protocol through which anything reaches a node, so that all of it can be recorded and replayed."""

from collections.abc import Sequence
from typing import Protocol

from reaffirm.clock import Clock
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest, Line
from reaffirm.model.node import NodeSpec


class LineStream(Protocol):
    """A command whose output is read while it runs (standard output and error together)."""

    @property
    def exit(self) -> int | None:
        """The exit status once the command has ended and all its lines were read, else ``None``."""
        ...

    def read(self, seconds: float) -> list[Line]:
        """Return the lines that have come, waiting at most ``seconds`` for the first.

        An empty list means that none came; look at :attr:`exit` to tell silence from the end.
        With ``seconds=0`` it never waits.

        Raises:
            NodeError: the connection was lost.
        """
        ...

    def close(self) -> None:
        """Stop following and end the remote command. Closing twice is harmless."""
        ...


class Transport(Protocol):
    """One node, and how to talk to it. Synchronous; a transport serves one thread."""

    @property
    def node(self) -> NodeSpec:
        """The node this talks to."""
        ...

    @property
    def kind(self) -> Kind:
        """What evidence from here is worth."""
        ...

    @property
    def via(self) -> Via:
        """Live, or replayed from a recording."""
        ...

    @property
    def clock(self) -> Clock:
        """The node's clock. Never use the wall where a time can reach an output."""
        ...

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        """Run one command to its end and return its answer, whatever its exit status.

        A command that does not exist on the node answers with exit status 127. Output that is not
        UTF-8 is decoded with replacement characters.

        Raises:
            NetworkError: the node cannot be reached, or the connection dropped.
            AuthenticationError: the node does not take our key, or its host key is not the known one.
            NodeTimeoutError: no end within ``timeout`` seconds; the remote command was ended.
        """
        ...

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> LineStream:
        """Start a command and read its lines as they come, for at most ``timeout`` seconds."""
        ...

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        """Send one HTTP request *from the node* and read the answer to its end, chunk by chunk.

        A refused connection is an answer with status 0, not an error: it says something about the
        service. A lost node is a :class:`NodeError`.
        """
        ...

    def close(self) -> None:
        """Let go of the node. Closing twice is harmless."""
        ...
