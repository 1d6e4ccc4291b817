"""A world of simulated nodes that behaves: state in, answers out, in virtual time."""

from reaffirm.nodes.simulated.transport import SimulatedStream, SimulatedTransport
from reaffirm.nodes.simulated.world import World

__all__ = ["SimulatedStream", "SimulatedTransport", "World"]
