"""What recording and redaction cost: whole ``reaffirm run`` processes, on simulated nodes.

Compares a runbook as it is with the same one where nothing is recorded and nothing is redacted. Nobody can
switch these off; here a module that Python loads at its start takes their functions away in both processes
of the run. Rounds are interleaved. The share is told of wall and of processor seconds; the latter are what
stays comparable on a machine that does other things too. Judged is the median of what a
run took longer than its pair, which ran just before or after it: a machine that is slower for some seconds
moves the medians of the two sides apart, and one lucky start on either side decides the minima.

    python benchmarks/recording_cost.py [RUNBOOK] [--rounds 41] [--write]
"""

import argparse
import json
import sys
import tempfile
from datetime import UTC, datetime
from importlib.metadata import version
from operator import sub
from pathlib import Path
from statistics import median
from typing import Any

from whole_process import HERE, PACKAGES, PIVOT, Cost, cost, machine, reaffirm, seconds_of

RESULT = HERE / "results" / "recording_cost.json"
#: The share of the whole run, at most.
GOAL = 0.10
# Loaded in both cases, so that only the work itself differs.
WITHOUT = """
import os
import reaffirm.redact as package
from reaffirm.redact import chunks, data, masking, streams
from reaffirm.nodes import recorder, recording
if os.environ.get("BENCHMARK_WITHOUT"):
    def same(value, /, *_, **__):
        return value
    class Streams:
        held = 0
        def feed(self, chunk):
            return chunk
        def flush(self):
            return ""
        close = flush
    for module in (package, masking, data, chunks, streams):
        for name in ("redact", "redact_words", "redact_data"):
            if hasattr(module, name):
                setattr(module, name, same)
    package.redact_header = lambda name, value: value
    package.StreamRedactor = Streams
    package.LineRedactor = lambda: same
    names = ("redact", "redact_words", "redact_data", "redact_header", "LineRedactor", "redact_chunks")
    for module in (recorder, recording):
        for name in names:
            if hasattr(module, name):
                setattr(module, name, getattr(package, name))
    def count(self, *_, **__):
        self._at = self._at._replace(seq=self._at.seq + 1)
    recorder.Recorder._hold = count
    recorder.Recorder._put_held = lambda self: None
    recorder.Recorder.seconds = lambda self, *_, **__: None
"""


def main() -> int:
    """Measure, print, and return 0 when the goal is met, 1 when it is not."""
    words = argparse.ArgumentParser(description="What recording and redaction cost.")
    words.add_argument("runbook", nargs="?", type=Path, default=PIVOT)
    words.add_argument("--rounds", type=int, default=41, help="pairs of runs (at least 7)")
    words.add_argument("--write", action="store_true", help=f"write {RESULT.relative_to(HERE.parent)}")
    given = words.parse_args()
    if given.rounds < 7:
        words.error("--rounds: fewer than 7 say nothing on a machine that does other things too")
    found = measure(given.runbook.resolve(), given.rounds)
    print(json.dumps(found, indent=2))
    for what in ("pairs", "medians", "minima"):
        print(f"share of {what}: {found['share_of_' + what]:.1%} (goal: below {GOAL:.0%})")
    if given.write:
        RESULT.parent.mkdir(exist_ok=True)
        RESULT.write_text(json.dumps(found, indent=2) + "\n")
    return 0 if found["share_of_pairs"] < GOAL else 1


def measure(runbook: Path, rounds: int) -> dict[str, Any]:
    """Run both sides ``rounds`` times in turn, after one round to warm the caches."""
    with tempfile.TemporaryDirectory(prefix="reaffirm-benchmark-") as name:
        folder = Path(name)
        (folder / "start").mkdir()
        (folder / "start" / "sitecustomize.py").write_text(WITHOUT)
        sides: dict[str, list[Cost]] = {"with": [], "without": []}
        for number in range(rounds + 1):
            # in turns, so that neither is always the first of a pair
            for side, costs in sorted(sides.items(), reverse=bool(number % 2)):
                where = {"PYTHONPATH": str(folder / "start"), "BENCHMARK_WITHOUT": "1" * (side == "without")}
                argv = reaffirm("run", str(runbook), "--output", f"{side}-{number}.ipynb")
                one = cost(argv, folder, **where)
                if number:
                    costs.append(one)
        recorded = {
            side: sum(p.stat().st_size for p in folder.glob(f"{side}-*.run/recording*.jsonl"))
            for side in sides
        }
    if recorded["without"] >= recorded["with"]:
        sys.exit("the run without a recording has recorded; the figures mean nothing")
    walls = {side: [c.wall for c in costs] for side, costs in sides.items()}
    cpus = {side: [c.cpu for c in costs] for side, costs in sides.items()}
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "runbook": runbook.name,
        "rounds": rounds,
        "with": seconds_of(sides["with"]),
        "without": seconds_of(sides["without"]),
        "share_of_pairs": round(median(map(sub, walls["with"], walls["without"])) / median(walls["with"]), 3),
        "share_of_medians": round(1 - median(walls["without"]) / median(walls["with"]), 3),
        "share_of_minima": round(1 - min(walls["without"]) / min(walls["with"]), 3),
        "processor_share_of_medians": round(1 - median(cpus["without"]) / median(cpus["with"]), 3),
        "goal": GOAL,
        "machine": machine(),
        "versions": {package: version(package) for package in PACKAGES},
    }


if __name__ == "__main__":
    sys.exit(main())
