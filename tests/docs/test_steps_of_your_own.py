"""docs/how-to/steps-of-your-own.md, executed: its files in an empty folder, its commands as they stand."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from followed import ROOT, Reader, blocks

from reaffirm.claims.verdict import standing
from reaffirm.model.claim import Verdict
from reaffirm.model.evidence import Kind
from reaffirm.store.published import read_published
from reaffirm.store.records import read_records

PAGE = ROOT / "docs" / "how-to" / "steps-of-your-own.md"
FILES = [(block.title, block.text) for block in blocks(PAGE) if block.title]
LINES = re.findall(r"^\$ (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder in which somebody has followed the page."""
    folder = tmp_path_factory.mktemp("follow") / "project"
    folder.mkdir()
    Reader(folder).follow(PAGE)
    return folder


def test_the_page_has_its_files_and_commands() -> None:
    """A changed fence would leave the page untested."""
    assert [name for name, _ in FILES] == [
        "runbooks/nodes/local.toml",
        "runbooks/steps/example_server.py",
        "runbooks/check_search.py",
        "adrs/0001-one-server-is-enough.md",
    ]
    assert [line.split()[0] for line in LINES] == ["papermill", "reaffirm", "reaffirm"]


def test_its_step_is_the_one_of_this_project() -> None:
    """The page would show a step that nobody runs."""
    [text] = [text for name, text in FILES if name == "runbooks/steps/example_server.py"]
    assert text == (ROOT / "runbooks" / "steps" / "example_server.py").read_text(encoding="utf-8")


def test_the_run_is_real_and_decides_the_claim(followed: Path) -> None:
    """Whoever follows the page would end with a claim that nothing decides."""
    published = read_published(followed / "docs" / "runs")
    assert published.findings == ()
    [run] = published.runs
    assert (run.kind, run.runbook) == (Kind.REAL, "check_search")
    facts = {fact.name: fact for fact in run.facts}
    assert facts["search.requests"].value == 100
    assert isinstance(facts["search.p95"].value, float)
    assert facts["search.p95"].by == ""
    assert facts["slowest.answer"].by == "notebook"
    [record] = read_records(followed / "adrs").records
    [claim] = record.claims
    found = standing(claim, run.evidence(), datetime.now(UTC).date())
    # How fast this machine is, the test does not say: only that the claim is decided.
    fast = float(facts["search.p95"].value) < 20
    assert found.verdict is (Verdict.AFFIRMED if fast else Verdict.REFUTED)


def test_the_replay_started_nothing(followed: Path) -> None:
    """CI would measure its own machine and compare that with yours."""
    [recording] = (followed / "docs" / "runs").rglob("recording.jsonl")
    lines = [json.loads(line) for line in recording.read_text(encoding="utf-8").splitlines()]
    assert lines[-1]["op"] == "end"
    assert sum(line["op"] == "http" for line in lines) == 101
    assert len(list(followed.glob("**/*.run"))) == 1
