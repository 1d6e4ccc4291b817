"""What a transport that stands in front of another one passes on: which node it is, its clock, its end."""

from collections.abc import Sequence

from reaffirm.clock import Clock
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest
from reaffirm.model.node import NodeSpec
from reaffirm.nodes.transport import LineStream, Transport


class Wrapping:
    """One node behind something; see :class:`reaffirm.nodes.transport.Transport`.

    Whoever derives from it does its part of a request and then calls the one here.
    """

    def __init__(self, inner: Transport) -> None:
        self._inner = inner

    @property
    def node(self) -> NodeSpec:
        """The node this talks to."""
        return self._inner.node

    @property
    def kind(self) -> Kind:
        """What evidence from here is worth."""
        return self._inner.kind

    @property
    def via(self) -> Via:
        """Live, or replayed from a recording."""
        return self._inner.via

    @property
    def clock(self) -> Clock:
        """The node's clock."""
        return self._inner.clock

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        """Run one command to its end and return its answer; see the Protocol."""
        return self._inner.run(argv, stdin=stdin, timeout=timeout)

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> LineStream:
        """Start a command and read its lines as they come."""
        return self._inner.follow(argv, timeout=timeout)

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        """Send one HTTP request from the node."""
        return self._inner.http(request, timeout=timeout)

    def close(self) -> None:
        """Let go of the node."""
        self._inner.close()
