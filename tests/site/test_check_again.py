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
    assert "reaffirm recheck 0001 --claim vllm-works-across-two-sparks --nodes mine</code>" not in text
    assert "`reaffirm recheck 0001 --claim vllm-works-across-two-sparks --nodes mine`" in text
    said = "<strong>cannot be run as it stands</strong>: images [`sglang`](../container-images/sglang.md)"
    assert said in text
    assert "[how 0001 is to be confirmed](#confirmation)" in text


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
