"""--from, --until and --only: which cells run, and what is said before anything starts."""

from pathlib import Path
from textwrap import dedent

import pytest

from reaffirm.errors import UsageError
from reaffirm.run.names import names_of
from reaffirm.run.part import Part, annotated, is_skipped
from reaffirm.run.runbook import Runbook, read_runbook, runbook_from_text
from reaffirm.run.selection import select, steps_of

ROOT = Path(__file__).parents[2]


def _pivot() -> Runbook:
    path = ROOT / "runbooks" / "pivot_to_vllm.py"
    return read_runbook(str(path), lambda p: Path(p).read_text())


def _part(runbook: Runbook, **asked: str) -> Part:
    return select(runbook.notebook["cells"], runbook=runbook.path, **asked)


def _skipped(runbook: Runbook, **asked: str) -> list[str]:
    found: list[str] = _part(runbook, **asked).about["partial"]["skipped"]
    return found


def test_what_only_defines_things_is_no_step() -> None:
    """Parameters, imports and connect must run before any step, whichever is asked for."""
    steps = steps_of(_pivot().notebook["cells"])
    assert [step.id for step in steps if step.defines] == ["parameters", "who-is-there"]


def test_from_leaves_out_the_steps_before() -> None:
    """The nodes are still connected to, and nothing else of the beginning happens again."""
    skipped = _skipped(_pivot(), first="launch-vllm")
    assert skipped[0] == "a-clean-table"
    assert skipped[-1] == "way-out-3-an-image-made-for-this-model"
    assert "who-is-there" not in skipped


def test_until_leaves_out_everything_after() -> None:
    """Also what only defines things: the run ends there."""
    assert _skipped(_pivot(), last="does-it-answer") == ["conclusion"]


def test_only_is_one_step() -> None:
    """One step, on nodes that are connected to."""
    pivot = _pivot()
    part = _part(pivot, only="before")
    ran = [step.id for step in steps_of(pivot.notebook["cells"]) if step.number not in part.skipped]
    assert ran == ["parameters", "who-is-there", "before-anything-is-started"]
    assert part.about["partial"]["only"] == "before-anything-is-started"


@pytest.mark.parametrize("word", ["launch-vllm", "launch", "24"])
def test_a_step_is_named_by_id_prefix_or_number(word: str) -> None:
    """What progress lines and messages show can be typed."""
    assert _part(_pivot(), first=word).about["partial"]["from"] == "launch-vllm"


def test_an_id_that_is_the_beginning_of_another_is_still_found() -> None:
    """A second cell under one heading is called -2; the first must stay reachable."""
    word = "way-out-1-sglang-once-more-with-one-thing-changed"
    assert _part(_pivot(), first=word).about["partial"]["from"] == word


def test_an_unknown_step_is_told_with_its_neighbours() -> None:
    """A typing error must not start a run from somewhere else."""
    with pytest.raises(
        UsageError, match="--from lanch-vllm: there is no such step; did you mean launch-vllm"
    ) as e:
        _part(_pivot(), first="lanch-vllm")
    assert "a-clean-table" in e.value.hint
    assert e.value.exit_code == 3


def test_a_beginning_of_several_steps_is_told() -> None:
    """Neither of them may be chosen by chance."""
    with pytest.raises(UsageError, match="--until way-out: several steps begin so"):
        _part(_pivot(), last="way-out")


def test_an_empty_range_is_told() -> None:
    """The two options the wrong way round would run nothing and look fine."""
    with pytest.raises(UsageError, match="comes before --from launch-vllm"):
        _part(_pivot(), first="launch-vllm", last="a-clean")
    with pytest.raises(UsageError, match="--only stands alone"):
        _part(_pivot(), only="launch-vllm", last="a-clean")


def test_a_name_that_a_skipped_step_sets_is_told_before_anything_starts() -> None:
    """A NameError in the middle of a night run is too late."""
    path = ROOT / "runbooks" / "measure_latency.py"
    runbook = read_runbook(str(path), lambda p: Path(p).read_text())
    with pytest.raises(
        UsageError, match="the step a-fact-of-our-own needs 'answers', which the skipped step"
    ) as e:
        _part(runbook, only="a-fact-of-our-own")
    assert "--from ask-it" in e.value.hint or "--from something" in e.value.hint


def test_the_notebook_says_what_was_skipped() -> None:
    """Whoever reads it must not think that a step without output had nothing to say."""
    pivot = _pivot()
    part = _part(pivot, first="launch-vllm")
    marked = annotated(pivot, part)
    skipped = [cell for cell in marked.notebook["cells"] if is_skipped(cell)]
    assert len(skipped) == len(part.skipped)
    assert skipped[0]["metadata"]["reaffirm"] == {"skipped": "before --from launch-vllm"}
    assert not any(is_skipped(cell) for cell in pivot.notebook["cells"])
    assert marked.sha256 == pivot.sha256


@pytest.mark.parametrize(
    ("source", "needs", "sets", "calls"),
    [
        ("a = b + 1", "b", "a", False),
        ("a = 1\nc = a", "", "a c", False),
        ("import reaffirm\nx = reaffirm.connect(nodes)", "nodes", "reaffirm x", False),
        ("x = steps.launch(cluster)", "cluster steps", "x", True),
        ("def f(n):\n    return g(n) + limit", "g limit", "f", False),
        ("values = [x * 2 for x in rows]", "rows", "values", False),
        ("for x in rows:\n    total = x", "rows", "x total", False),
        ("print(x)", "x", "", True),
        ("a += 1", "a", "a", False),
        ("names = sorted(set(given))", "given", "names", False),
        ("class C:\n    limit = 1\n    def f(self):\n        return other", "other", "C", False),
        ("f = lambda n: n + off", "off", "f", False),
        ("x: int = y", "y", "x", False),
        ("from a import b as c", "", "c", False),
        ("with open(p) as f:\n    t = f.read()", "p", "f t", True),
        ("!rm -rf /", "", "", True),
    ],
)
def test_names_are_read_from_the_syntax(source: str, needs: str, sets: str, calls: bool) -> None:
    """A name that is overlooked fails in the middle of a run; one that is made up stops a good one."""
    found = names_of(source)
    assert (found.needs, found.sets, found.calls) == ({*needs.split()}, {*sets.split()}, calls)


def test_a_value_worked_out_of_a_step_belongs_to_it() -> None:
    """It cannot be worked out when the step was skipped, so it is skipped with it."""
    text = dedent(
        """
        # %%
        limit = 3
        # %% [markdown]
        # # Ask
        # %%
        answer = ask(limit)
        # %%
        speed = answer
        # %% [markdown]
        # # Tell
        # %%
        tell(limit)
        """
    )
    cells = runbook_from_text(text, "x.py").notebook["cells"]
    part = select(cells, first="tell", runbook="x.py")
    assert part.about["partial"]["skipped"] == ["ask", "ask-2"]
