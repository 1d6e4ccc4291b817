"""docs/tutorial, executed: its pages one after the other in a throw-away copy of the project."""

import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from followed import ROOT, Reader, blocks, copy_of_the_project

from reaffirm.claims.verdict import standing
from reaffirm.model.claim import Verdict
from reaffirm.model.evidence import Kind
from reaffirm.store.published import read_published
from reaffirm.store.records import read_records

TUTORIAL = ROOT / "docs" / "tutorial"
PAGES = [TUTORIAL / f"{name}.md" for name in ("1-first-run", "2-break-it", "3-a-claim-of-your-own")]
LAB_PAGE = TUTORIAL / "4-on-the-lab.md"
LAB_UP = "sudo scripts/lab up"
INSTALL = "python3 -m venv .venv && .venv/bin/pip install -q . && "
# What a test does not do: install from a registry, serve for ever, put the lab up and down.
INSTEAD = {
    INSTALL: "",
    "mkdocs serve": "mkdocs build --strict --site-dir build/site",
    LAB_UP: "scripts/lab status",
    "sudo scripts/lab down": "true",
}
RESTORE = "git restore --staged --worktree docs/runs"
# What undoes the third page; the test looks before that.
UNDO = ".venv/bin/reaffirm withdraw docs/runs/time_a_start/start"


def test_every_page_is_followed() -> None:
    """A page that nobody runs, or a block that is only shown, would grow wrong unseen."""
    assert sorted(TUTORIAL.glob("*.md")) == sorted([*PAGES, LAB_PAGE, TUTORIAL / "index.md"])
    for page in [*PAGES, LAB_PAGE]:
        text = page.read_text(encoding="utf-8")
        assert len(blocks(page)) == len(re.findall(r"^ *```\w", text, re.MULTILINE)), page.name
        assert [block for block in blocks(page) if block.language != "console" and not block.title] == []


def test_the_first_command_is_that_of_the_readme() -> None:
    """The two would drift apart, and the README's would be untested."""
    command = f"{INSTALL}.venv/bin/papermill runbooks/pivot_to_vllm.py\n"
    assert f"\n{command}" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"$ {command}" in PAGES[0].read_text(encoding="utf-8")


def test_the_pages_hold(tmp_path: Path) -> None:
    """A newcomer would type a command that fails, or look for a line that is not there."""
    assert UNDO in PAGES[-1].read_text(encoding="utf-8")
    # The first record that somebody copies has to be faultless.
    looks = "mkdir kept && cp -R docs/runs adrs kept && .venv/bin/reaffirm lint adrs/0999-*.md"
    instead = {**INSTEAD, UNDO: f"{looks} && {UNDO}"}
    folder = copy_of_the_project(tmp_path / "project")
    clone(folder)
    reader = Reader(folder, instead)
    for page in PAGES:
        reader.follow(page)
    kept = reader.folder / "kept"
    [run] = [run for run in read_published(kept / "runs").runs if run.runbook == "time_a_start"]
    assert run.kind is Kind.REAL
    [record] = [record for record in read_records(kept / "adrs").records if record.id == "0999"]
    verdicts = {
        claim.id: standing(claim, run.evidence(), datetime.now(UTC).date()).verdict for claim in record.claims
    }
    [p95] = [fact.value for fact in run.facts if fact.name == "start.p95"]
    # How fast this machine is, the test does not say: only that the claim is decided.
    cheap = Verdict.AFFIRMED if isinstance(p95, float) and p95 < 20 else Verdict.REFUTED
    assert verdicts == {"a-start-is-cheap": cheap, "a-start-costs-nothing": Verdict.REFUTED}
    assert git(folder, "status", "--porcelain") == "?? kept/\n", "what the last page undoes is undone"


@pytest.mark.parametrize("staged", ["never", "before", "after", "both"])
def test_what_is_undone_is_undone(staged: str, tmp_path: Path) -> None:
    """With the run noted by `git add`, the ledger alone came back from there: `run-removed`."""
    page = PAGES[-1].read_text(encoding="utf-8")
    assert "$ git add docs/runs\n" in page, "publish says so, and the page has to end well after it"
    [restore] = re.findall(r"^\$ (git restore .*)", page, re.MULTILINE)
    assert restore == RESTORE
    ledger, run = tmp_path / "docs/runs/ledger.jsonl", tmp_path / "docs/runs/time_a_start/start"
    ledger.parent.mkdir(parents=True)
    ledger.write_text("1\n", encoding="utf-8")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "as it was cloned")
    run.mkdir(parents=True)
    (run / "facts.json").write_text("{}\n", encoding="utf-8")
    ledger.write_text("1\n2\n", encoding="utf-8")
    if staged in ("before", "both"):
        git(tmp_path, "add", "docs/runs")
    shutil.rmtree(run.parent)  # as `reaffirm withdraw` does
    ledger.write_text("1\n2\n3\n", encoding="utf-8")
    if staged in ("after", "both"):
        git(tmp_path, "add", "docs/runs")
    git(tmp_path, *restore.split()[1:])
    assert git(tmp_path, "status", "--porcelain") == ""
    assert ledger.read_text(encoding="utf-8") == "1\n"


def test_the_last_page_is_announced() -> None:
    """Its lab takes minutes: who meets it on the last page waits for nothing."""
    index = (TUTORIAL / "index.md").read_text(encoding="utf-8")
    box = index.partition('!!! tip "If you mean to do the last page"')[2].partition("\n\n")[0]
    assert f"`{LAB_UP}`" in box
    page = LAB_PAGE.read_text(encoding="utf-8")
    assert f"If you have not started it yet:\n\n```console\n$ {LAB_UP}\n" in page
    minutes = [int(number) for number in re.findall(r"\| (\d+) \|$", index, re.MULTILINE)]
    assert (len(minutes), sum(minutes)) == (len([*PAGES, LAB_PAGE]), 30), "it is called the first half hour"


def test_nothing_of_the_lab_page_is_left(tmp_path: Path) -> None:
    """A command that was typed twice leaves `lab-launch.run.1` as well."""
    page = LAB_PAGE.read_text(encoding="utf-8")
    [remove] = re.findall(r"^\$ (rm .*)", page, re.MULTILINE)
    for notebook in re.findall(r"runbooks/\w+\.py (\S+\.ipynb)", page):
        (tmp_path / notebook).touch()
        for end in (".run", ".run.1", ".run.2"):
            (tmp_path / notebook).with_suffix(end).mkdir()
    subprocess.run(["/bin/sh", "-c", remove], cwd=tmp_path, timeout=60, check=True)
    assert list(tmp_path.iterdir()) == []


def git(folder: Path, *words: str) -> str:
    """Run git in a folder, as somebody without settings."""
    argv = ["git", "-c", "user.name=reader", "-c", "user.email=reader@example.invalid", *words]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=60, check=True).stdout


def clone(folder: Path) -> None:
    """Make a clone of a copy: what is there is committed, and what a reader does is not."""
    shutil.copy(ROOT / ".gitignore", folder)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "as it was cloned")


@pytest.mark.lab
def test_the_page_about_the_lab_holds(tmp_path: Path) -> None:
    """A newcomer with a lab would be led astray on its last page."""
    status = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "lab"), "status"],
        capture_output=True,
        timeout=60,
        check=False,
    )
    if status.returncode != 0:
        pytest.skip("lab: `scripts/lab status` says it is not up")
    folder = copy_of_the_project(tmp_path / "project")
    try:
        Reader(folder, INSTEAD).follow(LAB_PAGE)
    except BaseException:  # whatever went wrong, the next one finds the hosts empty
        argv = [".venv/bin/papermill", "runbooks/cleanup_containers.py", "-p", "nodes", "lab"]
        subprocess.run([*argv, "-p", "names", "vllm-head,vllm-worker"], cwd=folder, timeout=120, check=False)
        raise
