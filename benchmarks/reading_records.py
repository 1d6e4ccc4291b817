"""How long reading and linting many records takes, beside adr-viewer on the same files.

``python benchmarks/reading_records.py [--sizes 100 1000 10000] [--rounds 3] [--write]``. The records are
made: Nygard's form, about 2 kB each, every tenth superseded by the next. adr-viewer is measured where it is
installed (``pip install adr-viewer``), and only up to 1,000 records.

Seconds on the wall are the least of the rounds; processor seconds are those of the same round, all processes
together.
"""

import argparse
import json
import os
import platform
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
WORDS = (
    *(
        "the",
        "service",
        "must",
        "keep",
        "a",
        "cache",
        "of",
        "answers",
        "because",
        "users",
        "wait",
        "for",
        "pages",
    ),
    *("and", "servers", "are", "slow", "under", "load", "when", "many", "ask"),
)
#: A record changed a moment ago is not taken from the cache; so all are made old.
OLD = 1_700_000_000


def main() -> None:
    """Measure, print, and with --write keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    measured = []
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            for row in measure(Path(folder), size, options.rounds):
                measured.append(row)
                told = f"{row['wall']:>7.2f} s  cpu {row['cpu']:>6.2f} s  {row['rss']:>5} MB"
                print(f"{size:>6}  {row['what']:<26} {told}")
    if options.write:
        text = json.dumps(surroundings() | {"measured": measured}, indent=1)
        (HERE / "results/reading_records.json").write_text(f"{text}\n", encoding="utf-8")


def measure(folder: Path, size: int, rounds: int) -> list[dict[str, Any]]:
    """Return a row for each command."""
    root = folder / "repository"
    make(root / "doc/adr", size)
    cache = folder / "cache"
    reaffirm = Path(sys.executable).with_name("reaffirm")
    rows = []
    for word in ("records", "lint"):
        first = [run([reaffirm, word], root, cache, fresh=True) for _ in range(rounds)]
        again = [run([reaffirm, word], root, cache) for _ in range(rounds)]
        rows += [row(size, f"{word}, first", first), row(size, f"{word}, nothing changed", again)]
    viewer = Path(sys.executable).with_name("adr-viewer")
    if viewer.exists() and size <= 1_000:
        words = [viewer, "--adr-path", "doc/adr", "--output", folder / "out.html"]
        rows.append(
            row(size, f"adr-viewer {found('adr-viewer')}", [run(words, root, cache) for _ in range(rounds)])
        )
    return rows


def row(size: int, what: str, rounds: list[tuple[float, float, int]]) -> dict[str, Any]:
    """The round that was the quickest on the wall."""
    wall, cpu, rss = min(rounds)
    return {"records": size, "what": what, "wall": round(wall, 3), "cpu": round(cpu, 3), "rss": rss}


def run(words: list[Any], root: Path, cache: Path, *, fresh: bool = False) -> tuple[float, float, int]:
    """Run a command and return seconds on the wall, processor seconds, and the most memory (MB)."""
    if fresh:
        shutil.rmtree(cache, ignore_errors=True)
    env = os.environ | {"XDG_CACHE_HOME": str(cache)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    done = subprocess.run([str(word) for word in words], cwd=root, env=env, capture_output=True, check=False)
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr.decode())
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, after.ru_maxrss // 1_000


def make(folder: Path, size: int) -> None:
    """Write the records; the same ones each time."""
    folder.mkdir(parents=True)
    dice = random.Random(1)

    def prose(words: int) -> str:
        return " ".join(dice.choice(WORDS) for _ in range(words)).capitalize() + "."

    for number in range(1, size + 1):
        after = f"{number + 1:05d}-decision-{number + 1}.md"
        gone = number % 10 == 0 and number < size
        status = f"Superseded by [{number + 1}. Decision]({after})" if gone else "Accepted"
        back = f"\n\nSupersedes [{number - 1}. Decision]({number - 1:05d}-decision-{number - 1}.md)"
        status += back if number % 10 == 1 and number > 1 else ""
        text = (
            f"# {number}. {prose(6)}\n\nDate: 2020-{number % 12 + 1:02d}-{number % 28 + 1:02d}\n\n"
            f"## Status\n\n{status}\n\n## Context\n\n{prose(80)}\n\n{prose(80)}\n\n## Decision\n\n"
            + "\n".join(f"* {prose(12)}" for _ in range(6))
            + f"\n\n## Consequences\n\n{prose(60)}\n\n{prose(60)}\n"
        )
        path = folder / f"{number:05d}-decision-{number}.md"
        path.write_text(text, encoding="utf-8")
        os.utime(path, (OLD, OLD))


def surroundings() -> dict[str, Any]:
    """Return what a number means nothing without."""
    return {
        "measured_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
        "load_1m": round(os.getloadavg()[0], 2),
        "versions": {
            name: found(name) for name in ("markdown-it-py", "ruamel.yaml", "docutils", "adr-viewer")
        },
        "kind": "measured on a development machine that others use at the same time",
    }


def found(name: str) -> str:
    """The version of a package that is installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


if __name__ == "__main__":
    main()
