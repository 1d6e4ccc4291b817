"""How long a big site takes to build, and an edit to show: beside plain MkDocs on the very same pages.

1,000 records and 100 executed notebooks (``site_corpus.py``). The floor is MkDocs with Material and no plugin
of ours on the Markdown that ``reaffirm pages`` writes of them, with the same navigation; ours is the plugin:
``first`` knows nothing of any file, as on a new machine, ``plugin`` knows by their hashes in which files no
secret was found at an earlier build, and has the archives of runs that it made then. Both use all processors;
MkDocs alone uses one. The notebooks alone are also built by mkdocs-jupyter, where that is installed
(``pip install mkdocs-jupyter``).
Rounds are interleaved. An edit: a sentence is saved into a record of this very project, which ``mkdocs
serve`` serves, and the page is asked for until it has it; that is when a browser reloads.

    python benchmarks/site_build.py [--records 1000] [--runs 100] [--rounds 3] [--edits 5] [--write]
"""

import argparse
import importlib.util
import json
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from site_corpus import ROOT, make_corpus
from whole_process import HERE, Cost, cost, machine, reaffirm, seconds_of

RESULT = HERE / "results" / "site_build.json"
GOALS = {"ratio": 1.3, "megabytes": 30, "edit_seconds": 2.0}
PACKAGES = ("reaffirm", "mkdocs", "mkdocs-material", "markdown", "pymdown-extensions")
_JUPYTER = """\
site_name: Notebooks
docs_dir: runs-only
theme: { name: material, font: false }
plugins: [search, { mkdocs-jupyter: { include: ["*.ipynb"], ignore_h1_titles: true } }]
"""
_NOTEBOOKS = """\
site_name: Notebooks
theme: { name: material, font: false }
plugins: [search, reaffirm]
"""
_LONGEST = 900.0
# What a page of a run shows of its notebook: up to the next section that the site makes.
_NOTEBOOK = re.compile(
    rb'<h2 id="run-notebook".*?(?=<h2 id="run-(?:sent|beside|provenance|files)"|</article>)', re.DOTALL
)
_FIGURE = re.compile(rb"<svg.*?</svg>|data:image/[^\"']+", re.DOTALL)


def main() -> int:
    """Measure, print, and return 0 when the goals are met, 1 when one is not."""
    words = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    words.add_argument("--records", type=int, default=1_000)
    words.add_argument("--runs", type=int, default=100)
    words.add_argument("--rounds", type=int, default=3, help="builds of each; 0: none")
    words.add_argument("--edits", type=int, default=5, help="edits under mkdocs serve; 0: none")
    words.add_argument("--jupyter", default="", help="a Python that has mkdocs-jupyter (default: this one)")
    words.add_argument("--write", action="store_true", help=f"write {RESULT.relative_to(HERE.parent)}")
    given = words.parse_args()
    found: dict[str, Any] = {"date": datetime.now(UTC).strftime("%Y-%m-%d"), "goals": GOALS}
    with tempfile.TemporaryDirectory(prefix="reaffirm-benchmark-") as name:
        if given.rounds:
            found |= builds(Path(name), given.records, given.runs, given.rounds, given.jupyter)
        if given.edits:
            found["edit"] = edits(Path(name), given.edits)
    found |= {"machine": machine(), "versions": {package: version(package) for package in PACKAGES}}
    print(json.dumps(found, indent=2))
    if given.write:
        RESULT.parent.mkdir(exist_ok=True)
        RESULT.write_text(json.dumps(found, indent=2) + "\n")
    return 0 if all(list(met(found))) else 1


def met(found: dict[str, Any]) -> Iterator[bool]:
    """Print each goal that was measured, and tell whether it is met."""
    told = []
    if "plugin" in found:
        told.append(("first build over floor, minima", found["first"]["ratio_of_minima"], GOALS["ratio"]))
        told.append(("plugin over floor, minima", found["plugin"]["ratio_of_minima"], GOALS["ratio"]))
        told.append(("megabytes without the figures of notebooks", found["size"]["goal"], GOALS["megabytes"]))
    if "edit" in found:
        told.append(("seconds until an edit shows, median", found["edit"]["median"], GOALS["edit_seconds"]))
    for what, value, goal in told:
        print(f"{what}: {value} (goal: at most {goal})")
        yield value <= goal


def builds(folder: Path, records: int, runs: int, rounds: int, jupyter: str) -> dict[str, Any]:
    """Build the same site in all ways, in turn."""
    root = folder / "many"
    made = make_corpus(root, records=records, runs=runs)
    pages = folder / "many" / "pages"
    settings = root / "mkdocs.floor.yml"
    writing = cost(reaffirm("pages", str(pages), "--root", str(root), "--settings", str(settings)), root)
    sides = {
        "floor": mkdocs(settings, folder / "floor"),
        "first": mkdocs(root / "mkdocs.yml", folder / "ours"),
        "plugin": mkdocs(root / "mkdocs.yml", folder / "ours"),
    }
    sides |= notebook_sides(root, folder, jupyter)
    kept = folder / "kept"
    costs: dict[str, list[Cost]] = {side: [] for side in sides}
    for _ in range(rounds):
        for side, argv in sides.items():
            if side == "first":
                shutil.rmtree(kept, ignore_errors=True)
            costs[side].append(cost(argv, root, NO_MKDOCS_2_WARNING="1", XDG_CACHE_HOME=str(kept)))
    found: dict[str, Any] = {"corpus": made, "rounds": rounds}
    found["writing_pages"] = {"seconds": round(writing.wall, 2), "processor_seconds": round(writing.cpu, 2)}
    found |= {side: seconds_of(one) for side, one in costs.items()}
    for side, other in (("first", "floor"), ("plugin", "floor"), ("notebooks", "mkdocs_jupyter")):
        if side in costs and other in costs:
            walls = [[one.wall for one in costs[key]] for key in (side, other)]
            cpus = [[one.cpu for one in costs[key]] for key in (side, other)]
            found[side] |= {
                "over": other,
                "ratio_of_minima": round(min(walls[0]) / min(walls[1]), 3),
                "processor_ratio_of_minima": round(min(cpus[0]) / min(cpus[1]), 3),
            }
    found["size"] = sizes(folder / "ours")
    return found


def notebook_sides(root: Path, folder: Path, jupyter: str) -> dict[str, list[str]]:
    """The runs alone, by the plugin and by mkdocs-jupyter."""
    alone = folder / "notebooks-alone"
    shutil.copytree(root / "docs" / "runs", alone / "docs" / "runs")
    shutil.copytree(root / "runbooks", alone / "runbooks")
    (alone / "docs" / "index.md").write_text("# Notebooks\n", encoding="utf-8")
    (alone / "mkdocs.yml").write_text(_NOTEBOOKS, encoding="utf-8")
    for path in (root / "docs" / "runs").glob("*/*/notebook.ipynb"):
        target = root / "runs-only" / path.relative_to(root / "docs" / "runs").parent.with_suffix(".ipynb")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (root / "runs-only" / "index.md").write_text("# Notebooks\n", encoding="utf-8")
    sides = {"notebooks": mkdocs(alone / "mkdocs.yml", folder / "notebooks")}
    if jupyter or importlib.util.find_spec("mkdocs_jupyter") is not None:
        (root / "mkdocs.jupyter.yml").write_text(_JUPYTER, encoding="utf-8")
        words = mkdocs(root / "mkdocs.jupyter.yml", folder / "jupyter")
        sides["mkdocs_jupyter"] = [jupyter or sys.executable, *words[1:]]
    return sides


def mkdocs(settings: Path, site: Path) -> list[str]:
    """The command line of a build from nothing."""
    return [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--no-strict",
        "-q",
        "-f",
        str(settings),
        "-d",
        str(site),
    ]


def sizes(site: Path) -> dict[str, float]:
    """Megabytes of a built site by what they are.

    ``goal`` is all of it, downloads too, but for the figures that stand in notebooks. Pictures that the site
    draws itself, and the signs of the theme, are no such figures.
    """
    found = dict.fromkeys(("records", "runs", "figures", "downloads", "search", "theme", "others"), 0.0)
    for path in site.rglob("*"):
        if not path.is_file():
            continue
        top, size = path.relative_to(site).parts[0], path.stat().st_size / 1e6
        if top == "runs" and path.suffix == ".html":
            notebook = _NOTEBOOK.search(path.read_bytes())
            figures = sum(map(len, _FIGURE.findall(notebook[0] if notebook else b""))) / 1e6
            found["figures"] += figures
            found["runs"] += size - figures
        elif top == "runs":
            found["downloads"] += size
        else:
            kinds = {"decisions": "records", "search": "search", "assets": "theme"}
            found[kinds.get(top, "others")] += size
    found["goal"] = sum(found.values()) - found["figures"]
    return {name: round(value, 1) for name, value in found.items()}


def edits(folder: Path, times: int) -> dict[str, Any]:
    """Seconds from saving a sentence of a record of this project until its page has it."""
    root = folder / "own"
    root.mkdir()
    for name in ("adrs", "docs", "runbooks"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "mkdocs.yml", root)
    record = sorted((root / "adrs").glob("[0-9]*.md"))[1]
    text = record.read_text(encoding="utf-8")
    seconds = []
    with served(root) as address:
        page = f"{address}decisions/{record.stem}/"
        wait_for(page, "</html>")
        for number in range(times + 1):
            sentence = f"Sentence number {number} was written to see how long it takes."
            time.sleep(1.5)
            record.write_text(f"{text.rstrip()}\n\n{sentence}\n", encoding="utf-8")
            began = time.perf_counter()
            wait_for(page, sentence)
            if number:  # the first edit warms what a server keeps
                seconds.append(round(time.perf_counter() - began, 3))
    return {"seconds": seconds, "median": statistics.median(seconds), "max": max(seconds)}


@contextmanager
def served(root: Path) -> Iterator[str]:
    """Serve a site on this machine; yield its address once it is there."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    argv = [sys.executable, "-m", "mkdocs", "serve", "--no-strict", "-q", "-a", f"127.0.0.1:{port}"]
    with (root / "serve.log").open("wb") as log:
        server = subprocess.Popen(argv, cwd=root, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            yield f"http://127.0.0.1:{port}/"
        finally:
            server.terminate()
            server.wait(30)


def wait_for(address: str, words: str) -> None:
    """Ask for a page until it has these words; end the program when that takes too long."""
    until = time.monotonic() + _LONGEST
    while time.monotonic() < until:
        with suppress(OSError), urllib.request.urlopen(address, timeout=60) as answer:
            if words in answer.read().decode("utf-8", "replace"):
                return
        time.sleep(0.02)
    sys.exit(f"{address} never showed {words!r}")


if __name__ == "__main__":
    sys.exit(main())
