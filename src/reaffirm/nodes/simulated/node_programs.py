"""What the programs of ``scripts/node`` answer on a simulated node, derived from its state."""

import hashlib
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reaffirm.model.image import ContainerImage
from reaffirm.model.node import Engine
from reaffirm.nodes.simulated import example_server
from reaffirm.nodes.simulated.image_copy import fetch, serve
from reaffirm.nodes.simulated.machine import SimulatedNode
from reaffirm.nodes.simulated.network import Way
from reaffirm.nodes.simulated.node_lock import lock_order
from reaffirm.nodes.simulated.output import Output

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World


def run_program(
    world: "World",
    node: SimulatedNode,
    program: str,
    arguments: Sequence[str],
    image: ContainerImage | None = None,
) -> Output:
    """Answer as the program of that name would; ``image`` is what it runs in, if it runs in a container."""
    try:
        match program, list(arguments):
            case "advertised_address.py", _:
                return _told(_advertised(node))
            case "reach.py", [address, port, seconds, *_]:
                return _told(_reach(world, node, address, int(port), float(seconds)))
            case "check_weights.py", [model, cache, *_]:
                return _told(_weights(node, model, cache))
            case "probe_image.py", [engine, architecture, *_]:
                return _told(_probe(image, engine, architecture))
            case "list_models.py", [cache, *_]:
                return _told(_models(node, cache))
            case "serve_image.py", [reference, address, peer, wait, _]:
                return _told(serve(world, node, reference, address, peer, float(wait)))
            case "fetch_image.py", [address, port, ticket, limit]:
                return _told(fetch(world, node, address, int(port), ticket, float(limit)))
            case "node_lock.py", [order, *words]:
                return _told(lock_order(world, node, order, words))
            case "example_server.py", [seconds, *_]:
                return _told(example_server.start(world, node, int(seconds)))
            case "", _:
                text = "a simulated node runs no program but those of scripts/node; this text is none of them"
                return Output(1, "", f"{text}\n")
            case _:
                return Output(
                    1, "", f"IndexError: list index out of range ({program} wants more arguments)\n"
                )
    except ValueError as error:
        return Output(1, "", f"ValueError: {error}\n")


def _told(answer: dict[str, Any]) -> Output:
    return Output(0, json.dumps(answer) + "\n")


def _advertised(node: SimulatedNode) -> dict[str, Any]:
    address = node.host.source_for("8.8.8.8")
    how = "default route" if address else "no default route: Network is unreachable"
    return {"address": address, "how": how}


def _reach(world: "World", node: SimulatedNode, address: str, port: int, seconds: float) -> dict[str, Any]:
    way, host = world.way(node, address)
    if host is None:
        lasted = seconds if way is Way.TIMEOUT else min(3.1, seconds)
        world.advance(lasted)
        return {"reached": False, "how": str(way), "ms": round(lasted * 1000, 1)}
    there = world.node_of(host)
    answered = there.taken(address, port)
    milliseconds = 0.1 if there is node else 0.4
    world.advance(milliseconds / 1000)
    return {"reached": True, "how": "connected" if answered else "refused", "ms": milliseconds}


def _weights(node: SimulatedNode, model: str, cache: str) -> dict[str, Any]:
    found = node.find_weights(model.replace("~", node.home, 1) if model.startswith("~") else model, cache)
    if found is None or len(found.missing) >= found.shards:
        return {
            "found": False,
            "path": None,
            "files": 0,
            "bytes": 0,
            "missing": [],
            "incomplete": [],
            "architectures": [],
            "digest": None,
        }
    sizes = found.sizes()
    text = "".join(f"{found.model}\0{name}\0{size}\0" for name, size in sizes.items())
    return {
        "found": True,
        "path": found.path(node.hf_cache),
        "files": len(sizes),
        "bytes": sum(sizes.values()),
        "missing": [name for name in found.names if name in found.missing],
        "incomplete": [name for name in sizes if name in found.cut],
        "architectures": [found.architecture],
        "digest": "sha256:" + hashlib.sha256(text.encode()).hexdigest(),
    }


def _models(node: SimulatedNode, cache: str) -> dict[str, Any]:
    where = cache.replace("~", node.home, 1) if cache.startswith("~") else cache
    here = where.rstrip("/") == node.hf_cache.rstrip("/")
    held = [weights for weights in node.weights.values() if here and not weights.folder]
    models = [
        {"name": weights.model, "bytes": sum(sizes.values()), "unfinished": len(weights.cut)}
        for weights in held
        if (sizes := weights.sizes())
    ]
    there = node.exists(where)
    return {"cache": where, "there": there, "hf_home": None, "models": models, "more": 0}


_REGISTRY = {
    Engine.VLLM: "/usr/local/lib/python3.12/dist-packages/vllm/model_executor/models/registry.py",
    Engine.SGLANG: "/usr/local/lib/python3.12/dist-packages/sglang/srt/models",
}


def _probe(image: ContainerImage | None, engine: str, architecture: str) -> dict[str, Any]:
    here = image if image is not None and image.engine == engine else None
    registered = here.registry.has(architecture) if here else None
    notes, unresolved = [], []
    if here is None:
        notes.append(f"no package {engine} in this image")
    elif registered is None:
        unresolved.append(f"{architecture}: the page of the image lists only an excerpt of the registry")
    count = (here.registry.count or len(here.registry.names)) if here else 0
    return {
        "python": (image.python if image else "") or None,
        "engine": engine,
        "engine_version": here.engine_version if here else None,
        "torch_version": (image.torch_version if image else "") or None,
        "transformers_version": (image.transformers_version if image else "") or None,
        "registry": _REGISTRY[here.engine] if here else None,
        "registered": registered,
        "names": count,
        "unresolved": unresolved,
        "notes": notes,
        "out_of_tree": [],
    }
