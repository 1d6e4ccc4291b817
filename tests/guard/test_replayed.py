"""What was agreed to and started in a run is in its recording: a replay needs neither person nor id."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "steps"))

from scripted_node import MODEL, pair

from reaffirm import steps
from reaffirm.errors import StepFailedError
from reaffirm.model.evidence import Kind
from reaffirm.nodes import asking_runner
from reaffirm.nodes.cluster import Cluster, RunContext
from reaffirm.nodes.recorder import Recorder
from reaffirm.nodes.recording import recording
from reaffirm.nodes.replay import Replay


@pytest.fixture
def yes() -> Iterator[None]:
    """Somebody who agrees."""
    asking_runner.answers_by(lambda question: "yes")
    yield
    asking_runner.answers_by(None)


def _walk(cluster: Cluster) -> list[Any]:
    """Clean up, start something that breaks off, and destroy something by a general step."""
    told = [steps.cleanup(cluster, "vllm-head")]
    told.append(steps.launch(cluster, "vllm", image="img", model=MODEL, name_prefix="x"))
    told.append(steps.command(cluster, ["docker", "rm", "-f", "web"], name="tidy"))
    return [one._repr_mimebundle_() for one in told]


def test_a_replay_has_the_consent_and_the_run_of_its_recording(tmp_path: Path, yes: None) -> None:
    """A run that somebody agreed to at the prompt could not be checked by anybody else."""
    scripted, head, worker, _ = pair(kind=Kind.REAL)
    for name in ("vllm-head", "web"):
        head.containers[name] = {"began": 0.0, "label": None, "argv": [], "id": f"aaaaaaaaaa{name[0]}"}
    worker.script["docker run -d"] = (125, "", "docker: no such device")
    tape = tmp_path / "recording.jsonl"
    recorder = Recorder(tape, machines="two", run="20261130T092301Z")
    nodes = {name: recording(node, recorder) for name, node in (("spark-1", head), ("spark-2", worker))}
    context = RunContext(tmp_path / "live", show=lambda bundle: None)
    live = Cluster(scripted.machines, nodes, context, run="20261130T092301Z", note=recorder.note)
    first = _walk(live)
    live.close()
    assert head.containers == {}
    lines = [json.loads(line) for line in tape.read_text(encoding="utf-8").splitlines()]
    agreed = [line for line in lines if line["op"] == "consent"]
    assert [(line["targets"], line["how"]) for line in agreed] == [
        (["spark-1/vllm-head"], "prompt"),
        (["spark-1/web"], "prompt"),
    ]
    assert not {"user", "who", "by"} & {key for line in agreed for key in line}
    assert any("org.reaffirm.run=20261130T092301Z" in line.get("argv", ()) for line in lines)
    assert "20261130T092301Z" not in json.dumps(first)

    asking_runner.answers_by(None)
    replay = Replay(tape)
    quiet = RunContext(tmp_path / "again", show=lambda bundle: None)
    again = Cluster(
        scripted.machines, replay.transports, quiet, run=replay.header.run, granted=replay.consented
    )
    assert _walk(again) == first
    assert replay.left == 0
    without = Cluster(scripted.machines, Replay(tape).transports, quiet, run=replay.header.run)
    with pytest.raises(StepFailedError, match="no consent"):
        _walk(without)
