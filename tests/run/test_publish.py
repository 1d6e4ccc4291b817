"""Publishing a run, and nbval on what was published: as it is, changed, and by replay."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reaffirm.cli.main import main
from reaffirm.errors import DocumentError, ReaffirmError, UsageError
from reaffirm.run.provenance_file import CODE_KEYS, KEYS
from reaffirm.run.publish import prepare
from reaffirm.store.ledger import LEDGER, read_ledger
from reaffirm.store.ledger_check import published_findings
from reaffirm.store.project import Project
from reaffirm.store.published import read_run

from .conftest import SECONDS, read

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def ran(project: Path, papermill: Callable[..., Any]) -> Path:
    """The notebook of a run on simulated nodes."""
    (project / "runbooks" / "nodes").mkdir()
    shutil.copy(REPOSITORY / "runbooks" / "nodes" / "simulated.toml", project / "runbooks" / "nodes")
    done = papermill("runbooks/connects.py", "first.ipynb")
    assert done.returncode == 0, done.stderr
    return project / "first.ipynb"


def nbval(project: Path) -> subprocess.CompletedProcess[str]:
    """``pytest --nbval docs/runs`` as scripts/check calls it, in a shell that a run left its variables in."""
    argv = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--nbval",
        "docs/runs",
    ]
    shutil.copy(REPOSITORY / "conftest.py", project / "conftest.py")
    environment = os.environ | {"REAFFIRM_RUN_DIR": str(project / "leaked"), "REAFFIRM_RUNBOOK": "/leaked.py"}
    return subprocess.run(
        argv, cwd=project, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )


def test_published_run(project: Path, ran: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A published run says where it comes from and passes nbval as it is; a changed fact does not."""
    assert main(["publish", "first.ipynb", "--dry-run"]) == 0
    assert not (project / "docs").exists()
    assert main(["publish", "first.ipynb"]) == 0
    assert main(["publish", "first.ipynb"]) == 0, "publishing the same again is no change"
    told = capsys.readouterr().out
    assert "recording.jsonl" in told
    assert "names, addresses and users of the machines" in told
    assert "this run is published already" in told
    folder = project / "docs" / "runs" / "connects" / "first"
    run = read_run(folder)
    assert (run.kind, run.via, run.runbook, run.run) == ("simulated", "live", "connects", "first")
    assert "cleanup.absent" in {fact.name for fact in run.facts}
    provenance = json.loads((folder / "provenance.json").read_text())
    assert (
        provenance["parameters"] == read(project / "first.ipynb")["metadata"]["reaffirm"]["parameters"] == {}
    )
    assert provenance["runbook_path"] == "runbooks/connects.py"
    assert provenance["machines"] == "simulated"
    assert provenance["git"] is None
    text = (folder / "notebook.ipynb").read_text()
    assert '"papermill": {' not in text
    assert "iopub" not in text
    assert str(project) not in text

    done = nbval(project)
    assert done.returncode == 0, done.stdout
    assert "warning" not in done.stdout
    assert not (project / "leaked").exists()

    # by replay: a run of another kind is never run again
    (folder / "provenance.json").write_text(json.dumps(provenance | {"kind": "lab"}))
    done = nbval(project)
    assert done.returncode == 0, done.stdout

    notebook = read(folder / "notebook.ipynb")
    changed = json.dumps(notebook).replace(
        '{"cleanup.absent": {"value": [', '{"cleanup.absent": {"value": ["x", '
    )
    assert changed != json.dumps(notebook)
    (folder / "notebook.ipynb").write_text(changed)
    done = nbval(project)
    assert done.returncode == 1
    assert "vnd.reaffirm.facts+json" in done.stdout


def test_steps_that_did_not_end_well_are_told_before_a_run_is_public(
    project: Path, ran: Path, papermill: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that went on after a failed step would be published as if all had gone well."""
    assert main(["publish", "first.ipynb", "--dry-run"]) == 0
    assert "did not end well" not in capsys.readouterr().out
    done = papermill("runbooks/unseen.py", "unseen.ipynb")
    assert done.returncode == 0, done.stderr
    ended = next(line for line in done.stderr.splitlines() if line.startswith("command: "))
    for more in (["--dry-run"], []):
        assert main(["publish", "unseen.ipynb", *more]) == 0
        told = capsys.readouterr().out.splitlines()
        at = next(n for n, line in enumerate(told) if line.startswith("Steps that did not end well"))
        assert told[at + 1] == f"  {ended}"


def test_a_link_out_of_the_run(project: Path, ran: Path) -> None:
    """What a link in the folder of a run leads to would become public: a key, for example."""
    (project / "private").write_text("not for others")
    (ran.with_suffix(".run") / "latest.log").symlink_to(project / "private")
    with pytest.raises(DocumentError, match=r"latest\.log: is a link to .*private"):
        prepare(ran, Project(project))


def test_two_runs_are_the_same(project: Path, ran: Path, papermill: Callable[..., Any]) -> None:
    """On simulated nodes two runs give the same notebook, papermill's own timing aside."""
    assert papermill("runbooks/connects.py", "second.ipynb").returncode == 0
    first, second = (prepare(project / f"{name}.ipynb", Project(project)) for name in ("first", "second"))
    one, two = first.files["notebook.ipynb"], second.files["notebook.ipynb"]
    assert one == two.replace('"run": "second"', '"run": "first"')


def test_the_name_of_a_run_is_no_date(project: Path, ran: Path) -> None:
    """Anybody could make a simulated run the newest one by its name."""
    before = datetime.now(UTC) - timedelta(hours=1)
    publication = prepare(ran, Project(project), name="20991231T000000Z")
    publication.write()
    run = read_run(publication.folder)
    assert before < run.when < datetime.now(UTC)
    assert run.evidence()[0].started == run.when
    assert '"ran"' not in publication.files["notebook.ipynb"]


def test_what_is_not_published(project: Path, ran: Path, papermill: Callable[..., Any]) -> None:
    """A run that failed, connected to nothing, says more than its recording, or holds a secret."""
    here = Project(project)
    assert papermill("runbooks/connects.py", "bad.ipynb", "-p", "fail", "true").returncode == 1
    with pytest.raises(UsageError, match="failed"):
        prepare(project / "bad.ipynb", here)
    assert prepare(project / "bad.ipynb", here, failed=True).about["ended"]["how"] == "failed"
    assert "papermill-error" not in prepare(project / "bad.ipynb", here, failed=True).files["notebook.ipynb"]

    notebook = read(ran)
    for change, error, words in (
        ({"kind": "real"}, DocumentError, "recorded on simulated"),
        ({"kind": None}, UsageError, "no evidence"),
        ({"ended": None}, UsageError, "never ended"),
        ({"runbook": None}, UsageError, "not the run of a runbook"),
        ({"ran": "2999-12-31T00:00:00Z"}, UsageError, "in the future"),
        ({"partial": {"only": ["x"]}}, UsageError, "only some cells|some cells only"),
        ({"dry_run": True}, UsageError, "a dry run"),
        ({"started": "2999-12-31T00:00:00Z"}, UsageError, "in the future"),
    ):
        about = notebook["metadata"]["reaffirm"] | change
        ran.write_text(json.dumps(notebook | {"metadata": notebook["metadata"] | {"reaffirm": about}}))
        with pytest.raises(error, match=words):
            prepare(ran, here)
    ran.write_text(json.dumps(notebook))

    (project / "first.run" / "logs").mkdir(exist_ok=True)
    (project / "first.run" / "logs" / "x.log").write_text("password=abc")
    assert prepare(ran, here).files["logs/x.log"] == "password=[redacted]"
    (project / "docs" / "runs" / "connects" / "first").mkdir(parents=True)
    with pytest.raises(UsageError, match="another run"):
        prepare(ran, here).write()
    assert prepare(ran, here).write(replace=True)
    assert not prepare(ran, here).write(), "the same again is no change"
    assert [path.name for path in (project / "docs" / "runs" / "connects").iterdir()] == ["first"]
    entries = read_ledger(project / "docs" / "runs" / "ledger.jsonl").entries
    assert [(entry.op, entry.run) for entry in entries] == [("replaced", "connects/first")]
    shutil.rmtree(project / "first.run")
    with pytest.raises(UsageError, match="no recording"):
        prepare(ran, here)


def test_edited_files_of_a_run_fail_the_check(
    project: Path, ran: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """nbval executes the notebook only: facts, provenance and an unused recording could say anything."""
    assert main(["publish", "first.ipynb"]) == 0
    folder = project / "docs" / "runs" / "connects" / "first"
    done = subprocess.CompletedProcess[bytes]([], 0)
    monkeypatch.setattr("reaffirm.cli.checking.subprocess.run", lambda *_, **__: done)
    assert main(["check-runs"]) == 0
    for name, old, new in (
        ("facts.json", '"value": []', '"value": ["spark-1/x"]'),
        ("provenance.json", '"kind": "simulated"', '"kind": "real"'),
        ("recording.jsonl", '"seq":3,', '"seq":4,'),
    ):
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))
        capsys.readouterr()
        assert main(["check-runs"]) == 1
        told = capsys.readouterr().err
        assert f"docs/runs/connects/first: {name}: changed: docs/runs/ledger.jsonl:1 has " in told
        assert f"docs/runs/connects/first/{name}:" in told.replace(
            "facts.json:1: 'kind'", "provenance.json:1: 'kind'"
        )
        (folder / name).write_text(text)
    assert main(["check-runs"]) == 0


def test_by_name_and_by_folder(project: Path, ran: Path, papermill: Callable[..., Any]) -> None:
    """A person has the name that the list shows, or the folder with the logs; both mean the run."""
    for name in ("20261130T100000Z", "20261130T110000Z"):
        (project / "runs" / "connects").mkdir(parents=True, exist_ok=True)
        shutil.copy(ran, project / "runs" / "connects" / f"{name}.ipynb")
        shutil.copytree(project / "first.run", project / "runs" / "connects" / f"{name}.run")
    assert main(["publish", "20261130T1", "--dry-run"]) == 3, "two runs begin like that"
    assert main(["publish", "20261130T100", "--name", "one"]) == 0
    assert main(["publish", "connects/20261130T110000Z", "--name", "two"]) == 0
    assert main(["publish", "runs/connects/20261130T110000Z.run", "--name", "three"]) == 0
    assert main(["publish", "no-such-run"]) == 3
    published = project / "docs" / "runs"
    assert sorted(path.name for path in (published / "connects").iterdir()) == ["one", "three", "two"]
    ledger = read_ledger(published / LEDGER)
    assert [entry.op for entry in ledger.entries] == ["published"] * 3
    assert not list(published_findings(ledger, published, "docs/runs"))


def test_folder_and_ledger_change_together(project: Path, ran: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk between the two would leave a public run that nobody entered, or an entry of nothing."""
    publication = prepare(ran, Project(project))
    full = OSError(28, "No space left on device")

    def cannot(*_: Any, **__: Any) -> None:
        raise full

    with monkeypatch.context() as patch:
        patch.setattr("reaffirm.store.ledger_writing.os.write", cannot)
        with pytest.raises(ReaffirmError, match="No space left on device"):
            publication.write()
    published = project / "docs" / "runs"
    assert not publication.folder.exists()
    assert not (published / LEDGER).exists()
    assert publication.write() == "published"
    (publication.folder / "facts.json").write_text("{}")
    with monkeypatch.context() as patch:
        patch.setattr("reaffirm.store.ledger_writing.os.write", cannot)
        with pytest.raises(ReaffirmError, match="No space left on device"):
            publication.write(replace=True)
    assert (publication.folder / "facts.json").read_text() == "{}", "what was there is there again"
    assert publication.write(replace=True) == "replaced"
    (published / LEDGER).unlink()
    assert publication.write() == "adopted", "a run of before the ledger is entered when published again"
    assert publication.write() == ""
    assert [path.name for path in publication.folder.parent.iterdir()] == ["first"]


def test_what_a_run_rested_on_is_public(project: Path, ran: Path) -> None:
    """Nobody could tell later whether the evidence still stands for the code and the machines of today."""
    publication = prepare(ran, Project(project))
    about = json.loads(publication.files["provenance.json"])
    metadata = json.loads(publication.files["notebook.ipynb"])["metadata"]["reaffirm"]
    assert about["code"] == metadata["code"] | {"node_programs": {}}, "this runbook sends no program"
    assert about.keys() <= KEYS.keys(), "docs/reference/provenance.md tells of every key"
    assert about["code"].keys() == CODE_KEYS.keys()
    assert about["code"]["runbook"] == about["runbook_sha256"]
    assert len(about["code"]["cells"]) == 5
    assert set(about["code"]["engine"]) >= {"steps", "nodes", "nodes/simulated", "model"}
    file = project / "runbooks" / "nodes" / "simulated.toml"
    assert about["machine_file"]["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    kept = publication.files["machines.toml"].encode()
    assert about["machine_file"]["redacted_sha256"] == hashlib.sha256(kept).hexdigest()
    assert about["machine_file"]["path"] == "runbooks/nodes/simulated.toml"
    entries = read_ledger(project / "runs" / LEDGER).entries
    assert [entry.op for entry in entries] == ["begun", "ended"]
    assert entries[1].fields["ended"] == {"how": "completed"}
    assert set(entries[1].files) == {"first.ipynb", "first.run/recording.jsonl"}


_KILLED = """
import os, sys
from pathlib import Path
from reaffirm.run import publication
from reaffirm.run.publish import prepare
from reaffirm.store.project import Project
count, rename = int(sys.argv[1]), Path.rename

def killed(self, target):
    global count
    count -= 1
    if count < 0:
        os._exit(9)
    return rename(self, target)

Path.rename = killed
prepare(Path("first.ipynb"), Project(Path.cwd())).write(replace=True)
os._exit(9)
"""


@pytest.mark.parametrize("renames", [0, 1, 2])
def test_killed_while_it_publishes(project: Path, ran: Path, renames: int) -> None:
    """Of a run that another was to take the place of, neither would be left."""
    publication = prepare(ran, Project(project))
    publication.write()
    (publication.folder / "facts.json").write_text("{}")
    argv = [sys.executable, "-c", _KILLED, str(renames)]
    done = subprocess.run(argv, cwd=project, timeout=SECONDS, check=False)
    assert done.returncode == 9
    published = project / "docs" / "runs"
    left = {path.name for path in published.glob("*/*")}
    assert {"first", ".part-first.old"} & left, "one of both is there"
    assert publication.write(replace=True) == ("" if renames == 2 else "replaced")
    assert [path.name for path in published.glob("*/*")] == ["first"]
    assert not list(published_findings(read_ledger(published / LEDGER), published, "docs/runs"))
