"""Commands to check a claim again: what they ask of machines, and which cannot be run as they stand."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from decision_pages import HISTORY, plan_of

from reaffirm.model.claim import Check, Claim, Condition, Expectation, Operator
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.fact import Fact
from reaffirm.site.asked_images import Asked, AskedImage, read_asked
from reaffirm.site.evidence_words import evidence_sentence
from reaffirm.site.make_records import page_of_record, still_true
from reaffirm.site.plan import Plan
from reaffirm.site.run_places import at_home
from reaffirm.store.images import read_images
from reaffirm.store.published import PublishedRun

_ROOT = Path(__file__).parents[2]
_BOOK = """# %% tags=["parameters"]
from typing import Literal

nodes: str = "simulated-two"
engine: Literal["one", "two"] = "one"
one_image: str = "image-one"
two_image: str = "image-two"
more: list[str] = ["image-three", "no image"]
"""


@pytest.fixture(scope="module")
def plan() -> Plan:
    """This project, on the day after its runs."""
    return plan_of(date(2026, 12, 1), _ROOT)


def _claim(*given: tuple[str, str]) -> Claim:
    condition = Condition("a.b", Expectation({Operator.EQUALS: True}))
    return Claim("c", "So.", check=Check("book", (condition,), parameters=given))


def _asked() -> Asked:
    names = ("image-one", "image-two", "image-three")
    return read_asked({"book": _BOOK, "broken": "# %%\n("}, [AskedImage(name) for name in names])


def test_a_check_asks_for_the_images_of_its_parameters() -> None:
    """A reader would start a run that ends because an image is not there."""
    asked = _asked()
    assert [one.name for one in asked.of(_claim())] == ["image-one", "image-three"]
    other = asked.of(_claim(("engine", "two"), ("more", "image-one, image-three")))
    assert [one.name for one in other] == ["image-two", "image-one", "image-three"]
    assert asked.of(Claim("c", "So.")) == ()
    assert asked.simulated(_claim()) == "simulated-two"


def test_a_command_that_cannot_run_is_not_there_to_be_copied(plan: Plan) -> None:
    """Who has two Sparks would copy a command that ends at the first image, whose source nobody knows."""
    board = still_true(plan)
    assert board is not None
    pages = [board.markdown] + [
        page_of_record(plan, number, HISTORY).markdown for number in range(len(plan.found.records))
    ]
    text = "\n".join(pages)
    missing = {
        (row.record.id, row.claim.id)
        for row in plan.board.rows
        if any(one.nowhere for one in plan.asked.of(row.claim))
    }
    assert ("0009", "stall-is-beyond-configuration") in missing
    assert ("0001", "vllm-works-across-two-sparks") not in missing
    for record, claim in missing:
        assert f"reaffirm recheck {record} --claim {claim} --nodes mine" not in text
    assert "`reaffirm recheck 0001 --claim vllm-works-across-two-sparks --nodes mine --no-publish`" in text
    assert "--nodes mine`" not in text
    said = "As it stands it <strong>cannot be run</strong>: images [`sglang`](../container-images/sglang.md)"
    assert said in text
    assert "see [how 0009 is to be confirmed](#confirmation). As it stands it <strong>cannot" in text


def test_a_part_that_decides_a_claim_stands_in_place_of_a_whole_that_cannot_run(plan: Plan) -> None:
    """Who has the one image that a check looks at would read that it cannot be run, and leave."""
    board = still_true(plan)
    assert board is not None
    options = {
        "vllm-serves-on-two-sparks": "--from launch-vllm --until does-it-answer",
        "two-sparks-hold-it": "--only launch-vllm",
        "the-class-is-the-only-blocker": (
            "--from way-out-3-an-image-made-for-this-model --until does-it-answer"
        ),
    }
    rows = {row.claim.id: row for row in plan.board.rows}
    for ident, words in options.items():
        part = plan.asked.part(rows[ident].claim)
        assert part is not None
        assert part.images == ("vllm-qwen35",)
        command = f"`reaffirm run pivot_to_vllm -p nodes mine {words}`"
        number = plan.found.records.index(rows[ident].record)
        page = page_of_record(plan, number, HISTORY).markdown
        told = page.partition("### To check it again")[2]
        line = next(one for one in told.splitlines() if one.startswith(f"| [`{ident}`]"))
        assert command in line
        assert f"{command[1:-1]} --dry-run" in told
        assert "cannot" not in line
        assert "must hold" not in line
        assert command in board.markdown
    # What is taken as given has to be found in the part as well, and SGLang's launch asks for its image.
    assert plan.asked.part(rows["stall-is-beyond-configuration"].claim) is None


_PARTS = """# %% tags=["parameters"]
nodes: str = "simulated"
old: str = "image-one"
new: str = "image-two"

# %% [markdown]
# ## Who

# %%
import reaffirm
from reaffirm import steps

cluster = reaffirm.connect(nodes)

# %% [markdown]
# ## Old

# %%
first = steps.launch(cluster, "x", image=old, facts="a")

# %% [markdown]
# ## New

# %%
steps.launch(cluster, "x", image=new)

# %% [markdown]
# ## After

# %%
steps.verify(cluster, model=first)

# %% [markdown]
# ## Computed

# %%
steps.launch(cluster, "x", image=new, facts=nodes)
"""


@pytest.mark.parametrize(
    ("fact", "only"),
    [
        ("launch.ready", "new"),
        ("a.ready", None),  # asks for the image that nobody has
        ("verify.content", None),  # needs what a step outside of it sets
        ("simulated.ready", None),  # which step finds it is worked out while it runs
    ],
)
def test_a_part_is_never_guessed(fact: str, only: str | None) -> None:
    """A command would be given for a part that finds nothing, or that stops at its first line."""
    images = [AskedImage("image-one", nowhere=True), AskedImage("image-two")]
    asked = read_asked({"book": _PARTS}, images)
    claim = Claim("c", "So.", check=Check("book", (Condition(fact, Expectation({Operator.EQUALS: True})),)))
    part = asked.part(claim)
    assert (part.options if part else None) == (("--only", only) if only else None)


def test_a_range_that_holds_says_which_value_was_looked_at(plan: Plan) -> None:
    """*A vLLM of 0.17.0 or newer … affirmed* would read as if every one of them had been looked at."""
    number = next(n for n, one in enumerate(plan.found.records) if one.id == "0001")
    page = page_of_record(plan, number, HISTORY).markdown
    assert "(#claim-newer-vllm-has-qwen35)<br><small>one version looked at: `0.32.0+cpu`</small> |" in page
    assert (
        '`probe.vllm-qwen35.vllm_version` version "&gt;=0.17.0" <small>(seen: `0.32.0+cpu`)</small>' in page
    )
    assert "equals true <small>" not in page
    board = still_true(plan)
    assert board is not None
    assert "<small>one version looked at: `0.32.0+cpu`</small>" in board.markdown


def test_on_machines_of_ones_own_nothing_is_published_unasked(plan: Plan) -> None:
    """A command that was copied from the board would put names and addresses of machines below docs/runs."""
    board = still_true(plan)
    assert board is not None
    assert "`reaffirm publish RUN` puts it below `docs/runs` with the names and addresses" in board.markdown
    assert "what it leaves running" in board.markdown


def test_on_simulated_nodes_a_check_runs_first(plan: Plan) -> None:
    """A reader without machines would find no command that works."""
    number = next(n for n, one in enumerate(plan.found.records) if one.id == "0001")
    part = page_of_record(plan, number, HISTORY).markdown.partition("### To check it again")[2]
    first, lab = "reaffirm recheck 0001 --nodes simulated --no-publish", "reaffirm recheck 0001 --nodes lab"
    assert 0 < part.index(first) < part.index(lab) < part.index("On your own machines")


def test_a_page_of_an_image_says_where_to_get_it_or_that_nobody_knows(tmp_path: Path) -> None:
    """What is known of an image's source would stand in prose alone, where no page can count with it."""
    text = (_ROOT / "docs/container-images/sglang.md").read_text(encoding="utf-8")
    (tmp_path / "sglang.md").write_text(text)
    assert read_images(tmp_path)["sglang"].nowhere
    (tmp_path / "sglang.md").write_text(text.replace("get-from: unknown", "get-from: registry.example/x"))
    assert read_images(tmp_path)["sglang"].get_from == "registry.example/x"
    assert not read_images(tmp_path)["sglang"].nowhere
    (tmp_path / "sglang.md").write_text(text.replace("get-from: unknown\n", ""))
    assert not read_images(tmp_path)["sglang"].nowhere


def test_a_real_run_of_this_machine_alone_says_so(plan: Plan, tmp_path: Path) -> None:
    """*1 real* on the front page would read as if somebody had asked the machines of the story."""
    assert [words for path, words in plan.at_home.items() if "/measure_latency/" in path] == [
        "on the machine that ran it, asking itself over loopback"
    ]
    own = [row.standing for row in plan.board.rows if row.record.id == "0020"]
    assert "1 real by measure_latency, on the machine that ran it" in evidence_sentence(own, plan.at_home)
    (tmp_path / "machines.toml").write_text('[[node]]\nname = "spark-1"\naddress = "192.0.2.1"\n')
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    facts = (Fact("server.url", "http://127.0.0.1:1"),)
    far = PublishedRun("r", "b", Kind.REAL, Via.LIVE, moment, facts, "p", tmp_path)
    assert at_home(far) == ""
