"""Executed notebooks as pages: what readers see, and what can never happen to them."""

import json
from pathlib import Path

import pytest
from run_specimens import RUNS, page_of

from reaffirm.model.evidence import Kind, Via
from reaffirm.site.links import no_links
from reaffirm.site.notebook import notebook_page
from reaffirm.site.run_material import RunMaterial, read_material
from reaffirm.store.published import read_run

_GOLDEN = Path(__file__).parent / "golden"
_REGENERATE = "scripts/regen"


@pytest.mark.parametrize("path", sorted(_GOLDEN.glob("*.md")), ids=lambda path: path.stem)
def test_pages_are_as_they_were(path: Path) -> None:
    """A change of what pages look like would go unnoticed in a review."""
    assert page_of(path.stem) == path.read_text(encoding="utf-8"), f"if the change is meant: {_REGENERATE}"


def test_a_simulated_run_says_so_in_title_and_at_the_top() -> None:
    """A reader would take a simulated number for a measured one."""
    lines = page_of("2026-02-03-simulated").split("\n")
    heading = lines.index("# Simulated run: Measure the latency (2026-02-03)")
    assert lines[heading + 4] == '!!! warning rf-card rf-card-simulated "Simulated run"'


def test_a_replay_has_the_date_of_its_recording_and_says_that_it_is_one() -> None:
    """A replay would pass for a fresh live run."""
    run = read_run(RUNS / "2026-02-01-lab")
    replayed = run.__class__(**{**run.__dict__, "via": Via.REPLAY, "kind": Kind.LAB})
    text = notebook_page(read_material(replayed), uri="runs/a/b.md", resolve=no_links).markdown
    assert "lab, replayed" in text
    assert "the date is that of the recording" in text


def test_macros_are_switched_off_in_every_generated_page() -> None:
    """mkdocs-macros would evaluate {{ }} in a log line."""
    assert "\nrender_macros: false\n" in page_of("hostile").split("---\n")[1]


def test_long_outputs_are_folded_and_very_long_ones_cut() -> None:
    """A page with a log of a build would take minutes to load."""
    text = page_of("hostile")
    assert "488 of 500 lines are folded here; 100 of them are only in the notebook" in text
    assert "line 199 &lt;b&gt;" in text
    assert "line 250 &lt;b&gt;" not in text
    assert "[… 100 lines left out here …]" in text


def test_no_notebook_makes_the_page_fail() -> None:
    """One odd cell would break the whole site."""
    run = read_run(RUNS / "2026-02-01-lab")
    odd = [
        {},
        {"cell_type": "code"},
        {"cell_type": "code", "source": 5, "outputs": 5, "metadata": []},
        {"cell_type": "code", "outputs": [None, {}, {"output_type": "stream"}, {"output_type": "error"}]},
        {"cell_type": "code", "outputs": [{"output_type": "display_data", "data": None}]},
        {"cell_type": "markdown", "source": None},
        {"cell_type": "x", "source": "y"},
    ]
    for cells in ([], odd, [None, 3]):
        notebook_page(RunMaterial(run, {"cells": cells}), uri="runs/a/b.md", resolve=no_links)
    assert json.loads((RUNS / "hostile/notebook.ipynb").read_text())["cells"]
