"""connect(): which machine file, which folder, live or replayed, and where the process then works."""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn

import pytest

import reaffirm
from reaffirm.errors import DocumentError, MachineFileError, RecordingError
from reaffirm.model.evidence import Kind, Via
from reaffirm.nodes import connect as module
from reaffirm.nodes.recording_format import read_tape

ROOT = Path(__file__).parents[1]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the simulated machines, and a process that remembers nothing."""
    root = tmp_path / "pro ject"
    (root / "adrs").mkdir(parents=True)
    (root / "runbooks" / "nodes").mkdir(parents=True)
    shutil.copy(ROOT / "runbooks" / "nodes" / "simulated.toml", root / "runbooks" / "nodes")
    monkeypatch.setattr(module, "_process", module._Process())
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("REAFFIRM_RUN_DIR", raising=False)
    monkeypatch.delenv("REAFFIRM_RUNBOOK", raising=False)
    monkeypatch.delenv("REAFFIRM_CALLED_FROM", raising=False)
    monkeypatch.chdir(root)
    return root


def _record(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run one command with the runner's variables set, and return its answer."""
    monkeypatch.setenv("REAFFIRM_RUN_DIR", str(folder))
    monkeypatch.setenv("REAFFIRM_RUNBOOK", "runbooks/probe_image.py")
    cluster = reaffirm.connect()
    said = cluster.head.run(["hostname"]).stdout
    cluster.close()
    monkeypatch.delenv("REAFFIRM_RUN_DIR")
    monkeypatch.delenv("REAFFIRM_RUNBOOK")
    return said


def _publish(folder: Path, kind: str) -> None:
    (folder / "provenance.json").write_text(json.dumps({"kind": kind}))


def test_a_run_is_recorded_into_the_runners_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `reaffirm publish` needs lies beside the notebook: the recording and the machine file."""
    said = _record(project / "out" / "x.run", monkeypatch)
    tape = read_tape(project / "out" / "x.run" / "recording.jsonl")
    assert tape.ended
    assert (tape.header.machines, tape.header.runbook) == ("simulated", "probe_image")
    assert tape.header.machines_path == "runbooks/nodes/simulated.toml", "the same on every machine"
    assert set(tape.header.kinds.values()) == {Kind.SIMULATED}
    assert [event.op for event in tape.events] == ["run"]
    assert tape.events[0].fields["answer"]["stdout"] == said
    kept = (project / "out" / "x.run" / "machines.toml").read_text()
    assert kept == (project / "runbooks" / "nodes" / "simulated.toml").read_text()


def test_a_relative_folder_means_the_callers(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """connect() moves to the root; a folder named before that must not move with it."""
    (project / "sub").mkdir()
    monkeypatch.chdir(project / "sub")
    monkeypatch.setenv("REAFFIRM_RUN_DIR", "here.run")
    reaffirm.connect().close()
    assert (project / "sub" / "here.run" / "recording.jsonl").is_file()


def test_the_working_directory_is_the_root_of_the_project(project: Path) -> None:
    """papermill, nbval and Jupyter start a notebook in three places; a path must mean one file."""
    (project / "runbooks" / "deep").mkdir()
    os.chdir(project / "runbooks" / "deep")
    reaffirm.connect().close()
    assert Path.cwd() == project
    assert sys.path[0] == str(project / "runbooks")


def test_without_a_runner_a_run_gets_a_folder_of_its_own(project: Path) -> None:
    """A notebook opened in Jupyter must not lose what it was told."""
    for _ in range(2):
        cluster = reaffirm.connect()
        assert cluster.context.directory is not None
        assert cluster.context.directory.parent == project / "runs" / "interactive"
        cluster.close()
    assert len(list((project / "runs" / "interactive").glob("*.run/recording.jsonl"))) == 2


def test_a_run_that_connects_twice_keeps_both(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second recording must not overwrite the first."""
    folder = project / "x.run"
    _record(folder, monkeypatch)
    _record(folder, monkeypatch)
    assert read_tape(folder / "recording.jsonl").ended
    assert read_tape(folder / "recording-2.jsonl").ended


def test_a_published_run_is_replayed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """nbval in a published folder checks the run without any machine, and never touches one."""
    folder = project / "docs" / "runs" / "probe_image" / "one"
    said = _record(folder, monkeypatch)
    _publish(folder, "lab")
    (project / "runbooks" / "nodes" / "simulated.toml").unlink()
    os.chdir(folder)
    cluster = reaffirm.connect("simulated")
    assert cluster.via is Via.REPLAY
    assert cluster.kind is Kind.SIMULATED, "the kind is the recording's, whatever provenance.json says"
    assert cluster.runbook == "probe_image"
    assert cluster.machines.path == "runbooks/nodes/simulated.toml"
    assert cluster.context.directory is None
    assert Path.cwd() == project
    with pytest.raises(
        RecordingError, match=r"docs/runs/probe_image/one/recording\.jsonl:2: request 1 differs"
    ):
        cluster.head.run(["docker", "ps"])
    assert cluster.head.run(["hostname"]).stdout == said
    again = reaffirm.connect("simulated")
    assert again.head.run(["hostname"]).stdout == said, "a cell that is run again starts over"
    with pytest.raises(RecordingError, match="is a run on 'simulated', got nodes = 'lab'"):
        reaffirm.connect("lab")


def test_a_published_simulated_run_is_simulated_again(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a change of the engine shows in the published runs at once."""
    folder = project / "docs" / "runs" / "probe_image" / "one"
    said = _record(folder, monkeypatch)
    _publish(folder, "simulated")
    before = sorted(folder.iterdir())
    os.chdir(folder)
    cluster = reaffirm.connect()
    assert (cluster.via, cluster.kind) == (Via.LIVE, Kind.SIMULATED)
    assert cluster.head.run(["hostname"]).stdout == said
    assert cluster.runbook == "probe_image"
    cluster.close()
    assert sorted(folder.iterdir()) == before
    assert not (project / "runs").exists()


def test_no_edit_of_a_published_run_leads_to_a_machine(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checking the runs of a site would start containers on somebody's machines."""
    folder = project / "docs" / "runs" / "probe_image" / "one"
    _record(folder, monkeypatch)

    def touched(*_: object) -> NoReturn:
        raise AssertionError

    monkeypatch.setattr("reaffirm.nodes.ssh.open_nodes", touched)
    real = '[[node]]\nname = "spark-1"\nrole = "head"\n'
    (project / "runbooks" / "nodes" / "simulated.toml").write_text(real)
    (folder / "machines.toml").write_text(real)
    os.chdir(folder)
    _publish(folder, "simulated")
    with pytest.raises(RecordingError, match="names real machines"):
        reaffirm.connect("simulated")
    _publish(folder, "lab")
    assert reaffirm.connect("simulated").via is Via.REPLAY
    (folder / "recording.jsonl").rename(folder / "lost")
    os.chdir(folder)
    with pytest.raises(RecordingError, match=r"recording\.jsonl: cannot be read"):
        reaffirm.connect("simulated")
    (folder / "lost").rename(folder / "recording.jsonl")
    (folder / "provenance.json").unlink()
    os.chdir(folder)
    with pytest.raises(DocumentError, match="a published run says its kind"):
        reaffirm.connect("simulated")


def test_a_published_run_without_its_kind(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged folder must not silently run live."""
    folder = project / "docs" / "runs" / "x"
    _record(folder, monkeypatch)
    (folder / "provenance.json").write_text("{}")
    os.chdir(folder)
    with pytest.raises(DocumentError, match=r"docs/runs/x/provenance\.json:1: a published run says its kind"):
        reaffirm.connect()


def test_a_name_that_is_not_there(project: Path) -> None:
    """The message lists the names that are."""
    with pytest.raises(MachineFileError) as caught:
        reaffirm.connect("simulatde")
    assert str(caught.value) == (
        "no machine file for nodes = 'simulatde'; did you mean 'simulated'?\n"
        "  next: known machine files: simulated; or give a path to one"
    )


def test_a_path_to_a_machine_file(project: Path, tmp_path: Path) -> None:
    """Relative to where the caller is, with spaces, or absolute."""
    (project / "sub").mkdir()
    other = project / "sub" / "my machines.toml"
    shutil.copy(project / "runbooks" / "nodes" / "simulated.toml", other)
    os.chdir(project / "sub")
    cluster = reaffirm.connect("./my machines.toml")
    assert (cluster.machines.name, cluster.machines.path) == ("my machines", "sub/my machines.toml")
    cluster.close()
    reaffirm.connect(other).close()
    with pytest.raises(MachineFileError, match=r"no machine file at .sub/none\.toml."):
        reaffirm.connect("sub/none.toml")


def test_a_path_means_the_one_who_called(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel works at the project's root: a file beside the caller would not be found, or another one."""
    caller = tmp_path / "caller"
    caller.mkdir()
    shutil.copy(project / "runbooks" / "nodes" / "simulated.toml", caller / "mine.toml")
    monkeypatch.setenv("REAFFIRM_CALLED_FROM", str(caller))
    cluster = reaffirm.connect("mine.toml")
    assert cluster.machines.path == str(caller / "mine.toml")
    cluster.close()
    with pytest.raises(MachineFileError) as caught:
        reaffirm.connect("none.toml")
    assert f"looked at {caller / 'none.toml'}, {project / 'none.toml'}" in str(caught.value)


def test_a_run_begins_with_its_kind(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A simulated run would be read as one of real machines until its first report."""
    cluster = reaffirm.connect("simulated")
    said = capsys.readouterr().out
    assert said.startswith(
        "SIMULATED RUN on simulated: spark-1 (head), spark-2 (worker)\nNo machine was touched."
    )
    assert repr(cluster) == "<Cluster 'simulated', simulated: spark-1 (head), spark-2 (worker)>"
    cluster.close()


def test_outside_of_a_project(project: Path, tmp_path: Path) -> None:
    """A name cannot be looked up there; a path works and nothing is written."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.chdir(elsewhere)
    with pytest.raises(MachineFileError, match="no project with machine files at or above"):
        reaffirm.connect("simulated")
    cluster = reaffirm.connect(project / "runbooks" / "nodes" / "simulated.toml")
    assert cluster.context.directory is None
    cluster.close()
    assert list(elsewhere.iterdir()) == []


def test_importing_the_package_stays_cheap() -> None:
    """`import reaffirm` must not load the SSH library: the runner is started often."""
    code = (
        "import reaffirm, sys; assert 'asyncssh' not in sys.modules; reaffirm.connect; print(dir(reaffirm))"
    )
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", code]) == 0
