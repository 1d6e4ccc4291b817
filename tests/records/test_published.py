"""Published runs: what they are worth, and that an edited one is not believed."""

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reaffirm.errors import DocumentError
from reaffirm.model.evidence import Kind, Via
from reaffirm.store.published import read_published, read_run

_RUNS = Path(__file__).parents[1] / "site/specimens/project/docs/runs"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A copy of the toy project's lab run."""
    folder = tmp_path / "measure_latency/2026-02-01-lab"
    shutil.copytree(_RUNS / "measure_latency/2026-02-01-lab", folder)
    return folder


def change(path: Path, key: str, value: Any) -> None:
    """Edit one field of a JSON file as somebody's editor would."""
    data = json.loads(path.read_text())
    data[key] = value
    path.write_text(json.dumps(data))


def test_a_run_gives_its_facts_as_evidence(run: Path) -> None:
    """A figure would lose its kind, its date or its run on the way."""
    found = read_run(run, shown="docs/runs/x")
    assert (found.kind, found.via, found.started) == (Kind.LAB, Via.LIVE, datetime(2026, 2, 1, 8, tzinfo=UTC))
    first = found.evidence()[0]
    assert (first.fact, first.value, first.unit, first.kind) == ("latency.p95", 12.5, "ms", Kind.LAB)
    assert (first.run, first.runbook, first.path) == ("2026-02-01-lab", "measure_latency", "docs/runs/x")


_EDITS: dict[str, Callable[[Path], object]] = {
    "'kind' is 'real' here": lambda run: change(run / "facts.json", "kind", "real"),
    "the recording was made on lab": lambda run: [
        change(run / name, "kind", "real") for name in ("facts.json", "provenance.json")
    ],
    "'via' must be one of live, replay": lambda run: [
        change(run / name, "via", "telephone") for name in ("facts.json", "provenance.json")
    ],
    "'started' must be a time": lambda run: [
        change(run / name, "started", "yesterday") for name in ("facts.json", "provenance.json")
    ],
    "schema 2 is not understood": lambda run: change(run / "facts.json", "schema", 2),
    "recording.jsonl:1: missing": lambda run: (run / "recording.jsonl").unlink(),
    "'latency.p95' is None here": lambda run: change(run / "facts.json", "facts", {}),
    "'latency.p95' is {'value': 1.5": lambda run: change(
        run / "facts.json", "facts", {"latency.p95": {"value": 1.5, "unit": "ms"}}
    ),
    "'made.up' is {'value': 1} here and None in the notebook": lambda run: change(
        run / "facts.json",
        "facts",
        json.loads((run / "facts.json").read_text())["facts"] | {"made.up": {"value": 1}},
    ),
    "'started' is '2026-02-01T08:00:00Z' here and '2025-": lambda run: change(
        run / "notebook.ipynb", "metadata", {"reaffirm": {"started": "2025-01-01T00:00:00Z"}}
    ),
    "says that it is measure_latency/other": lambda run: [
        change(run / name, "run", "other") for name in ("facts.json", "provenance.json")
    ],
    "'facts' must be names with a value": lambda run: change(run / "facts.json", "facts", {"a.b": 1}),
    "a fact's name is dotted words": lambda run: change(run / "facts.json", "facts", {"ab": {"value": 1}}),
    "has a value of no known type": lambda run: change(run / "facts.json", "facts", {"a.b": {"value": {}}}),
    "not JSON": lambda run: (run / "facts.json").write_text('{"schema": 1,\n"kind'),
    "expected a JSON object": lambda run: (run / "provenance.json").write_text("[]"),
    "provenance.json:1: cannot be read": lambda run: (run / "provenance.json").unlink(),
    "no header that says the kind": lambda run: (run / "recording.jsonl").write_text("\n"),
    "'started' is missing": lambda run: (run / "facts.json").write_text(
        '{"schema": 1, "kind": "lab", "via": "live", "run": "2026-02-01-lab", "runbook": "measure_latency"}'
    ),
}


@pytest.mark.parametrize(("message", "edit"), _EDITS.items(), ids=list(_EDITS))
def test_an_edited_run_is_not_believed(run: Path, message: str, edit: Callable[[Path], object]) -> None:
    """Somebody could turn a simulated run into a real one with an editor."""
    edit(run)
    with pytest.raises(DocumentError, match=r"(facts|provenance|recording)\.jsonl?") as caught:
        read_run(run)
    assert message in caught.value.message
    assert "publish" in caught.value.hint


def test_a_damaged_run_hides_no_other(run: Path) -> None:
    """One broken folder would empty the board."""
    shutil.copytree(_RUNS / "measure_latency/2026-02-03-simulated", run.parent / "2026-02-03-simulated")
    (run / "facts.json").write_text("")
    found = read_published(run.parents[1])
    assert [one.run for one in found.runs] == ["2026-02-03-simulated"]
    assert [str(f).split(";")[0] for f in found.findings] == [
        "docs/runs/measure_latency/2026-02-01-lab:1: run-damaged facts.json:1: not JSON: Expecting value"
    ]


def test_a_run_that_says_less_than_its_recording_is_taken_at_its_word(run: Path) -> None:
    """A run on the lab with one simulated step has the lower kind."""
    for name in ("facts.json", "provenance.json"):
        change(run / name, "kind", "simulated")
    assert read_run(run).kind is Kind.SIMULATED


def test_a_simulated_run_is_dated_by_its_runner(run: Path) -> None:
    """A virtual clock, or a name that somebody typed, would date it."""
    for name in ("facts.json", "provenance.json"):
        change(run / name, "kind", "simulated")
    change(run / "provenance.json", "ran", "2026-02-04T10:00:00Z")
    found = read_run(run)
    assert found.when == datetime(2026, 2, 4, 10, tzinfo=UTC)
    assert found.evidence()[0].started == found.when
    change(run / "provenance.json", "ran", "tomorrow")
    with pytest.raises(DocumentError, match="'ran' must be a time"):
        read_run(run)


def test_a_simulated_run_from_before_that_has_its_date_in_its_name(run: Path) -> None:
    """Old runs would lose their date."""
    old = run.rename(run.with_name("20260203T090000Z"))
    for name in ("facts.json", "provenance.json"):
        change(old / name, "kind", "simulated")
        change(old / name, "run", "20260203T090000Z")
    assert read_run(old).when == datetime(2026, 2, 3, 9, tzinfo=UTC)


def test_no_runs_yet(tmp_path: Path) -> None:
    """A new repository would not build."""
    assert read_published(tmp_path / "docs/runs").runs == ()
