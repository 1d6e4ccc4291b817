"""What ``serve_image.py`` and ``fetch_image.py`` do on simulated nodes: one offer, taken by one peer."""

import hashlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from reaffirm.model.image import ContainerImage
from reaffirm.nodes.simulated.docker_json import inspect_image
from reaffirm.nodes.simulated.machine import GIB, SimulatedNode, image_id, with_tag

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World


@dataclass(frozen=True)
class Offer:
    """An image that waits on one address and port for one peer. ``pid`` is the process that listens."""

    node: SimulatedNode
    reference: str
    address: str
    peer: str
    ticket: str
    pid: int


def serve(
    world: "World", node: SimulatedNode, reference: str, address: str, peer: str, wait: float
) -> dict[str, Any]:
    """Begin to listen; the offer ends when its time is over."""
    if not node.host.owns(address):
        return {"serving": False, "why": f"cannot listen on {address}: Cannot assign requested address"}
    process = node.start("python3")
    port = node.free_port()
    node.listen(address, port, process)
    # Made from what it is for: the same run gives the same bytes.
    ticket = hashlib.sha256(f"{node.name}/{reference}/{port}/{world.clock.now()}".encode()).hexdigest()[:48]
    world.offers[(address, port)] = Offer(node, reference, address, peer, ticket, process.pid)
    world.schedule.after(wait, partial(_over, world, address, port))
    return {"serving": True, "port": port, "ticket": ticket, "pid": process.pid}


def fetch(
    world: "World", node: SimulatedNode, address: str, port: int, ticket: str, limit: float
) -> dict[str, Any]:
    """Take the image of an offer, if there is one for this node and there is room for it."""
    _, host = world.way(node, address)
    if host is None:
        return _failed("timed out")
    offer = world.offers.get((address, port))
    if offer is None or world.node_of(host) is not offer.node:
        return _failed("[Errno 111] Connection refused")
    if node.host.source_for(address) != offer.peer or ticket != offer.ticket:
        return _failed("the other side does not let this machine in")
    _over(world, address, port)
    image = offer.node.find_image(offer.reference)
    if image is None:
        said = f"Error response from daemon: reference does not exist: {offer.reference}"
        return _failed(f"docker save ended with status 1: {said}")
    size = int(inspect_image(offer.node, image)["Size"])
    lasts = round(size / GIB * world.durations["image-copy"], 3)
    world.advance(min(lasts, limit))
    if lasts > limit:
        return _failed("it took longer than its limit, or was stopped")
    if size > node.disk_free:
        said = "Error processing tar file(exit status 1): no space left on device"
        return {**_failed("docker load ended with status 1"), "said": said}
    _load(node, offer.reference, image, size)
    return {
        "loaded": True,
        "bytes": size,
        "seconds": lasts,
        "sha256": hashlib.sha256(image_id(image).encode()).hexdigest(),
        "said": f"Loaded image: {with_tag(offer.reference)}",
        "why": "",
    }


def _load(node: SimulatedNode, reference: str, image: ContainerImage, size: int) -> None:
    """Give a node an image; one of the same name loses it."""
    for known in [ref for ref in node.images if with_tag(ref) == with_tag(reference)]:
        del node.images[known]
    node.images[reference] = image
    node.disk_free -= size


def _over(world: "World", address: str, port: int) -> None:
    offer = world.offers.pop((address, port), None)
    if offer is not None:
        offer.node.end(offer.pid)


def _failed(why: str) -> dict[str, Any]:
    return {"loaded": False, "bytes": 0, "seconds": 0.0, "sha256": None, "said": "", "why": why}
