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
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from whole_process import HERE, PACKAGES, PIVOT, Cost, cost, machine, papermill, reaffirm, seconds_of

RESULT = HERE / "results" / "pivot_overhead.json"
#: Seconds over those of papermill on empty cells, at most.
GOALS = {"papermill": 0.8, "reaffirm_run": 0.5}


def main() -> int:
    """Measure, print, and return 0 when the goal is met, 1 when it is not."""
    words = argparse.ArgumentParser(description="What a runbook costs over papermill itself.")
    words.add_argument("runbook", nargs="?", type=Path, default=PIVOT)
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
        cost(papermill(str(runbook), "runbook.ipynb"), folder)
        executed = json.loads((folder / "runbook.ipynb").read_text())
        if executed["metadata"]["reaffirm"]["ended"]["how"] != "completed":
            sys.exit(f"{runbook} did not complete; its cost means nothing")
        (folder / "empty.ipynb").write_text(json.dumps(emptied(executed)))
        costs: dict[str, list[Cost]] = {"empty": [], "papermill": [], "reaffirm_run": []}
        for number in range(rounds + 1):
            shutil.rmtree(folder / "runbook.run", ignore_errors=True)
            one = {
                "empty": cost(papermill("empty.ipynb", "out.ipynb"), folder),
                "papermill": cost(papermill(str(runbook), "runbook.ipynb"), folder),
            }
            shutil.rmtree(folder / "runbook.run", ignore_errors=True)
            one["reaffirm_run"] = cost(reaffirm("run", str(runbook), "--output", "runbook.ipynb"), folder)
            if number:
                for side, found in one.items():
                    costs[side].append(found)
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


if __name__ == "__main__":
    sys.exit(main())
