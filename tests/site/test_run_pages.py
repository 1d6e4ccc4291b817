"""Pages around a run: what was sent, what it is held against, what its runbook says."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from run_specimens import RUNS, material_of, page_of

from reaffirm.draw.latency import latency_svg
from reaffirm.draw.timeline import Span, brief, timeline_svg
from reaffirm.model.evidence import Kind
from reaffirm.model.fact import Fact
from reaffirm.site.beside import disagreements, pairs_of
from reaffirm.site.requests import read_requests
from reaffirm.site.run_material import read_material
from reaffirm.site.runbook_text import read_runbook_text
from reaffirm.store.published import PublishedRun, read_run
from reaffirm.store.shown_facts import fact_cells

_TORN = Path(__file__).parent / "specimens/recordings/torn.jsonl"


def run_of(name: str, kind: Kind, day: int) -> PublishedRun:
    """Return a run of that name, kind and day."""
    run = read_run(RUNS / "2026-02-01-lab")
    when = datetime(2026, 2, 1, tzinfo=UTC) + timedelta(days=day)
    return replace(run, run=name, path=f"docs/runs/x/{name}", kind=kind, started=when, ran=when)


def test_a_recording_is_told_by_step_and_node() -> None:
    """Readers could not tell what a run did to their machines without reading JSON."""
    log = read_requests(_TORN.read_bytes(), {"aa": "one.py"})
    assert log.nodes == (("spark-1", "head"), ("spark-2", "worker"))
    assert [(step.cell, step.step, step.count) for step in log.steps] == [
        (3, "colours", 2),
        (5, "streams", 23),
    ]
    first, second = log.steps[0].requests
    assert (first.shell, first.ended, first.took) == ("python3 - < scripts/node/one.py", "exit 0", (0.25,))
    assert (second.ended, second.good) == ("exit 3", False)
    health = log.steps[1].requests[0]
    assert (health.times, health.ended, health.shell) == (
        20,
        "HTTP 200",
        "curl -sS -N -X GET http://127.0.0.1:8000/health",
    )
    assert log.waited == 2.0


def test_clocks_that_are_an_hour_apart_do_not_make_a_run_of_an_hour() -> None:
    """The second node's clock in the specimen is an hour ahead."""
    log = read_requests(_TORN.read_bytes(), {})
    assert log.seconds is not None
    assert 20 < log.seconds < 30
    assert log.steps[0].requests[1].at == pytest.approx(0.25)


def test_a_torn_recording_is_told_as_far_as_it_goes() -> None:
    """The run that was killed is the one that people want to look into."""
    log = read_requests(_TORN.read_bytes(), {})
    assert (log.whole, log.damaged) == (False, 1)
    assert "The recording does not come to its end. 1 of its lines" in page_of("rich")
    for raw in (b"", b"\n\n", b"[]\n3\nnull", b'{"op":"run"}\n' * 3, b'{"seq":1,"op":"cell","cell":"x"}'):
        assert read_requests(raw, {}).count == 0


def test_each_fact_leads_to_the_cell_that_shows_it() -> None:
    """A value without the place that shows it is one more assertion."""
    material = material_of("2026-02-01-lab")
    cells = fact_cells(material.notebook)
    assert cells["latency.p95"] == 3
    text = page_of("2026-02-01-lab")
    assert '<a href="#cell-3">cell 3</a>' in text
    assert "{ #cell-3 .rf-cell }" in text


def test_a_runbook_has_few_comparisons_however_often_it_ran() -> None:
    """A hundred runs would make five thousand pages."""
    kinds = (Kind.SIMULATED, Kind.LAB, Kind.REAL)
    runs = [run_of(f"r{n:03}", kinds[n % 3], -n) for n in range(60)]
    pairs = pairs_of(runs)
    assert len(pairs) == 12
    held = {(pair.old.run, pair.new.run) for pair in pairs}
    assert {("r003", "r000"), ("r006", "r003"), ("r009", "r006")} <= held, "the newest and the one before it"
    assert {("r001", "r000"), ("r002", "r000"), ("r002", "r001")} <= held, "the newest of each kind"
    assert len({pair.uri for pair in pairs}) == len(pairs)
    assert all(pair.old.when <= pair.new.when for pair in pairs)
    assert pairs_of(runs[:1]) == ()


def test_only_what_both_found_can_disagree() -> None:
    """A fact that a lab cannot find would look like a contradiction."""
    lab = replace(run_of("a", Kind.LAB, 0), facts=(Fact("x.a", 1, "s"), Fact("x.b", True), Fact("x.c", None)))
    simulated = replace(run_of("b", Kind.SIMULATED, 1), facts=(Fact("x.a", 1, "s"), Fact("x.b", 1)))
    found = disagreements({Kind.LAB: lab, Kind.SIMULATED: simulated})
    assert [one.name for one in found] == ["x.b"]


def test_two_runs_beside_each_other_mark_what_differs_in_words() -> None:
    """A difference that only a colour shows is none for many readers, and on paper."""
    text = page_of("beside")
    assert '<span class="rf-differs">≠ differs</span><br>decides a claim | `latency.p95`' in text
    assert "reaffirm diff docs/runs/measure_latency/2026-02-01-lab" in text
    assert "exclude: true" in text.split("---")[1]


def test_the_page_of_a_runbook_says_how_to_run_it_and_what_it_changes() -> None:
    """Who wants to run it would have to read its source."""
    text = page_of("runbook")
    for words in (
        "papermill runbooks/measure_latency.py",
        "reaffirm run measure_latency -p nodes lab",
        "reaffirm run measure_latency -p nodes mine --dry-run",
        "| `cleanup` | removes containers | removes containers |",
        "| `http` | writes files |",
        "| `toy` | writes files |",
        '| `nodes` | `str` | `"simulated"` | machines &#124; to run on |',
    ):
        assert words in text, words
    assert "hunter2" not in text


def test_what_is_no_runbook_still_has_a_page() -> None:
    """One file that jupytext cannot read would take the whole site with it."""
    book = read_runbook_text("odd", "# %% [markdown\n}{\n\x00", "runbooks/odd.py", {})
    assert book.parameters == ()
    for source in ("", "print(", "# %%\nsteps.x(", '# %% tags=["parameters"]\nx: int ='):
        read_runbook_text("odd", source, "runbooks/odd.py", {})


def test_a_run_without_recording_has_a_page() -> None:
    """Runs of others may have nothing but a notebook."""
    run = read_run(RUNS / "2026-02-03-simulated")
    material = read_material(run)
    assert material.requests.count == 0
    assert "{ #run-sent }" not in page_of("2026-02-03-simulated")
    assert material.sizes["notebook.ipynb"] > 0


@pytest.mark.parametrize("kind", list(Kind))
def test_pictures_say_their_kind_and_are_inert(kind: Kind) -> None:
    """A picture copied out of its page would pass for one of a real run; a title could run a script."""
    evil = "</text><script>alert(1)</script>"
    spans = [Span(evil, 0, 2.5, ((0.0, 1.0), ())), Span("b", 2.5, 2.5)]
    for svg in (
        timeline_svg(spans, [evil, "b"], label=evil, kind=kind),
        latency_svg([1.5, 2.5] * 20, {"p50": 2.0, evil: 2.5}, label=evil, kind=kind, what=evil),
        timeline_svg([], [], label="", kind=kind),
        latency_svg([], {}, label="", kind=kind),
    ):
        assert f"{kind} run" in svg
        assert "<script" not in svg
        assert "\n" not in svg
    assert "somebody made up" in latency_svg([1.0], {}, label="", kind=Kind.SIMULATED)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.0004, "0.4 ms"), (0.018, "18 ms"), (2.14, "2.1 s"), (302.0, "5 min 2 s")]
)
def test_times_are_said_briefly(seconds: float, words: str) -> None:
    """'0.0 s' says nothing of a request."""
    assert brief(seconds) == words
