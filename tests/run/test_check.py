"""``reaffirm check``: what was done to a published run is noticed, and said in words; nbval agrees."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reaffirm.cli.main import main
from reaffirm.run.again import Again
from reaffirm.run.publication import adopt

from .conftest import SECONDS
from .tampering import TAMPERINGS, make_lab, tampered

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def published(project: Path, papermill: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> Path:
    """A project with one published run of kind lab; its folder."""
    (project / "runbooks" / "nodes").mkdir()
    shutil.copy(REPOSITORY / "runbooks" / "nodes" / "simulated.toml", project / "runbooks" / "nodes")
    assert papermill("runbooks/connects.py", "first.ipynb").returncode == 0
    assert main(["publish", "first.ipynb", "--name", "lab"]) == 0
    folder = project / "docs" / "runs" / "connects" / "lab"
    make_lab(folder)
    (project / "docs" / "runs" / "ledger.jsonl").unlink()
    capsys.readouterr()
    return folder


def check_with_nbval(project: Path) -> tuple[set[str], str]:
    """``reaffirm check --nbval``: the runs that nbval itself fails, and what is said beside that."""
    shutil.copy(REPOSITORY / "conftest.py", project / "conftest.py")
    command = "import sys; from reaffirm.cli.main import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", command, "check", "--nbval"],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=5 * SECONDS,
        check=False,
    )
    assert done.returncode == 1
    return set(re.findall(r"^FAILED docs/runs/connects/([^/]+)/", done.stdout, re.MULTILINE)), done.stderr


def test_each_tampering_is_noticed_and_named(
    project: Path, published: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two blobs of text would be all that somebody has who asks what is wrong; or nothing at all."""
    runs = published.parents[1]
    tampered(runs, published)
    assert main(["check", "--format", "json"]) == 1
    found = {Path(one["run"]).name: one for one in json.loads(capsys.readouterr().out)["runs"]}
    assert found.keys() == TAMPERINGS.keys()
    for name, tampering in TAMPERINGS.items():
        problems = found[name]["problems"]
        said = "\n".join(line for p in problems for line in (p["text"], *p.get("lines", ())))
        assert bool(problems) == (name != "nothing"), f"{name}: {said}"
        for words in tampering.said:
            assert words in said, f"{name}: {said}"
        by_ledger = {"file-changed", "file-added", "file-removed"} & {p["code"] for p in problems}
        assert bool(by_ledger) == (name != "nothing"), f"{name}: the ledger knows each file"
    # the same verdict by the other way: nbval beside a look at the files
    failed, beside = check_with_nbval(project)
    assert failed == {name for name, one in TAMPERINGS.items() if one.nbval}, "what nbval sees alone"
    told = set(re.findall(r"^reaffirm: docs/runs/connects/([^/:]+)[/:]", beside, re.MULTILINE))
    assert failed | told == TAMPERINGS.keys() - {"nothing"}


def test_what_the_terminal_is_told(
    project: Path, published: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A person must see which run, and what of it, without JSON."""
    assert main(["check"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("same     docs/runs/connects/lab\n1 run(s), 0 not as published, ")
    TAMPERINGS["fact-everywhere"].do(published)
    assert main(["check", "connects/lab"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("DIFFERS  docs/runs/connects/lab\n  the fact cleanup.absent is [")
    assert '(cell 5 "Look for what is not there")' in out
    assert main(["check", "nowhere"]) == 3
    shutil.rmtree(published)
    assert main(["check"]) == 0
    assert "no published runs" in capsys.readouterr().out


def test_a_run_that_is_only_half_there(
    project: Path, published: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that lost its notebook would be passed over in silence."""
    assert adopt(published.parents[1], "connects/lab", "lab")
    (published / "notebook.ipynb").unlink()
    assert main(["check"]) == 1
    out = capsys.readouterr().out
    assert "notebook.ipynb: removed: docs/runs/ledger.jsonl:1 has it with " in out
    assert "notebook.ipynb: cannot be read: No such file or directory" in out


def test_a_notebook_that_never_ends(project: Path, published: Path) -> None:
    """One loop in one notebook would hold up the check of all."""
    path = published / "notebook.ipynb"
    data = json.loads(path.read_text())
    data["cells"][4]["source"] = ["import time\n", "time.sleep(600)"]
    path.write_text(json.dumps(data))
    with Again(patience=3) as again:
        with pytest.raises(Exception, match="did not end within 3 s"):
            again.execute(path, data)
        # The others come to an end of their own, however busy the machine is.
        again.patience = SECONDS
        data["cells"][4]["source"] = ["import os\n", "os._exit(7)"]
        path.write_text(json.dumps(data))
        with pytest.raises(Exception, match="the process of the notebook died"):
            again.execute(path, data)
        data["cells"][4]["source"] = ["print(1)"]
        path.write_text(json.dumps(data))
        made, _ = again.execute(path, data)
    assert made["cells"][4]["outputs"] == [{"output_type": "stream", "name": "stdout", "text": "1\n"}]


def test_output_that_was_too_long_for_the_notebook(
    project: Path, papermill: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A run that printed much would never be the same again: its notebook has only some of it."""
    (project / "runbooks" / "nodes").mkdir()
    shutil.copy(REPOSITORY / "runbooks" / "nodes" / "simulated.toml", project / "runbooks" / "nodes")
    path = project / "runbooks" / "connects.py"
    path.write_text(path.read_text().replace("if fail:", "print('a line\\n' * 200_000)\nif fail:"))
    assert papermill("runbooks/connects.py", "first.ipynb").returncode == 0
    assert "characters of output are left out here" in (project / "first.ipynb").read_text()
    assert main(["publish", "first.ipynb"]) == 0
    assert main(["check"]) == 0, capsys.readouterr().out


def test_a_run_that_failed_and_a_part_of_one(
    project: Path, papermill: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """Cells that did not run would be run by the check, and a failure that is the evidence would fail it."""
    (project / "runbooks" / "nodes").mkdir()
    shutil.copy(REPOSITORY / "runbooks" / "nodes" / "simulated.toml", project / "runbooks" / "nodes")
    shutil.copy(REPOSITORY / "conftest.py", project / "conftest.py")
    path = project / "runbooks" / "connects.py"
    path.write_text(path.read_text() + "\n# %%\nsteps.cleanup(cluster, 'never')\n")
    assert papermill("runbooks/connects.py", "bad.ipynb", "-p", "fail", "true").returncode == 1
    assert main(["run", "connects", "--until", "5", "--output", "part.ipynb"]) == 0
    assert main(["publish", "bad.ipynb"]) == 3
    assert main(["publish", "part.ipynb"]) == 3
    assert "some cells only" in capsys.readouterr().err
    assert main(["publish", "bad.ipynb", "--failed"]) == 0
    assert main(["publish", "part.ipynb", "--partial"]) == 0
    assert main(["check"]) == 0, capsys.readouterr().out
    assert main(["check", "--nbval"]) == 0
    assert main(["runs", "--format", "json"]) == 0
    listed = json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))["runs"]
    assert {one["ended"] for one in listed} == {"failed at cell 7", "completed (partial)"}
