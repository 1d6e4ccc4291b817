"""Lines that somebody pastes, of which nothing else is known."""

from pathlib import Path

import pytest

from reaffirm.diagnose.paste import ENDED_SOMEHOW, Paste, lines_of, logs_of, read_paste
from reaffirm.diagnose.stages import stage_book
from reaffirm.model.node import Engine
from reaffirm.store.failures import read_failures
from reaffirm.store.patterns import read_pattern

MODES = read_failures((Path(__file__).parents[2] / "docs/failures", "docs/failures")).modes
_LINE = "[2026-03-06 10:00:00 TP0] CustomAllreduce is disabled because this process group spans across nodes."


def test_silence_that_nobody_told_is_asked_for_and_not_guessed() -> None:
    """A healthy start that is four seconds old would be called a stall."""
    seen = read_paste(MODES, Paste(_LINE))
    assert seen.fits.pages == ()
    assert seen.perhaps.pages == ("silent-stall-queue-address", "silent-stall-nccl")
    assert "if nothing new came for 45 s" in seen.perhaps.matches[0].evidence[-1].text
    assert [one.engine for one in seen.symptoms] == [Engine.SGLANG]
    told = read_paste(MODES, Paste(_LINE, silent=45))
    assert told.fits.pages == seen.perhaps.pages
    assert told.perhaps.pages == ()
    assert read_paste(MODES, Paste(_LINE, silent=44)).perhaps.pages == ()
    assert read_paste(MODES, Paste(_LINE, ended=1)).perhaps.pages == ()


def test_an_end_of_unknown_status_rules_silence_out_and_nothing_in() -> None:
    """A harmless line of a container that ended would be taken for a rank that was killed."""
    seen = read_paste(MODES, Paste(_LINE, ended=ENDED_SOMEHOW))
    assert (seen.fits.pages, seen.perhaps.pages) == ((), ())
    assert read_paste(MODES, Paste("all is well", ended=ENDED_SOMEHOW)).fits.pages == ()
    assert read_paste(MODES, Paste("all is well", ended=137)).fits.pages == ("worker-gone",)


def test_lines_of_no_one_engine_are_read_as_of_both() -> None:
    """An error that both engines print would be looked for in one only."""
    seen = read_paste(MODES, Paste("zmq.error.ZMQError: Cannot assign requested address"))
    assert len(seen.symptoms) == 2
    assert seen.fits.pages == ("host-address-of-another-machine",)
    assert len(seen.fits.matches) == 1
    assert read_paste(MODES, Paste("")).fits.pages == ()


@pytest.mark.parametrize(
    ("text", "lines"),
    [("a\r\nb\n\n", ["a", "b"]), ("10%\r20%\r", ["10%", "20%"]), ("\n\n", []), ("\n a", [" a"])],
)
def test_ends_of_lines_are_those_of_a_text_field(text: str, lines: list[str]) -> None:
    """A browser would count other lines than Python."""
    assert lines_of(text) == lines


def _ranks(lines: list[str]) -> dict[str, list[str]]:
    return {log.node: list(log.lines) for log in logs_of(lines).ranks}


def test_lines_of_several_ranks_are_told_apart() -> None:
    """The lines of two ranks would be put together."""
    assert _ranks(["head  | a", "", "worker | b | c", "head | "]) == {
        "head": ["a", ""],
        "worker": ["b | c"],
    }
    assert list(_ranks(["| a | table |", "x"])) == ["a rank"]
    assert list(_ranks([])) == ["a rank"]


def test_patterns_of_stages_are_made_of_what_a_browser_shares() -> None:
    """The box on the site could not read the stages, or would read other ones."""
    book = stage_book()
    patterns = [line.pattern.pattern for stage in book.stages for line in stage.lines]
    patterns += [line.pattern.pattern for line in book.versions]
    for found in (book.noise, book.benign, book.errors, book.secondary):
        patterns += [one.pattern for one in found]
    for text in patterns:
        read_pattern(text)
