"""Evidence of the lab says what it is about, and hypotheses get no support from rehearsals."""

import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import nbformat
import pytest

from reaffirm.claims.comparison import compare
from reaffirm.model.claim import Claim, ClaimKind, Judged, Result, Standing, Verdict, verdict_words
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.fact import FACTS_MIME, Fact
from reaffirm.site.beside import Pair
from reaffirm.site.beside_page import beside_page
from reaffirm.site.image_page import with_head
from reaffirm.site.page import verdict_badge
from reaffirm.site.report import report_markdown
from reaffirm.site.run_card import run_card
from reaffirm.site.run_facts import facts_section
from reaffirm.site.run_files import provenance_section
from reaffirm.site.run_material import RunMaterial
from reaffirm.site.stand_ins import behind, speed_remark
from reaffirm.store.published import PublishedRun, read_run
from reaffirm.store.run_view import image_identity

_SPECIMENS = Path(__file__).parent / "specimens"
_LAB = _SPECIMENS / "project/docs/runs/measure_latency/2026-02-01-lab"


@pytest.fixture
def run(tmp_path: Path) -> PublishedRun:
    """A run on a lab whose image and model are not those of the records."""
    folder = tmp_path / "measure_latency/2026-02-01-lab"
    shutil.copytree(_LAB, folder)
    shutil.copy(_SPECIMENS / "lab-machines.toml", folder / "machines.toml")
    facts = {
        "probe.toy.supports_model": False,
        "probe.toy.digest": "sha256:" + "0123456789abcdef" * 4,
        "retry.engine": "sglang",
        "retry.outcome": "reached",
        "launch.engine": "vllm",
        "launch.ready": True,
    }
    return replace(read_run(folder), facts=tuple(Fact(name, value) for name, value in facts.items()))


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        ("probe.toy.supports_model", "read in the image `toy:lab`, `sha256:0123456789ab`"),
        ("retry.outcome", "ran in part: Groups only, no server."),
        ("launch.ready", "in place of `big/model`: A small model with random weights."),
    ],
)
def test_evidence_says_what_it_is_about(run: PublishedRun, fact: str, line: str) -> None:
    """A lab's own image would pass for the image of the record."""
    assert behind(run, [fact]) == (line,)


def test_a_run_without_a_machine_file_says_nothing_of_it() -> None:
    """The page of an older run would not build."""
    assert behind(read_run(_LAB), ["launch.ready"]) == ()


def test_the_box_of_a_lab_run_lists_what_stood_in(run: PublishedRun) -> None:
    """A reader of the notebook would take the small model for the big one."""
    box = run_card(run, runbook_page="", seconds=None)
    for words in (
        "image `toy` was `toy:lab`",
        "`big/model` was replaced: A small",
        "`sglang`, in part: Groups",
    ):
        assert words in box


def test_only_what_a_run_used_stood_for_something(run: PublishedRun) -> None:
    """A machine file names images and engines of other runbooks; a reader would look for them in vain."""
    facts = tuple(
        Fact(name, value) for name, value in {"launch.engine": "vllm", "launch.ready": True}.items()
    )
    box = run_card(replace(run, facts=facts), runbook_page="", seconds=None)
    assert "`big/model` was replaced" in box
    assert "image `toy`" not in box
    assert "`sglang`, in part" not in box
    assert "What stood for what" not in run_card(
        replace(run, facts=(Fact("latency.p95", 12.5, "ms"),)), runbook_page="", seconds=None
    )


def test_the_kind_of_a_lab_run_is_never_alone(run: PublishedRun) -> None:
    """`launch.ready = true` with the badge *lab* would pass for the model of the record, served."""
    told = "a stand-in model and an engine in part: see [what stood for what](#run-stood)"
    box = run_card(run, runbook_page="", seconds=None)
    assert told in box
    assert '<strong id="run-stood">' in box
    assert told in facts_section(run, {})


def test_a_table_of_nodes_says_whose_they_are() -> None:
    """Nodes of a lab are called like the machines of the story."""
    block = {"table": "Checks", "columns": ["", "node"], "rows": [["pass", "spark-1"]]}
    data = {"step": "preflight", "kind": "lab", "outcome": "pass", "summary": "x", "blocks": [block]}
    assert "<strong>Checks</strong> (lab nodes, whatever their names)" in str(report_markdown(data))
    assert "whatever" not in str(report_markdown({**data, "kind": "real"}))
    other = {**block, "columns": ["", "what"]}
    assert "whatever" not in str(report_markdown({**data, "blocks": [other]}))


def test_a_speed_of_a_stand_in_is_not_comparable(run: PublishedRun) -> None:
    """The speed of a toy on a CPU would be taken for confirmation of a claim about the real model."""
    told = "of the stand-in model, on CPU: not comparable"
    speed = Fact("verify.tokens_per_second", 28.4, "1/s")
    assert speed_remark(run, speed) == told
    assert speed_remark(run, Fact("launch.seconds_to_ready", 35.6, "s")) == told
    for other in (
        Fact("launch.seconds_to_ready", None, "s"),
        Fact("retry.silent_seconds", 60.0, "s"),
        Fact("preflight.free_memory_gib_head", 22.0, "GiB"),
        Fact("latency.p95", 12.5, "ms"),
    ):
        assert speed_remark(run, other) == ""
    assert told in facts_section(replace(run, facts=(*run.facts, speed)), {})


@pytest.mark.parametrize("newer", [28.4, 31.0], ids=["same", "other"])
def test_two_runs_side_by_side_say_it_of_both(run: PublishedRun, newer: float) -> None:
    """Two equal speeds of a toy would look like a result that was confirmed."""
    found = [_material(run, value) for value in (28.4, newer)]
    old, new = found
    differing = compare(old.view, new.view)
    page = beside_page(Pair(run, run), old, new, differing, pages={run.path: "runs/a.md"}).markdown
    folded = "1 fact that is the same" in page
    assert folded is (newer == 28.4)
    assert page.count("of the stand-in model, on CPU: not comparable") == 2


def _material(run: PublishedRun, speed: float) -> RunMaterial:
    """A run whose notebook shows one speed."""
    facts = {"verify.tokens_per_second": {"value": speed, "unit": "1/s"}}
    data = {FACTS_MIME: {"step": "verify", "facts": facts}, "text/plain": ""}
    output = nbformat.v4.new_output("display_data", data=data)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("verify()", outputs=[output])])
    return RunMaterial(run, notebook)


def test_two_numbers_of_an_image_say_what_they_are(run: PublishedRun) -> None:
    """The id and the digest of one image would look like two images."""
    told = {"id": "sha256:1aa9183111dc7c7c", "digests": ["localhost/toy@sha256:97a4d896a22c0c5f"]}
    assert image_identity(told) == "image id 1aa9183111dc, registry digest 97a4d896a22c"
    images = {"toy": "sha256:97a4d896a22c0c5f"}
    about = {**run.provenance, "images": images, "node_images": {"spark-1": {"toy:lab": told}}}
    text = provenance_section(replace(run, provenance=about))
    assert "image id 1aa9183111dc, registry digest 97a4d896a22c" in text
    assert "registry digest <code>sha256:97a4d896a22c0c5f</code>" in text


def test_a_rehearsed_hypothesis_has_not_passed() -> None:
    """'rehearsed (passed)' beside a cause would read like support for it."""
    at = datetime(2026, 2, 1, tzinfo=UTC)
    judged = Judged(Result.PASSED, Kind.LAB, Via.LIVE, at, "r", "book", "as expected")
    rehearsed = Standing(Verdict.REHEARSED, "as expected", judged)
    cause = verdict_badge(rehearsed, Claim("a", "A.", ClaimKind.HYPOTHESIS))
    assert ">rehearsed</span>" in cause
    assert "speaks neither for a cause nor against it" in cause
    fact = verdict_badge(rehearsed, Claim("a", "A."))
    assert ">rehearsed (passed)</span>" in fact
    assert 'title="rehearsed on lab nodes: says nothing yet about real machines"' in fact
    assert verdict_words(rehearsed, Claim("a", "A.", ClaimKind.HYPOTHESIS)) == "rehearsed"


def test_a_check_that_did_not_pass_stands_out() -> None:
    """A warning among twenty rows would be overlooked."""
    rows = [["WARNING", "a"], ["FAIL", "b"], ["pass", "c"], ["<b>FAIL</b>", "d"]]
    block = {"table": "Checks", "columns": ["", "node"], "rows": rows}
    data = {"step": "preflight", "kind": "lab", "outcome": "pass", "summary": "x", "blocks": [block]}
    text = report_markdown(data)
    assert text is not None
    assert '<span class="rf-badge rf-check-warning">WARNING</span>' in text
    assert '<span class="rf-badge rf-check-fail">FAIL</span>' in text
    assert "<td>pass</td>" in text
    assert text.count("rf-check-") == 2


def test_a_value_that_was_made_up_says_so() -> None:
    """It would pass for what the image holds."""
    data = {
        "name": "toy",
        "engine": "vllm",
        "python": "none",
        "status": "reported",
        "support": {"python": "made-up"},
    }
    text = with_head("# toy\n", data)
    assert (
        '| Python | none<br><span class="rf-badge rf-made-up">made up for the simulated nodes</span> |'
        in text
    )
    assert '| Engine | vllm<br><span class="rf-badge rf-known">told by others</span> |' in text
    assert "No published run has probed it" in text
