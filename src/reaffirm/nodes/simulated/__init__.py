"""A world of simulated nodes that behaves: state in, answers out, in virtual time."""

from reaffirm.nodes.simulated.stream import SimulatedStream
from reaffirm.nodes.simulated.transport import SimulatedTransport
from reaffirm.nodes.simulated.world import World

__all__ = ["SimulatedStream", "SimulatedTransport", "World"]
