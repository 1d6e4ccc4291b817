"""Network namespaces and the cables between them."""

from __future__ import annotations

import json
from pathlib import Path

from commands import ask, must
from obstacles import CannotRunError
from places import (
    FABRIC_INTERFACE,
    HEAD,
    HOSTS,
    MACHINE_ADDRESS,
    MACHINE_INTERFACE,
    MANAGEMENT_INTERFACE,
    OFFICE_INTERFACE,
    OFFICE_NAMESPACE,
    WORKER,
    Host,
)


def inside(host: Host, *argv: str) -> list[str]:
    """`argv` as it runs in the host's network namespace.

    Never `ip netns exec`: it mounts a new /sys without cgroups, and the container runtime then fails
    with "no cgroup mount found" (2026-11-30).
    """
    return ["nsenter", f"--net=/run/netns/{host.namespace}", *argv]


def exists(host: Host) -> bool:
    """True when the host's network namespace is there."""
    return Path("/run/netns", host.namespace).exists()


def addresses(host: Host) -> dict[str, str]:
    """Interface -> address with prefix length, as the kernel has them now."""
    if not exists(host):
        return {}
    answer = ask(inside(host, "ip", "-j", "-4", "addr"))
    if not answer.ok:
        return {}
    return {
        link["ifname"]: f"{info['local']}/{info['prefixlen']}"
        for link in json.loads(answer.out)
        for info in link["addr_info"]
        if link["operstate"] != "DOWN"
    }


def expected(host: Host) -> dict[str, str]:
    """Interface -> address with prefix length, as they have to be."""
    links = {
        "lo": "127.0.0.1/8",
        FABRIC_INTERFACE: f"{host.fabric}/24",
        OFFICE_INTERFACE: f"{host.office}/24",
    }
    if host.management:
        links[MANAGEMENT_INTERFACE] = f"{host.management}/24"
    return links


def complete() -> bool:
    """True when every namespace, cable and address is there."""
    cable = ask(["ip", "-j", "route", "get", str(HEAD.management)])
    return (
        all(expected(host).items() <= addresses(host).items() for host in HOSTS)
        and cable.ok
        and json.loads(cable.out)[0].get("dev") == MACHINE_INTERFACE
    )


def up() -> str:
    """Make what is missing. Returns a sentence."""
    if complete():
        return "already there"
    down()
    taken = ask(["ip", "-j", "-4", "addr"]).out
    for address in (str(HEAD.management), MACHINE_ADDRESS, HEAD.fabric, WORKER.fabric):
        if f'"local":"{address}"' in taken:
            raise CannotRunError(
                "address", f"{address} belongs to this machine", "The lab needs it for itself."
            )
    ip(f"netns add {OFFICE_NAMESPACE}")
    for host in HOSTS:
        ip(f"netns add {host.namespace}")
        ip("link set lo up", host)
        _office(host)
    ends = [f"name {FABRIC_INTERFACE} netns {host.namespace}" for host in HOSTS]
    ip(f"link add {ends[0]} type veth peer {ends[1]}")
    ip(f"link add {MACHINE_INTERFACE} type veth peer name {MANAGEMENT_INTERFACE} netns {HEAD.namespace}")
    for host in HOSTS:
        _address(host, FABRIC_INTERFACE, f"{host.fabric}/24")
    _address(HEAD, MANAGEMENT_INTERFACE, f"{HEAD.management}/24")
    ip(f"route add {MACHINE_ADDRESS}/32 dev {MANAGEMENT_INTERFACE}", HEAD)
    # A host that forwards would give the worker a second way out.
    for host in HOSTS:
        must(inside(host, "sysctl", "-qw", "net.ipv4.ip_forward=0"))
    ip(f"addr add {MACHINE_ADDRESS}/32 dev {MACHINE_INTERFACE}")
    ip(f"link set {MACHINE_INTERFACE} up")
    ip(f"route add {HEAD.management}/32 dev {MACHINE_INTERFACE} src {MACHINE_ADDRESS}")
    _fence()
    return f"{len(HOSTS)} namespaces, fabric {HEAD.fabric} - {WORKER.fabric}"


def ip(words: str, host: Host | None = None) -> None:
    """Run `ip` on the machine or in a host's network; it has to succeed."""
    must(inside(host, "ip", *words.split()) if host else ["ip", *words.split()])


def _address(host: Host, interface: str, address: str) -> None:
    ip(f"addr add {address} dev {interface}", host)
    ip(f"link set {interface} up", host)


def _office(host: Host) -> None:
    """The office LAN: it has the default route, and the other host is not on it.

    The cable ends in a third namespace where nobody answers. The gateway is a permanent neighbour: without
    it, a connection to the other's office address fails after 3 s with "No route to host"; with it the
    packets leave and are gone, and the connection stays in SYN-SENT as in a network that drops it. (A dummy
    device would do the same: "Unknown device type" on this kernel, 2026-11-30.) The kernel's search for a
    source address ("which of my addresses reaches the world?") answers with this one, and that is the trap.
    """
    ip(f"link add {OFFICE_INTERFACE} type veth peer name {host.name} netns {OFFICE_NAMESPACE}", host)
    ip(f"-n {OFFICE_NAMESPACE} link set {host.name} up")
    _address(host, OFFICE_INTERFACE, f"{host.office}/24")
    gateway = host.office_gateway
    ip(f"neigh add {gateway} lladdr 02:00:00:00:00:01 dev {OFFICE_INTERFACE} nud permanent", host)
    ip(f"route add default via {gateway} dev {OFFICE_INTERFACE} onlink", host)


def _fence() -> None:
    """Keep the machine itself from sending packets for the fabric to somebody's real network.

    Skipped where the machine has a route of its own to these addresses.
    """
    for host in HOSTS:
        if not json.loads(ask(["ip", "-j", "route", "show", "match", host.fabric]).out or "[]")[1:]:
            ask(["ip", "route", "add", "unreachable", f"{host.fabric}/32", "metric", "4278198"])


def down() -> None:
    """Take everything away that `up` made; what is not there is no error."""
    ask(["ip", "link", "del", MACHINE_INTERFACE])
    for host in HOSTS:
        ask(["ip", "route", "del", "unreachable", f"{host.fabric}/32", "metric", "4278198"])
    for namespace in (*(host.namespace for host in HOSTS), OFFICE_NAMESPACE):
        if Path("/run/netns", namespace).exists():
            ask(["ip", "netns", "del", namespace])
