"""Reads what ``ip``, ``ss``, ``ibdev2netdev``, ``nvidia-smi``, ``df`` and ``docker`` answer. Pure."""

import re
from collections.abc import Iterable, Mapping
from ipaddress import AddressValueError, IPv4Interface, NetmaskValueError
from typing import Any

from reaffirm.model.survey import ImageHere, Interface, Listener

# rocep1s0f1 port 1 ==> enp1s0f1np1 (Up)
_IBDEV = re.compile(r"^(\S+) port \d+ ==> (\S+) \((\w+)\)", re.MULTILINE)
# LISTEN 0 2048 0.0.0.0:8000 0.0.0.0:* users:(("vllm",pid=12,fd=7))
_LISTEN = re.compile(
    r"^LISTEN\s+\d+\s+\d+\s+(\S+):(\d+)\s+\S+(?:\s+users:\(\(\"([^\"]*)\",pid=(\d+))?", re.MULTILINE
)
_MEMINFO = re.compile(r"^(\w+):\s+(\d+) kB", re.MULTILINE)
# What counts as a link that carries traffic: veth and bridge pairs say UNKNOWN or UP.
_UP = ("UP", "UNKNOWN")


def interfaces(entries: Iterable[Mapping[str, Any]], rdma: Mapping[str, str]) -> tuple[Interface, ...]:
    """Read ``ip -j addr``; ``rdma`` maps an interface to its RDMA device. Loopback is left out."""
    found = []
    for entry in entries:
        if entry.get("link_type") == "loopback" or "LOOPBACK" in entry.get("flags", ()):
            continue
        addresses = []
        for held in entry.get("addr_info", ()):
            if held.get("family") != "inet":
                continue
            try:
                addresses.append(IPv4Interface(f"{held['local']}/{held['prefixlen']}"))
            except (KeyError, AddressValueError, NetmaskValueError):
                continue
        name = str(entry.get("ifname", ""))
        up = entry.get("operstate", "UNKNOWN") in _UP and "NO-CARRIER" not in entry.get("flags", ())
        mtu = entry.get("mtu")
        size = mtu if type(mtu) is int else None
        found.append(Interface(name, up, tuple(addresses), rdma.get(name, ""), size))
    return tuple(found)


def default_route(entries: Iterable[Mapping[str, Any]]) -> str:
    """Read ``ip -j route``; return the interface of the default route, empty without one."""
    routes = [entry for entry in entries if entry.get("dst") == "default"]
    routes.sort(key=lambda entry: int(entry.get("metric", 0)))
    return str(routes[0].get("dev", "")) if routes else ""


def rdma_devices(text: str) -> dict[str, str]:
    """Read ``ibdev2netdev``: network interface → RDMA device, only those that are up."""
    return {netdev: device for device, netdev, state in _IBDEV.findall(text) if state == "Up"}


def gpus(text: str) -> tuple[tuple[str, ...], str]:
    """Read ``nvidia-smi --query-gpu=name,driver_version``: (names, driver version)."""
    rows = [line.split(",") for line in text.splitlines() if "," in line]
    return tuple(row[0].strip() for row in rows), rows[0][1].strip() if rows else ""


def memory(text: str) -> tuple[int | None, int | None]:
    """Read ``/proc/meminfo``: (MemTotal, MemAvailable) in bytes."""
    values = {name: int(kib) * 1024 for name, kib in _MEMINFO.findall(text)}
    return values.get("MemTotal"), values.get("MemAvailable")


def disk_free(text: str) -> tuple[int, str] | None:
    """Read ``df -B1 --output=avail,target``: (bytes, mount point), or ``None``."""
    for line in text.splitlines()[1:]:
        words = line.split(None, 1)
        if len(words) == 2 and words[0].isdigit():
            return int(words[0]), words[1].strip()
    return None


def listeners(text: str) -> tuple[Listener, ...]:
    """Read ``ss -H -ltnp``."""
    return tuple(
        Listener(int(port), address.strip("[]"), f"{name} (pid {pid})" if name else "")
        for address, port, name, pid in _LISTEN.findall(text)
    )


def image_here(reference: str, entry: Mapping[str, Any]) -> ImageHere:
    """Read one entry of ``docker image inspect``."""
    digests = tuple(sorted(str(name).partition("@")[2] for name in entry.get("RepoDigests") or ()))
    identity = str(entry.get("Id", ""))
    return ImageHere(
        reference,
        identity if ":" in identity else f"sha256:{identity}",
        tuple(digest for digest in digests if digest),
        str(entry.get("Architecture", "")),
        str(entry.get("Os", "")),
        int(entry.get("Size") or 0),
    )


def gib(size: int | None) -> float | None:
    """Bytes as GiB with one decimal; ``None`` stays ``None``."""
    return None if size is None else round(size / 1024**3, 1)


def amount(size: int) -> str:
    """Bytes as people read them: ``118.4 GiB``; what is less than a tenth of that as ``6.6 MiB``."""
    return f"{gib(size)} GiB" if size >= 1024**3 / 10 else f"{round(size / 1024**2, 1)} MiB"
