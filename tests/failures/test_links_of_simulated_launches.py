"""Break the simulated world in one way, and the launch links to the page that tells of it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reaffirm.model.node import LaunchHere
from reaffirm.nodes.cluster import Cluster, RunContext
from reaffirm.nodes.simulated import World
from reaffirm.steps import launch
from reaffirm.steps.launch import LaunchResult
from reaffirm.store.images import read_images
from reaffirm.store.machines import read_machines
from reaffirm.store.node_programs import node_programs

ROOT = Path(__file__).resolve().parents[2]
MODEL = "Qwen/Qwen3.5-122B-A10B-FP8"
IMAGE = {"sglang": "sglang", "vllm": "vllm-qwen35"}

Change = Callable[[World], None]


def launched(
    engine: str,
    change: Change = lambda world: None,
    *,
    host_address: bool = True,
    image: str = "",
    env: Mapping[str, str] | None = None,
    arguments: tuple[str, ...] = (),
) -> LaunchResult:
    """Launch on the simulated nodes that ship, after one change of their world."""
    machines = read_machines(ROOT / "runbooks/nodes/simulated.toml")
    here = machines.launch.get(engine, LaunchHere())
    here = replace(here, env={**here.env, **(env or {})}, arguments=(*here.arguments, *arguments))
    machines = replace(machines, launch={**machines.launch, engine: here})
    world = World.from_machines(machines, read_images(ROOT / "docs/container-images"), node_programs())
    change(world)
    transports = {node.name: world.transport(node.name) for node in machines.nodes}
    cluster = Cluster(machines, transports, RunContext(None, show=lambda bundle: None), runbook="a_test")
    return launch(cluster, engine, image=image or IMAGE[engine], model=MODEL, host_address=host_address)


def pages(result: LaunchResult) -> list[str]:
    """The ids of the pages that fit."""
    found = next(fact.value for fact in result.facts if fact.name == "launch.failure_pages")
    assert isinstance(found, list)
    return found


def text(result: LaunchResult) -> str:
    """The report as people read it in a terminal."""
    return str(result._repr_mimebundle_()["text/plain"])


@pytest.fixture(autouse=True)
def _in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_the_stall_shows_both_rivals_and_the_check_that_decides(engine: str) -> None:
    """One of two causes that look the same would be named, as the sources did."""
    result = launched(engine, host_address=False)
    assert pages(result) == ["silent-stall-queue-address", "silent-stall-nccl"]
    told = " ".join(text(result).split())
    assert "docs/failures/silent-stall-queue-address.md" in told
    assert "silent-stall-queue-address and silent-stall-nccl both fit" in told
    assert "cheapest check" in told
    assert "a page that fits is not yet a cause" in told
    assert "nothing new for" in told


@pytest.mark.parametrize(("engine", "version"), [("sglang", "0.5.9"), ("vllm", "0.30.0")])
def test_the_stall_is_known_in_other_versions(engine: str, version: str) -> None:
    """A line that another version words otherwise, or does not print, would hide the page."""

    def other(world: World) -> None:
        world.put_image(replace(world.node("spark-1").images[IMAGE[engine]], engine_version=version))

    assert "silent-stall-queue-address" in pages(launched(engine, other, host_address=False))


def test_the_stall_is_known_without_its_last_line() -> None:
    """With the fast path off by a flag the line is gone, and the page would be too."""
    result = launched("sglang", host_address=False, arguments=("--disable-custom-all-reduce",))
    assert "silent-stall-queue-address" in pages(result)


def test_a_launch_that_serves_links_to_nothing() -> None:
    """A healthy launch prints the line of the stall too, and would look like one."""
    result = launched("sglang")
    assert result.outcome == "ready"
    assert pages(result) == []
    assert "What this looks like" not in text(result)


def test_a_launch_that_serves_without_rdma_links_to_the_page_about_it() -> None:
    """It serves, so nobody would look for what makes it slow."""

    def without(world: World) -> None:
        for node in world.nodes.values():
            for interface in node.host.interfaces:
                interface.hca = ""

    result = launched("sglang", without)
    assert result.outcome == "ready"
    assert pages(result) == ["no-rdma-silent-tcp"]


# SGLang takes HOST_IP as well, and the launch does not touch that one.
ELSEWHERE = {"HOST_IP": "198.51.100.12"}


def _take(port: int) -> Change:
    return lambda world: world.node("spark-1").occupy(port)


def _no_class(world: World) -> None:
    image = world.node("spark-1").images["vllm-node"]
    world.put_image(replace(image, transformers_version="5.2.0"))


def _little_memory(world: World) -> None:
    world.node("spark-2").occupy_memory(40.0)


@pytest.mark.parametrize(
    ("page", "how"),
    [
        ("host-address-of-another-machine", {"engine": "sglang", "host_address": False, "env": ELSEWHERE}),
        ("wrong-interface", {"engine": "sglang", "env": {"GLOO_SOCKET_IFNAME": "enp9s9"}}),
        ("port-taken", {"engine": "sglang", "change": _take(50000)}),
        ("class-missing-from-registry", {"engine": "vllm", "image": "vllm-node", "change": _no_class}),
        ("transformers-does-not-recognize", {"engine": "vllm", "image": "vllm-node"}),
        ("memory-utilization-too-high", {"engine": "vllm", "change": _little_memory}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_failed_launch_links_to_its_page_first(page: str, how: dict[str, Any]) -> None:
    """People would be sent to the page of a consequence, or to none."""
    result = launched(**how)
    assert result.outcome == "failed"
    assert pages(result)[0] == page
    assert f"docs/failures/{page}.md" in text(result)


def test_a_killed_worker_links_to_the_page_of_the_lost_peer() -> None:
    """The head's lost connection would be read as a fault of the network."""
    killed: list[float] = []

    def kill(world: World) -> None:
        node = world.node("spark-2")

        def later() -> None:
            if "vllm-worker" in node.containers:
                node.kill("vllm-worker")
                killed.append(world.clock.now())

        world.schedule.after(200, later)

    result = launched("vllm", kill)
    assert killed
    assert result.outcome == "failed"
    assert pages(result) == ["worker-gone"]


def test_a_consequence_alone_is_not_shown_as_the_matter() -> None:
    """Where no page tells of the first error, the page of what followed would look like the cause."""

    def cut(world: World) -> None:
        weights = world.node("spark-1").weights[MODEL]
        weights.truncate(weights.names[0])

    result = launched("vllm", cut)
    assert result.outcome == "failed"
    assert pages(result) == ["worker-gone"]
    told = text(result)
    assert "no page" in told
    assert "follows from another error as a rule" in " ".join(told.split())
