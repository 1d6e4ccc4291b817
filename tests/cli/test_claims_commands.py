"""`reaffirm claims` and `reaffirm recheck` in a small project, as people type them."""

import json
import shutil
from pathlib import Path

import pytest

from reaffirm.cli.main import main

_SPECIMEN = Path(__file__).parent / "specimens/claims"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small project, and the current folder in it."""
    root = tmp_path / "project"
    shutil.copytree(_SPECIMEN, root)
    monkeypatch.chdir(root)
    return root


def count(project: Path, things: int) -> None:
    """Put so many things into the cache."""
    (project / "count.json").write_text(json.dumps({"count": things}))


def verdicts(capfd: pytest.CaptureFixture[str], *words: str) -> dict[str, str]:
    """The verdict of each claim by its id."""
    capfd.readouterr()
    assert main(["claims", "--format", "json", *words]) == 0
    return {one["id"]: one["verdict"] for one in json.loads(capfd.readouterr().out)["claims"]}


def test_a_claim_that_turns_out_false(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A nightly `reaffirm recheck --due` would stay green while a claim that held is refuted."""
    assert verdicts(capfd) == {"at-most-twenty": "told", "told-only": "told"}
    assert main(["recheck", "1"]) == 0
    assert "was told, is now affirmed" in capfd.readouterr().out
    assert verdicts(capfd) == {"at-most-twenty": "affirmed", "told-only": "told"}
    count(project, 101)
    assert main(["recheck", "--claim", "at-most-twenty"]) == 1
    assert "was affirmed, is now refuted: things.count: 101" in capfd.readouterr().out
    assert main(["claims"]) == 0
    assert "0001 asks to be reopened: More than a hundred things" in capfd.readouterr().out
    assert len(list((project / "docs/runs/count_things").iterdir())) == 2


def test_a_claim_that_its_decision_expects_to_be_false(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A nightly check would fail when a run supports the decision, and pass when one speaks against it."""
    record = project / "adrs/0001-a-cache-of-twenty.md"
    key = "    recheck-after: 90 days\n"
    record.write_text(record.read_text().replace(key, f"{key}    decision-expects: refuted\n", 1))
    count(project, 101)
    assert main(["recheck", "1"]) == 0
    assert "is now refuted as the decision expects" in capfd.readouterr().out
    assert main(["claims"]) == 0
    assert "1 refuted (as the decision expects)" in capfd.readouterr().out
    count(project, 7)
    assert main(["recheck", "1"]) == 1
    assert "is now affirmed against what the decision expects" in capfd.readouterr().out
    assert main(["claims"]) == 0
    assert "1 affirmed (1 against what the decision expects)" in capfd.readouterr().out
    assert main(["claims", "--format", "json"]) == 0
    one = json.loads(capfd.readouterr().out)["claims"][0]
    assert (one["decision_expects"], one["against_decision"]) == ("refuted", True)
    assert one["words"] == "affirmed against what the decision expects"


def test_a_run_that_was_edited_after_it_was_published(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whoever changes facts.json and the notebook alike would affirm what no run found."""
    count(project, 101)
    assert main(["recheck", "0001"]) == 0
    assert verdicts(capfd)["at-most-twenty"] == "refuted"
    [run] = (project / "docs/runs/count_things").iterdir()
    (run / "notes.txt").write_text("a file beside it changes nothing\n")
    assert verdicts(capfd)["at-most-twenty"] == "refuted"
    for name in ("facts.json", "notebook.ipynb"):
        text = (run / name).read_text()
        assert '"value": 101' in text
        (run / name).write_text(text.replace('"value": 101', '"value": 7'))
    capfd.readouterr()
    assert main(["claims", "--format", "json"]) == 1
    told = json.loads(capfd.readouterr().out)
    [problem] = told["problems"]
    assert problem["code"] == "run-changed"
    assert problem["path"] == f"docs/runs/count_things/{run.name}"
    said = "facts.json, notebook.ipynb are not what was published (docs/runs/ledger.jsonl:1)"
    assert problem["message"] == said
    assert [one["verdict"] for one in told["claims"] if one["id"] == "at-most-twenty"] == ["stale"]
    (project / "docs/runs/ledger.jsonl").unlink()
    assert verdicts(capfd)["at-most-twenty"] == "affirmed", "nobody can tell"


def test_what_is_due_is_run_and_nothing_else(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Everything would run every night, or what grew old would not."""
    assert main(["recheck", "0001", "--no-publish"]) == 0
    assert not (project / "docs/runs").exists()
    assert main(["recheck", "--due"]) == 0
    assert "nothing is due" in capfd.readouterr().out
    assert main(["recheck", "--due", "--dry-run", "--today", "2027-05-06"]) == 0
    assert capfd.readouterr().out == "count_things: decides 0001/at-most-twenty\n"


def test_a_run_that_cannot_judge_is_no_verdict(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A machine that was off would refute a decision."""
    (project / "runbooks/nodes/gone.toml").write_text(
        '[[node]]\nname = "gone"\naddress = "127.0.0.1"\nport = 1\n'
    )
    assert main(["recheck", "0001", "--nodes", "gone"]) == 2
    told = capfd.readouterr()
    assert "0001 at-most-twenty: not judged; it was told before" in told.out
    assert "still" not in told.out
    assert "count_things could not judge (exit status 2): no new evidence" in told.err


def test_a_check_that_names_parameters_is_run_with_them(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The command that the site gives would run the runbook as it is, which decides nothing."""
    book = project / "runbooks/count_things.py"
    text = book.read_text().replace('nodes: str = "here"\n', 'nodes: str = "here"\nfile: str = "none.json"\n')
    book.write_text(text.replace('"count.json"', "file"))
    record = project / "adrs/0001-a-cache-of-twenty.md"
    with_file = "{runbook: count_things, with: {file: count.json}, fact: things.count, expect: {at-most: 20}}"
    check = "{runbook: count_things, fact: things.count, expect: {at-most: 20}}"
    assert main(["recheck", "1", "--no-publish"]) == 0
    assert "is now affirmed" not in capfd.readouterr().out
    record.write_text(record.read_text().replace(check, with_file))
    assert main(["recheck", "1"]) == 0
    said = capfd.readouterr().out
    assert said.startswith("count_things -p file count.json: decides 0001/at-most-twenty\n")
    assert "is now affirmed" in said
    assert main(["claims", "--format", "json"]) == 0
    [one, _] = json.loads(capfd.readouterr().out)["claims"]
    assert one["check"]["with"] == {"file": "count.json"}


def test_machines_that_are_not_there_are_said_once(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each runbook would start, and stop at the same misspelt name."""
    runbooks = project / "runbooks"
    shutil.copy(runbooks / "count_things.py", runbooks / "count_again.py")
    record = project / "adrs/0001-a-cache-of-twenty.md"
    first = "told-by: the platform team\n"
    check = "    check: {runbook: count_again, fact: things.count, expect: {at-most: 9}}\n"
    record.write_text(record.read_text().replace(first, first + check))
    assert main(["recheck", "1", "--nodes", "hre"]) == 3
    told = capfd.readouterr()
    assert told.err.count("no machine file for nodes = 'hre'; did you mean 'here'?") == 1
    assert told.out == ""
    assert not (project / "runs").exists()


def test_a_run_that_failed_before_it_found_anything_is_not_published(
    project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """An image that is missing on somebody's machines would be public at once, and decide nothing."""
    book = project / "runbooks/count_things.py"
    book.write_text(
        book.read_text().replace("import reaffirm\n", 'import reaffirm\nopen("no such image")\n', 1)
    )
    assert main(["recheck", "0001"]) == 2
    told = capfd.readouterr()
    assert "--no-publish leaves it below runs/" in told.out
    assert "failed before it found what the claims ask for" in told.err
    assert not (project / "docs/runs").exists()
    assert list((project / "runs/count_things").glob("*.ipynb"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["recheck"], "recheck which claims?"),
        (["recheck", "0002"], "records with claims: 0001"),
        (["recheck", "0001", "--claim", "at-most-twnty"], "did you mean at-most-twenty?"),
        (["claims", "--record", "9"], "there is no record '9' with claims"),
        (["claims", "--today", "tomorrow"], "write it as 2027-06-30"),
    ],
)
def test_a_wrong_word(project: Path, capfd: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    """Somebody would look for the record in vain."""
    assert main(words) == 3
    assert said in capfd.readouterr().err


def test_a_mistake_in_a_record_is_told(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A claim with a mistake would leave the board without a word."""
    record = project / "adrs/0001-a-cache-of-twenty.md"
    record.write_text(record.read_text().replace("at-most: 20", "atmost: 20").replace("2027-05-05", "May"))
    assert main(["claims"]) == 1
    told = capfd.readouterr().err
    assert "adrs/0001-a-cache-of-twenty.md:9: expect-operator unknown operator 'atmost'" in told
    assert "adrs/0001-a-cache-of-twenty.md:4: review-form 'review-by' must be YYYY-MM-DD" in told


def test_a_misspelt_fact_of_a_step_of_ones_own(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody can read its facts in the source; its published run tells them, and lint would say nothing."""
    (project / "runbooks/steps").mkdir()
    (project / "runbooks/steps/count_lines.py").write_text(
        "import reaffirm\n\n\n@reaffirm.step\ndef count_lines(step: reaffirm.Step) -> None:\n"
        '    """Count lines."""\n    step.fact("found", 7)\n    step.judge(True, "counted")\n'
    )
    runbook = project / "runbooks/count_things.py"
    runbook.write_text(runbook.read_text() + 'steps.count_lines(cluster, name="lines")\n')
    record = project / "adrs/0001-a-cache-of-twenty.md"
    record.write_text(
        record.read_text().replace("fact: things.count, expect: {at", "fact: lines.fuond, expect: {at")
    )
    assert main(["lint"]) == 0
    assert main(["recheck", "1"]) == 2
    assert "0001 at-most-twenty: not judged: it has a mistake" in capfd.readouterr().out
    for command in ("lint", "claims"):
        assert main([command]) == 1
        told = capfd.readouterr()
        said = "0001-a-cache-of-twenty.md:9: check-fact no run of count_things finds the fact 'lines.fuond'"
        assert f"{said}; did you mean 'lines.found'?" in told.out + told.err
    runbook.write_text(runbook.read_text() + "print('other code')\n")
    assert main(["lint"]) == 0, "what the next run finds, nobody knows"


def test_one_record_fails_over_its_own_mistakes(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A check of one record in CI would be red because of another record."""
    (project / "adrs/0002-other.md").write_text("---\nstatus: proposed\nreview-by: May\n---\n\n# Other\n")
    assert main(["claims"]) == 1
    capfd.readouterr()
    assert main(["claims", "--record", "1"]) == 0
    assert "0002-other" not in capfd.readouterr().err
    assert main(["claims", "--record", "2"]) == 1
    assert "adrs/0002-other.md:3: review-form" in capfd.readouterr().err


def test_outside_of_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Somebody with records of their own would be sent to folders that they do not have."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for command in ("claims", "runs"):
        assert main([command]) == 3
        assert '[tool.reaffirm] records = "docs/adr"' in capfd.readouterr().err
    (folder / "pyproject.toml").write_text('[tool.reaffirm]\nrecords = "docs/adr"\n')
    assert main(["claims"]) == 0


def test_names_stay_whole_in_a_pipe(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`reaffirm claims | grep NAME` would not find a name that was cut in two at column 80."""
    monkeypatch.setenv("COLUMNS", "40")
    record, runbook = project / "adrs/0001-a-cache-of-twenty.md", project / "runbooks/count_things.py"
    claim, step = f"at-most-{'twenty-' * 9}things", f"count-{'many-' * 12}things"
    record.write_text(record.read_text().replace("at-most-twenty", claim))
    runbook.write_text(runbook.read_text() + f"\n# %% [markdown]\n# ## {step}\n\n# %%\n1\n")
    for words, name in ((["claims"], claim), (["steps", "count_things"], step)):
        capfd.readouterr()
        assert main(words) == 0
        (line,) = (line for line in capfd.readouterr().out.splitlines() if name in line)
        assert len(line) > 80


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        ("at-most: 20", "atmost: 20", ":9: expect-operator unknown operator 'atmost'"),
        (
            "things.count",
            "things.cuont",
            ":9: check-fact no run of count_things finds the fact 'things.cuont'",
        ),
        (
            "check: {runbook: count_things, fact: things.count, expect: {at-most: 20}}",
            "check:\n      runbook: count_things\n      all:\n        - fact: things.count\n"
            "          expect: {most: 20}",
            ":13: expect-operator unknown operator 'most'",
        ),
    ],
)
def test_a_claim_with_a_mistake_is_not_called_absent(
    project: Path, capfd: pytest.CaptureFixture[str], old: str, new: str, finding: str
) -> None:
    """Somebody would look for the claim that they have before their eyes."""
    record = project / "adrs/0001-a-cache-of-twenty.md"
    record.write_text(record.read_text().replace(old, new))
    for words in (["--claim", "at-most-twenty"], ["1", "--claim", "at-most-twenty"]):
        assert main(["recheck", *words]) == 2
        told = capfd.readouterr().err
        assert "the claim 'at-most-twenty' has a mistake" in told
        assert f"adrs/0001-a-cache-of-twenty.md{finding}" in told
        assert "there is no claim" not in told
    assert main(["recheck", "--claim", "told-only"]) == 3
    assert "there is no claim 'told-only' with a check" in capfd.readouterr().err
