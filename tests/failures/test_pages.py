"""The pages that ship: their examples are their tests."""

from pathlib import Path

import pytest

from reaffirm.diagnose.prove import prove
from reaffirm.model.failure import FailureStatus, OriginKind
from reaffirm.store.failures import read_failures
from reaffirm.store.records import read_records

ROOT = Path(__file__).resolve().parents[2]
FAILURES = read_failures((ROOT / "docs/failures", "docs/failures"))


def test_every_page_can_be_read_and_keeps_what_it_promises() -> None:
    """A launch would not be recognised, or be taken for something else."""
    found = [*FAILURES.findings, *prove(FAILURES.modes)]
    assert not found, "\n".join(map(str, found))


def test_the_failures_of_the_story_have_their_pages() -> None:
    """The launch of the story would link to nothing."""
    assert {
        "silent-stall-queue-address",
        "silent-stall-nccl",
        "class-missing-from-registry",
        "allreduce-fusion-crash",
        "port-taken",
        "wrong-interface",
        "worker-gone",
        "host-address-of-another-machine",
        "shared-dev-shm",
    } <= {mode.id for mode in FAILURES.modes}


def test_no_cause_that_nobody_has_shown_is_called_proven() -> None:
    """The rival that the sources believed in would be shown as if it were known."""
    mode = FAILURES.get("silent-stall-nccl")
    assert mode is not None
    assert mode.status is FailureStatus.DRAFT


@pytest.mark.parametrize("mode", FAILURES.modes, ids=lambda mode: mode.id)
def test_page_has_a_hit_and_a_near_miss(mode) -> None:  # type: ignore[no-untyped-def]
    """A signature without a near-miss can be as wide as one likes."""
    assert {example.hit for example in mode.examples} == {True, False}
    assert any(example.origin.kind is not OriginKind.MADE_UP for example in mode.examples)


def test_records_that_pages_name_are_there() -> None:
    """The site would link a page to a decision that does not exist."""
    known = {record.id for record in read_records(ROOT / "adrs").records}
    assert {one for mode in FAILURES.modes for one in mode.decisions} <= known


def test_the_page_to_copy_is_right_but_for_its_name(tmp_path: Path) -> None:
    """The first patch of a newcomer would begin with mistakes that are not theirs."""
    text = (ROOT / "docs/failures/_template.md").read_text(encoding="utf-8")
    (tmp_path / "my-failure.md").write_text(text.replace("name-of-this-file", "my-failure"), encoding="utf-8")
    found = read_failures((tmp_path, "docs/failures"))
    assert found.findings == ()
    assert [mode.id for mode in found.modes] == ["my-failure"]
    assert list(prove(found.modes)) == []
    assert FAILURES.get("name-of-this-file") is None
