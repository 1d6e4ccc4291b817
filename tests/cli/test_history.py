"""``reaffirm runs`` and ``reaffirm diff``: which runs there are, and in what two of them differ."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from reaffirm.claims.comparison import compare
from reaffirm.cli.main import main
from reaffirm.store.ledger import LEDGER
from reaffirm.store.ledger_writing import writing
from reaffirm.store.run_view import view_of

_SITE = Path(__file__).parents[1] / "site/specimens/project"
_STEP = "application/vnd.reaffirm.step+json"
_FACTS = "application/vnd.reaffirm.facts+json"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The toy project of the site's tests, and the current folder in it."""
    root = tmp_path / "project"
    shutil.copytree(_SITE, root)
    monkeypatch.chdir(root)
    return root


def run_of(speed: float, seconds: str = "12.5 s", outcome: str = "ready", **about: Any) -> dict[str, Any]:
    """A notebook of one launch."""
    facts = {"launch.speed": {"value": speed, "unit": "1/s"}, "launch.first": {"value": None}}
    report = {"step": "launch", "outcome": outcome, "summary": f"serves after {seconds}"}
    text = f"launch: {outcome}: serves after {seconds}\nimage: one\n"
    cells = [
        {"cell_type": "markdown", "source": "# Launch\n"},
        {"cell_type": "code", "source": "", "metadata": {"tags": ["injected-parameters"]}},
        {
            "cell_type": "code",
            "source": "steps.launch(cluster)",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["hello\n"]},
                {"output_type": "display_data", "data": {_FACTS: {"step": "launch", "facts": facts}}},
                {"output_type": "execute_result", "data": {_STEP: report, "text/plain": text}},
            ],
        },
    ]
    said = {"kind": "lab", "runbook": {"path": "runbooks/launch.py"}, "ran": "2026-11-30T10:00:00Z"}
    return {"cells": cells, "metadata": {"reaffirm": said | {"facts": facts} | about}}


def put(project: Path, name: str, notebook: dict[str, Any]) -> Path:
    """Write a local run."""
    path = project / "runs" / "launch" / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook))
    return path


def test_all_runs_are_listed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that was killed, or whose files are damaged, would not be missed by anybody."""
    done = {"how": "completed", "cell": None}
    put(project, "good", run_of(1.0, ended=done))
    put(project, "bad", run_of(1.0, ended={"how": "failed", "cell": 2}, ran="2026-11-30T11:00:00Z"))
    put(project, "killed", run_of(1.0))
    put(project, "shot", run_of(1.0, ended={"how": "killed", "cell": 3}, ran="2026-11-30T10:00:00Z"))
    put(project, "damaged", {}).write_text('{"cells": [')
    put(project, "part", run_of(1.0, ended=done, partial={"only": ["x"]}))
    (project / "docs/runs/measure_latency/2026-02-01-lab/facts.json").write_text("")
    with writing(project / "runs" / LEDGER) as ledger:
        ledger.append("begun", run="elsewhere/x.ipynb", runbook="runbooks/launch.py", supersedes=[])
    assert main(["runs", "--format", "json"]) == 0
    found = {one["run"]: one for one in json.loads(capsys.readouterr().out)["runs"]}
    assert found["good"]["ended"] == "completed"
    assert (found["good"]["kind"], found["good"]["facts"]) == ("lab", 2)
    assert found["bad"]["ended"] == "failed at cell 2"
    assert "was killed" in found["killed"]["ended"]
    assert found["shot"]["ended"] == "the runner was killed at cell 3"
    assert found["part"]["ended"] == "completed (partial)"
    assert "not a notebook" in found["damaged"]["problem"]
    assert "began and left nothing" in found["x"]["ended"]
    assert found["2026-02-01-lab"]["problem"].startswith("facts.json:1: not JSON")
    whole = next(one for one in found.values() if one["published"] and not one["problem"])
    assert whole["path"] == whole["published"]
    names = [one for one in found if found[one]["when"]]
    assert names == sorted(names, key=lambda one: found[one]["when"], reverse=True)

    assert main(["runs", "--runbook", "launch", "--kind", "lab"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines[1:]} == {"good", "bad", "killed", "shot", "part"}
    assert main(["runs", "--kind", "imagined"]) == 3
    assert main(["runs", "--runbook", "nothing"]) == 0
    assert "no runs" in capsys.readouterr().out


def test_differences_in_words(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two notebooks side by side are thousands of lines; a person wants the few that differ."""
    put(project, "old", run_of(27.0, parameters={"count": 3}, versions={"python": "3.11.7"}))
    new = run_of(31.5, outcome="stuck", parameters={"count": 4}, versions={"python": "3.12.1"})
    new["cells"][2]["outputs"][0]["text"] = "goodbye\n"
    put(project, "new", new)
    assert main(["diff", "old", "new"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "old: runs/launch/old.ipynb",
        "new: runs/launch/new.ipynb",
        "facts",
        '  changed  launch.speed: 27.0 1/s → 31.5 1/s (cell 2 "Launch")',
        "steps",
        '  changed  launch: ready: serves after 12.5 s → stuck: serves after 12.5 s (cell 2 "Launch")',
        "outputs",
        '  changed  stdout (cell 2 "Launch")',
        "      - hello",
        "      + goodbye",
        '  changed  report of launch (cell 2 "Launch")',
        "      - launch: ready: serves after 12.5 s",
        "      + launch: stuck: serves after 12.5 s",
        "parameters",
        "  changed  count: 3 → 4",
        "versions",
        "  changed  python: 3.11.7 → 3.12.1",
        "6 difference(s)",
    ]
    assert main(["diff", "old", "new", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)["differences"]
    assert found[0] == {
        "area": "facts",
        "what": "launch.speed",
        "change": "changed",
        "was": "27.0 1/s",
        "now": "31.5 1/s",
        "cell": 2,
        "heading": "Launch",
    }


def test_times_are_no_difference_between_two_runs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each of two launches takes its own time; that would be told with every comparison."""
    put(project, "old", run_of(27.0))
    put(project, "new", run_of(27.0, seconds="13.1 s"))
    assert main(["diff", "old", "new"]) == 0
    assert "the same" in capsys.readouterr().out
    found = compare(view_of(run_of(27.0)), view_of(run_of(27.0, seconds="13.1 s")), strict=True)
    assert [one.area for one in found] == ["outputs"], "but one run that is done again takes the same"


def test_cells_that_came_and_went() -> None:
    """One cell more would make every cell after it differ."""
    old, new = run_of(27.0), run_of(27.0)
    new["cells"].insert(2, {"cell_type": "code", "source": "print(1)", "outputs": []})
    (found,) = compare(view_of(old), view_of(new))
    assert (found.area, found.change, found.place, found.lines) == (
        "code",
        "added",
        'cell 2 "Launch"',
        ("+ print(1)",),
    )
    (found,) = compare(view_of(new), view_of(old))
    assert found.change == "gone"


def test_what_cannot_be_compared(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A damaged run is not the same as another, and no different one either."""
    put(project, "old", run_of(27.0))
    put(project, "damaged", {}).write_text("{")
    assert main(["diff", "old", "damaged"]) == 2
    assert "runs/launch/damaged.ipynb: not a notebook" in capsys.readouterr().err
    assert main(["diff", "old", "odl"]) == 3
    assert "there is no run 'odl'" in capsys.readouterr().err
