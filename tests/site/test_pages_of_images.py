"""Pages of container images: what probes read beside what is told, and which image can serve the model."""

from pathlib import Path

from reaffirm.model.evidence import Kind
from reaffirm.site.image_facts import probes
from reaffirm.site.image_index import images_index
from reaffirm.site.image_page import Uses, with_head
from reaffirm.store.frontmatter import read_page
from reaffirm.store.images import read_images
from reaffirm.store.published import read_published

_DOCS = Path(__file__).parents[2] / "docs"
_RUNS = read_published(_DOCS / "runs").runs


def test_the_newest_probe_of_each_kind_counts_and_the_best_kind_comes_first() -> None:
    """A simulated answer would be read before, or in place of, one from a real image."""
    found = probes(_RUNS, "vllm-node")
    assert [one.run.kind for one in found] == [Kind.LAB, Kind.SIMULATED]
    lab = [run for run in _RUNS if run.kind is Kind.LAB]
    dates = [run.when for run in lab if any(fact.name.startswith("probe.vllm-node.") for fact in run.facts)]
    assert found[0].run.when == max(dates)
    assert found[0].shown("supports_model") == "**no**"
    assert found[0].why().startswith("its class is not in the registry of vLLM `0.14")
    assert probes(_RUNS, "vllm") == ()


def test_a_page_shows_what_was_read_with_its_run_and_what_is_only_told() -> None:
    """What somebody once wrote would look as good as what a run read."""
    page = read_page(_DOCS / "container-images/vllm-node.md")
    seen = probes(_RUNS, "vllm-node")
    path = "docs/container-images/vllm-node.md"
    text = with_head(page.body, page.data, seen, Uses(["[book](b.py)"], ["[0001](a.md) says"]), path)
    run = seen[0].run
    assert text.startswith("# vllm-node\n")
    assert f"[{run.run}](../runs/{run.runbook}/{run.run})" in text
    row = next(line for line in text.split("\n") if line.startswith("| vLLM |"))
    assert row.index(".14.0rc2<br>") < row.index("told by others") < row.index("0.14.1+cpu")
    row = next(line for line in text.split("\n") if line.startswith("| Python |"))
    assert "made up for the simulated nodes" in row
    assert "read in the image `vllm-node:lab`" in text
    assert "Simulated nodes are furnished from this page" in text
    assert "Known not to be there: `Qwen3_5ForConditionalGeneration`" in text
    assert "[book](b.py)" in text
    assert "## What is known of it\n\nThe vLLM image that was already on the Sparks" in text


def test_a_page_that_no_run_has_probed_says_so() -> None:
    """Its values would be taken for what the image holds."""
    page = read_page(_DOCS / "container-images/sglang.md")
    text = with_head(page.body, page.data, probes(_RUNS, "sglang"), Uses())
    assert "No published run has probed it: every value here is told" in text
    assert "No runbook and no claim names it" in text
    assert "| vLLM |" not in text


def test_the_index_says_which_image_can_serve_the_model_and_why() -> None:
    """Readers would have to open each page and compare by hand."""
    images = list(read_images(_DOCS / "container-images").values())
    found = {one.name: probes(_RUNS, one.name) for one in images}
    pages = {run.path: f"runs/{run.runbook}/{run.run}.md" for run in _RUNS}
    page = images_index(
        images,
        found,
        pages,
        uri="container-images/index.md",
        heading="Images",
        introduction="First.\n\n## Later\n\nRest.",
        others=[("odd", "odd.md")],
    )
    lines = page.markdown.split("\n")
    node = next(line for line in lines if line.startswith("| [vllm-node](vllm-node.md)<br>vLLM 0.14.0rc2"))
    assert "**no**: its class is not in the registry" in node
    assert "](../runs/" in node
    new = next(line for line in lines if line.startswith("| [vllm-qwen35](vllm-qwen35.md)<br>"))
    assert "**yes**" in new
    assert "| [odd](odd.md) | - |" in lines
    assert "| `Qwen3_5MTP` | *unknown* | **no** | **yes** |" in lines
    assert (
        page.markdown.index("First.")
        < page.markdown.index("## Which can serve")
        < page.markdown.index("Rest.")
    )


def test_what_a_reader_must_know_first_stays_at_the_top() -> None:
    """That nobody ships an image would stand below two screens of what it would hold."""
    text = with_head("# toy\n\n> Bring it\n> yourself.\n\nMore.\n", {"name": "toy", "engine": "vllm"})
    assert text.startswith("# toy\n\n> Bring it\n> yourself.\n\n## What it holds")
    assert text.endswith("## What is known of it\n\nMore.\n")
