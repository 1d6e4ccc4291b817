"""Dry runs: every command that would be sent where, and nothing else."""

import json
import socket
from pathlib import Path
from typing import Any, NoReturn

import pytest

from reaffirm.run.dry_run import DryRun, dry_run
from reaffirm.run.parameters import Text, typed
from reaffirm.run.runbook import read_runbook

ROOT = Path(__file__).parents[2]
SPECIMENS = Path(__file__).parent / "specimens"


def _dry(path: Path, *, skipped: dict[int, str] | None = None, **given: str) -> DryRun:
    runbook = read_runbook(str(path), lambda p: Path(p).read_text())
    values = typed(runbook.declarations, [(name, Text(value)) for name, value in given.items()])
    return dry_run(runbook, values, ROOT, skipped=skipped)


def _sent(found: DryRun, step: str) -> list[str]:
    return [f"{o['node']}: {o['shell']}" for s in found.steps if s.step == step for o in s.sent]


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop whoever wants to reach a machine from this process."""

    def refuse(*_: Any) -> NoReturn:
        pytest.fail("a dry run reached for the network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.mark.parametrize("nodes", ["lab", "example", "simulated"])
def test_the_pivot_is_shown_to_its_end(nodes: str) -> None:
    """Whether hosts resolve or not: what would be launched on them must be readable before it is."""
    found = _dry(ROOT / "runbooks" / "pivot_to_vllm.py", nodes=nodes)
    assert found.complete
    assert found.simulated == (nodes == "simulated")
    assert found.nodes == ("spark-1", "spark-2")
    launched = [line for line in _sent(found, "launch-vllm") if " docker run -d --name vllm-" in line]
    assert [line.split(":")[0] for line in launched] == ["spark-1", "spark-2"]
    assert any("/v1/chat/completions" in line for line in _sent(found, "does-it-answer"))
    first = next(found.lines())
    assert "nothing is sent" in first
    assert ("answers are assumed" in first) == (nodes != "simulated")


@pytest.mark.parametrize(
    ("nodes", "told"),
    [
        (("laptop",), "a simulated DGX Spark that has what is asked for stands in for laptop."),
        (("a", "b"), "simulated DGX Sparks that have what is asked for stand in for a, b."),
    ],
)
def test_who_stands_in_is_told(nodes: tuple[str, ...], told: str) -> None:
    """A dry run on a laptop spoke of Sparks that nobody has there."""
    assert next(DryRun("x.py", "here", nodes).lines()).endswith(f"answers are assumed: {told}")


def test_what_is_removed_is_marked_and_needs_consent() -> None:
    """This is what an operator looks for first."""
    found = _dry(ROOT / "runbooks" / "cleanup_containers.py", nodes="example", names="vllm-head")
    lines = list(found.lines())
    assert "  spark-1: docker rm -f vllm-head  # REMOVES" in lines
    assert "  on real machines needs consent to remove spark-1/vllm-head, spark-2/vllm-head" in lines
    assert "  assumed: containers named vllm-head are there" in lines
    assert found.counts()["removing"] == 2
    assert lines[-1] == "Nothing was sent."


def test_consent_that_is_given_is_not_asked_for() -> None:
    """The same words that will be passed to the real run."""
    given = "spark-1/vllm-head,spark-2/vllm-head"
    found = _dry(
        ROOT / "runbooks" / "cleanup_containers.py", nodes="example", names="vllm-head", consent=given
    )
    assert not any(step.consent for step in found.steps)


def test_every_runbook_can_be_shown() -> None:
    """A runbook that cannot be looked at before is run blindly."""
    for path in sorted((ROOT / "runbooks").glob("[!_]*.py")):
        assert _dry(path, nodes="lab").complete, path.name


def test_this_machine_is_left_alone() -> None:
    """A local node is a machine like any other: nothing may run on it."""
    found = _dry(SPECIMENS / "touches.py", nodes="local", place=str(SPECIMENS / "never"))
    assert _sent(found, "make-it") == [f"here: touch {SPECIMENS / 'never'}"]
    assert found.steps[-1].sent[0]["effect"] == "may change"
    assert not (SPECIMENS / "never").exists()


def test_a_step_that_stops_on_assumed_answers_is_told(tmp_path: Path) -> None:
    """What could follow is not known, and the output says so instead of ending early."""
    found = _dry(SPECIMENS / "stops.py", nodes="local")
    by_step = {step.step: step for step in found.steps}
    assert "it stopped on the assumed answers: ValueError: no number in ''" in by_step["ask"].unknown
    assert by_step["use-it"].unknown == "it needs 'number', which a step above would have set"
    assert by_step["shell"].unknown.startswith("not plain Python, so it was not run")
    assert _sent(found, "last") == ["here: uname"]
    assert not found.complete
    assert found.as_json()["complete"] is False


def test_nothing_is_written(tmp_path: Path, no_network: None) -> None:
    """No run folder, no notebook: a dry run is no evidence."""
    before = sorted((ROOT / "runs").rglob("*"))
    _dry(ROOT / "runbooks" / "preflight_nodes.py", nodes="example")
    assert sorted((ROOT / "runs").rglob("*")) == before


def test_a_part_of_a_runbook_can_be_shown() -> None:
    """--from and --until mean the same with --dry-run."""
    found = _dry(ROOT / "runbooks" / "launch_vllm.py", nodes="lab", skipped={7: "before --from launch"})
    assert "  skipped: before --from launch" in list(found.lines())
    assert not _sent(found, "before-anything-is-started")
    assert _sent(found, "launch")


def test_secrets_are_not_shown() -> None:
    """What is shown is pasted into chats."""
    token = "hf_" + "a1B2c3D4e5F6g7H8i9"
    found = _dry(SPECIMENS / "touches.py", nodes="local", place=token)
    assert token not in json.dumps(found.as_json())


def test_what_a_real_run_masks_is_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Marked in the machine file, named in the environment or in the notebook: none of it is printed."""
    values = {
        "HOUSE_MARK": "Marked-by-us-41",
        "HOUSE_TOKEN": "Named-like-one-42",
        "DOOR_CODE": "Zebra 77 Quartz",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    machines = tmp_path / "house.toml"
    local = (ROOT / "runbooks" / "nodes" / "local.toml").read_text()
    machines.write_text(f'{local}\n[secrets]\nvariables = ["HOUSE_MARK", "DOOR_CODE"]\n')
    found = _dry(SPECIMENS / "knows_secrets.py", nodes=str(machines))
    by_step = {step.step: step for step in found.steps}
    assert by_step["before-it-is-known"].sent
    assert len(by_step["send"].sent) == 2
    assert "ValueError: no answer to [redacted]" in by_step["stop"].unknown
    shown = json.dumps(found.as_json()) + "\n".join(found.lines())
    for value in (*values.values(), "plain-but-a-secret-later"):
        assert value not in shown
