"""Pages of runs and runbooks, made of specimens; scripts/regen writes the golden ones."""

import json
from dataclasses import replace
from pathlib import Path

from reaffirm.model.evidence import Kind
from reaffirm.site.beside import Pair, differences, disagreements
from reaffirm.site.beside_page import beside_page
from reaffirm.site.links import no_links
from reaffirm.site.notebook import notebook_page
from reaffirm.site.page import SitePage
from reaffirm.site.requests import read_requests
from reaffirm.site.run_files import files_section
from reaffirm.site.run_material import RunMaterial, read_material
from reaffirm.site.run_pages import runbooks_index, runs_index
from reaffirm.site.runbook_page import BookContext, runbook_page
from reaffirm.site.runbook_text import own_steps, read_runbook_text
from reaffirm.store.published import read_run

_SPECIMENS = Path(__file__).parent / "specimens"
RUNS = _SPECIMENS / "project/docs/runs/measure_latency"


def material_of(name: str) -> RunMaterial:
    """Return a run of the toy project, or one that has the notebook of that name."""
    notebook = _SPECIMENS / f"notebooks/{name}.ipynb"
    if not notebook.is_file():
        return read_material(read_run(RUNS / name, shown=f"docs/runs/measure_latency/{name}"))
    run = read_run(RUNS / "2026-02-01-lab", shown="docs/runs/measure_latency/2026-02-01-lab")
    run = replace(
        run, provenance={**run.provenance, "ended": {"how": "failed", "cell": 11, "why": "no role"}}
    )
    recording = (_SPECIMENS / "recordings/torn.jsonl").read_bytes()
    return RunMaterial(run, json.loads(notebook.read_text()), read_requests(recording, {"aa": "one.py"}))


def page_of(name: str) -> str:
    """Return the Markdown of one page by the name of its golden file."""
    others = {"beside": _beside, "runbook": _book, "runbooks-index": _books, "runs-index": _runs}
    if name in others:
        return others[name]().markdown
    material, uri = material_of(name), f"runs/measure_latency/{name}.md"
    page = notebook_page(
        material, uri=uri, resolve=no_links, runbook_page="../../runbooks/measure_latency.md"
    ).markdown
    return f"{page}\n{files_section(material.run, material.sizes, 12_345, uri, lambda _: '')}\n"


def _both() -> tuple[RunMaterial, RunMaterial]:
    return material_of("2026-02-01-lab"), material_of("2026-02-03-simulated")


def _pages() -> dict[str, str]:
    return {one.run.path: f"runs/{one.run.runbook}/{one.run.run}.md" for one in _both()}


def _beside() -> SitePage:
    old, new = _both()
    found = differences(old, new)
    return beside_page(Pair(old.run, new.run), old, new, found, pages=_pages(), deciding={"latency.p95"})


def _text() -> str:
    return (_SPECIMENS / "runbooks/measure_latency.py").read_text()


def _book() -> SitePage:
    old, new = _both()
    own = own_steps(
        {"toy.py": 'import reaffirm\n@reaffirm.step(changes="writes files")\ndef toy(step): ...\n'}
    )
    book = read_runbook_text("measure_latency", _text(), "runbooks/measure_latency.py", own)
    runs = {Kind.LAB: old.run, Kind.SIMULATED: new.run}
    pair = Pair(old.run, new.run)
    context = BookContext(
        (new, old),
        _pages(),
        machines=("lab", "simulated"),
        disagreements=disagreements(runs),
        beside={(old.run.path, new.run.path): pair.uri},
    )
    return runbook_page(book, context, uri="runbooks/measure_latency.md", resolve=no_links)


def _books() -> SitePage:
    book = read_runbook_text("measure_latency", _text(), "runbooks/measure_latency.py", {})
    runs = {"measure_latency": list(reversed(_both()))}
    return runbooks_index("Runbooks", "", [(book, no_links)], runs, _pages(), uri="runbooks/index.md")


def _runs() -> SitePage:
    runs = {"measure_latency": list(reversed(_both()))}
    books = {"measure_latency": "runbooks/measure_latency.md"}
    return runs_index("Published runs", "What they are.", runs, _pages(), books, uri="runs/index.md")
