"""Steps of one's own: made by a decorator, found by name, and refused where names clash."""

import shutil
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from alone import alone, values

import reaffirm
from reaffirm import steps
from reaffirm.errors import DocumentError, UsageError
from reaffirm.model.report import Outcome
from reaffirm.steps import discovery
from reaffirm.store.project import Project

ROOT = Path(__file__).parents[2]
WORDS = '''
import reaffirm

@reaffirm.step
def count_words(step, path, *, least=1):
    """Count the words of a file."""
    answer = step.run(["wc", "-w", path])
    words = int(answer.stdout.split()[0]) if answer.ok else None
    step.fact("words", words)
    step.judge(None if words is None else words >= least, f"{path} has {words} words")

def not_a_step():
    """A plain function of the same file."""
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for steps of a project, with one step in it."""
    (tmp_path / "adrs").mkdir()
    folder = tmp_path / "runbooks" / "steps"
    folder.mkdir(parents=True)
    (folder / "words.py").write_text(WORDS)
    monkeypatch.delenv("REAFFIRM_RUNBOOK", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [])
    return folder


def test_a_step_is_found_by_its_name(own: Path) -> None:
    """`steps.count_words(cluster, …)` in a runbook would be an AttributeError."""
    cluster, node = alone()
    node.script["wc -w notes.txt"] = "42 notes.txt\n"
    result = steps.count_words(cluster, "notes.txt", least=10)
    assert result.outcome is Outcome.PASS
    assert values(result) == {"count_words.words": 42}
    assert cluster.context.facts["count_words.words"].by == "", "it asked a node: it is a step's fact"
    named = steps.count_words(cluster, "notes.txt", name="notes", node="here", least=50)
    assert (named.outcome, values(named)) == (Outcome.FAIL, {"notes.words": 42})
    assert "count_words" in dir(steps)
    assert steps.count_words.__doc__ == "Count the words of a file."


def test_what_could_not_be_judged_is_unknown(own: Path) -> None:
    """A step that forgets to judge, or whose node is gone, would be a pass."""
    cluster, node = alone()
    node.gone = True
    assert steps.count_words(cluster, "x").outcome is Outcome.UNKNOWN

    @reaffirm.step
    def says_nothing(step: reaffirm.Step) -> None:
        """Forget to judge."""

    assert says_nothing(cluster).outcome is Outcome.UNKNOWN


def test_a_program_that_is_not_there_is_named(own: Path) -> None:
    """`0 of 100 runs ended well`, and neither terminal nor notebook would say that its name is misspelt."""
    (own / "often.py").write_text(
        "import reaffirm\n\n@reaffirm.step\ndef often(step, words, passes=False):\n"
        '    """Run it three times."""\n    ran = [step.run(words).ok for _ in range(3)]\n'
        '    step.judge(all(ran) or passes, f"{sum(ran)} of 3 ran")\n'
    )
    cluster, node = alone()
    node.script["ture"] = (127, "", "ture: command not found\nand more\n")
    node.script["false"] = (1, "", "no\n")
    told = steps.often(cluster, ["ture"]).report.summary
    assert told == "0 of 3 ran; ture could not be started (exit 127): ture: command not found"
    assert steps.often(cluster, ["false"]).report.summary == "0 of 3 ran"
    assert steps.often(cluster, ["ture"], passes=True).report.summary == "0 of 3 ran", "it was looked for"


def test_an_unknown_step_names_those_there_are(own: Path) -> None:
    """A typo would be answered with the name of a module only."""
    with pytest.raises(
        AttributeError, match=r"no step 'count_word'; did you mean 'count_words'\? There are .*count_words"
    ):
        _ = steps.count_word
    with pytest.raises(AttributeError, match=r"\n  next: .* lives in runbooks/steps/not_a_step\.py$"):
        _ = steps.not_a_step
    assert not hasattr(steps, "_private")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("@step\ndef launch(step): ...\n", "runbooks/steps/bad.py:2: 'launch' is the name of a shipped step"),
        ("@reaffirm.step\ndef http(step): ...\n", "'http' is the name of a shipped step"),
        ("@step\ndef asking(step): ...\n", "'asking' is the name of a shipped step"),
        (
            "\n@step\ndef count_words(s): ...\n",
            "runbooks/steps/words.py:5: the step 'count_words' is already in",
        ),
    ],
)
def test_a_name_that_clashes_is_refused_with_its_line(own: Path, text: str, says: str) -> None:
    """Somebody would call the shipped step and believe it to be theirs."""
    (own / "bad.py").write_text(text)
    with pytest.raises(UsageError) as caught:
        _ = steps.anything_else
    assert says in caught.value.message
    assert caught.value.hint


def test_a_shipped_name_is_refused_when_steps_are_imported(own: Path) -> None:
    """`steps.launch` is found before anybody looks into the project: the clash would never show."""
    import subprocess

    (own / "bad.py").write_text("import reaffirm\n\n@reaffirm.step\ndef verify(step): ...\n")
    argv = [sys.executable, "-c", "from reaffirm import steps"]
    done = subprocess.run(argv, cwd=own, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert "runbooks/steps/bad.py:4: 'verify' is the name of a shipped step" in done.stderr


def test_a_broken_file_is_named_with_its_line(own: Path) -> None:
    """A syntax error would be shown as one of ours."""
    (own / "bad.py").write_text("x = 1\ndef (:\n")
    with pytest.raises(DocumentError, match=r"runbooks/steps/bad\.py:2: not Python"):
        _ = steps.count_words
    (own / "bad.py").write_text("from reaffirm import step\n1 / 0\n@step\ndef late(step): ...\n")
    with pytest.raises(DocumentError, match=r"bad\.py:3|bad\.py: cannot be imported: ZeroDivisionError"):
        _ = steps.late


def _offer(monkeypatch: pytest.MonkeyPatch, *entries: tuple[str, str]) -> None:
    found = [EntryPoint(name, value, "reaffirm.steps") for name, value in entries]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found)


def test_a_package_offers_a_step(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two teams could not share one."""
    shutil.move(own / "words.py", own.parent / "a_package_of_ours.py")
    monkeypatch.syspath_prepend(own.parent)
    _offer(monkeypatch, ("count_words", "a_package_of_ours:count_words"))
    cluster, node = alone()
    node.script["wc"] = "1 x\n"
    assert steps.count_words(cluster, "x").outcome is Outcome.PASS
    _offer(monkeypatch, ("plain", "a_package_of_ours:not_a_step"))
    with pytest.raises(UsageError, match="'plain' is no step"):
        _ = steps.plain


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ((("launch", "p:launch"),), "the name of a shipped step"),
        ((("count_words", "p:count_words"),), "is also offered by p:count_words"),
        ((("twice", "p:twice"), ("twice", "q:twice")), "and so does p:twice"),
    ],
    ids=str,
)
def test_a_package_whose_names_clash_is_refused(
    own: Path, monkeypatch: pytest.MonkeyPatch, entries: Any, says: str
) -> None:
    """Which of the two steps ran would depend on what is installed."""
    _offer(monkeypatch, *entries)
    with pytest.raises(UsageError, match=says):
        _ = steps.count_words


def test_functions_that_cannot_be_steps() -> None:
    """The mistake would show as a TypeError in the middle of a run."""
    with pytest.raises(UsageError, match="a function of a Step"):

        @reaffirm.step
        def nothing() -> None:  # type: ignore[arg-type]
            """Take nothing."""

    with pytest.raises(UsageError, match="a function of a Step"):

        @reaffirm.step
        def taken(step: reaffirm.Step, node: str) -> None:
            """Use a name that every step has."""

    with pytest.raises(UsageError, match="found by the step of that name"):

        @reaffirm.step
        def verify(step: reaffirm.Step) -> None:
            """Have the name of a shipped step."""

    @reaffirm.step
    def fine(step: reaffirm.Step) -> None:
        """Be a step."""

    with pytest.raises(UsageError, match="called with the nodes first"):
        fine("local")


def test_the_example_of_this_project_is_found_in_it() -> None:
    """The runbook that shows steps of one's own would not run."""
    names = discovery.own_steps(Project(ROOT), ())
    assert str(names["start_example_server"]).startswith("runbooks/steps/example_server.py:")
