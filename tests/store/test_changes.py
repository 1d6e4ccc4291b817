"""Evidence grows stale when what it rests on changed, and by nothing else."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reaffirm.model.code import code_from_json
from reaffirm.store import changes as module
from reaffirm.store.changes import run_digest, runbook_codes, with_changes
from reaffirm.store.checked import Checked, write_checked
from reaffirm.store.code_hash import text_hash
from reaffirm.store.machine_hash import machine_hashes
from reaffirm.store.payloads import code_of, engine_digest, engine_hashes, program_hashes
from reaffirm.store.project import Project
from reaffirm.store.published import read_published

RUNBOOK = """# %% [markdown]
# # A runbook
#
# Prose.

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect("here")  # who is there

# %%
steps.ours(cluster, limit=3)
"""
STEP = '''"""A step of our own."""

import reaffirm


@reaffirm.step
def ours(step, limit):
    """Look."""
    step.judge(limit > 2, "fine")  # why


def unused():
    pass
'''
PROGRAM = '"""A program."""\nprint(1)  # one\n'
MACHINES = '[[node]]\nname = "a" # the first\naddress = "192.0.2.1"\n'


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project whose published run used a step, a program and a machine file of its own."""
    here = Project(tmp_path)
    for path, text in (
        ("runbooks/look.py", RUNBOOK),
        ("runbooks/steps/ours.py", STEP),
        ("runbooks/steps/other.py", STEP.replace("ours", "theirs")),
        ("runbooks/nodes/here.toml", MACHINES),
        ("scripts/node/look.py", PROGRAM),
        ("adrs/README.md", ""),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    publish(here, "first", "2026-11-01T00:00:00Z")
    return here


def publish(project: Project, name: str, started: str, **more: Any) -> Path:
    """Write a published run as ``publish`` does, as far as it matters here."""
    folder = project.published / "look" / name
    folder.mkdir(parents=True)
    codes = runbook_codes(RUNBOOK)
    assert codes is not None
    code = replace(
        code_of(codes, text_hash(RUNBOOK), project), node_programs=program_hashes(["look.py"], project)
    )
    (folder / "machines.toml").write_text(MACHINES)
    hashes = machine_hashes(folder / "machines.toml", project.machine_files / "here.toml")
    about = {"schema": 1, "kind": "lab", "via": "live", "run": name, "runbook": "look", "started": started}
    rests = {
        "runbook_path": "runbooks/look.py",
        "runbook_sha256": code.runbook,
        "code": code.as_json(),
        "machines": "here",
        "machine_file": {"name": "here", "path": "runbooks/nodes/here.toml", **hashes},
        "node_images": {"a": {"image": {"id": "1" * 64, "digests": []}}},
    }
    facts = {"ours.passed": {"value": True}}
    shown = {"data": {"application/vnd.reaffirm.facts+json": {"facts": facts}}, "output_type": "display_data"}
    notebook = {"cells": [{"cell_type": "code", "source": "", "outputs": [shown]}], "metadata": {}}
    (folder / "notebook.ipynb").write_text(json.dumps(notebook))
    (folder / "facts.json").write_text(json.dumps(about | {"facts": facts}))
    (folder / "provenance.json").write_text(json.dumps(about | rests | more))
    (folder / "recording.jsonl").write_text('{"op":"begin","nodes":[{"name":"a","kind":"lab"}]}\n')
    return folder


def changed(project: Project) -> str:
    """What the first run rests on that is different now."""
    found = with_changes(read_published(project.published), project)
    assert found.findings == ()
    (first,) = [run for run in found.runs if run.run == "first"]
    assert {one.changed for one in first.evidence()} == {first.changed}
    return first.changed


def edit(path: str, old: str, new: str) -> Callable[[Project], None]:
    """Change a file of the project."""

    def do(project: Project) -> None:
        text = (project.root / path).read_text()
        assert old in text
        (project.root / path).write_text(text.replace(old, new))

    return do


@pytest.mark.parametrize(
    "change",
    [
        edit("runbooks/look.py", "Prose.", "Better prose."),
        edit("runbooks/look.py", "# who is there", "# ask who is there"),
        edit("runbooks/look.py", "\n\ncluster", "\n\n\n\ncluster"),
        edit("runbooks/steps/ours.py", "# why", "# because"),
        edit("runbooks/steps/ours.py", "Look.", "Look well."),
        edit("runbooks/steps/ours.py", "A step of our own.", "Our step."),
        edit("runbooks/steps/other.py", "limit > 2", "limit > 1"),
        edit("runbooks/steps/other.py", "def unused", "def connect"),
        edit("scripts/node/look.py", "# one", "# the number one"),
        edit("scripts/node/look.py", "A program.", "A small program."),
        edit("runbooks/nodes/here.toml", "# the first", "# node a"),
    ],
)
def test_words_stale_nothing(project: Project, change: Callable[[Project], None]) -> None:
    """Nobody would mend a comment if a night of runs on real machines came with it."""
    assert changed(project) == ""
    change(project)
    assert changed(project) == ""


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (edit("runbooks/look.py", "limit=3", "limit=4"), "the code of runbooks/look.py"),
        (edit("runbooks/steps/ours.py", "limit > 2", "limit > 1"), "the code of runbooks/steps/ours.py"),
        (edit("scripts/node/look.py", "print(1)", "print(2)"), "scripts/node/look.py"),
        (
            edit("runbooks/nodes/here.toml", "192.0.2.1", "192.0.2.2"),
            "the machine file runbooks/nodes/here.toml",
        ),
        (lambda p: (p.root / "runbooks/look.py").unlink(), "runbooks/look.py is gone"),
        (lambda p: (p.root / "scripts/node/look.py").unlink(), "scripts/node/look.py is gone"),
        (lambda p: (p.root / "runbooks/steps/ours.py").unlink(), "runbooks/steps/ours.py is gone"),
    ],
)
def test_what_is_done_otherwise_stales(
    project: Project, change: Callable[[Project], object], told: str
) -> None:
    """A verdict would stand on what nobody does any more."""
    change(project)
    assert changed(project) == told


@pytest.mark.parametrize("decorator", ["step()", 'step(changes="nothing")', "step(destructive=True)"])
def test_a_step_that_declares_something_counts_too(tmp_path: Path, decorator: str) -> None:
    """Whoever says what a step changes would keep evidence that the step no longer gives."""
    here = Project(tmp_path)
    for folder in ("runbooks/steps", "runbooks/nodes"):
        (tmp_path / folder).mkdir(parents=True)
    step = STEP.replace("@reaffirm.step", f"@reaffirm.{decorator}")
    (tmp_path / "runbooks/look.py").write_text(RUNBOOK)
    (tmp_path / "runbooks/nodes/here.toml").write_text(MACHINES)
    (tmp_path / "runbooks/steps/ours.py").write_text(step)
    (tmp_path / "scripts/node").mkdir(parents=True)
    (tmp_path / "scripts/node/look.py").write_text(PROGRAM)
    publish(here, "first", "2026-11-01T00:00:00Z")
    edit("runbooks/steps/ours.py", "limit > 2", "limit > 1")(here)
    assert changed(here) == "the code of runbooks/steps/ours.py"


def test_what_nobody_can_tell_stales_nothing(project: Project) -> None:
    """A run of before hashes were kept, or the file of somebody's machines that is not here."""
    (project.machine_files / "here.toml").unlink()
    assert changed(project) == ""
    path = project.published / "look" / "first" / "provenance.json"
    about = json.loads(path.read_text())
    for key in ("code", "machine_file", "node_images"):
        del about[key]
    path.write_text(json.dumps(about))
    edit("runbooks/look.py", "limit=3", "limit=4")(project)
    assert changed(project) == ""


def test_a_run_of_before_hashes_were_kept(project: Project) -> None:
    """Its runbook's hash is all that it says; where that was made as today's, other code is other code."""
    folder = project.published / "look" / "first"
    path = folder / "provenance.json"
    about = json.loads(path.read_text())
    del about["code"]
    path.write_text(json.dumps(about))
    notebook = json.loads((folder / "notebook.ipynb").read_text())
    codes = runbook_codes(RUNBOOK)
    assert codes is not None
    injected = {"cell_type": "code", "source": "limit = 1", "metadata": {"tags": ["injected-parameters"]}}
    ran = [{"cell_type": "code", "source": code.splitlines(keepends=True), "metadata": {}} for code in codes]
    notebook["cells"] = [*ran[:1], injected, *ran[1:], *notebook["cells"]]
    (folder / "notebook.ipynb").write_text(json.dumps(notebook))
    edit("runbooks/look.py", "Prose.", "Better prose.")(project)
    assert changed(project) == ""
    edit("runbooks/look.py", "limit=3", "limit=4")(project)
    assert changed(project) == "the code of runbooks/look.py"
    (project.root / "runbooks/look.py").unlink()
    assert changed(project) == "runbooks/look.py is gone"


def test_an_image_that_another_run_saw_changed(project: Project) -> None:
    """What an image of the same name held in summer says nothing about the one there now."""
    publish(project, "second", "2026-11-02T00:00:00Z", node_images={"a": {"image": {"id": "2" * 64}}})
    assert changed(project) == "the image image on a (as the run look/second saw it)"
    other = project.published / "look" / "second" / "provenance.json"
    other.write_text(other.read_text().replace('"machines": "here"', '"machines": "elsewhere"'))
    assert changed(project) == "", "an image on other machines is another image"


def test_a_changed_engine_stales_only_with_other_facts(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every new version would throw away all evidence; or one that reads answers otherwise would keep it."""
    now = {**engine_hashes(project), "steps": "0" * 64}
    monkeypatch.setattr(module, "engine_hashes", lambda _: now)
    assert changed(project) == "", "nobody replayed it yet"
    folder = project.published / "look" / "first"
    engine = engine_digest(now, simulated=False)
    shown = "docs/runs/look/first"
    write_checked(project, {shown: Checked(engine, run_digest(folder))})
    assert changed(project) == "", "the replay gave the same facts"
    write_checked(project, {shown: Checked(engine, run_digest(folder), ("ours.passed",))})
    assert changed(project) == "what the engine makes of it (ours.passed)"
    write_checked(project, {shown: Checked("1" * 64, run_digest(folder), ("ours.passed",))})
    assert changed(project) == "", "that was another engine"
    (project.runs / "checked.json").write_text("{")
    assert changed(project) == "", "a damaged file tells nothing"
    before = code_from_json(json.loads((folder / "provenance.json").read_text())["code"]).engine
    world = {**before, "nodes/simulated": "0" * 64}
    assert engine_digest(world, simulated=False) == engine_digest(before, simulated=False)
    assert engine_digest(world, simulated=True) != engine_digest(before, simulated=True)
