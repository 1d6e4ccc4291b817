"""The lines of a command that is followed on a simulated node."""

from typing import TYPE_CHECKING

from reaffirm.errors import NetworkError, NodeTimeoutError
from reaffirm.model.exchange import Line
from reaffirm.nodes.simulated.container import Container
from reaffirm.nodes.simulated.docker_templates import log_text
from reaffirm.nodes.simulated.machine import SimulatedNode
from reaffirm.nodes.simulated.output import Output

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World


class SimulatedStream:
    """The lines of a followed command; see ``reaffirm.nodes.transport.LineStream``."""

    def __init__(
        self,
        world: "World",
        node: SimulatedNode,
        timeout: float,
        *,
        container: Container | None = None,
        stamps: bool = False,
        position: int = 0,
        output: Output | None = None,
        over: float = 0.0,
    ) -> None:
        self._world = world
        self._node = node
        self._deadline = world.clock.now() + timeout
        self._boots = node.boots
        self._ahead = node.troubles.clock_ahead
        self._container = container
        self._stamps = stamps
        self._next = position
        self._exit: int | None = None
        self._closed = False
        now = world.clock.now()
        self._ready = [Line(text, now) for text in _lines(output)] if output else []
        self._code = output.exit if output else 0
        # A command that only takes time ends when this moment has come.
        self._at = max(over, now)
        if over > now:
            world.schedule.after(over - now, lambda: None)

    @property
    def exit(self) -> int | None:
        """The exit status once all lines were read and the command has ended."""
        return self._exit

    def read(self, seconds: float) -> list[Line]:
        """Return the lines that have come, waiting at most ``seconds`` for the first.

        Raises:
            NodeTimeoutError: the limit of the command was reached.
            NetworkError: the node went away.
        """
        if self._closed or self._exit is not None:
            return []
        end = min(self._world.clock.now() + max(seconds, 0.0), self._deadline)
        self._world.advance(0.0)
        while True:
            if self._node.unreachable or self._node.boots != self._boots:
                msg = f"{self._node.name}: the connection was lost while a log was followed"
                raise NetworkError(
                    msg, node=self._node.name, hint="the container itself may still run; look there"
                )
            if lines := self._take():
                return lines
            if self._over() or end <= self._world.clock.now():  # all that falls before now has happened
                return []
            if not self._world.schedule.step(end):
                self._world.advance(end - self._world.clock.now())
                if not (lines := self._take()):
                    self._over()
                return lines

    def _take(self) -> list[Line]:
        if self._container is None:
            lines, self._ready = self._ready, []
            return lines
        if self._node.troubles.silent:  # nothing comes through a half-open connection
            return []
        new = self._container.logs[self._next :]
        self._next += len(new)
        return [Line(log_text(line, self._stamps), line.at + self._ahead) for line in new]

    def _over(self) -> bool:
        """Note the end of the command, once there is one."""
        container = self._container
        if container is None:
            if self._world.clock.now() >= self._at:
                self._exit = self._code
        elif self._node.troubles.docker:
            self._exit = 1  # the daemon that sent the log is gone
        elif container.status not in ("running", "restarting", "created"):
            self._exit = 0
        if self._exit is None and self._world.clock.now() >= self._deadline:
            msg = f"{self._node.name}: what was followed did not end within its time limit"
            raise NodeTimeoutError(
                msg, node=self._node.name, hint="raise the limit, or look at the node by hand"
            )
        return self._exit is not None

    def close(self) -> None:
        """Stop following."""
        self._closed = True


def _lines(output: Output) -> list[str]:
    return (output.stdout + output.stderr).splitlines()
