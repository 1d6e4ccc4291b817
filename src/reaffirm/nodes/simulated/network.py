"""Interfaces, routes and wires: who can reach which address."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from operator import attrgetter

# Reading an address costs more than all else that is done with it, and there are few of them.
_inet = cache(IPv4Interface)
_address = cache(IPv4Address)
_EVERYWHERE = IPv4Network("0.0.0.0/0")


class Way(StrEnum):
    """How an attempt to reach an address ends; the words of ``reach.py``."""

    OPEN = "open"
    TIMEOUT = "timeout"
    NO_ROUTE = "no route"


@dataclass
class Interface:
    """A network device. ``link`` names the wire or LAN it is on: only devices on one link hear each other.

    ``hca`` is its RDMA device, ``gateway`` the router of its LAN, ``metric`` what its default route costs.
    """

    name: str
    up: bool = True
    addresses: list[str] = field(default_factory=list)
    link: str = ""
    gateway: str = ""
    hca: str = ""
    mtu: int = 1500
    metric: int = 100
    virtual: bool = False

    @property
    def carrier(self) -> bool:
        """Whether it is up and somebody is at the other end."""
        return self.up and not self.virtual

    @property
    def inet(self) -> list[IPv4Interface]:
        """Its IPv4 addresses with their networks."""
        return [_inet(address) for address in self.addresses]


# All of a device that decides where a packet goes, without its addresses.
_way_of = attrgetter("name", "up", "link", "gateway", "metric", "virtual")


@dataclass(frozen=True)
class Route:
    """One line of the routing table."""

    network: IPv4Network
    dev: str
    source: str
    gateway: str = ""
    metric: int = 0
    linkdown: bool = False

    @property
    def default(self) -> bool:
        """Whether it is the default route."""
        return self.network.prefixlen == 0


@dataclass
class Host:
    """The network side of a node."""

    interfaces: list[Interface]

    def interface(self, name: str) -> Interface:
        """Return the device of that name.

        Raises:
            KeyError: there is none.
        """
        for interface in self.interfaces:
            if interface.name == name:
                return interface
        msg = f"no interface {name!r}; there are {', '.join(i.name for i in self.interfaces)}"
        raise KeyError(msg)

    def find(self, name: str) -> Interface | None:
        """Return the device of that name, if there is one."""
        return next((i for i in self.interfaces if i.name == name), None)

    def state(self) -> tuple[object, ...]:
        """Return all that decides where a packet goes; equal states mean equal ways."""
        return tuple([(_way_of(i), *i.addresses) for i in self.interfaces])

    def routes(self) -> list[Route]:
        """Return the routing table as ``ip route`` lists it: default routes first."""
        defaults: list[Route] = []
        connected: list[Route] = []
        for device in self.interfaces:
            if device.name == "lo" or not device.up:
                continue
            for address in device.inet:
                source = str(address.ip)
                down = device.virtual
                connected.append(Route(address.network, device.name, source, linkdown=down))
                if device.gateway and not down:
                    defaults.append(Route(_EVERYWHERE, device.name, source, device.gateway, device.metric))
        defaults.sort(key=lambda route: route.metric)
        connected.sort(key=lambda route: int(route.network.network_address))
        return defaults + connected

    def route_to(self, address: str) -> Route | None:
        """Return the route that a packet to that address takes."""
        target = _address(address)
        fitting = [r for r in self.routes() if target in r.network and not r.linkdown]
        return max(fitting, key=lambda r: (r.network.prefixlen, -r.metric), default=None)

    def source_for(self, address: str) -> str | None:
        """Return the address of its own from which this host talks to ``address``."""
        if self.owns(address):
            return address
        route = self.route_to(address)
        return route.source if route else None

    def owns(self, address: str) -> bool:
        """Whether the address is this host's own (any of loopback is)."""
        target = _address(address)
        if target.is_loopback:
            return True
        return any(target == inet.ip for device in self.interfaces if device.up for inet in device.inet)

    def link_of(self, address: str) -> str:
        """Return the link on which this host listens at that address; empty where it does not."""
        target = _address(address)
        for device in self.interfaces:
            if device.carrier and any(target == inet.ip for inet in device.inet):
                return device.link
        return ""


class Wires:
    """What is plugged into what: links, and the pairs of links between which a router forwards."""

    def __init__(self, forwarding: Iterable[frozenset[str]] = ()) -> None:
        self.forwarding = set(forwarding)
        self._ways: dict[tuple[object, ...], tuple[Way, Host | None]] = {}
        self._hosts: dict[int, Host] = {}

    def way(self, source: Host, address: str, hosts: Iterable[Host]) -> tuple[Way, Host | None]:
        """Return how a packet from ``source`` to ``address`` fares, and the host that gets it.

        Ranks that wait for each other ask at every moment; the answer is kept while nothing changes.
        """
        everybody = (source, *hosts)
        self._hosts.update((id(host), host) for host in everybody)  # kept, so that no id is used twice
        states = [(id(host), host.state()) for host in everybody]
        key = (address, frozenset(self.forwarding), *states)
        found = self._ways.get(key)
        if found is None:
            found = self._ways[key] = self._find(source, address, everybody[1:])
        return found

    def _find(self, source: Host, address: str, hosts: Iterable[Host]) -> tuple[Way, Host | None]:
        if source.owns(address) or _address(address).is_unspecified:
            return Way.OPEN, source
        route = source.route_to(address)
        if route is None:
            return Way.NO_ROUTE, None
        out = source.interface(route.dev)
        for host in hosts:
            link = host.link_of(address)
            if host is source or not link:
                continue
            if link == out.link or (route.gateway and frozenset((link, out.link)) in self.forwarding):
                return Way.OPEN, host
        # On its own subnet nobody answers ARP ("No route to host"); behind a router it just stays silent.
        return (Way.TIMEOUT, None) if route.gateway else (Way.NO_ROUTE, None)
