"""The command ``reaffirm``: its face, its messages, its exit codes."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reaffirm.cli.main import main
from reaffirm.cli.words import joined_pairs
from reaffirm.run.runbook import elsewhere, no_runbook

from .conftest import MACHINES, SECONDS, notebooks, read

REAFFIRM = (sys.executable, "-c", "import sys; from reaffirm.cli.main import main; sys.exit(main())")


def reaffirm(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own."""
    return subprocess.run(
        [*REAFFIRM, *words],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def test_run_by_name(project: Path) -> None:
    """One line for each cell of code, then the notebook and its kind; parameters in both spellings."""
    done = reaffirm(project, "run", "small", "-p", "dry_run", "false", "-p", "sha=0123", "--nodes", "lab")
    assert done.returncode == 0, done.stderr
    (notebook,) = notebooks(project / "runs" / "small")
    assert done.stdout.splitlines()[0] == f"notebook: {notebook.relative_to(project)}"
    assert done.stdout.splitlines()[1].startswith("no nodes run, 0 facts, ")
    lines = done.stderr.splitlines()
    assert [line.rsplit("  ", 1)[0].strip() for line in lines] == [
        "2/6  ok  A small runbook",
        "4/6  ok  Look around",
        "6/6  ok  Fail when told to",
    ]
    values = {"nodes": "lab", "dry_run": False, "sha": "0123"}
    assert read(notebook)["metadata"]["papermill"]["parameters"] == values
    differ = {"nodes": "lab", "sha": "0123"}
    assert read(notebook)["metadata"]["reaffirm"]["parameters"] == differ, "what was given is the default"


def test_nodes_given_twice(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Somebody would run on other machines than those that were typed last."""
    monkeypatch.chdir(project)
    assert main(["run", "small", "-p", "nodes", "simulated", "--nodes", "lab"]) == 3
    assert "--nodes lab and -p nodes simulated: two values for one parameter" in capfd.readouterr().err
    assert not notebooks(project / "runs")
    assert main(["run", "small", "-p", "nodes", "lab", "--nodes", "lab", "--dry-run"]) == 0


def test_an_output_that_is_no_file_is_refused_first(
    project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every step would have run, and its notebook could not be written."""
    monkeypatch.chdir(project)
    assert main(["run", "small", "--output", "/dev/full"]) == 3
    said = capfd.readouterr().err
    assert "/dev/full: is no file that a notebook can be written to; nothing was run" in said
    assert "Look around" not in said


def test_run_says_how_each_step_ended(project: Path) -> None:
    """``ok`` beside a launch that ended stuck would be taken for the launch."""
    done = reaffirm(project, "run", "connects", "--nodes", MACHINES)
    assert done.returncode == 0, done.stderr
    assert "  pass  Look for what is not there  " in done.stderr
    assert done.stderr.endswith("\ncleanup: pass: 0 removed, 2 absent, 0 of ours left alone\n")


def test_run_in_which_a_step_fails_unseen(project: Path) -> None:
    """A failed step that is not the last word of its cell was shown as ``ok``."""
    done = reaffirm(project, "run", "unseen", "--nodes", MACHINES)
    assert done.returncode == 0, "without .expect a step that failed does not fail the run"
    assert "  fail  Fail unseen  " in done.stderr
    assert "\ncommand: fail: " in done.stderr


def test_run_that_fails(project: Path) -> None:
    """A failed run is exit code 1, and says the step and the notebook."""
    done = reaffirm(project, "run", "runbooks/small.py", "-p", "count", "13", "--output", "out {x}.ipynb")
    assert done.returncode == 3
    done = reaffirm(project, "run", "runbooks/small.py", "-p", "count", "13", "--output", "out.ipynb")
    assert done.returncode == 1
    assert "6/6  FAILED  Fail when told to" in done.stderr
    assert done.stderr.endswith("ValueError: thirteen is unlucky\nnotebook: out.ipynb\n")
    assert "Traceback" not in done.stderr


def test_run_into_a_folder(project: Path) -> None:
    """All steps would run on the machines, and their record would then have no place to go."""
    (project / "here").mkdir()
    done = reaffirm(project, "run", "small", "-o", "here")
    assert done.returncode == 3
    assert done.stderr.splitlines()[0] == "reaffirm: here: is a folder; nothing was run"
    assert not (project / "here.run").exists()


def test_run_whose_notebook_finds_no_room(project: Path) -> None:
    """A run on a full disk would end with a status of 1 and without a word about what is missing."""
    words = [*REAFFIRM, "run", "plain", "-o", "full.ipynb"]
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 4; exec "$@"', "sh", *words],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 1
    assert "notebook: full.ipynb cannot be written: File too large" in done.stderr
    assert "reaffirm render full.run" in done.stderr
    assert "COMPLETED before" not in done.stderr


def test_run_that_cannot_judge(project: Path) -> None:
    """A node that cannot be asked is exit code 2, not a failed check."""
    lines = (
        "# %%",
        "from reaffirm.errors import NetworkError",
        "raise NetworkError('not there', hint='ping it')",
    )
    (project / "runbooks" / "lost.py").write_text("\n".join(lines))
    done = reaffirm(project, "run", "lost")
    assert done.returncode == 2
    assert "NetworkError: not there\n  next: ping it\n" in done.stderr


def test_a_folder_without_runbooks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody typed the commands of a page beside the checkout, and looked for the fault in the name."""
    monkeypatch.chdir(tmp_path)
    assert main(["run", "pivot_to_vllm"]) == 3
    assert (
        f"next: no runbooks/ in {tmp_path} or above it: go into the checkout (cd)" in capsys.readouterr().err
    )
    assert elsewhere() in no_runbook("runbooks/pivot_to_vllm.py", "").hint
    assert main(["recheck", "0001"]) == 3
    assert "next: go into the checkout" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run", "smal"], "there is no runbook 'smal'; did you mean small?"),
        (["run", "small", "-p", "cuont", "1"], "there is no parameter 'cuont'"),
        (["run", "small", "-p"], "Option '-p' requires an argument"),
        (["run", "required"], "model must be given"),
        (["run"], "which runbook?"),
        (["rnu"], "No such command 'rnu'"),
        (["run", "small", "--nope"], "No such option"),
        (["publish", "nowhere.ipynb"], "nowhere.ipynb: cannot be read"),
        (["publish", "x.ipynb", "--name", "a/b"], "--name is one word"),
    ],
)
def test_usage(project: Path, capsys: pytest.CaptureFixture[str], words: list[str], told: str) -> None:
    """A slip of the words is exit code 3, never the library's 2, which means: could not judge."""
    assert main(words) == 3
    said = capsys.readouterr().err
    assert said.startswith("reaffirm: ")
    assert told in said
    assert "\n  next: " in said
    assert notebooks(project) == []


def test_parameters(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a runbook takes can be read without opening it."""
    assert main(["parameters", "small"]) == 0
    said = capsys.readouterr().out
    assert "limit" in said
    assert "float | None" in said
    assert "seconds; none: no limit" in said
    assert main(["parameters", "slow"]) == 0
    assert "declares no parameters" in capsys.readouterr().out


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Both answer, with exit code 0."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("reaffirm ")
    assert main([]) == 0
    said = capsys.readouterr().out
    assert "diff" in said
    assert "check-runs" not in said, "the older name of check --nbval still works, and is not shown"


def test_check_runs_without_runs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A project that has published nothing has nothing that could fail."""
    assert main(["check-runs"]) == 0
    assert "no published runs" in capsys.readouterr().out


def test_pairs() -> None:
    """papermill's spelling of a parameter is ours too; values may begin with a dash or hold ``=``."""
    words = ["run", "x", "-p", "a", "-1", "-p", "b=c", "-p", "d", "e=f", "--", "-p", "g"]
    joined = ["run", "x", "-p", "a=-1", "-p", "b=c", "-p", "d=e=f", "--", "-p", "g"]
    assert joined_pairs(words) == joined


@pytest.mark.parametrize("words", [("--nodes", "simulatde"), ("-p", "nodes", "no/such.toml")])
@pytest.mark.parametrize("how", [(), ("--dry-run",), ("--output", "out.ipynb")])
def test_machines_that_are_not_there(project: Path, words: tuple[str, ...], how: tuple[str, ...]) -> None:
    """A slip of the fingers would leave a failed run behind, and end as if a machine had been asked."""
    (project / "runbooks" / "nodes").mkdir()
    shutil.copy(MACHINES, project / "runbooks" / "nodes")
    before = sorted(project.rglob("*"))
    done = reaffirm(project, "run", "connects", *words, *how)
    assert done.returncode == 3
    assert "no machine file" in done.stderr
    assert "known machine files: simulated" in done.stderr
    assert [path for path in sorted(project.rglob("*")) if path not in before] == []
