"""Machine files: a good one is read, and each mistake is named with its line, its value and what to do."""

from pathlib import Path

import pytest

from reaffirm.errors import MachineFileError
from reaffirm.model.node import Role
from reaffirm.store.machines import parse_machines, read_machines

HERE = Path(__file__).parent / "machines"
BAD = sorted((HERE / "bad").glob("*.toml"))


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_a_mistake_is_named(path: Path) -> None:
    """The message beside each specimen is what a person gets to see; without it they would guess."""
    expected = path.with_suffix(".txt").read_text(encoding="utf-8")
    with pytest.raises(MachineFileError) as caught:
        read_machines(path, shown=path.name)
    assert f"{caught.value}\n" == expected
    assert "hunter2" not in expected
    assert "abcdefghijklmnop" not in expected


def test_a_whole_machine_file_is_read() -> None:
    """Every key of the README arrives where steps look for it."""
    machines = read_machines(HERE / "good" / "everything.toml", shown="everything.toml")
    head, worker = machines.nodes
    assert (head.name, head.role, head.address, head.user, head.port) == (
        "spark-1",
        Role.HEAD,
        "one",
        "me",
        2222,
    )
    assert (worker.address, worker.jump) == ("spark-2", "spark-1")
    assert machines.name == "everything"
    assert machines.fabric_subnet == "192.0.2.0/24"
    assert machines.images == {"vllm-node": "registry.example/vllm:1"}
    model = machines.models["Qwen/Qwen3.5-122B-A10B-FP8"]
    assert (model.path, model.stand_in, model.max_tokens) == ("/models/tiny", "random weights", 64)
    assert model.extra_body == {"seed": 7, "chat": {"thinking": True}}
    assert (machines.containers.ipc, machines.containers.shm_size) == ("private", "1g")
    assert machines.containers.ulimits == ("nofile=1024",)
    vllm, sglang = machines.launch["vllm"], machines.launch["sglang"]
    assert (vllm.port, vllm.master_port, vllm.env) == (8000, 29501, {"NCCL_DEBUG": "INFO"})
    assert vllm.arguments == ("--enforce-eager",)
    assert (sglang.dist_port, sglang.program) == (50000, "sglang_groups.py")
    assert machines.limits == {"group-created": 300.0}
    assert machines.world == {"seed": 1, "nodes": {"spark-1": {"memory-gib": 119.7}}}


def test_a_missing_file_says_so() -> None:
    """A wrong path must not look like a wrong file."""
    with pytest.raises(MachineFileError, match=r"nowhere\.toml: cannot be read: No such file"):
        read_machines(HERE / "nowhere.toml")


def test_lines_are_found_behind_long_strings_and_quoted_keys() -> None:
    """A mistake below a multi-line text must not be reported on a line of that text."""
    text = '[[node]]\nname = "a"\nrole = "head"\n[launch.vllm]\nnote = """\nport = "x"\n"""\n"port" = "y"\n'
    with pytest.raises(MachineFileError, match=r"f\.toml:8: port must be a whole number .*, got 'y'"):
        parse_machines(text, shown="f.toml", name="f")


def test_the_example_for_two_machines_is_a_good_one() -> None:
    """A newcomer copies it: it must be accepted as it is, and hold names only, no address."""
    example = Path(__file__).parents[1] / "runbooks" / "nodes" / "example.toml"
    machines = read_machines(example)
    assert [node.name for node in machines.nodes] == ["spark-1", "spark-2"]
    assert not machines.world
