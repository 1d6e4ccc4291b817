"""What is there: one line per question and host."""

from __future__ import annotations

import json
from typing import Any

import hosts
import network
import ssh
from places import HOSTS, MARKER, MODELS, Host

from images import IMAGES

WANTED = sorted(image.reference for image in IMAGES if not image.reference.startswith("reaffirm-lab-"))

LISTS = ("addresses-missing", "images", "images-missing", "containers")
WIDTH = max(map(len, LISTS))


def look(host: Host) -> dict[str, Any]:
    """The state of one host, seen from the machine and by SSH."""
    have, want = network.addresses(host), network.expected(host)
    seen: dict[str, Any] = {
        "name": host.name,
        "role": host.role,
        "init": hosts.running(host),
        "addresses": have,
        "addresses-missing": sorted(
            f"{link} {address}" for link, address in want.items() if have.get(link) != address
        ),
        "sshd": False,
        "marker": None,
        "images": [],
        "images-missing": WANTED,
        "containers": [],
    }
    if not seen["init"]:
        return {**seen, "up": False}
    answer = ssh.on(host, "hostname; cat", f"/etc/{MARKER}", seconds=15)
    lines = answer.out.splitlines()
    seen["sshd"] = lines[:1] == [host.name]
    if seen["sshd"]:
        seen["marker"] = lines[1] if len(lines) > 1 else None
        listed = ssh.on(host, "docker", "images", "--format", "'{{.Repository}}:{{.Tag}}'").out.split()
        seen["images"] = sorted({name.removeprefix("localhost/") for name in listed})
        seen["images-missing"] = [name for name in WANTED if name not in seen["images"]]
        seen["containers"] = ssh.on(host, "docker", "ps", "-a", "--format", "'{{.Names}}'").out.split()
    seen["up"] = not (
        seen["addresses-missing"]
        or seen["images-missing"]
        or seen["marker"] != f"reaffirm lab host {host.name}"
    )
    return seen


def show(*, as_json: bool) -> int:
    """Print the state; 0 only when everything is up."""
    seen = [look(host) for host in HOSTS]
    model = (MODELS / "tiny-qwen35" / "config.json").exists()
    fine = model and all(host["up"] for host in seen)
    if as_json:
        print(json.dumps({"up": fine, "hosts": seen, "model": model}, indent=2))
        return 0 if fine else 1
    print(table(seen, model=model))
    if not fine:
        print("next: sudo scripts/lab up")
    return 0 if fine else 1


def table(seen: list[dict[str, Any]], *, model: bool) -> str:
    """The state for people: one line per question and host."""
    lines = []
    for host in seen:
        lines.append(f"{host['name']} ({host['role']}): {'up' if host['up'] else 'NOT UP'}")
        told = [(question, host[question] or "no") for question in ("init", "sshd", "marker")]
        told += [("address", f"{address} on {link}") for link, address in host["addresses"].items()]
        told += [(question, "  ".join(host[question])) for question in LISTS if host[question]]
        lines += [f"  {question:<{WIDTH}}  {answer}" for question, answer in told]
    return "\n".join([*lines, f"model: {'there' if model else 'MISSING'}"])
