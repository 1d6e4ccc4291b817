"""What ``node_lock.py`` answers on a simulated node: the lock is its field, its time that of the world."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reaffirm.nodes.simulated.machine import SimulatedNode

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World


def lock_order(world: "World", node: SimulatedNode, order: str, words: Sequence[str]) -> dict[str, Any]:
    """Do one order of the program and return what it prints.

    Raises:
        ValueError: an argument is no number or no JSON.
    """
    match order, list(words):
        case "take", [holder, seconds, *dead]:
            return _take(world, node, json.loads(holder), float(seconds), *dead[:1])
        case "keep", [token, seconds]:
            return _keep(world, node, token, float(seconds))
        case "free", [token]:
            mine = node.lock is not None and node.lock.get("token") == token
            node.lock = None if mine else node.lock
            return {"freed": mine}
        case "break", [run, by]:
            if node.lock is None or node.lock.get("run") != run:
                return {"broken": None, "holder": _shown(node.lock)}
            at = world.clock.now()
            node.broken_lock = {"token": node.lock.get("token"), "run": run, "by": by, "at": at}
            told, node.lock = _shown(node.lock), None
            return {"broken": told, "holder": None}
        case _:
            held = _shown(node.lock)
            return {"holder": held and {**held, "void": _void(world, held | (node.lock or {}), "")}}


def _take(
    world: "World", node: SimulatedNode, holder: dict[str, Any], seconds: float, dead: str = ""
) -> dict[str, Any]:
    there, until = node.lock, world.clock.now() + seconds
    why = _void(world, there, dead) if there else ""
    other = there is not None and there.get("token") != holder["token"]
    if there and other and not why:
        if all(there.get(key) == holder.get(key) for key in ("machine", "pid", "born")):
            node.lock = {**there, "until": until}
            return {"taken": True, "token": there.get("token"), "after": None}
        return {"taken": False, "holder": _shown(there)}
    node.lock = {**holder, "until": until}
    return {"taken": True, "after": _shown(there, why) if other else None}


def _keep(world: "World", node: SimulatedNode, token: str, seconds: float) -> dict[str, Any]:
    if node.lock is not None and node.lock.get("token") == token:
        node.lock = {**node.lock, "until": world.clock.now() + seconds}
        return {"kept": True}
    broken = node.broken_lock
    by = broken.get("by") if broken is not None and broken.get("token") == token else None
    return {"kept": False, "holder": _shown(node.lock), "broken": by}


def _void(world: "World", said: dict[str, Any], dead: str) -> str:
    """A simulated node is not booted again; a lock without an end is one that somebody keeps."""
    if dead and said.get("token") == dead:
        return "its run is dead"
    return (
        "its run was not heard of any more"
        if said.get("until", world.clock.now()) < world.clock.now()
        else ""
    )


def _shown(said: dict[str, Any] | None, why: str = "") -> dict[str, Any] | None:
    if said is None:
        return None
    told = {key: value for key, value in said.items() if key != "until"}
    return {**told, "void": why} if why else told
