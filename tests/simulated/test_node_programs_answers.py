"""What the programs of ``scripts/node`` find on simulated nodes."""

import json
from dataclasses import replace
from typing import Any

import pytest
from launches import ARCHITECTURE, CACHE, FABRIC, MODEL, make_world

from reaffirm.nodes.simulated import World


@pytest.fixture
def world() -> World:
    """The world that ships."""
    return make_world()


def ask(world: World, node: str, program: str, *arguments: str) -> Any:
    """Send a program on standard input and return its answer."""
    answer = world.transport(node).run(["python3", "-", *arguments], stdin=world.programs[program])
    assert answer.exit == 0, answer.stderr
    return json.loads(answer.stdout.splitlines()[-1])


def probe(world: World, image: str, engine: str = "vllm", architecture: str = ARCHITECTURE) -> Any:
    """Probe an image on the head."""
    words = ["docker", "run", "--rm", "-i", "--network", "none", "--entrypoint", "python3", image, "-"]
    program = world.programs["probe_image.py"]
    answer = world.transport("spark-1").run([*words, engine, architecture], stdin=program)
    assert answer.exit == 0, answer.stderr
    return json.loads(answer.stdout)


def test_each_node_advertises_its_office_address(world: World) -> None:
    """Preflight would not show the trap."""
    assert ask(world, "spark-1", "advertised_address.py") == {"address": "192.0.2.21", "how": "default route"}
    assert ask(world, "spark-2", "advertised_address.py")["address"] == "203.0.113.22"
    world.node("spark-1").interface("enP7s7").up = False
    assert ask(world, "spark-1", "advertised_address.py")["address"] is None


def test_who_reaches_what(world: World) -> None:
    """The fabric would seem closed, or the other office open."""
    assert ask(world, "spark-2", "reach.py", FABRIC["spark-1"], "22", "2") == {
        "reached": True,
        "how": "connected",
        "ms": 0.4,
    }
    assert ask(world, "spark-2", "reach.py", FABRIC["spark-1"], "9", "2")["how"] == "refused"
    before = world.clock.now()
    assert ask(world, "spark-2", "reach.py", "192.0.2.21", "22", "2")["how"] == "timeout"
    assert world.clock.now() - before == pytest.approx(2.02)
    world.node("spark-2").interface("enp1s0f1np1").up = False
    world.node("spark-2").interface("wlP9s9").up = False
    assert ask(world, "spark-2", "reach.py", FABRIC["spark-1"], "22", "2")["how"] == "no route"


def test_weights_are_what_lies_on_the_node(world: World) -> None:
    """A download that differs between the nodes would have one digest."""
    whole = ask(world, "spark-1", "check_weights.py", MODEL, CACHE)
    assert (whole["found"], whole["files"], whole["bytes"]) == (True, 39, 127_100_000_000)
    assert (whole["missing"], whole["incomplete"], whole["architectures"]) == ([], [], [ARCHITECTURE])
    weights = world.node("spark-2").weights[MODEL]
    weights.remove(weights.names[0])
    weights.truncate(weights.names[1])
    part = ask(world, "spark-2", "check_weights.py", MODEL, CACHE)
    assert (part["missing"], part["incomplete"]) == ([weights.names[0]], [weights.names[1]])
    assert part["digest"] != whole["digest"]
    assert ask(world, "spark-1", "check_weights.py", "no/such-model", CACHE)["found"] is False
    assert ask(world, "spark-1", "check_weights.py", MODEL, "/other/cache")["found"] is False


def test_the_probe_reads_the_registry_and_not_the_name(world: World) -> None:
    """The old image would seem to support the model, or the mutated one not."""
    old = probe(world, "vllm-node")
    assert (old["engine_version"], old["torch_version"]) == ("0.14.0rc2", "2.9.1+cu130")
    assert (old["transformers_version"], old["registered"], old["names"]) == ("5.0.0rc3", False, 263)
    assert probe(world, "vllm-qwen35")["registered"] is True
    assert probe(world, "sglang", "sglang")["registered"] is True
    image = world.node("spark-1").images["vllm-node"]
    names = (*image.registry.names, ARCHITECTURE)
    world.put_image(replace(image, registry=replace(image.registry, names=names, absent=())))
    assert probe(world, "vllm-node")["registered"] is True


def test_what_a_page_does_not_say_is_unknown(world: World) -> None:
    """A class that the excerpt leaves out would be reported as missing."""
    unknown = probe(world, "vllm-node", architecture="SomeForCausalLM")
    assert unknown["registered"] is None
    assert unknown["unresolved"]
    other = probe(world, "sglang", "vllm")
    assert (other["engine_version"], other["registry"], other["registered"]) == (None, None, None)


def test_no_other_program_runs(world: World) -> None:
    """A simulated node would answer a program that it does not know, with something made up."""
    answer = world.transport("spark-1").run(["python3", "-"], stdin="print('hello')")
    assert answer.exit == 1
    assert "no program but those of scripts/node" in answer.stderr
