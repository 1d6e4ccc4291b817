"""The table of faults: every specimen ends as it says, and the next run works."""

from pathlib import Path

import pytest
from fault_table import Fault, read_faults
from playing import Played
from results_file import compare, steady
from simulated_place import Scene, hit, next_run

FAULTS = read_faults()


def _of(place: str) -> list[object]:
    """Return the faults of one place as parameters; what is known to fail does so strictly."""
    return [
        pytest.param(
            fault,
            id=fault.id,
            marks=[pytest.mark.xfail(strict=True, reason=fault.expected_to_fail)]
            if fault.expected_to_fail
            else [],
        )
        for fault in FAULTS
        if fault.place == place
    ]


def ended_as_written(fault: Fault, played: Played) -> None:
    """Stop unless a run ended as its specimen says."""
    after = fault.after
    whole = f"{played.said}\n{played.hint}"
    assert (played.exit, played.ends) == (after.exit, after.ends), whole
    for words in after.says:
        assert words in whole
    if played.exit:
        assert played.error is not None, played.said
        assert played.hint, f"no next action in: {played.said}"
    if after.outcome:
        assert played.outcome == after.outcome, whole
    for name, value in after.facts.items():
        assert name in played.facts, sorted(played.facts)
        assert played.facts[name] in ((value, None) if value == "unknown" else (value,)), name
    for name in after.files:
        assert (played.folder / name).is_file(), sorted(map(str, played.folder.rglob("*")))


@pytest.mark.parametrize("fault", _of("simulated"))
def test_on_simulated_nodes(fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault would end in other words, lose a file, touch what is not ours, or spoil the next run."""
    played, here = hit(fault, tmp_path, monkeypatch)
    ended_as_written(fault, played)
    _untouched(here)
    kept = {
        "exit": played.exit,
        "ends": played.ends,
        "said": steady(played.said),
        "next": steady(played.hint),
    }
    compare("simulated", fault.id, kept | {"left": here.left()})
    assert here.left() == sorted(fault.after.left) or "left" not in _given(fault), here.left()
    next_run(here, monkeypatch)


def _given(fault: Fault) -> set[str]:
    return {"left"} if fault.after.left or not fault.nodes else set()


def _untouched(here: Scene) -> None:
    now = here.of_others()
    for node, was in here.before.items():
        for what, value in was.items():
            if what == "images" and any(mishap["what"] == "image-gone" for mishap in here.fault.mishaps):
                continue
            assert now[node][what] == value, f"{what} on {node} was touched"
