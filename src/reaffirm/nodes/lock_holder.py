"""Who holds a lock: which run, started where; and whether that is known to be dead. No user is named."""

import hashlib
import os
import socket
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reaffirm.clock import WallClock


def here(run: str, runbook: str, token: str) -> dict[str, Any]:
    """Return what a lock says of a run of this process. ``since`` is this machine's time."""
    return {
        "token": token,
        "run": run or f"unnamed-{token[:8]}",
        "runbook": runbook or "-",
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "born": _born(os.getpid()),
        "machine": _machine(),
        "since": round(WallClock().now()),
    }


def described(holder: object) -> str:
    """Say who holds a lock."""
    if not isinstance(holder, Mapping):
        return "held by another run that says nothing of itself"
    run, runbook = holder.get("run", "unknown"), holder.get("runbook", "-")
    of = f" of {runbook}" if runbook not in ("-", "") else ""
    where = f", process {holder.get('pid', 'unknown')} on {holder.get('host', 'unknown')}"
    since = holder.get("since")
    when = "unknown"
    if isinstance(since, int | float):
        when = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    return f"held by run {run}{of}{where}, since {when}"


def is_dead_here(holder: object) -> bool:
    """Whether the holder was a process of this very machine, this boot, and is gone."""
    if not isinstance(holder, Mapping) or holder.get("machine") != _machine():
        return False
    pid = holder.get("pid")
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return holder.get("born") != _born(pid)


def _born(pid: int) -> str:
    """Return when a process began, in the kernel's own count; a later process of that number has another."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    # The name of the program stands in brackets and may hold anything; the 20th field after it is the start.
    return text.rpartition(")")[2].split()[19]


def _machine() -> str:
    """Return what no other machine, container or boot has, as far as the system tells; a hash."""
    known = [socket.gethostname()]
    for path in ("/etc/machine-id", "/proc/sys/kernel/random/boot_id"):
        try:
            known.append(Path(path).read_text(encoding="ascii").strip())
        except OSError:
            known.append("")
    try:
        known.append(str(Path("/proc/self/ns/pid").readlink()))
    except OSError:
        known.append("")
    return hashlib.sha256("\0".join(known).encode()).hexdigest()[:16]
