"""Logs held against pages: which fit, in which order, and what it costs."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaffirm.diagnose.match import RankLog, Symptoms, match
from reaffirm.diagnose.rank import rank
from reaffirm.model.failure import (
    LINE_LIMIT,
    EngineRange,
    FailureMode,
    FailureStatus,
    LinePattern,
    Signature,
    Silence,
)
from reaffirm.model.node import Engine
from reaffirm.store.failures import read_failures
from reaffirm.store.patterns import read_pattern

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = read_failures((ROOT / "docs/failures", "docs/failures")).modes
PATTERNS = sorted(
    {
        pattern.text
        for mode in SHIPPED
        for one in mode.signatures
        for pattern in (*one.all, *one.any, *one.none)
    }
)


def mode(name: str, *signatures: Signature, versions: str = "", **more: object) -> FailureMode:
    """A page in which only what matters here is filled in."""
    engines = (EngineRange(Engine.VLLM, EngineRange(Engine.VLLM).versions.__class__(versions)),)
    return FailureMode(name, name, FailureStatus.PROVEN, "nccl", engines, signatures, **more)  # type: ignore[arg-type]


def signature(**parts: object) -> Signature:
    """A signature of patterns given as text."""
    found = {
        key: tuple(map(read_pattern, value)) if isinstance(value, list) else value
        for key, value in parts.items()
    }
    return Signature(1, **found)  # type: ignore[arg-type]


def seen(*ranks: Sequence[str], version: str = "", ended: int | None = None, silent: float = 0.0) -> Symptoms:
    """The symptoms of ranks that said these lines; the last one ended so."""
    logs = [RankLog(f"spark-{number}", lines) for number, lines in enumerate(ranks, 1)]
    logs[-1] = replace(logs[-1], ended=ended)
    return Symptoms(Engine.VLLM, version, tuple(logs), "nccl", silent)


def ids(*modes: FailureMode, of: Symptoms) -> list[str]:
    """The pages that fit, in order."""
    return list(rank(match(modes, of)).pages)


def test_all_must_be_found_on_one_rank_and_none_on_any() -> None:
    """Two ranks' lines would be put together into a failure that neither has."""
    page = mode("x", signature(all=["aa", "bb"], none=["cc"]))
    assert ids(page, of=seen(["aa"], ["bb", "aa"])) == ["x"]
    assert ids(page, of=seen(["aa"], ["bb"])) == []
    assert ids(page, of=seen(["cc"], ["bb", "aa"])) == []
    assert [e.number for e in match([page], seen(["aa"], ["bb", "aa"]))[0].evidence] == [2, 1]


@pytest.mark.parametrize(
    ("version", "fits"),
    [
        ("0.16.0", False),
        ("0.17.0", True),
        ("0.30.0", False),
        ("", True),
        ("0.30.1.dev7", True),
        ("odd", True),
    ],
)
def test_a_version_outside_of_the_range_is_ruled_out(version: str, fits: bool) -> None:
    """A line that another version prints for another reason would be taken for this failure."""
    page = mode("x", signature(any=["aa"]), versions=">=0.17,<0.30")
    assert bool(ids(page, of=seen(["aa"], version=version))) is fits


def test_another_engine_is_ruled_out() -> None:
    """The same words of another engine would match."""
    page = mode("x", signature(any=["aa"]))
    assert ids(page, of=replace(seen(["aa"]), engine=Engine.SGLANG)) == []
    narrowed = mode("x", replace(signature(any=["aa"]), engines=(EngineRange(Engine.SGLANG),)))
    assert ids(narrowed, of=seen(["aa"])) == []


def test_silence_needs_its_stage_its_length_and_no_end() -> None:
    """A start that is merely slow, or one that died, would be called a silent stall."""
    page = mode("x", signature(any=["aa"], silence=Silence("nccl", 45)))
    assert ids(page, of=seen(["aa"], silent=45)) == ["x"]
    assert ids(page, of=seen(["aa"], silent=44)) == []
    assert ids(page, of=seen(["aa"], silent=45, ended=1)) == []
    assert ids(page, of=replace(seen(["aa"], silent=45), stage="weights")) == []


def test_how_a_container_ended_counts() -> None:
    """A killed worker would be held for one that failed by itself."""
    page = mode("x", signature(ended=(137,)))
    assert ids(page, of=seen([], [], ended=137)) == ["x"]
    assert ids(page, of=seen([], [], ended=1)) == []
    assert match([page], seen([], [], ended=137))[0].evidence[0].text == "the container ended with status 137"


def test_what_fits_best_comes_first_and_consequences_come_last() -> None:
    """People would be sent to the page of what followed."""
    narrow = mode("z-narrow", signature(all=["aa", "bb"]))
    wide = mode("a-wide", signature(any=["aa"]))
    draft = replace(mode("a-draft", signature(any=["aa"])), status=FailureStatus.DRAFT)
    gone = mode("a-gone", signature(any=["Connection closed by peer"]))
    log = seen(["aa", "bb"], ["Connection closed by peer"])
    reading = rank(match([wide, gone, draft, narrow], log))
    assert reading.pages == ("z-narrow", "a-wide", "a-draft", "a-gone")
    assert [one.mode.id for one in reading.later] == ["a-gone"]


def test_rivals_that_both_fit_are_not_decided() -> None:
    """A cause would be claimed where the log cannot tell."""
    one = mode("one", signature(any=["aa"]), rivals=("two",))
    two = mode("two", signature(any=["aa"]), rivals=("one",))
    three = mode("three", signature(any=["aa"]))
    pairs = rank(match([one, two, three], seen(["aa"]))).contested
    assert [{a.mode.id, b.mode.id} for a, b in pairs] == [{"one", "two"}]
    assert rank(match([one, three], seen(["aa"]))).contested == ()


def test_colours_and_odd_characters_do_not_hide_a_line() -> None:
    """A terminal's colours inside of a line would hide what it says."""
    page = mode("x", signature(any=["cannot go on"]))
    assert ids(page, of=seen(["\x1b[31mcannot\x1b[0m go on"])) == ["x"]
    assert ids(page, of=seen(["\ud800\x00 cannot go on"])) == ["x"]


def test_only_the_beginning_of_a_line_is_searched() -> None:
    """A line of a megabyte would cost as much as a whole log."""
    handed: list[int] = []

    class Counting:
        """Stands for a compiled pattern."""

        def search(self, line: str) -> re.Match[str] | None:
            """Note how much would be searched."""
            handed.append(len(line))
            return None

    pattern = LinePattern("x", Counting())  # type: ignore[arg-type]
    page = mode("x", Signature(1, any=(pattern,)))
    lines = ["a" * 1_000_000, "b" * 10, "c" * 1_000_000]
    assert ids(page, of=seen(lines)) == []
    assert handed == [LINE_LIMIT, 10, LINE_LIMIT]


@pytest.mark.parametrize("unit", ["a", " ", "NCCL INFO ", "Model architectures [", "\x1b[0m", "'", "0"])
def test_lines_of_a_megabyte_are_no_trouble(unit: str) -> None:
    """One line without an end would hold up a launch: with a bad pattern this test never ends."""
    line = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
    found = match(SHIPPED, seen([line] * 5, [line + "x"], silent=1000))
    assert found == ()


def test_a_long_log_is_searched_once_per_pattern() -> None:
    """Each page that shares a pattern would search the whole log again."""
    calls: list[str] = []

    class Counting:
        """Stands for a compiled pattern."""

        def search(self, line: str) -> re.Match[str] | None:
            """Note each line."""
            calls.append(line)
            return None

    pattern = LinePattern("shared", Counting())  # type: ignore[arg-type]
    pages = [mode(f"p{number}", Signature(1, any=(pattern,))) for number in range(20)]
    assert match(pages, seen([f"line {number}" for number in range(1000)])) == ()
    assert len(calls) == 1000


@pytest.mark.parametrize("text", PATTERNS)
@settings(max_examples=15, deadline=None, derandomize=True)
@given(data=st.data())
def test_shipped_patterns_find_what_they_match(text: str, data: st.DataObject) -> None:
    """A line would be passed over for want of a word that the pattern does not need."""
    pattern = read_pattern(text)
    line = data.draw(st.from_regex(pattern.regex, fullmatch=True))
    assert pattern.search(line)
