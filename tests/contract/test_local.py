"""What is particular about this machine as a node: how it is named, ended, recorded and replayed."""

import json
import shutil
import sys
import time
from pathlib import Path

import pytest

import reaffirm
from reaffirm.errors import (
    NetworkError,
    NodeTimeoutError,
    RecordingError,
    RemoteCommandError,
    StepFailedError,
)
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.node import Machines, NodeSpec, Role, Way
from reaffirm.nodes import connect as connecting
from reaffirm.nodes import local as local_module
from reaffirm.nodes import notebook_fact
from reaffirm.nodes.cluster import Cluster, RunContext
from reaffirm.nodes.local import LocalTransport
from reaffirm.nodes.transport import Transport
from reaffirm.store.machines import read_machines

ROOT = Path(__file__).parents[2]
HERE = NodeSpec("here", Role.NONE, "here", transport=Way.LOCAL)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with this machine in it, and a process that remembers nothing."""
    (tmp_path / "adrs").mkdir()
    (tmp_path / "runbooks" / "nodes").mkdir(parents=True)
    shutil.copy(ROOT / "runbooks" / "nodes" / "local.toml", tmp_path / "runbooks" / "nodes")
    monkeypatch.setattr(connecting, "_process", connecting._Process())
    monkeypatch.setattr(notebook_fact, "_run", notebook_fact._Run())
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("REAFFIRM_RUN_DIR", raising=False)
    monkeypatch.delenv("REAFFIRM_RUNBOOK", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_shipped_machine_file_is_this_machine() -> None:
    """`-p nodes local` would reach for a host over SSH."""
    [node] = read_machines(ROOT / "runbooks" / "nodes" / "local.toml").nodes
    assert (node.role, node.transport) == (Role.NONE, Way.LOCAL)


def test_it_is_real_and_the_labs_marker_makes_it_lab(
    local: Transport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A runbook that is run on a host of the lab would give real evidence."""
    assert local.kind is Kind.REAL
    marker = tmp_path / "marker"
    monkeypatch.setattr(local_module, "LAB_MARKER", str(marker))
    for text, kind in (("reaffirm lab host spark-1\n", Kind.LAB), ("", Kind.REAL), ("welcome\n", Kind.REAL)):
        marker.write_text(text)
        other = LocalTransport(HERE)
        assert other.kind is kind, text
        other.close()


def test_what_left_the_process_group_is_ended_too(local: Transport) -> None:
    """A server that made itself a daemon would keep its port after the run gave up on it."""
    code = "import os, time; os.fork() or os.setsid(); time.sleep(3041.25)"
    with pytest.raises(NodeTimeoutError):
        local.run(["python3", "-c", code], timeout=1)
    for _ in range(50):
        if "3041.25" not in local.run(["ps", "-eo", "args"]).stdout:
            return
        time.sleep(0.1)
    pytest.fail("it still runs")


def test_what_may_not_be_run_is_126_and_bad_words_are_an_error(local: Transport, tmp_path: Path) -> None:
    """A step would crash with a traceback of subprocess."""
    plain = tmp_path / "plain.txt"
    plain.write_text("no program\n")
    answer = local.run([str(plain)])
    assert (answer.exit, answer.stdout) == (126, "")
    assert "Permission denied" in answer.stderr
    stream = local.follow(["no-such-command-of-ours"])
    assert "not found" in stream.read(1)[0].text
    assert stream.exit == 127
    with pytest.raises(RemoteCommandError) as caught:
        local.run(["echo", "a\0b"])
    assert caught.value.hint


def test_a_killed_command_answers_as_in_a_shell(local: Transport) -> None:
    """The kernel's OOM killer would look like an exit status of the program."""
    assert local.run(["python3", "-c", "import os; os.kill(os.getpid(), 9)"]).exit == 137


def test_after_close_nothing_runs(tmp_path: Path) -> None:
    """Followed commands would pile up on the machine of whoever works in a notebook."""
    node = LocalTransport(HERE)
    node.follow(["sleep", "3023.75"])
    node.close()
    node.close()
    with pytest.raises(NetworkError):
        node.run(["true"])
    other = LocalTransport(HERE)
    assert "3023.75" not in other.run(["ps", "-eo", "args"]).stdout
    other.close()


def test_commands_run_in_the_root_of_the_project(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path would mean another file under papermill than in Jupyter; a nested run our folder."""
    (project / "deep").mkdir()
    monkeypatch.chdir(project / "deep")
    monkeypatch.setenv("REAFFIRM_RUN_DIR", str(project / "x.run"))
    cluster = reaffirm.connect("local")
    assert cluster.one().run(["pwd"]).stdout == f"{project}\n"
    assert "REAFFIRM_RUN" not in cluster.one().run(["env"]).stdout
    cluster.close()


def test_a_run_here_is_recorded_and_replayed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A published run would be measured anew on the machine of CI, and pass for the recorded one."""
    published = project / "docs" / "runs" / "x" / "one"
    monkeypatch.setenv("REAFFIRM_RUN_DIR", str(published))
    live = reaffirm.connect("local")
    assert (live.kind, live.via) == (Kind.REAL, Via.LIVE)
    said = live.one().run(["date", "+%s.%N"]).stdout
    live.close()
    monkeypatch.delenv("REAFFIRM_RUN_DIR")
    (published / "provenance.json").write_text(json.dumps({"kind": "real"}))
    header = json.loads((published / "recording.jsonl").read_text().splitlines()[0])
    assert header["nodes"][0]["transport"] == "local"
    monkeypatch.chdir(published)
    again = reaffirm.connect("local")
    assert (again.kind, again.via) == (Kind.REAL, Via.REPLAY)
    assert again.one().run(["date", "+%s.%N"]).stdout == said
    with pytest.raises(RecordingError):
        again.one().run(["date"])


def test_this_machine_beside_others_needs_its_own_consent() -> None:
    """A container of ours would be removed without a word because another node is of the lab."""

    class Lab:
        node, kind, via = NodeSpec("spark-1", Role.HEAD, "a"), Kind.LAB, Via.LIVE

    transport = LocalTransport(NodeSpec("here", Role.WORKER, "here", transport=Way.LOCAL))
    machines = Machines("m", "m.toml", (Lab.node, transport.node))
    cluster = Cluster(machines, {"spark-1": Lab(), "here": transport}, RunContext(None))  # type: ignore[dict-item]
    assert cluster.kind is Kind.LAB
    with pytest.raises(StepFailedError, match="no consent to remove here/web on real machines"):
        cluster.need_consent("remove", ["spark-1/web", "here/web"])
    transport.close()
