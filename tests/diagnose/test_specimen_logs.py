"""Logs of ranks as files, each with what must be read out of it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from reaffirm.diagnose.errors import ErrorOrder, Said, first_error
from reaffirm.diagnose.stages import StageTracker, stage_book
from reaffirm.model.node import Engine

LOGS = Path(__file__).parent / "logs"
CASES = sorted(path.stem for path in LOGS.glob("*.log"))


def _said(case: str) -> list[Said]:
    lines = (LOGS / f"{case}.log").read_text(encoding="utf-8").splitlines()
    parts = [line.split(" ", 2) for line in lines]
    return [Said(words[1], float(words[0]), words[2] if len(words) > 2 else "") for words in parts]


def _read(case: str) -> tuple[dict[str, Any], dict[str, StageTracker], ErrorOrder]:
    expected = tomllib.loads((LOGS / f"{case}.toml").read_text(encoding="utf-8"))
    said = _said(case)
    trackers = {
        node: StageTracker(Engine(expected["engine"]), expected.get("version", ""))
        for node in expected["stage"]
    }
    for line in said:
        trackers[line.node].feed(line.text, line.at)
    return expected, trackers, first_error(said)


@pytest.mark.parametrize("case", CASES)
def test_stages_of_specimen(case: str) -> None:
    """A launch would be shown in a stage that it has not reached, or judged silent too early or too late."""
    expected, trackers, _ = _read(case)
    assert {node: tracker.stage for node, tracker in trackers.items()} == expected["stage"]
    for node, reached in expected.get("reached", {}).items():
        assert trackers[node].reached == reached
    for node, at in expected.get("last_sign", {}).items():
        assert trackers[node].last_sign == at
    if "learned_version" in expected:
        assert trackers["spark-1"].version == expected["learned_version"]


@pytest.mark.parametrize("case", CASES)
def test_first_error_of_specimen(case: str) -> None:
    """People would be shown the consequence on one node in place of the cause on the other."""
    expected, _, errors = _read(case)
    if expected.get("no_error"):
        assert errors.first is None
        return
    assert errors.first is not None
    assert errors.first.node == expected["first_node"]
    assert errors.first.text.startswith(expected["first"])
    assert expected.get("kept", "") in "\n".join(errors.first.lines)
    for words in expected.get("later", ()):
        assert any(words in error.text for error in errors.later)


def test_every_stage_has_lines_for_both_engines() -> None:
    """A stage that no line of an engine shows would never be reached there."""
    for stage in stage_book().stages[1:]:
        engines = {line.engine for line in stage.lines}
        assert "*" in engines or engines == {"vllm", "sglang"}, stage.id
