"""What a survey of a node found: interfaces, RDMA devices, memory, who listens. ``None`` is unknown."""

from dataclasses import dataclass, field
from ipaddress import IPv4Interface


@dataclass(frozen=True)
class Interface:
    """One network interface of a node. ``rdma`` is its RDMA device (HCA), empty without one.

    ``mtu`` is the size of its largest packet in bytes.
    """

    name: str
    up: bool
    addresses: tuple[IPv4Interface, ...] = ()
    rdma: str = ""
    mtu: int | None = None


@dataclass(frozen=True)
class Listener:
    """Somebody listens on a TCP port. ``process`` is empty where the node does not tell."""

    port: int
    address: str
    process: str = ""


@dataclass(frozen=True)
class NodeFacts:
    """What one node said about itself. Sizes are bytes. ``gaps`` name what it did not tell, and why."""

    node: str
    hostname: str = ""
    interfaces: tuple[Interface, ...] = ()
    default_route: str = ""
    gpus: tuple[str, ...] = ()
    driver: str = ""
    memory_total: int | None = None
    memory_available: int | None = None
    listeners: tuple[Listener, ...] | None = None
    docker: str = ""
    advertised: str | None = None
    advertised_how: str = ""
    gaps: tuple[str, ...] = field(default=())

    def owner_of(self, address: str) -> Interface | None:
        """Return the interface that holds ``address``, if one does."""
        for interface in self.interfaces:
            if any(str(held.ip) == address for held in interface.addresses):
                return interface
        return None


@dataclass(frozen=True)
class FabricEnd:
    """One node's end of the fabric: the interface and address that peers reach, and its RDMA devices."""

    node: str
    interface: str
    address: str
    rdma: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImageHere:
    """A container image as a node has it. ``digests`` are registry digests, ``id`` the local one."""

    reference: str
    id: str
    digests: tuple[str, ...] = ()
    architecture: str = ""
    os: str = ""
    size: int = 0

    @property
    def digest(self) -> str:
        """The digest that names it best: the registry's, else the local id."""
        return self.digests[0] if self.digests else self.id

    def same_as(self, other: "ImageHere") -> bool:
        """Whether both are the same image: the same id, or a registry digest in common."""
        return self.id == other.id or bool(set(self.digests) & set(other.digests))
