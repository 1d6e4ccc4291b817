"""Machines without a head: what runs on them, and what the steps for two nodes say."""

import sys
from pathlib import Path

import pytest

from reaffirm.errors import UsageError
from reaffirm.store.machines import parse_machines

sys.path.insert(0, str(Path(__file__).parent / "steps"))

from alone import alone

from reaffirm import steps

ONE = '[[node]]\nname = "web"\naddress = "web.example"\n'


def test_one_machine_needs_no_role() -> None:
    """A team with one server would have to call it a head."""
    [node] = parse_machines(ONE, shown="f.toml", name="f").nodes
    assert node.role == "none"


@pytest.mark.parametrize("step", ["preflight", "cleanup", "probe_image", "launch", "verify"])
def test_a_step_for_launches_says_what_it_needs(step: str) -> None:
    """It would end in a StopIteration, or half-way through a launch."""
    cluster, node = alone()
    call = {
        "preflight": lambda: steps.preflight(cluster, images=["x"], model="a/b"),
        "cleanup": lambda: steps.cleanup(cluster, "vllm-head"),
        "probe_image": lambda: steps.probe_image(cluster, "x", model="a/b"),
        "launch": lambda: steps.launch(cluster, "vllm", image="x", model="a/b"),
        "verify": lambda: steps.verify(cluster, model="a/b"),
    }[step]
    with pytest.raises(UsageError) as caught:
        call()
    assert 'needs a node with role = "head", got here in one.toml' in caught.value.message
    assert "role" in caught.value.hint
    assert node.asked == []


def test_a_launch_on_a_head_alone_says_that_ranks_are_missing() -> None:
    """Two ranks would be started on one machine."""
    from scripted_node import pair

    cluster, head, _, _ = pair()
    del cluster._transports["spark-2"]
    with pytest.raises(UsageError, match="tensor parallel size 2 does not fit 1 node"):
        steps.launch(cluster, "vllm", image="x", model="a/b")
    assert not any("docker run" in line for line in head.asked)
