"""What recordings say about what a run ran on: images, versions, programs, consent; and the local ledger."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from reaffirm.nodes.recording_lines import encode
from reaffirm.run.local_ledger import LocalLedger
from reaffirm.run.seen import engine_versions, seen_in
from reaffirm.store.ledger import LEDGER, read_ledger
from reaffirm.store.node_programs import digest

_PROGRAM = "import os\nprint(1)\n"


def recording(path: Path, *lines: dict[str, Any]) -> Path:
    """Write lines as a recording."""
    before, text = "", ""
    for seq, line in enumerate(lines):
        one, before = encode({"seq": seq, **line}, before)
        text += f"{one}\n"
    path.write_text(text)
    return path


def said(node: str, argv: list[str], stdout: str, exit_status: int = 0) -> dict[str, Any]:
    """A command and its answer."""
    answer = {"exit": exit_status, "stdout": stdout, "stderr": "", "started": 0, "ended": 1}
    return {"op": "run", "node": node, "argv": argv, "stdin": None, "timeout": 60, "answer": answer}


def test_what_recordings_tell(tmp_path: Path) -> None:
    """Nobody could tell which image of that name it was, on which node, or who agreed to the removal."""
    image = json.dumps([{"Id": "sha256:" + "a" * 64, "RepoDigests": ["x@sha256:2", "x@sha256:1"]}])
    path = recording(
        tmp_path / "recording.jsonl",
        {"op": "begin", "nodes": []},
        {"op": "text", "sha256": digest(_PROGRAM), "text": _PROGRAM},
        said("a", ["docker", "image", "inspect", "x"], image),
        said("b", ["docker", "image", "inspect", "x"], "[]", 1),
        said("b", ["docker", "image", "inspect", "y"], "no JSON"),
        said("a", ["docker", "version", "--format", "{{.Client.Version}}"], "28.5.1\n"),
        said("b", ["docker", "version", "--format", "{{.Client.Version}}"], "Emulate Docker CLI\n"),
        said("a", ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv"], "NVIDIA GB10, 580.95\n"),
        said("a", ["docker", "run", "-d", "x", "python3", "-c", "import sys\nprint(2)\n"], "id\n"),
        {"op": "consent", "action": "remove", "targets": ["a/vllm"], "how": "prompt", "at": 5, "more": 1},
        {"op": "run", "node": "a", "argv": ["docker", "version"], "error": {"type": "NetworkError"}},
    )
    with path.open("a") as file:
        file.write('{"op":"consent","action":"rem')  # the run died here
    seen = seen_in([path, tmp_path / "nowhere.jsonl"])
    assert seen.images == {"a": {"x": {"id": "a" * 64, "digests": ["x@sha256:1", "x@sha256:2"]}}}
    assert seen.versions == {"a": {"docker": "28.5.1", "nvidia-driver": "580.95"}}
    assert seen.consent == [{"action": "remove", "targets": ["a/vllm"], "how": "prompt", "at": 5}]
    known = {"one.py": _PROGRAM, "two.py": "import sys\nprint(2)\n", "three.py": "print(3)\n"}
    assert seen.programs(known) == {"one.py": digest(_PROGRAM), "two.py": digest(known["two.py"])}


def test_versions_that_probes_found() -> None:
    """The version of the engine in an image is what a claim about it is mostly about."""
    facts = {
        "probe.vllm-node.vllm_version": {"value": "0.14.0"},
        "probe.vllm-node.torch_version": {"value": None},
        "probe.images_with_class": {"value": []},
        "verify.model": {"value": "x"},
    }
    assert engine_versions(facts) == {"vllm-node": {"vllm": "0.14.0"}}


def test_a_killed_run_has_begun_and_not_ended(tmp_path: Path) -> None:
    """Somebody who looks in the morning must see that there was a run."""
    notebook, folder = tmp_path / "runs/x/a.ipynb", tmp_path / "runs/x/a.run"
    folder.mkdir(parents=True)
    killed = LocalLedger(tmp_path, notebook, folder)
    killed.begun("runbooks/x.py", "abc", {"count": 3})
    whole = LocalLedger(tmp_path, notebook.with_stem("b"), folder)
    whole.begun("runbooks/x.py", "abc", {})
    notebook.with_stem("b").write_text("{}")
    whole.ended({"kind": "lab", "facts": {"a.b": {}}}, {"how": "failed", "cell": 3, "why": "x"})
    ledger = read_ledger(tmp_path / "runs" / LEDGER)
    assert ledger.findings == ()
    assert {run: lines[-1].op for run, lines in ledger.runs.items()} == {
        "runs/x/a.ipynb": "begun",
        "runs/x/b.ipynb": "ended",
    }
    last = ledger.runs["runs/x/b.ipynb"][-1].fields
    assert (last["ended"], last["kind"], last["facts"]) == ({"how": "failed", "cell": 3}, "lab", 1)
    assert list(last["files"]) == ["runs/x/b.ipynb"]


def test_a_ledger_that_cannot_be_written_ends_no_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A full disk, or a folder of somebody else's, would take the night's run with it."""
    (tmp_path / "runs").write_text("no folder")
    one = LocalLedger(tmp_path, tmp_path / "a.ipynb", tmp_path / "a.run")
    with caplog.at_level(logging.WARNING, logger="reaffirm"):
        one.begun("runbooks/x.py", "abc", {})
        one.ended({}, {"how": "completed"})
    assert caplog.messages[0].startswith("runs/ledger.jsonl: this run is not entered: ")
    nothing = LocalLedger(None, tmp_path / "a.ipynb", None)
    nothing.begun("runbooks/x.py", "abc", {})
    nothing.ended({}, {"how": "completed"})
    assert len(caplog.messages) == 2
