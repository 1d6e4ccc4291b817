"""The commands of a simulated node other than ``docker``: what a survey asks, and a few plain ones."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reaffirm.nodes.simulated.machine import ANY, SimulatedNode
from reaffirm.nodes.simulated.network import Interface, Route
from reaffirm.nodes.simulated.output import Output, not_found

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World

_KIB = 1024 * 1024
_FOREVER = 4_294_967_295


def answer(world: "World", node: SimulatedNode, argv: Sequence[str], stdin: str | None) -> Output:
    """Answer one command that is neither ``docker`` nor a node program."""
    program, rest = argv[0], list(argv[1:])
    commands: Mapping[str, Callable[[], Output]] = {
        "hostname": lambda: Output(0, f"{node.hostname}\n"),
        "ip": lambda: _ip(node, rest),
        "ibdev2netdev": lambda: _ibdev2netdev(node),
        "nvidia-smi": lambda: _nvidia_smi(node, rest),
        "cat": lambda: _cat(node, rest, stdin),
        "df": lambda: _df(node, rest),
        "ss": lambda: _ss(world, node, rest),
        "echo": lambda: Output(0, " ".join(rest) + "\n"),
        "printf": lambda: _printf(rest),
        "seq": lambda: _seq(rest),
        "true": lambda: Output(0),
        "false": lambda: Output(1),
        "uname": lambda: Output(0, "aarch64\n" if rest == ["-m"] else "Linux\n"),
        "id": lambda: Output(0, "0\n" if node.user == "root" else "1000\n"),
        "date": lambda: Output(0, f"{world.clock.now() + node.troubles.clock_ahead:.9f}\n"),
    }
    name = program.rsplit("/", 1)[-1]
    return commands[name]() if name in commands else not_found(program)


def _printf(rest: list[str]) -> Output:
    template, values = (rest[0] if rest else ""), rest[1:]
    parts = template.replace("\\n", "\n").replace("\\t", "\t").split("%s")
    text, first = "", True
    while first or (values and len(parts) > 1):  # the template is used again until no word is left
        first = False
        text += parts[0]
        for part in parts[1:]:
            text += (values.pop(0) if values else "") + part
    return Output(0, text)


def _seq(rest: list[str]) -> Output:
    if not rest or not all(word.isdigit() for word in rest):
        return Output(1, "", "seq: a simulated node counts whole numbers only\n")
    first, last = (1, int(rest[0])) if len(rest) == 1 else (int(rest[0]), int(rest[1]))
    return Output(0, "".join(f"{number}\n" for number in range(first, last + 1)))


# --- ip


def mac(node: SimulatedNode, device: str) -> str:
    """Return a made-up hardware address, locally administered."""
    digest = hashlib.sha256(f"{node.name}/{device}".encode()).hexdigest()
    return ":".join(["02", *(digest[at : at + 2] for at in range(0, 10, 2))])


def _ip(node: SimulatedNode, rest: list[str]) -> Output:
    words = [word for word in rest if word not in ("-j", "-json", "-4", "show", "list")]
    if "-j" not in rest and "-json" not in rest:
        return Output(255, "", "a simulated node answers ip only with -j\n")
    match words:
        case ["addr" | "address" | "a"]:
            data: list[dict[str, Any]] = [
                _device(node, index, device) for index, device in enumerate(node.host.interfaces, 1)
            ]
        case ["route" | "r"]:
            data = [_route(route) for route in node.host.routes()]
        case _:
            shown = words[0] if words else ""
            return Output(1, "", f'Object "{shown}" is unknown, try "ip help".\n')
    return Output(0, json.dumps(data, separators=(",", ":")) + "\n")


def _device(node: SimulatedNode, index: int, device: Interface) -> dict[str, Any]:
    loopback = device.name == "lo"
    flags = ["LOOPBACK"] if loopback else ["BROADCAST", "MULTICAST"]
    if device.up:
        flags = [*flags, "UP", "LOWER_UP"] if device.carrier or loopback else ["NO-CARRIER", *flags, "UP"]
    else:
        flags = ["NO-CARRIER", *flags, "UP"] if device.hca else flags
    state = "UNKNOWN" if loopback else "UP" if device.carrier else "DOWN"
    return {
        "ifindex": index,
        "ifname": device.name,
        "flags": flags,
        "mtu": device.mtu,
        "qdisc": "noqueue" if loopback or device.virtual else "mq",
        "operstate": state,
        "group": "default",
        "txqlen": 1000,
        "link_type": "loopback" if loopback else "ether",
        "address": "00:00:00:00:00:00" if loopback else mac(node, device.name),
        "broadcast": "00:00:00:00:00:00" if loopback else "ff:ff:ff:ff:ff:ff",
        "addr_info": [
            {
                "family": "inet",
                "local": str(inet.ip),
                "prefixlen": inet.network.prefixlen,
                **({} if loopback else {"broadcast": str(inet.network.broadcast_address)}),
                "scope": "host" if loopback else "global",
                "label": device.name,
                "valid_life_time": _FOREVER,
                "preferred_life_time": _FOREVER,
            }
            for inet in device.inet
        ],
    }


def _route(route: Route) -> dict[str, Any]:
    if route.default:
        return {
            "dst": "default",
            "gateway": route.gateway,
            "dev": route.dev,
            "protocol": "dhcp",
            "prefsrc": route.source,
            "metric": route.metric,
            "flags": [],
        }
    return {
        "dst": str(route.network),
        "dev": route.dev,
        "protocol": "kernel",
        "scope": "link",
        "prefsrc": route.source,
        "flags": ["linkdown"] if route.linkdown else [],
    }


# --- hardware


def _ibdev2netdev(node: SimulatedNode) -> Output:
    devices = [device for device in node.host.interfaces if device.hca]
    if not devices:
        return not_found("ibdev2netdev")
    lines = [
        f"{device.hca} port 1 ==> {device.name} ({'Up' if device.carrier else 'Down'})\n"
        for device in devices
    ]
    return Output(0, "".join(lines))


def _nvidia_smi(node: SimulatedNode, rest: list[str]) -> Output:
    if not node.gpu:
        return not_found("nvidia-smi")
    known = {"name": node.gpu, "driver_version": node.driver, "memory.total": "[N/A]", "memory.used": "[N/A]"}
    query = next((word.partition("=")[2] for word in rest if word.startswith("--query-gpu=")), "")
    wanted = query.split(",") if query else []
    if not wanted or not all(name in known for name in wanted):
        return Output(2, "", "a simulated node answers nvidia-smi only for name, driver_version and memory\n")
    return Output(0, ", ".join(known[name] for name in wanted) + "\n")


def meminfo(node: SimulatedNode) -> str:
    """Return ``/proc/meminfo``: in kB, which are KiB."""
    cached = max(min(node.page_cache, node.memory_total - node.memory_used), 0.0)
    rows = {
        "MemTotal": node.memory_total,
        "MemFree": node.memory_free,
        "MemAvailable": node.memory_available,
        "Buffers": 0.0,
        "Cached": cached,
        "SwapCached": 0.0,
        "SwapTotal": 16.0,
        "SwapFree": 16.0,
    }
    return "".join(f"{name + ':':<16}{round(gib * _KIB):>9} kB\n" for name, gib in rows.items())


def _boot_id(node: SimulatedNode) -> str:
    """Return a made-up id of the running kernel: every simulated node has a kernel of its own."""
    digest = hashlib.sha256(f"boot of {node.name}{node.boots if node.boots > 1 else ''}".encode()).hexdigest()
    return "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32])) + "\n"


def _cat(node: SimulatedNode, rest: list[str], stdin: str | None) -> Output:
    if not rest or rest == ["-"]:
        # bytes that are no text come back as what no text is shown as
        return Output(0, (stdin or "").encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
    out, err = "", ""
    for path in rest:
        if path == "/proc/meminfo":
            out += meminfo(node)
        elif path == "/proc/sys/kernel/random/boot_id":
            out += _boot_id(node)
        elif path in node.files:
            out += node.files[path]
        else:
            reason = "Is a directory" if node.exists(path) else "No such file or directory"
            err += f"cat: {path}: {reason}\n"
    return Output(1 if err else 0, out, err)


def _df(node: SimulatedNode, rest: list[str]) -> Output:
    paths = [word for word in rest if not word.startswith("-")] or ["/"]
    out, err = f"{'Avail':>12} Mounted on\n", ""
    found = 0
    for path in paths:
        if node.exists(path):
            found += 1
            out += f"{0 if node.troubles.disk_full else node.disk_free:>12} /\n"
        else:
            err += f"df: {path}: No such file or directory\n"
    return Output(1 if err else 0, out if found else "", err)


# --- ss


def _ss(world: "World", node: SimulatedNode, rest: list[str]) -> Output:
    if any("syn-sent" in word for word in rest):
        return Output(0, _dialling(world, node))
    flags = "".join(word.lstrip("-") for word in rest if word.startswith("-"))
    rows = "" if "H" in flags else "State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n"
    for entry in sorted(node.listeners, key=lambda listener: (listener.port, listener.address)):
        local = f"{'*' if entry.address in ANY and entry.address != ANY[0] else entry.address}:{entry.port}"
        peer = "*:*" if local.startswith("*") else "0.0.0.0:*"
        # Only root sees whose socket it is; others see that of their own processes.
        shown = "p" in flags and node.user in ("root", entry.user)
        users = f'users:(("{entry.process}",pid={entry.pid},fd=3))' if shown else ""
        rows += f"LISTEN 0      2048   {local:>21} {peer:>14} {users}".rstrip() + "\n"
    return Output(0, rows)


def _dialling(world: "World", node: SimulatedNode) -> str:
    rows = ""
    for container in node.containers.values():
        if (target := world.dialling.get(container.id)) is not None:
            address, port = target
            source = node.host.source_for(address) or "0.0.0.0"  # noqa: S104
            rows += f"0      1      {source}:{40_000 + container.pid % 20_000} {address}:{port}\n"
    return rows
