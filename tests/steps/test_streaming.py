"""Streams of chat completions as files: honest ones, broken ones, and ones that lie."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reaffirm.model.exchange import Chunk, HttpAnswer
from reaffirm.steps.streaming import completion, events

STREAMS = Path(__file__).parent / "streams"
CASES = sorted(path.stem for path in STREAMS.glob("*.toml"))
NUMBERS = ("tokens", "time_to_first_token", "inter_token_latency", "tokens_per_second")


def _answer(case: dict[str, Any]) -> HttpAnswer:
    chunks = tuple(Chunk(data, 100.0 + at) for at, data in case["chunks"])
    headers = {"Content-Type": case["type"]}
    return HttpAnswer(case.get("status", 200), headers, chunks, 100.0, 110.0, case.get("error", ""))


@pytest.mark.parametrize("name", CASES)
def test_stream(name: str) -> None:
    """A broken or lying endpoint would be given a speed, or a good one none."""
    case = tomllib.loads((STREAMS / f"{name}.toml").read_text(encoding="utf-8"))
    expected = case["expect"]
    read = completion(_answer(case))
    assert read.problem.startswith(expected["problem"])
    if expected["problem"]:
        assert read.problem
        assert all(getattr(read, number) is None for number in NUMBERS)
        return
    assert not read.problem
    for key in ("reasoning", "content", "finish"):
        assert getattr(read, key) == expected.get(key, getattr(read, key))
    for number in NUMBERS:
        if number in expected:
            assert getattr(read, number) == pytest.approx(expected[number])
    if "remark" in expected:
        assert expected["remark"] in " ".join(read.remarks)
        assert read.tokens_per_second is None


@given(st.lists(st.integers(1, 40), max_size=30))
def test_events_do_not_depend_on_where_chunks_are_cut(cuts: list[int]) -> None:
    """Text would be lost or doubled, depending on the network."""
    text = 'data: {"a": 1}\r\n\r\ndata: two\ndata: lines\n\n: comment\n\ndata: end\n\n'
    pieces, at = [], 0
    for cut in cuts:
        pieces.append(text[at : at + cut])
        at += cut
    pieces.append(text[at:])
    told, rest = events([Chunk(piece, float(n)) for n, piece in enumerate(pieces)])
    assert [event.data for event in told] == ['{"a": 1}', "two\nlines", "end"]
    assert rest == ""


@pytest.mark.parametrize(
    "chunks", [["data: x\n\n" * 200_000], ["x" * 65_536] * 1000], ids=["one chunk", "no line"]
)
def test_size_costs_no_more_than_size(chunks: list[str]) -> None:
    """A server that sends megabytes in one piece, or no end of line, would hold the run for minutes."""
    told, rest = events([Chunk(chunk, 1.0) for chunk in chunks])
    assert len(told) + len(rest) in (200_000, 65_536_000)
