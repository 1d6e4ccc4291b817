"""What a command changes is told by its words, for Docker's verbs and for programs that only look."""

import shlex
from pathlib import Path

import pytest

from reaffirm.nodes.effects import effect_of, hides_docker
from reaffirm.store.node_programs import node_programs

LINES = [
    line
    for line in (Path(__file__).parent / "commands.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.rpartition("|")[2].strip()[:60])
def test_a_command_is_known_for_what_it_changes(line: str) -> None:
    """A removal would pass for a look, or a look would be refused on a read-only machine."""
    change, destructive, containers, words = (part.strip() for part in line.split("|", 3))
    effect = effect_of(shlex.split(words))
    assert str(effect.change) == change.removesuffix("?")
    assert effect.known == (not change.endswith("?"))
    assert effect.destructive == (destructive == "yes")
    wanted = containers.split()
    assert list(effect.touches) == [word for word in wanted if not word.startswith("+")]
    assert [f"+{name}" for name in effect.starts if name] == [word for word in wanted if word.startswith("+")]


@pytest.mark.parametrize(
    "argv",
    [
        ["sh", "-c", "docker ps -q | xargs docker rm -f"],
        ["bash", "-lc", "podman  --log-level debug stop x"],
        ["ssh", "other", "docker", "kill", "x"],
        ["xargs", "docker", "rm"],
        ["bash", "-c", "d=docker; $d rm x"],
        ["sh", "-c", "v=kill; docker $v x"],
    ],
    ids=" ".join,
)
def test_docker_in_a_text_is_seen(argv: list[str]) -> None:
    """A shell around it would lead a removal past a read-only machine."""
    assert hides_docker(effect_of(argv))


def test_docker_in_standard_input_is_seen() -> None:
    """A program on standard input would do what no argument says."""
    assert hides_docker(effect_of(["sh"], "cd /x\ndocker rm -f database\n"))
    assert hides_docker(effect_of(["sudo", "-n"], "docker rm -f database\n"))
    assert hides_docker(effect_of(["sh"], "docker \\\n  rm -f database\n"))
    assert effect_of(["bash", "-s"], "cd /x\nrm -rf data\n").destructive
    assert not hides_docker(effect_of(["sh"], "docker ps\n"))


def test_programs_for_nodes_are_known_by_their_text() -> None:
    """Preflight could not work on a read-only machine, or a changed program would pass for a shipped one."""
    programs = node_programs()
    changing = {
        n for n, text in programs.items() if effect_of(["python3", "-", "x"], text).change != "nothing"
    }
    assert changing == {"fetch_image.py", "example_server.py"}
    assert not effect_of(["python3", "-"], programs["reach.py"] + "\n# changed\n").known
