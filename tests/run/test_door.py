"""``papermill runbooks/x.py`` as people type it: on a terminal, in CI, with pipes, from anywhere."""

import json
import os
import pty
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import MACHINES, PAPERMILL, SECONDS, SPECIMENS, notebooks, printed, read

Run = Callable[..., subprocess.CompletedProcess[str]]


def seen(notebook: Path) -> dict[str, Any]:
    """What the specimen ``small.py`` says about its surroundings."""
    found: dict[str, Any] = json.loads(printed(read(notebook)))
    return found


def unchanged(project: Path) -> bool:
    """Whether all runbooks are what they were."""
    return all(
        (project / "runbooks" / path.name).read_bytes() == path.read_bytes()
        for path in SPECIMENS.glob("*.py")
    )


def test_bare_in_ci(project: Path, papermill: Run) -> None:
    """Without an output path, and nobody at the terminal, the run would go to standard output or nowhere."""
    done = papermill("runbooks/small.py")
    assert (done.returncode, done.stdout) == (0, "")
    (notebook,) = notebooks(project)
    assert notebook.parent == project / "runs" / "small"
    assert str(notebook.relative_to(project)) in done.stderr
    assert seen(notebook)["cwd"] == str(project)
    folder = notebook.with_suffix(".run")
    assert seen(notebook)["env"] == {
        "REAFFIRM_RUNBOOK": str(project / "runbooks" / "small.py"),
        "REAFFIRM_RUN_DIR": str(folder),
        "REAFFIRM_CALLED_FROM": str(project),
    }
    assert [path.name for path in folder.iterdir()] == ["journal.jsonl"]
    about = read(notebook)["metadata"]["reaffirm"]
    assert about["ended"] == {"how": "completed", "cell": None, "heading": "", "why": ""}
    assert (about["kind"], about["via"], about["started"], about["facts"]) == (None, None, None, {})
    assert about["runbook"]["path"] == "runbooks/small.py"
    assert about["parameters"] == {}
    assert "jupytext" not in read(notebook)["metadata"]
    ids = [cell["id"] for cell in read(notebook)["cells"]]
    assert ids == [f"c{number:04d}" for number in range(len(ids))]
    assert "encryption" not in done.stderr
    assert unchanged(project)


@pytest.mark.parametrize("typed", ["runbooks/small", "small", "runbooks/smal.py", "./runbooks/smll"])
def test_a_runbook_that_is_nearly_named(project: Path, papermill: Run, typed: str) -> None:
    """Somebody who left out ``.py`` would read fifty lines of papermill's own trace."""
    done = papermill(typed)
    assert done.returncode == 2
    first = f"reaffirm: there is no runbook {typed}; did you mean runbooks/small.py?"
    assert done.stderr.splitlines() == [first, "  next: check the path; runbooks lie in runbooks/"]
    assert not notebooks(project)


def test_hidden_files_are_runbooks_for_nobody(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an editor keeps beside a runbook would be offered by one command, and not by another."""
    from reaffirm.cli.which_runbook import runbook_path
    from reaffirm.errors import UsageError
    from reaffirm.run.runbook import near_runbook

    monkeypatch.chdir(project)
    (project / "runbooks/.hiden.py").write_text("# %%\n1\n")
    assert near_runbook("hidden") == ""
    with pytest.raises(UsageError) as told:
        runbook_path("hidden")
    assert "hiden" not in str(told.value)


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("runbooks", "name one of its runbooks: runbooks/"),
        ("runbooks/", "name one of its runbooks: runbooks/"),
        ("small", "did you mean runbooks/small.py?"),
        ("notes", "name a notebook, or a runbook such as runbooks/NAME.py"),
    ],
)
def test_a_folder_in_place_of_a_runbook(project: Path, papermill: Run, typed: str, hint: str) -> None:
    """Somebody who stopped at the name of the folder would read fifty lines of papermill's own trace."""
    for name in ("small", "notes"):
        (project / name).mkdir()
    done = papermill(typed, "out.ipynb")
    assert done.returncode == 2
    first, then = done.stderr.splitlines()
    assert first == f"reaffirm: {typed} is a folder, not a notebook"
    assert then.startswith(f"  next: {hint}")
    assert not notebooks(project)


def test_what_is_no_runbook_is_still_papermills(project: Path, papermill: Run) -> None:
    """An ordinary notebook, with or without an ending, would stop working once this is installed."""
    done = papermill("runbooks/weather")
    assert done.returncode == 1
    assert "reaffirm:" not in done.stderr
    cells = [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": "1"}]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}
    (project / "smal").write_text(json.dumps(notebook))
    assert papermill("smal", "out.ipynb").returncode == 0


def test_a_parameter_without_a_parameter_cell(project: Path, papermill: Run) -> None:
    """Five runs would have been asked for, and a hundred made."""
    (project / "runbooks" / "untagged.py").write_text("# %%\ntimes: int = 100\n\n# %%\nprint(times)\n")
    done = papermill("runbooks/untagged.py", "out.ipynb", "-p", "times", "5")
    assert done.returncode == 3
    assert "no cell has the tag parameters, so 'times' would change nothing" in done.stderr
    assert 'next: begin the cell that declares it with: # %% tags=["parameters"]' in done.stderr
    assert not notebooks(project)
    assert papermill("runbooks/untagged.py", "out.ipynb").returncode == 0


def test_parameter_with_the_name_of_a_magic(project: Path, papermill: Run) -> None:
    """IPython would take the line for its command ``%who``, and the parameter would not exist."""
    cells = ('# %% tags=["parameters"]', 'who: str = "me"', "# %%", "print(who)")
    (project / "runbooks" / "magic.py").write_text("\n".join(cells))
    done = papermill("runbooks/magic.py", "out.ipynb")
    assert done.returncode == 0, done.stderr
    assert printed(read(project / "out.ipynb")) == "me\n"
    assert papermill("runbooks/magic.py", "out.ipynb", "-p", "who", "you").returncode == 0
    assert printed(read(project / "out.ipynb")) == "you\n"


def test_bare_on_a_terminal(project: Path) -> None:
    """On a terminal papermill demands an output path."""
    lead, follow = pty.openpty()
    try:
        argv = [*PAPERMILL, "runbooks/small.py"]
        child = subprocess.Popen(argv, cwd=project, stdin=follow, stdout=follow, stderr=follow)
        os.close(follow)
        text = drain(lead)
        assert child.wait(SECONDS) == 0, text
    finally:
        os.close(lead)
    assert len(notebooks(project / "runs")) == 1
    assert unchanged(project)


def drain(terminal: int) -> str:
    """Read a terminal to its end."""
    found = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            return found.decode()
        if not piece:
            return found.decode()
        found += piece


@pytest.mark.parametrize("held", [False, True], ids=["empty", "held open"])
def test_pipe_on_standard_input(project: Path, held: bool) -> None:
    """papermill takes the one path as its output then: it overwrites the source, or waits for ever."""
    child = subprocess.Popen(
        [*PAPERMILL, "runbooks/small.py"],
        cwd=project,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdin is not None
    if not held:
        child.stdin.close()
    assert child.wait(SECONDS) == 0
    child.stdin.close()
    assert len(notebooks(project / "runs")) == 1
    assert unchanged(project)


def test_notebook_piped_over_a_runbook(project: Path, papermill: Run) -> None:
    """``cat some.ipynb | papermill runbooks/x.py`` would replace the runbook by an executed notebook."""
    other = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    papermill("runbooks/plain.py", input=json.dumps(other))
    assert unchanged(project)
    assert [path.parent.name for path in notebooks(project)] == ["plain"]


def test_runbook_piped_in(project: Path, papermill: Run) -> None:
    """A runbook that comes through a pipe is a runbook too, with typed parameters."""
    text = (project / "runbooks" / "small.py").read_text()
    done = papermill("-", "out.ipynb", "-p", "sha", "0123", "-p", "dry_run", "false", input=text)
    assert done.returncode == 0, done.stderr
    assert seen(project / "out.ipynb")["values"] == ["simulated", 3, False, "0123", None, ["a", "b"]]
    wrong = papermill("-", "out.ipynb", "-p", "count", "many", input=text)
    assert wrong.returncode == 3
    assert "count is declared int, got 'many'" in wrong.stderr


def test_from_another_folder(project: Path, papermill: Run, tmp_path: Path) -> None:
    """The project is that of the runbook, not that of the caller; --cwd still wins."""
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    done = papermill("../project/runbooks/small.py", "-p", "count", "1", cwd=elsewhere)
    assert done.returncode == 0, done.stderr
    (notebook,) = notebooks(project / "runs")
    assert seen(notebook)["cwd"] == str(project)
    runbook = str(project / "runbooks" / "small.py")
    assert papermill(runbook, "o.ipynb", "--cwd", ".", cwd=elsewhere).returncode == 0
    assert seen(elsewhere / "o.ipynb")["cwd"] == str(elsewhere)
    assert seen(elsewhere / "o.ipynb")["env"]["REAFFIRM_RUN_DIR"] == str(elsewhere / "o.run")


def test_outside_of_a_project(papermill: Run, tmp_path: Path) -> None:
    """A runbook that belongs to no project runs where the caller is."""
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(SPECIMENS / "small.py", alone / "small.py")
    assert papermill("small.py", cwd=alone).returncode == 0
    (notebook,) = notebooks(alone)
    assert notebook.parent == alone / "runs" / "small"
    assert seen(notebook)["cwd"] == str(alone)


def test_from_a_folder_that_was_removed(project: Path, papermill: Run, tmp_path: Path) -> None:
    """A terminal whose folder somebody removed would show a traceback."""
    (gone := tmp_path / "gone").mkdir()
    words = [*PAPERMILL, str(project / "runbooks" / "small.py")]
    script = f"cd {shlex.quote(str(gone))} && rmdir {shlex.quote(str(gone))} && {shlex.join(words)}"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("reaffirm: the folder that this was started in does not exist any more")


def test_closed_standard_input(project: Path) -> None:
    """Some schedulers start programs without one; papermill by itself then ends with a traceback."""
    script = f"{shlex.join([*PAPERMILL, 'runbooks/small.py'])} <&-"
    done = subprocess.run(
        ["sh", "-c", script], cwd=project, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(notebooks(project)) == 1


def test_failure_is_short(project: Path, papermill: Run) -> None:
    """A wall of traceback hides what failed and where the notebook is."""
    done = papermill("runbooks/small.py", "out.ipynb", "-p", "count", "13")
    assert done.returncode == 1
    told = 'FAILED at cell 6 "Fail when told to": ValueError: thirteen is unlucky\nnotebook: out.ipynb\n'
    assert done.stderr.endswith(told)
    assert "Traceback" not in done.stderr
    ended = read(project / "out.ipynb")["metadata"]["reaffirm"]["ended"]
    assert ended["how"] == "failed"
    assert ended["heading"] == "Fail when told to"


def test_the_end_is_told(project: Path, papermill: Run) -> None:
    """Nobody would know without opening the notebook whether its steps went well, and of which kind it is."""
    words = ("runbooks/connects.py", "out.ipynb", "-p", "nodes", MACHINES)
    told = "cleanup: pass: 0 removed, 2 absent, 0 of ours left alone\n"
    done = papermill(*words)
    assert done.stderr.endswith(f"{told}notebook: out.ipynb (simulated run)\n")
    outputs = [o for cell in read(project / "out.ipynb")["cells"] for o in cell.get("outputs", ())]
    assert "".join(outputs[0]["data"]["text/plain"]).startswith("SIMULATED RUN on simulated: ")
    failed = papermill(*words, "-p", "fail", "true")
    why = 'FAILED at cell 7 "Look for what is not there": RuntimeError: told to'
    more = "notebook: out.ipynb\nresume: reaffirm run --resume out.ipynb\n"
    assert failed.stderr.endswith(f"{told}{why}\n{more}")
    piped = papermill(words[0], "-", *words[2:])
    assert told not in piped.stderr
    assert json.loads(piped.stdout)["nbformat"] == 4


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-p", "cuont", "1"], "runbooks/small.py: there is no parameter 'cuont' (did you mean count,"),
        (["-p", "count", "1.5"], "runbooks/small.py:17: count is declared int, got '1.5'"),
        (["-y", "dry_run: perhaps"], "runbooks/small.py:18: dry_run is declared bool, got 'perhaps'"),
        (["-p", "x=1; import os #", "1"], "'x=1; import os #' is not the name of a parameter"),
        (["-p", "dry-run", "1"], "'dry-run' is not the name of a parameter (did you mean dry_run, "),
        (["-f", "nowhere.yaml"], "-f nowhere.yaml: cannot be read: No such file"),
    ],
)
def test_wrong_parameter_stops_before_the_start(
    project: Path, papermill: Run, words: list[str], told: str
) -> None:
    """A run with a wrong parameter would start on real machines and fail, or do something else."""
    done = papermill("runbooks/small.py", *words)
    assert done.returncode == 3
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert notebooks(project) == []


@pytest.mark.parametrize("engine", ["reaffirm", "nbclient"])
def test_kernel_that_dies(project: Path, papermill: Run, engine: str) -> None:
    """papermill calls the cell that killed the kernel, and all after it, completed."""
    done = papermill("runbooks/dies.py", "out.ipynb", "--engine", engine)
    assert done.returncode == 138
    assert 'KERNEL DIED at cell 3 "The kernel dies here"' in done.stderr
    assert statuses(project / "out.ipynb") == ["completed", "completed", "failed", "pending"]
    assert "alive" in printed(read(project / "out.ipynb"))


@pytest.mark.parametrize("engine", ["reaffirm", "nbclient"])
def test_time_limit_of_a_cell(project: Path, papermill: Run, engine: str) -> None:
    """papermill calls a cell that was cut off by --execution-timeout completed."""
    done = papermill("runbooks/slow.py", "out.ipynb", "--execution-timeout", "1", "--engine", engine)
    assert done.returncode == 1
    assert 'FAILED at cell 4 "Wait for long": the cell did not end within its time limit' in done.stderr
    assert statuses(project / "out.ipynb")[-2:] == ["failed", "pending"]


@pytest.mark.parametrize(
    ("number", "status", "why"), [(signal.SIGINT, 130, "Ctrl-C"), (signal.SIGTERM, 143, "signal SIGTERM")]
)
def test_stopped_in_the_middle_of_a_cell(project: Path, number: int, status: int, why: str) -> None:
    """After Ctrl-C papermill calls every cell completed; after SIGTERM outputs are lost."""
    child = subprocess.Popen(
        [*PAPERMILL, "runbooks/slow.py", "out.ipynb"],
        cwd=project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    until = time.monotonic() + SECONDS
    while not (project / "waiting").exists() and time.monotonic() < until:
        time.sleep(0.05)
    child.send_signal(number)
    _, told = child.communicate(timeout=SECONDS)
    assert child.returncode == status, told
    heard = "Ctrl-C was heard: the cell has 30 s to tidy up; a second Ctrl-C kills it\n"
    assert (heard in told) is (number == signal.SIGINT)
    assert f'INTERRUPTED at cell 4 "Wait for long": {why}' in told
    assert "Traceback" not in told
    notebook = project / "out.ipynb"
    assert statuses(notebook) == ["completed", "completed", "completed", "interrupted", "pending"]
    assert read(notebook)["metadata"]["reaffirm"]["ended"]["why"] == why
    assert printed(read(notebook)).splitlines()[:2] == ["begun", "waiting"]


def statuses(notebook: Path) -> list[str]:
    """The status of each cell."""
    cells = read(notebook)["cells"]
    return [c["metadata"]["papermill"]["status"] for c in cells if "papermill" in c["metadata"]]


def test_help_shows_types(papermill: Run) -> None:
    """papermill's own reader drops parameters whose types hold quotes, commas or bars."""
    done = papermill("--help-notebook", "runbooks/small.py")
    assert done.returncode == 0
    for line in (
        "nodes: Literal['simulated', 'lab'] (default \"simulated\")",
        "limit: float | None (default None)",
    ):
        assert line in done.stdout
    assert "seconds; none: no limit" in done.stdout


def test_facts_are_collected(project: Path, papermill: Run) -> None:
    """Facts and the kind of a run come from what it emitted and recorded; the lowest kind counts."""
    done = papermill("runbooks/evidence.py", "out.ipynb")
    assert done.returncode == 0, done.stderr
    about = read(project / "out.ipynb")["metadata"]["reaffirm"]
    assert (about["kind"], about["via"], about["started"]) == ("simulated", "live", "2026-05-28T20:26:40Z")
    assert about["facts"] == {
        "toy.seconds": {"value": 1.0, "unit": "s"},
        "toy.ready": {"value": True},
        "toy.unknown": {"value": None},
    }
    assert about["run"] == "out"
    assert set(about["versions"]) >= {"reaffirm", "papermill", "python"}


def test_ordinary_notebook_is_left_to_papermill(project: Path, papermill: Run) -> None:
    """The door must not change what papermill does with anything that is no runbook."""
    cell = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": "1/0",
        "outputs": [],
        "execution_count": None,
    }
    kernel = {"kernelspec": {"name": "python3", "display_name": "x", "language": "python"}}
    notebook = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (project / "in.ipynb").write_text(json.dumps(notebook))
    done = papermill("in.ipynb", "out.ipynb", "-p", "api_key", "abcdefgh")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "reaffirm" not in read(project / "out.ipynb")["metadata"]
    assert "abcdefgh" in (project / "out.ipynb").read_text()
    assert not (project / "runs").exists()


def test_start_is_cheap() -> None:
    """Every start of papermill pays for what the door imports, runbook or not."""
    code = (
        "import sys, papermill, papermill.cli; "
        "print([m for m in ('jupytext', 'ruamel.yaml', 'rich', 'asyncssh', 'reaffirm.run.execution') "
        "if m in sys.modules], papermill.papermill_io if hasattr(papermill, 'papermill_io') else '')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=SECONDS, check=True
    )
    assert done.stdout.strip() == "[]"
