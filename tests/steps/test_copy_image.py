"""copy_image: on simulated nodes, and what stops it before it changes anything."""

import json
from pathlib import Path
from typing import Any

import pytest
from scripted_node import pair

from reaffirm.errors import StepFailedError, UsageError
from reaffirm.model.evidence import Kind
from reaffirm.model.fact import FactValue
from reaffirm.model.report import Outcome
from reaffirm.nodes.cluster import Cluster, RunContext
from reaffirm.nodes.simulated import World
from reaffirm.nodes.simulated.machine import image_id
from reaffirm.steps import CopyImageResult, copy_image
from reaffirm.store.images import read_images
from reaffirm.store.machines import read_machines
from reaffirm.store.node_programs import node_programs

ROOT = Path(__file__).parents[2]


def _world() -> tuple[World, Cluster, list[dict[str, Any]]]:
    machines = read_machines(ROOT / "runbooks/nodes/simulated.toml")
    world = World.from_machines(machines, read_images(ROOT / "docs/container-images"), node_programs())
    shown: list[dict[str, Any]] = []
    nodes = {node.name: world.transport(node.name) for node in machines.nodes}
    return world, Cluster(machines, nodes, RunContext(None, show=shown.append)), shown


def _facts(result: CopyImageResult) -> dict[str, FactValue]:
    return {fact.name.rpartition(".")[2]: fact.value for fact in result.facts}


@pytest.mark.parametrize(("lacks", "has"), [("spark-2", "spark-1"), ("spark-1", "spark-2")])
def test_missing_image_gets_to_the_other_node_once(lacks: str, has: str) -> None:
    """A launch would fail for want of an image that lies on the other end of the cable."""
    world, cluster, _ = _world()
    world.node(lacks).remove_image("vllm-node")
    before = len(world.node(has).listeners)
    first = copy_image(cluster, "vllm-node")
    assert (first.outcome, first.source, first.copied_to) == (Outcome.PASS, has, (lacks,))
    images = [world.node(name).find_image("vllm-node") for name in (lacks, has)]
    assert images[0] is not None
    assert images[1] is not None
    assert image_id(images[0]) == image_id(images[1])
    assert _facts(first)["same"] is True
    assert len(world.node(has).listeners) == before
    assert world.offers == {}
    asked = len(world.requests)
    second = copy_image(cluster, "vllm-node")
    assert second.copied_to == ()
    assert "nothing was copied" in second.report.summary
    assert all(request.argv[:3] == ("docker", "image", "inspect") for request in world.requests[asked:])


def test_image_that_differs_is_replaced_by_the_heads() -> None:
    """Two ranks would run two versions under one name."""
    world, cluster, _ = _world()
    worker = world.node("spark-2")
    worker.images["vllm-node"] = worker.images["vllm-qwen35"]
    result = copy_image(cluster, "vllm-node")
    assert result.copied_to == ("spark-2",)
    assert any(row[1] == "left there" for row in result.report.blocks[0].rows)  # type: ignore[union-attr]
    assert worker.images["vllm-node"].name == "vllm-node"


def test_full_disk_stops_before_anything_is_offered() -> None:
    """The worker's disk would be filled to the last byte, and Docker with it."""
    world, cluster, _ = _world()
    world.node("spark-2").remove_image("vllm-node")
    world.node("spark-2").disk_free = 30 * 1024**3
    with pytest.raises(
        StepFailedError, match=r"spark-2 has 30\.0 GiB free on /, need 44\.0 GiB; nothing was"
    ):
        copy_image(cluster, "vllm-node")
    programs = {request.stdin for request in world.requests}
    assert world.programs["serve_image.py"] not in programs


def test_transfer_that_takes_too_long_fails_and_says_what_was_done() -> None:
    """A cut image would count as copied, or the step would hang."""
    world, cluster, shown = _world()
    world.node("spark-2").remove_image("vllm-node")
    with pytest.raises(StepFailedError, match="longer than its limit"):
        copy_image(cluster, "vllm-node", timeout=10)
    assert "serve_image.py" in shown[-1]["text/plain"]
    assert cluster.context.facts["copy_image.vllm-node.same"].value is False


def test_offer_that_nobody_takes_ends_by_itself() -> None:
    """A port would stay open on the fabric for ever."""
    world, _, _ = _world()
    node = world.transport("spark-1")
    words = ["python3", "-", "vllm-node", "198.51.100.11", "198.51.100.12", "60", "100"]
    told = json.loads(node.run(words, stdin=world.programs["serve_image.py"]).stdout)
    assert world.node("spark-1").taken("198.51.100.11", told["port"])
    fetch = ["python3", "-", "198.51.100.11", str(told["port"]), "another ticket", "50"]
    got = json.loads(world.transport("spark-2").run(fetch, stdin=world.programs["fetch_image.py"]).stdout)
    assert "does not let this machine in" in got["why"]
    world.advance(61)
    assert not world.node("spark-1").taken("198.51.100.11", told["port"])


def test_nobody_has_it() -> None:
    """The error would be Docker's, about a program that nobody knows."""
    world, cluster, _ = _world()
    for name in ("spark-1", "spark-2"):
        world.node(name).remove_image("vllm-node")
    with pytest.raises(StepFailedError, match="vllm-node is not on spark-1 nor spark-2"):
        copy_image(cluster, "vllm-node")


def test_replacing_on_real_machines_needs_consent() -> None:
    """A real machine's image would lose its name without a word."""
    cluster, head, worker, _ = pair(kind=Kind.REAL)
    worker.script["docker image inspect"] = json.dumps([{"Id": "sha256:cc", "Size": 7}])
    with pytest.raises(StepFailedError, match="no consent to replace spark-2/img"):
        copy_image(cluster, "img")
    assert all(asked.startswith("docker image inspect") for asked in head.asked + worker.asked)


def test_reference_by_digest_is_pulled_not_copied() -> None:
    """`docker load` gives no name to an image that was saved by its digest: it would never be found."""
    cluster, head, _, _ = pair()
    with pytest.raises(UsageError, match="by its name"):
        copy_image(cluster, f"img@sha256:{'0' * 64}")
    assert head.asked == []
