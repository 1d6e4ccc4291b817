"""The runbooks that ship: all of them run as typed, and look as a newcomer was told."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jupytext
import pytest

from reaffirm.cli.main import main
from reaffirm.run.runbook import read_runbook

ROOT = Path(__file__).parents[2]
PATHS = sorted((ROOT / "runbooks").glob("*.py"))
SECONDS = 180

#: Runs: the name of the notebook, the runbook, parameters as people give them, and what the run must find.
RUNS: list[tuple[str, str, dict[str, str], dict[str, Any]]] = [
    ("_template", "_template", {}, {"probe.vllm-qwen35.supports_model": True}),
    (
        "preflight",
        "preflight_nodes",
        {},
        {"preflight.passed": True, "preflight.advertised_address_reachable": False},
    ),
    (
        "stall",
        "reproduce_stall",
        {},
        {
            "experiment.sglang.unset.stuck": 1,
            "experiment.sglang.set.past_groups": 1,
            "experiment.sglang.address_decides": None,
            "unset_1.last_stage": "group-created",
            "cleanup.removed": ["spark-1/experiment-head", "spark-2/experiment-worker"],
        },
    ),
    (
        "stall-of-vllm",
        "reproduce_stall",
        {"engine": "vllm", "boots": "3"},
        {
            "experiment.vllm.unset.always_stuck": True,
            "experiment.vllm.set.always_past_groups": True,
            "experiment.vllm.address_decides": True,
        },
    ),
    (
        "cleanup",
        "cleanup_containers",
        {},
        {"cleanup.removed": ["spark-1/vllm-head", "spark-2/vllm-worker"], "cleanup.ports_free": True},
    ),
    (
        "cleanup-of-one",
        "cleanup_containers",
        {"names": "vllm-worker"},
        {"cleanup.removed": ["spark-2/vllm-worker"], "cleanup.left_alone": ["spark-1/vllm-head"]},
    ),
    (
        "probe",
        "probe_image",
        {},
        {"probe.vllm-node.supports_model": False, "probe.images_with_class": ["vllm-qwen35"]},
    ),
    ("launch", "launch_vllm", {}, {"launch.ready": True, "launch.engine": "vllm"}),
    ("verify", "verify_endpoint", {}, {"verify.reasoning": True, "verify.content": True}),
    ("latency", "measure_latency", {"requests": "20"}, {"latency.says": "hello", "latency.requests": 20}),
    (
        "latency-simulated",
        "measure_latency",
        {"nodes": "simulated", "requests": "20"},
        {"latency.says": "hello", "latency.requests": 20, "stopped.passed": True},
    ),
]
#: Tried by the tests of the steps, as one arc, and as a published run.
ELSEWHERE = {"pivot_to_vllm"}
#: A service that is not there must not look well to whoever reads only the exit status.
FAILS = ("verify-nothing", "verify_endpoint", {"nodes": "simulated"})

_CODE = """
import json, sys
from papermill import PapermillExecutionError, execute_notebook
folder, runs = sys.argv[1], json.loads(sys.argv[2])
for name, runbook, parameters in runs:
    try:
        execute_notebook(f"runbooks/{runbook}.py", f"{folder}/{name}.ipynb", parameters, progress_bar=False)
    except PapermillExecutionError as error:
        print(f"{name}: {error.ename}: {error.evalue}")
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """All runs, in one process of their own, and what it printed about those that failed."""
    folder = tmp_path_factory.mktemp("ran")
    runs = [(name, runbook, parameters) for name, runbook, parameters, _ in RUNS]
    argv = [sys.executable, "-W", "error", "-W", "ignore::ResourceWarning", "-c", _CODE, str(folder)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("REAFFIRM_")}
    done = subprocess.run(
        [*argv, json.dumps([*runs, FAILS])],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


@pytest.mark.parametrize(("name", "expected"), [(run[0], run[3]) for run in RUNS])
def test_runs_as_typed(ran: tuple[Path, str], name: str, expected: Mapping[str, Any]) -> None:
    """A runbook would not run as its first page says, or would find something else."""
    about = json.loads((ran[0] / f"{name}.ipynb").read_text(encoding="utf-8"))["metadata"]["reaffirm"]
    assert about["ended"]["how"] == "completed", about["ended"]
    assert about["kind"] == ("real" if name == "latency" else "simulated")
    assert {fact: about["facts"][fact]["value"] for fact in expected} == dict(expected)


def test_runs_that_ship_are_all_tried() -> None:
    """A new runbook would never have run before somebody copies its command."""
    assert {runbook for _, runbook, _, _ in RUNS} | ELSEWHERE == {path.stem for path in PATHS}


def test_an_endpoint_that_does_not_answer_fails_the_run(ran: tuple[Path, str]) -> None:
    """A nightly `papermill runbooks/verify_endpoint.py` would end well though nothing serves."""
    folder, printed = ran
    assert "verify-nothing: StepFailedError" in printed
    assert printed.count("Error: ") == 1, printed
    about = json.loads((folder / "verify-nothing.ipynb").read_text(encoding="utf-8"))["metadata"]["reaffirm"]
    assert about["facts"]["verify.healthy"]["value"] is False, "the failure is evidence too"


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_cells_only_call_steps(path: Path) -> None:
    """Logic would hide in a notebook, where no test and no other runbook finds it."""
    logic = (
        ast.If, ast.IfExp, ast.For, ast.While, ast.Try, ast.With, ast.FunctionDef, ast.Lambda, ast.ClassDef,
        ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Match, ast.BoolOp,
    )  # fmt: skip
    for cell in jupytext.read(path).cells:
        if cell.cell_type == "code":
            assert not [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, logic)]
            assert len(cell.source.splitlines()) <= 14


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_first_page_says_what_a_reader_must_know(path: Path) -> None:
    """Somebody would start it without knowing what it does to the machines."""
    cells = jupytext.read(path).cells
    for heading in ("# ", "**Purpose.**", "**Time and risk.**", "**What it changes.**", "**How to undo.**"):
        assert heading in cells[0].source
    book = read_runbook(str(path), lambda name: Path(name).read_text(encoding="utf-8"))
    assert "nodes" in book.declarations.found
    for parameter in book.declarations.found.values():
        assert parameter.annotation, parameter.name
        assert parameter.help, parameter.name


def test_the_template_is_no_runbook(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list of runbooks would offer people a skeleton."""
    monkeypatch.chdir(ROOT)
    assert main(["run", "_template"]) == 3
    told = capsys.readouterr().err
    assert "cleanup_containers" in told
    assert "_template" not in told.partition("next:")[2]
    assert "_template" not in (ROOT / "docs/reference/parameters.md").read_text(encoding="utf-8")
