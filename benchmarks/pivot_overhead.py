"""What a runbook costs over papermill itself: whole processes, on simulated nodes.

Compares ``papermill RUNBOOK`` and ``reaffirm run RUNBOOK`` with ``papermill`` on an ``.ipynb`` of as many
empty cells, which Jupyter's kernel runs. Rounds are interleaved so that a busy machine slows all of them down
alike. Prints and writes the ratios of the medians and of the minima, and the facts of the machine without
which no number means anything. The processor seconds beside them (a command with all its processes) are what
stays comparable on a machine that does other things too. A first round of each warms the caches: that of the
files, and that of what jupytext made of the runbook.

    python benchmarks/pivot_overhead.py [RUNBOOK] [--rounds 9] [--write]
"""

import argparse
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULT = HERE / "results" / "pivot_overhead.json"
#: Seconds over those of papermill on empty cells, at most.
GOALS = {"papermill": 0.8, "reaffirm_run": 0.5}
PACKAGES = ("reaffirm", "papermill", "nbclient", "ipykernel", "jupytext")


def main() -> int:
    """Measure, print, and return 0 when the goal is met, 1 when it is not."""
    words = argparse.ArgumentParser(description="What a runbook costs over papermill itself.")
    words.add_argument("runbook", nargs="?", type=Path, default=HERE.parent / "runbooks" / "pivot_to_vllm.py")
    words.add_argument("--rounds", type=int, default=9, help="rounds of each (at least 7)")
    words.add_argument("--write", action="store_true", help=f"write {RESULT.relative_to(HERE.parent)}")
    given = words.parse_args()
    if given.rounds < 7:
        words.error("--rounds: fewer than 7 say nothing on a machine that does other things too")
    found = measure(given.runbook.resolve(), given.rounds)
    print(json.dumps(found, indent=2))
    for name, goal in GOALS.items():
        for what in ("medians", "minima"):
            print(f"{name}: ratio of {what}: {found[name]['ratio_of_' + what]:.2f} (goal: at most {goal})")
    if given.write:
        RESULT.parent.mkdir(exist_ok=True)
        RESULT.write_text(json.dumps(found, indent=2) + "\n")
    return 0 if all(found[name]["ratio_of_minima"] <= goal for name, goal in GOALS.items()) else 1


def measure(runbook: Path, rounds: int) -> dict[str, Any]:
    """Run all sides ``rounds`` times in turn, after one round to warm the caches."""
    with tempfile.TemporaryDirectory(prefix="reaffirm-benchmark-") as name:
        folder = Path(name)
        papermill(folder, str(runbook), "runbook.ipynb")
        executed = json.loads((folder / "runbook.ipynb").read_text())
        if executed["metadata"]["reaffirm"]["ended"]["how"] != "completed":
            sys.exit(f"{runbook} did not complete; its cost means nothing")
        (folder / "empty.ipynb").write_text(json.dumps(emptied(executed)))
        costs: dict[str, list[Cost]] = {"empty": [], "papermill": [], "reaffirm_run": []}
        for number in range(rounds + 1):
            shutil.rmtree(folder / "runbook.run", ignore_errors=True)
            one = {
                "empty": papermill(folder, "empty.ipynb", "out.ipynb"),
                "papermill": papermill(folder, str(runbook), "runbook.ipynb"),
            }
            shutil.rmtree(folder / "runbook.run", ignore_errors=True)
            one["reaffirm_run"] = reaffirm(folder, str(runbook), "runbook.ipynb")
            if number:
                for side, cost in one.items():
                    costs[side].append(cost)
    empty = costs["empty"]
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "runbook": runbook.name,
        "cells": len(executed["cells"]),
        "rounds": rounds,
        "empty": seconds_of(empty),
        "papermill": seconds_of(costs["papermill"]) | ratios(costs["papermill"], empty),
        "reaffirm_run": seconds_of(costs["reaffirm_run"]) | ratios(costs["reaffirm_run"], empty),
        "goals": GOALS,
        "machine": machine(),
        "versions": {package: version(package) for package in PACKAGES},
    }


@dataclass(frozen=True)
class Cost:
    """Seconds of one process and of those it waited for: on the wall, and of processors."""

    wall: float
    cpu: float


def papermill(folder: Path, source: str, output: str) -> Cost:
    """Run papermill as a process of its own and return what it cost."""
    return cost([sys.executable, "-m", "papermill", source, output, "--no-progress-bar"], folder)


def reaffirm(folder: Path, source: str, output: str) -> Cost:
    """Run our own command as a process of its own and return what it cost."""
    code = "import sys; from reaffirm.cli.entry import main; sys.exit(main())"
    return cost([sys.executable, "-c", code, "run", source, "--output", output], folder)


def cost(argv: list[str], folder: Path, **more: str) -> Cost:
    """Run a command and return what it cost, with all processes that it waited for; ``more``: variables."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("REAFFIRM_")} | more
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    done = subprocess.run(
        argv,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(argv)} failed:\n{done.stderr}")
    return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def seconds_of(costs: list[Cost]) -> dict[str, Any]:
    """The seconds of one side."""
    walls, cpus = [cost.wall for cost in costs], [cost.cpu for cost in costs]
    return {"seconds": summary(walls), "processor_seconds": summary(cpus)}


def ratios(costs: list[Cost], others: list[Cost]) -> dict[str, float]:
    """One side's seconds over those of another."""
    walls = [[cost.wall for cost in side] for side in (costs, others)]
    cpus = [[cost.cpu for cost in side] for side in (costs, others)]
    return {
        "ratio_of_medians": ratio(walls, statistics.median),
        "ratio_of_minima": ratio(walls, min),
        "processor_ratio_of_medians": ratio(cpus, statistics.median),
    }


def ratio(seconds: list[list[float]], of: Callable[[list[float]], float]) -> float:
    """The first seconds over the second ones."""
    return round(of(seconds[0]) / of(seconds[1]), 3)


def emptied(notebook: dict[str, Any]) -> dict[str, Any]:
    """A notebook of as many cells of the same types, all empty."""
    cells: list[dict[str, Any]] = []
    for number, cell in enumerate(notebook["cells"]):
        empty = {"cell_type": cell["cell_type"], "id": f"e{number}", "metadata": {}, "source": ""}
        if cell["cell_type"] == "code":
            # nbclient skips a cell without any text, so an empty one is a pass
            empty |= {"source": "pass", "outputs": [], "execution_count": None}
        cells.append(empty)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def summary(seconds: list[float]) -> dict[str, float]:
    """Minimum, median and maximum."""
    found = {"min": min(seconds), "median": statistics.median(seconds), "max": max(seconds)}
    return {name: round(value, 3) for name, value in found.items()}


def machine() -> dict[str, Any]:
    """What ran it."""
    model = ""
    if (cpuinfo := Path("/proc/cpuinfo")).is_file():
        lines = cpuinfo.read_text(errors="replace").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "")
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": model,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": [round(value, 2) for value in os.getloadavg()],
        "python": platform.python_version(),
    }


if __name__ == "__main__":
    sys.exit(main())
