"""The small web server of ``scripts/node/example_server.py`` on a simulated node.

It answers every address with the same words, ends by itself after its time, and early at ``GET /stop``.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reaffirm.nodes.simulated.machine import SimulatedNode

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World

#: As the program sends it.
BODY = '{"says": "hello", "words": 1}\n'
_MOST = 600


@dataclass(frozen=True)
class ExampleServer:
    """One that runs, and the moment of the node's clock (seconds since the epoch) at which it ends."""

    pid: int
    ends: float


def start(world: "World", node: SimulatedNode, seconds: int) -> dict[str, Any]:
    """Start one on a free port of loopback and return what the program prints.

    Raises:
        ValueError: more or fewer seconds than the program takes.
    """
    if not 1 <= seconds <= _MOST:
        msg = f"SECONDS is from 1 to {_MOST}"
        raise ValueError(msg)
    process, port = node.start("python3"), node.free_port()
    node.listen("127.0.0.1", port, process)
    node.example_servers[process.pid] = ExampleServer(process.pid, world.clock.now() + seconds)
    world.schedule.after(float(seconds), lambda: stop(node, process.pid))
    return {"port": port, "seconds": seconds}


def stop(node: SimulatedNode, pid: int) -> None:
    """End one; ending it twice is harmless."""
    if pid in node.example_servers:
        node.end(pid)
