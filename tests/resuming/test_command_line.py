"""`reaffirm run` with --resume, --from, --until, --only and --dry-run, as typed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reaffirm.nodes.recording_format import read_tape

ROOT = Path(__file__).parents[2]
NIGHT = Path(__file__).parent / "specimens" / "night.py"
COMMAND = [sys.executable, "-c", "import sys; from reaffirm.cli.main import main; sys.exit(main())"]
Reaffirm = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one runbook whose second step fails until there is a file ``fixed``."""
    (tmp_path / "adrs").mkdir()
    shutil.copytree(ROOT / "runbooks" / "nodes", tmp_path / "runbooks" / "nodes")
    shutil.copy(NIGHT, tmp_path / "runbooks")
    return tmp_path


@pytest.fixture
def reaffirm(project: Path) -> Reaffirm:
    """The command, in that project."""

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        argv = [*COMMAND, *words]
        return subprocess.run(argv, cwd=project, capture_output=True, text=True, timeout=120, check=False)

    return run


def _runs(project: Path) -> list[Path]:
    return sorted((project / "runs").rglob("*.ipynb"), key=lambda path: path.stat().st_mtime)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The metadata of a run, and its cells of code by the nearest heading."""
    data = json.loads(path.read_text())
    cells, heading = {}, ""
    for cell in data["cells"]:
        if cell["cell_type"] == "markdown":
            source = "".join(cell["source"])
            heading = next(
                (w for w in ("Connect", "First", "Second", "Third") if f"## {w}" in source), heading
            )
        elif "injected-parameters" not in cell["metadata"].get("tags", ()):
            cells[heading] = cell
    return data["metadata"]["reaffirm"], cells


def _failed(reaffirm: Reaffirm, *words: str) -> str:
    """Let a run fail in its second step and return what the last line says to type."""
    done = reaffirm("run", "night", *words)
    assert done.returncode == 1
    assert 'FAILED at cell 8 "Second": RuntimeError: not fixed' in done.stderr
    said = done.stderr.splitlines()[-1]
    assert said.startswith("resume: reaffirm run --resume runs/night/")
    return said.split()[-1]


def test_a_failed_run_is_resumed_as_its_last_line_says(project: Path, reaffirm: Reaffirm) -> None:
    """What worked is not done again, and nobody can take it for done again."""
    earlier = _failed(reaffirm)
    (project / "fixed").touch()
    done = reaffirm("run", "--resume", earlier)
    assert done.returncode == 0, done.stderr
    assert "replayed  First" in done.stderr
    about, cells = _read(_runs(project)[-1])
    run = Path(earlier).stem
    assert (about["resumed"]["run"], about["resumed"]["cell"], about["resumed"]["step"]) == (run, 8, "second")
    assert about["ended"]["how"] == "completed"
    assert cells["First"]["metadata"]["reaffirm"] == {"replayed_from": run}
    assert "reaffirm" not in cells["Second"]["metadata"]
    banner = "".join(cells["Connect"]["outputs"][0]["data"]["text/plain"])
    assert (
        f"RESUMED: the steps before second were not run again. What they show is what the run {run}" in banner
    )
    assert {"first.passed", "second.passed", "third.passed"} <= about["facts"].keys()


def test_a_resumed_run_can_be_published_and_checked(project: Path, reaffirm: Reaffirm) -> None:
    """It is evidence like any other, and says in public what it is made of."""
    earlier = _failed(reaffirm)
    (project / "fixed").touch()
    reaffirm("run", "--resume", earlier)
    notebook = str(_runs(project)[-1].relative_to(project))
    done = reaffirm("publish", notebook)
    assert done.returncode == 0, done.stderr
    [published] = (project / "docs" / "runs").rglob("notebook.ipynb")
    text = "".join(published.read_text())
    assert "RESUMED: the steps before second" in text
    assert read_tape(published.parent / "recording.jsonl").header.resumed["step"] == "second"
    for words in (["check"], ["check", "--nbval"]):
        done = reaffirm(*words)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_killed_run_is_resumed(project: Path, reaffirm: Reaffirm) -> None:
    """The case it is for: somebody pulls the plug in the middle of the night."""
    (project / "hangs").touch()
    argv = [*COMMAND, "run", "night"]
    running = subprocess.Popen(argv, cwd=project, stderr=subprocess.DEVNULL, start_new_session=True)
    until = time.monotonic() + 60
    while '"step":"second"' not in "".join(p.read_text() for p in (project / "runs").rglob("journal.jsonl")):
        assert time.monotonic() < until, "the second step never began"
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait(10)
    (project / "hangs").unlink()
    (project / "fixed").touch()
    [folder] = (project / "runs" / "night").glob("*.run")
    done = reaffirm("run", "--resume", folder.stem)
    assert done.returncode == 0, done.stderr
    assert "replayed  First" in done.stderr
    assert "killed" in folder.with_suffix(".ipynb").read_text()
    folder.with_suffix(".ipynb").unlink()  # as if nobody had come to write it
    assert reaffirm("run", "--resume", str(folder)).returncode == 0


def test_a_run_that_is_complete_is_not_resumed(project: Path, reaffirm: Reaffirm) -> None:
    """There is nothing to do, and a new run would look like a fresh one."""
    (project / "fixed").touch()
    reaffirm("run", "night")
    done = reaffirm("run", "--resume", _runs(project)[-1].stem)
    assert done.returncode == 3
    assert "is complete: there is nothing to resume" in done.stderr
    assert len(_runs(project)) == 1


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('["echo", words]', '["echo", words, "!"]', 'the code of cell 6 "First" changed since'),
        ('words: str = "hello"', 'words: str = "hallo"', 'the code of cell 2 "Parameters" changed since'),
    ],
)
def test_changed_code_of_a_finished_step_is_told(
    project: Path, reaffirm: Reaffirm, old: str, new: str, told: str
) -> None:
    """The recorded answers belong to what was asked then."""
    earlier = _failed(reaffirm)
    runbook = project / "runbooks" / "night.py"
    runbook.write_text(runbook.read_text().replace(old, new))
    done = reaffirm("run", "--resume", earlier)
    assert done.returncode == 3
    assert told in done.stderr
    assert "prose and comments may change" in done.stderr
    assert len(_runs(project)) == 1, "nothing was started"


def test_prose_comments_and_the_failed_step_may_change(project: Path, reaffirm: Reaffirm) -> None:
    """Mending the step that failed is what one does before one resumes."""
    earlier = _failed(reaffirm)
    runbook = project / "runbooks" / "night.py"
    text = runbook.read_text().replace(
        "# ## First\n", "# ## First of all\n#\n# Prose.\n\n# %% [markdown]\n# More.\n"
    )
    text = text.replace("first = steps", "# a comment\nfirst = steps").replace(
        'raise RuntimeError("not fixed")', "pass"
    )
    runbook.write_text(text)
    done = reaffirm("run", "--resume", earlier)
    assert done.returncode == 0, done.stderr
    assert _read(_runs(project)[-1])[0]["resumed"]["cell"] == 9


def test_parameters_come_with_the_run(project: Path, reaffirm: Reaffirm) -> None:
    """They need not be typed again; one that only later steps read may be another."""
    earlier = _failed(reaffirm, "-p", "words", "good morning", "-p", "later", "wrong")
    (project / "fixed").touch()
    done = reaffirm("run", "--resume", earlier, "-p", "words", "good night")
    assert done.returncode == 3
    assert "have read words = 'good morning', got 'good night'" in done.stderr
    done = reaffirm("run", "--resume", earlier, "-p", "later", "right")
    assert done.returncode == 0, done.stderr
    about, cells = _read(_runs(project)[-1])
    assert about["parameters"] == {"words": "good morning", "later": "right"}
    assert "echo right 'good morning'" in json.dumps(cells["Second"]["outputs"])


def test_a_secret_parameter_is_asked_for_again(project: Path, reaffirm: Reaffirm) -> None:
    """It was never written down, so it cannot be taken over."""
    token = "hf_" + "a1B2c3D4e5F6g7H8i9"
    earlier = _failed(reaffirm, "-p", "hf_token", token)
    (project / "fixed").touch()
    done = reaffirm("run", "--resume", earlier)
    assert done.returncode == 3
    assert "give it again with -p hf_token VALUE" in done.stderr
    assert reaffirm("run", "--resume", earlier, "-p", "hf_token", token).returncode == 0


def test_a_damaged_recording_is_told_before_anything_starts(project: Path, reaffirm: Reaffirm) -> None:
    """Status 2: nobody can judge what the finished steps were answered."""
    earlier = _failed(reaffirm)
    [tape] = (project / "runs").rglob("recording.jsonl")
    tape.write_text(tape.read_text().replace('"stdout":"hello', '"stdout":"jello'))
    done = reaffirm("run", "--resume", earlier)
    assert done.returncode == 2
    assert "damaged before that step began" in done.stderr
    assert len(_runs(project)) == 1


def test_a_resumed_run_is_not_written_over_its_beginning(project: Path, reaffirm: Reaffirm) -> None:
    """Its recording would be put aside before it is read."""
    earlier = _failed(reaffirm)
    done = reaffirm("run", "--resume", earlier, "-o", earlier)
    assert done.returncode == 3
    assert "is the run that is resumed" in done.stderr


def test_an_unknown_run_is_told(project: Path, reaffirm: Reaffirm) -> None:
    """With those that there are."""
    earlier = _failed(reaffirm)
    done = reaffirm("run", "--resume", "20251130T000000Z")
    assert done.returncode == 3
    assert earlier in done.stderr


def test_options_that_do_not_go_together(reaffirm: Reaffirm) -> None:
    """None of them may be dropped silently."""
    for words in (
        ["--resume", "x", "--from", "y"],
        ["night", "--format", "json"],
        ["night", "--dry-run", "--format", "xml"],
    ):
        assert reaffirm("run", *words).returncode == 3


def test_a_part_of_a_runbook(project: Path, reaffirm: Reaffirm) -> None:
    """What was not run is pending and says why; the run says that it is a part."""
    done = reaffirm("run", "night", "--only", "third")
    assert done.returncode == 0, done.stderr
    assert "\nPARTIAL RUN (--only third): not run: first, second\n" in done.stderr
    assert done.stdout.splitlines()[-1].startswith("partial, ")
    about, cells = _read(_runs(project)[-1])
    assert about["partial"] == {"only": "third", "skipped": ["first", "second"]}
    assert cells["First"]["metadata"]["reaffirm"] == {"skipped": "before --only third"}
    assert cells["First"]["metadata"]["papermill"]["status"] == "pending"
    assert cells["Third"]["metadata"]["papermill"]["status"] == "completed"
    assert about["facts"].keys() == {"third.passed", "third.exit", "third.seconds"}


def test_a_part_is_published_only_on_purpose(project: Path, reaffirm: Reaffirm) -> None:
    """A check that the run skipped would look as if it had found nothing."""
    reaffirm("run", "night", "--until", "first")
    notebook = str(_runs(project)[-1].relative_to(project))
    done = reaffirm("publish", notebook)
    assert done.returncode == 3
    assert "a run of some cells only" in done.stderr
    assert reaffirm("publish", notebook, "--partial").returncode == 0
    for words in (["check"], ["check", "--nbval"]):
        done = reaffirm(*words)
        assert done.returncode == 0, done.stdout + done.stderr


def test_a_name_that_would_not_be_there(project: Path, reaffirm: Reaffirm) -> None:
    """Said before anything starts."""
    done = reaffirm("run", "night", "--from", "second")
    assert done.returncode == 3
    assert "the step second needs 'first', which the skipped step first sets" in done.stderr
    assert not _runs(project)


def test_the_steps_are_listed(reaffirm: Reaffirm) -> None:
    """Their names are what --from takes."""
    said = reaffirm("steps", "night").stdout
    assert [line.split()[:2] for line in said.splitlines()[1:]] == [
        ["2", "parameters"],
        ["4", "connect"],
        ["6", "first"],
        ["8", "second"],
        ["10", "third"],
    ]


def test_a_dry_run_leaves_nothing(project: Path, reaffirm: Reaffirm) -> None:
    """As text and as data; where a step could not be shown to its end the status says so."""
    done = reaffirm("run", "night", "--dry-run", "-p", "nodes", "example")
    assert done.stdout.startswith("DRY RUN of runbooks/night.py: nothing is sent; answers are assumed")
    assert "  spark-1: echo hello\n" in done.stdout
    assert "what else it would send is not known" in done.stdout
    assert done.returncode == 2
    (project / "fixed").touch()
    done = reaffirm("run", "night", "--dry-run", "--format", "json", "--until", "second")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert (data["dry_run"], data["answers"], data["counts"]["commands"]) == (True, "simulated", 2)
    assert data["steps"][-1]["skipped"] == "after --until second"
    assert not (project / "runs").exists()


def test_a_dry_run_of_a_resumed_run(project: Path, reaffirm: Reaffirm) -> None:
    """Only what would really be sent."""
    earlier = _failed(reaffirm)
    (project / "fixed").touch()
    done = reaffirm("run", "--resume", earlier, "--dry-run")
    assert "not sent again" in done.stdout
    assert "spark-1: echo hello" not in done.stdout
    assert "spark-1: echo x hello" in done.stdout
    assert len(_runs(project)) == 1
