"""Kills runs at random moments and looks at what is left; see scripts/kill-moments."""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

from aftermath import (
    NAMES,
    REAFFIRM,
    ROOT,
    all_gone,
    descendants,
    of_run,
    problems,
    project,
    reached,
    start,
    worker_of,
)
from fault_table import RESULTS

#: Who gets the signal, in turns.
TARGETS = ("runner", "worker", "all")
RUNBOOK = "runbooks/pivot_to_vllm.py"
#: A stall is waited for on the lab; its limit need not be long to be killed in it (seconds).
_WORDS = {"lab": ("-p", "stall_limit", "15")}
_LONGEST = 1200.0


def campaign(
    times: int,
    *,
    nodes: str,
    seed: int,
    keep: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
    length: float | None = None,
    minutes: float | None = None,
    each: Callable[[dict[str, Any]], object] = lambda _: None,
    begun: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Measure a whole run, then kill ``times`` runs, each at a moment of its own.

    ``length``: seconds of a whole run that was measured before. ``minutes``: begin no more kills after so
    long; a campaign that is cut short is the beginning of the whole one. ``each`` gets the result so far;
    ``begun`` are the kills of such a beginning, with which it goes on.
    """
    until = None if minutes is None else time.monotonic() + 60 * minutes
    moments = random.Random(seed)
    folder = keep or Path(tempfile.mkdtemp(prefix="kill-moments-"))
    folder.mkdir(parents=True, exist_ok=True)
    length = length or _whole(nodes, folder)
    tell(f"a whole run takes {length:.2f} s")
    kills: list[dict[str, Any]] = list(begun)
    for number in range(times):
        if number < len(begun):
            moments.uniform(0.0, length)
            continue
        if until is not None and time.monotonic() > until:
            break
        at, target = moments.uniform(0.0, length), TARGETS[number % len(TARGETS)]
        one = killed(number, at, target, nodes, folder)
        kills.append(one)
        wrong = "; ".join(one["problems"]) or "fine"
        tell(f"{number + 1:>4}  {at:7.2f} s  {target:<6}  {one['step']:<50}  {wrong}")
        if keep is None and not one["problems"]:
            shutil.rmtree(folder / f"{number:03}", ignore_errors=True)
        each(_result(nodes, seed, length, kills, times))
    if keep is None and not any(one["problems"] for one in kills):
        shutil.rmtree(folder, ignore_errors=True)
    return _result(nodes, seed, length, kills, times)


def _result(
    nodes: str, seed: int, length: float, kills: list[dict[str, Any]], planned: int
) -> dict[str, Any]:
    return {
        "nodes": nodes,
        "runbook": RUNBOOK,
        "seed": seed,
        "times": len(kills),
        "planned": planned,
        "length": round(length, 2),
        "measured": datetime.now(UTC).strftime("%Y-%m-%d"),
        "versions": {"python": python_version(), "reaffirm": version("reaffirm"), "commit": _commit()},
        "kills": kills,
    }


def beginning(nodes: str, seed: int) -> tuple[list[dict[str, Any]], float | None]:
    """Return the kills of a campaign that was cut short, and the length that it had measured."""
    path = results_path(nodes)
    kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return (kept["kills"], kept["length"]) if kept.get("seed") == seed else ([], None)


def _whole(nodes: str, folder: Path) -> float:
    """Return how long a whole run takes: the shortest of three where that is cheap."""
    return min(_once(nodes, folder / f"whole-{n}.ipynb") for n in range(3 if nodes == "simulated" else 1))


def _once(nodes: str, notebook: Path) -> float:
    began = time.monotonic()
    process = start(RUNBOOK, notebook, "--nodes", nodes, *_WORDS.get(nodes, ()))
    said, _ = process.communicate(timeout=_LONGEST)
    if process.returncode != 0:
        msg = f"the run that is to be killed does not even end well by itself:\n{said}"
        raise RuntimeError(msg)
    length = time.monotonic() - began
    if nodes != "simulated":
        _cleaned(nodes, notebook.with_name("cleanup.ipynb"))
    return length


def killed(number: int, at: float, target: str, nodes: str, folder: Path) -> dict[str, Any]:
    """Start a run, kill it after ``at`` seconds, and say what is wrong with what is left."""
    notebook = folder / f"{number:03}" / "out.ipynb"
    notebook.parent.mkdir(parents=True, exist_ok=True)
    process = start(RUNBOOK, notebook, "--nodes", nodes, *_WORDS.get(nodes, ()))
    found: list[str] = []
    try:
        time.sleep(at)
        family = descendants(process.pid)
        _kill(process, target, family)
        said, _ = process.communicate(timeout=_LONGEST)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    left = all_gone([pid for pid in {*family, *of_run(notebook)} if pid != process.pid])
    found += [f"process {pid} is left" for pid in left]
    if "Traceback" in said:
        found.append(f"a traceback on the terminal: {said.strip().splitlines()[-1]}")
    over = process.returncode == 0  # it was faster than the one that was measured
    found += problems(notebook, completed=over)
    step = reached(notebook)
    journal = notebook.with_suffix(".run") / "journal.jsonl"
    if journal.exists() and b"\n" in journal.read_bytes():  # else nothing was run, and render says so
        found += _rendered(notebook, over)
    if nodes != "simulated":
        found += _cleaned(nodes, notebook.with_name("cleanup.ipynb"))
    return {"at": round(at, 2), "target": target, "step": step, "exit": process.returncode, "problems": found}


def _kill(process: "subprocess.Popen[str]", target: str, family: list[int]) -> None:
    if target == "worker":
        chosen = [worker for worker in [worker_of(process.pid)] if worker is not None] or [process.pid]
    else:
        chosen = family if target == "all" else [process.pid]
    for pid in chosen:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _rendered(notebook: Path, over: bool) -> list[str]:
    """Make the notebook anew from the journal, and look at it again."""
    argv = [*REAFFIRM, "render", str(notebook.with_suffix(".run"))]
    made = subprocess.run(argv, cwd=project(), capture_output=True, text=True, timeout=60, check=False)
    if made.returncode != 0:
        return [f"reaffirm render: {made.stderr.strip()[-200:]}"]
    return [f"rendered: {what}" for what in problems(notebook, completed=over)]


def _cleaned(nodes: str, notebook: Path) -> list[str]:
    """Clean up, then look at the hosts themselves."""
    words = ("--nodes", nodes, "-p", "names", ",".join(NAMES))
    process = start("runbooks/cleanup_containers.py", notebook, *words)
    said, _ = process.communicate(timeout=_LONGEST)
    if process.returncode != 0:
        return [f"cleanup: {said.strip()[-300:]}"]
    import reaffirm.nodes.connect as connecting

    cluster = connecting.open_cluster(nodes, show=lambda _: None)
    try:
        found = []
        for node in cluster.nodes:
            answer = node.run(["docker", "ps", "-a", "--format", "{{.Names}}"])
            found += [
                f"{node.node.name}/{name} is left after cleanup"
                for name in answer.stdout.split()
                if name in NAMES
            ]
        return found
    finally:
        cluster.close()


def _commit() -> str:
    argv = ["git", "rev-parse", "--short", "HEAD"]
    made = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=20, check=False)
    return made.stdout.strip()


def summary(result: dict[str, Any]) -> str:
    """Say a result in one line."""
    wrong = sum(bool(kill["problems"]) for kill in result["kills"])
    return f"{len(result['kills'])} kills on {result['nodes']} nodes, {wrong} left something wrong"


def results_path(nodes: str) -> Path:
    """Where the result for these nodes is kept."""
    return RESULTS / f"kill-moments-{nodes}.json"


def write(result: dict[str, Any]) -> Path:
    """Write a result."""
    path = results_path(result["nodes"])
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return path


def page() -> str:
    """Return the text of docs/reference/kill-moments.md."""
    lines = [_HEAD]
    for nodes in ("simulated", "lab"):
        path = results_path(nodes)
        lines.append(f"## On {nodes} nodes\n")
        if not path.is_file():
            lines.append("Not measured yet.\n")
            continue
        lines += _tables(json.loads(path.read_text(encoding="utf-8")))
    return "\n".join(lines)


def _tables(result: dict[str, Any]) -> list[str]:
    kills = result["kills"]
    wrong = [kill for kill in kills if kill["problems"]]
    versions = ", ".join(f"{name} {value}" for name, value in result["versions"].items())
    planned = result.get("planned", len(kills))
    short = (
        f" The campaign of {planned} was cut short; `--go-on` goes on with it."
        if planned > len(kills)
        else ""
    )
    lines = [
        f"{len(kills)} kills, {len(wrong)} of them left something wrong.{short} "
        f"`{result['runbook']}`, seed {result['seed']}, "
        f"a whole run took {result['length']:g} s{_before(result)}; "
        f"measured {result['measured']} with {versions}.\n",
        "| killed in | runner | worker | all at once | something wrong |",
        "|---|---|---|---|---|",
    ]
    steps = list(dict.fromkeys(kill["step"] for kill in sorted(kills, key=lambda kill: kill["at"])))
    for step in steps:
        here = [kill for kill in kills if kill["step"] == step]
        by = Counter(kill["target"] for kill in here)
        bad = sum(bool(kill["problems"]) for kill in here)
        lines.append(
            f"| {step or 'the values that were given'} | "
            + " | ".join(str(by[target]) for target in TARGETS)
            + f" | {bad} |"
        )
    lines.append("")
    for kill in wrong:
        lines.append(f"- {kill['at']:g} s, {kill['target']}, {kill['step']}: {'; '.join(kill['problems'])}")
    return [*lines, ""] if wrong else lines


def _before(result: dict[str, Any]) -> str:
    """A campaign that went on another time may have met a busier machine then."""
    earlier = [f"{kills} kills {length:g} s" for kills, length in result.get("earlier", ())]
    return f" (for the first {', then '.join(earlier)})" if earlier else ""


_HEAD = """# Killed at random moments

`scripts/kill-moments` runs the pivot and kills it with SIGKILL at moments drawn evenly from the length of a
whole run: the runner, the worker that runs the cells, or all processes of the run at once, in turns. After
each kill it checks that the notebook, if there is one, is valid and calls no cell completed that did not
end; that the journal can be read, and the recording with its chain of hashes, as far as they got; that no
process is left; that `reaffirm render` makes a true notebook of the journal; and that the next cleanup
finds every container that was started (simulated nodes are gone with the run: there the recording is asked
whether each container had a name and the label that cleanup goes by).

```bash
scripts/kill-moments --times 200             # simulated nodes; --seed for other moments
scripts/kill-moments --times 20 --nodes lab  # the two hosts of `scripts/lab up`
```

The tests kill eight runs each time. The result of a longer campaign is kept, and shown here.
"""
