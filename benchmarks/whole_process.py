"""What a whole command costs: a process of its own with all that it waits for; and the machine it ran on."""

import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
#: The runbook that is measured unless another one is named.
PIVOT = HERE.parent / "runbooks" / "pivot_to_vllm.py"
PACKAGES = ("reaffirm", "papermill", "nbclient", "ipykernel", "jupytext")
_COMMAND = "import sys; from reaffirm.cli.entry import main; sys.exit(main())"


@dataclass(frozen=True)
class Cost:
    """Seconds of one process and of those it waited for: on the wall, and of processors."""

    wall: float
    cpu: float


def papermill(source: str, output: str) -> list[str]:
    """The command line of a run by papermill."""
    return [sys.executable, "-m", "papermill", source, output, "--no-progress-bar"]


def reaffirm(*words: str) -> list[str]:
    """The command line of our own command, of this Python."""
    return [sys.executable, "-c", _COMMAND, *words]


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
