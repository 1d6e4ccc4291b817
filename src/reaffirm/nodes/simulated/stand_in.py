"""A simulated world that stands in for the machines of a machine file that has none: two Sparks as they come.

It is for showing what a runbook would send, so it is well disposed: what is asked for is there. Names, roles,
images and models are those of the machine file, everything else is assumed.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from ipaddress import IPv4Network, ip_address
from itertools import islice
from typing import Any

from reaffirm.model.exchange import Chunk, HttpAnswer, HttpRequest
from reaffirm.model.image import ContainerImage, Registry
from reaffirm.model.node import Engine, Machines
from reaffirm.nodes.simulated.container import RunSpec
from reaffirm.nodes.simulated.docker_run import DockerError, parse_run
from reaffirm.nodes.simulated.machine import SimulatedNode, Weights
from reaffirm.nodes.simulated.world import World

# From the blocks that are reserved for documentation (RFC 5737): nobody's addresses.
_OFFICE = IPv4Network("192.0.2.0/24")
_CABLE = IPv4Network("198.51.100.0/25")
_TWIN = IPv4Network("198.51.100.128/25")
_BEGINS = 1_767_225_600.0  # 2026-01-01, the same in every dry run
_ARCHITECTURE = "Qwen3_5MoeForConditionalGeneration"
_BYTES = 127_100_000_000


class StandIn:
    """The world, and what is assumed to be there once it is asked for."""

    def __init__(
        self, machines: Machines, images: Mapping[str, ContainerImage], programs: Mapping[str, str]
    ) -> None:
        self.machines = replace(machines, world=_world(machines))
        self.world = World.from_machines(self.machines, images, programs)
        self._seen: set[str] = set()
        self._started = False
        self._names: dict[str, str] = {}
        #: Whether somebody answers HTTP as if a service ran.
        self.serves = False

    def assume(self, name: str, argv: Sequence[str], stdin: str | None) -> None:
        """Put on a node what a request is about to ask for: an image, a model's files."""
        node = self.world.node(name)
        match list(argv):
            case ["docker", "image", "inspect", reference]:
                _image(node, reference)
            case ["docker", "run", "-d", *words]:
                self._started = True
                with suppress(DockerError):
                    _image(node, parse_run(["-d", *words]).image)
            case ["docker", "run", *words] if "-" in words:  # the probe: REF - ENGINE CLASS
                at = words.index("-")
                _image(node, words[at - 1], words[at + 1 : at + 3])
            case ["docker", "run", *words]:
                with suppress(DockerError):
                    _image(node, parse_run(words).image)
            case ["python3", "-", model, cache] if stdin == self.world.programs.get("check_weights.py"):
                if node.find_weights(model, cache) is None:
                    folder = model if model.startswith(("/", "~")) else ""
                    node.weights[model] = Weights(model, _ARCHITECTURE, "qwen3_5_moe", 39, _BYTES, folder)

    def serve(self, request: HttpRequest, now: float) -> HttpAnswer | None:
        """Answer as a service that runs already would; ``None`` once this run has started something."""
        if self._started or not self.serves:
            return None
        body, stream = "", False
        if request.url.endswith("/v1/models"):
            served = [{"id": model, "object": "model"} for model in self._models()]
            body = json.dumps({"object": "list", "data": served})
        elif request.url.endswith("/completions"):
            stream = True
            parts = [{"reasoning": "Assumed."}, {"content": "Assumed."}, {"content": " More."}]
            lines = [json.dumps({"choices": [{"index": 0, "delta": part}]}) for part in parts]
            lines += [json.dumps({"choices": [], "usage": {"completion_tokens": 3}}), "[DONE]"]
            chunks = tuple(Chunk(f"data: {line}\n\n", now + n / 10) for n, line in enumerate(lines, 1))
        headers = {"content-type": "text/event-stream" if stream else "application/json"}
        return HttpAnswer(200, headers, chunks if stream else (Chunk(body, now),), now, now + 1)

    def _models(self) -> Iterable[str]:
        named = {here.path or model for model, here in self.machines.models.items()}
        return sorted({*named, *(m for node in self.world.nodes.values() for m in node.weights)})

    def hold(self, names: Sequence[str]) -> tuple[str, ...]:
        """Put containers on every node as if an earlier run had left them; return the names that were new.

        One that was there before in this world is not put back.
        """
        new = tuple(name for name in dict.fromkeys(names) if name not in self._seen and not self._there(name))
        self._seen.update(names)
        for node in self.world.nodes.values():
            for name in new:
                image = next(iter(node.images.values()))
                spec = RunSpec(image=image.reference, name=name, command=("sleep", "infinity"))
                self.world.create(node, spec, image).start()
        return new

    def name_of(self, container: str) -> str | None:
        """Return the name of a container with this id, also of one that was removed."""
        for node in self.world.nodes.values():
            self._names.update({one.id: one.name for one in node.containers.values()})
        return next((name for known, name in self._names.items() if known.startswith(container)), None)

    def _there(self, name: str) -> bool:
        return any(name in node.containers for node in self.world.nodes.values())


def _image(node: SimulatedNode, reference: str, probed: Sequence[str] = ()) -> None:
    """Put an image on a node unless it is there; one that is assumed has the class that is asked for."""
    if node.find_image(reference) is not None:
        return
    engine, architecture = (*probed, "", "")[:2]
    known = Engine(engine) if engine in tuple(Engine) else Engine.VLLM
    names = (architecture or _ARCHITECTURE,)
    node.images[reference] = ContainerImage(
        reference, reference, known, "", platform=node.platform, registry=Registry(names, 1)
    )


def _world(machines: Machines) -> dict[str, Any]:
    cable = _subnet(machines.fabric_subnet)
    places = list(islice(cable.hosts(), 10, 10 + len(machines.nodes))) or list(cable.hosts())
    nodes: dict[str, Any] = {}
    for number, node in enumerate(machines.nodes):
        office = _own(node.address) or str(_OFFICE[11 + number])
        nodes[node.name] = {
            "hostname": node.name,
            "interfaces": [
                {"name": "enP7s7", "address": f"{office}/24", "gateway": str(_OFFICE[1]), "link": "office"},
                {
                    "name": "enp1s0f1np1",
                    "hca": "rocep1s0f1",
                    "address": f"{places[number % len(places)]}/{cable.prefixlen}",
                    "link": "cable",
                    "mtu": 9000,
                },
                {
                    "name": "enP2p1s0f1np1",
                    "hca": "roceP2p1s0f1",
                    "address": f"{_TWIN[11 + number]}/{_TWIN.prefixlen}",
                    "link": "cable-twin",
                    "mtu": 9000,
                },
            ],
        }
    weights = {
        model: {
            "architecture": _ARCHITECTURE,
            "model-type": "qwen3_5_moe",
            "shards": 39,
            "bytes": _BYTES,
            "state-bytes-per-sequence": 75_497_472,
        }
        for model in dict.fromkeys(("Qwen/Qwen3.5-122B-A10B-FP8", *machines.models))
    }
    return {"start": _BEGINS, "nodes": nodes, "weights": weights}


def _subnet(text: str) -> IPv4Network:
    try:
        given = IPv4Network(text)
    except ValueError:
        return _CABLE
    return given if given.num_addresses > 16 else _CABLE


def _own(address: str) -> str:
    """The address of a machine file where it is one and not a name."""
    try:
        return str(ip_address(address)) if ip_address(address).version == 4 else ""
    except ValueError:
        return ""
