"""Pages that are near where none fits, with what each still wants."""

from pathlib import Path

import pytest

from reaffirm.diagnose.near import MANY_AFTER, MOST_NEAR
from reaffirm.diagnose.paste import SILENT_SOMEHOW, Paste, PasteReading, read_paste
from reaffirm.model.node import Engine
from reaffirm.store.failures import read_failures

MODES = read_failures((Path(__file__).parents[2] / "docs/failures", "docs/failures")).modes
_OTHER = [
    "[2026-03-10 09:00:15 TP0] CustomAllreduce is disabled because it's not supported on two GPUs.",
    "[2026-03-10 09:00:15 TP0] CustomAllreduce is disabled due to an unsupported world size: 3.",
    "TP0: Custom allreduce is disabled because your platform lacks GPU P2P capability or P2P test failed.",
]


def _read(text: str, **told: object) -> PasteReading:
    return read_paste(MODES, Paste(text, **told))  # type: ignore[arg-type]


@pytest.mark.parametrize("line", _OTHER)
def test_the_disabled_fast_path_with_another_reason_is_near_both_stalls(line: str) -> None:
    """Whoever stops at the very place of the stall would hear "none fits" and nothing more."""
    seen = _read(line)
    assert (seen.fits.pages, seen.perhaps.pages) == ((), ())
    assert [one.mode.id for one in seen.near][:2] == ["silent-stall-queue-address", "silent-stall-nccl"]
    first = seen.near[0]
    [said, silence] = first.wants
    assert said.alike.startswith(("CustomAllreduce is disabled", "Custom allreduce is disabled"))
    assert "this process group spans across nodes" in said.patterns[0].text
    assert silence.words.startswith("nothing new for 45 s after every rank has reached “Group created”")
    assert seen.stop is not None
    assert (seen.stop.stage, seen.stop.all_ranks) == ("group-created", True)
    assert [one.text for one in seen.stop.lines] == [line]
    assert "harmless by itself" in seen.stop.notes[0]
    assert len(seen.near) <= MOST_NEAR


def test_silence_that_was_told_is_no_longer_wanted() -> None:
    """Somebody who watched for minutes would be asked for it again."""
    wants = [want.words for want in _read(_OTHER[0], silent=300).near[0].wants]
    assert wants == ["a line with"]


@pytest.mark.parametrize(
    "text",
    [
        "all is well",  # no stage, no line
        f"{_OTHER[0]}\nLoad weight begin.",  # went on, and no page is about that stage
    ],
)
def test_what_stops_nowhere_that_a_page_is_about_is_near_nothing(text: str) -> None:
    """A healthy start would be given a list of troubles."""
    assert _read(text).near == ()


def test_a_container_that_ended_is_near_no_silence() -> None:
    """A rank that died would be sent to the pages of those that wait for ever."""
    near = _read(_OTHER[0], ended=1).near
    assert near
    assert not [one for one in near if one.signature.silence]


def test_a_version_that_is_not_meant_is_what_is_wanting() -> None:
    """The line of an older version would look unknown."""
    text = "Free memory on device cuda:0 is less than desired GPU memory utilization"
    seen = _read(text, version="0.9.1", engine=Engine.VLLM)
    assert seen.fits.pages == ()
    [near] = [one for one in seen.near if one.mode.id == "memory-utilization-too-high"]
    assert [one.text for one in near.evidence] == [text]
    told = "another engine or version: vllm >=0.9.2; yours is read as vllm 0.9.1"
    assert [want.words for want in near.wants] == [told]


def test_of_two_ranks_one_without_a_stage_does_not_hide_where_the_other_stops() -> None:
    """Of a rank whose last line says nothing the other rank's place would be lost."""
    seen = _read(f"{_OTHER[2]}\nTP1: hello")
    assert seen.stop is not None
    assert (seen.stop.stage, seen.stop.all_ranks) == ("group-created", False)
    assert [one.node for one in seen.stop.lines] == ["TP0"]
    assert seen.near[0].mode.id == "silent-stall-queue-address"


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        (_OTHER[0], []),
        (f"{_OTHER[0]}\nwhat is this?\n  \n", [2]),
        ("TP0: odd\nTP1: is using nccl==2.27", [1]),
        ("TP0: odd\nTP1: odd\nnobody's word", [1, 2, 3]),
        ("TP0: odd\nnobody's word\nTP1: is using nccl==2.27", [1]),
        ("(Worker pid=1) No available shared memory broadcast block found in 60 seconds", []),
        ("", []),
    ],
)
def test_a_last_line_that_nothing_knows_is_named(text: str, unknown: list[int]) -> None:
    """A page that fits an earlier line would look as if it told of the end."""
    assert [one.number for one in _read(text).unknown] == unknown


def test_the_lines_of_one_rank_do_not_speak_for_all() -> None:
    """That all ranks are silent would be read where one rank's lines were pasted."""
    line = "CustomAllreduce is disabled because this process group spans across nodes."
    told = _read(line).perhaps.matches[0].evidence[-1]
    assert told.node == "one rank"
    assert "(assumed, nobody said so)" in told.text
    assert told.text.endswith("whether the other rank says the same is not known")
    both = _read(f"TP0: {line}\nTP1: {line}").perhaps.matches[0].evidence[-1]
    assert both.node == "all ranks"
    assert "not known" not in both.text


_STALL = "CustomAllreduce is disabled because this process group spans across nodes"
_STALLS = ("silent-stall-queue-address", "silent-stall-nccl")


def test_a_line_of_another_engine_than_the_one_chosen_is_said_to_be_one() -> None:
    """A wrong engine in a field would ask for silence that was told, of a line that says all."""
    seen = _read(_STALL, engine=Engine.VLLM, silent=300)
    [other] = seen.foreign
    assert (other.engine, [line.number for line in other.lines]) == (Engine.SGLANG, [1])
    wants = [want.words for one in seen.near for want in one.wants]
    assert not [words for words in wants if words.startswith("nothing new")]
    assert "lines by which every rank has reached “Group created”, as vllm writes them" in wants
    assert _read(_STALL, silent=300).foreign == ()
    assert _read("Custom allreduce is disabled because", engine=Engine.VLLM).foreign == ()


def test_silence_of_nobody_knows_how_long_is_no_assumption() -> None:
    """Somebody who said that nothing new came would read that nobody said so."""
    seen = _read(_STALL, silent=SILENT_SOMEHOW)
    assert seen.fits.pages == ()
    assert seen.perhaps.pages == _STALLS
    text = seen.perhaps.matches[0].evidence[-1].text
    assert text.startswith("if nothing new came for 45 s (you said that nothing new came, not for how long)")


@pytest.mark.parametrize(("ended", "pages"), [(-1, ()), (137, ("worker-gone",)), (143, ("worker-gone",))])
def test_what_was_killed_may_have_been_silent_before(ended: int, pages: tuple[str, ...]) -> None:
    """A stall that a watchdog ended would be looked for in the memory of the machine."""
    seen = _read(_STALL, ended=ended)
    assert set(seen.fits.pages) <= set(pages)
    assert seen.before.pages == _STALLS
    assert not {one.mode.id for one in seen.near} & set(_STALLS)
    assert _read(_STALL, ended=1).before.pages == ()
    assert _read(f"{_STALL}\nLoad weight begin.", ended=ended).before.pages == ()


@pytest.mark.parametrize("before", ["", "TP0: ", "[2026-03-10 09:00:15 TP0] ", "head | "])
@pytest.mark.parametrize("end", ["", "\n[2026-03-10 09:00:16 TP0] something else"])
def test_a_line_that_a_terminal_broke_is_read_as_one(before: str, end: str) -> None:
    """What was copied out of a narrow window would be known to no page."""
    name = before if "|" in before else ""
    end = end.replace("\n", f"\n{name}")
    for first, rest in (("spans", " across nodes."), ("spans ", "across nodes."), ("spans", "across nodes.")):
        seen = _read(f"{before}{_STALL.partition('spans')[0]}{first}\n{name}{rest}{end}")
        assert seen.perhaps.pages == _STALLS
        assert [text.endswith(f"{_STALL}.") for text in seen.joined] == [True]
        assert seen.perhaps.matches[0].evidence[0].number == 1
    narrow = f"\n{name}".join(_STALL[at : at + 30] for at in range(0, len(_STALL), 30))
    assert _read(f"{before}{narrow}{end}").perhaps.pages == _STALLS


def test_lines_that_begin_as_lines_do_are_never_put_together() -> None:
    """Words of two lines would make up a failure that nobody had."""
    head, tail = _STALL.split(" spans ")
    assert _read(f"{head}\n[2026-03-10 09:00:15 TP0] spans {tail}").joined == ()
    assert _read(f"{head} spans\n\n{tail}").joined == ()
    assert _read(f"{_STALL}\n{head} spans\n{tail}").joined == ()  # something fits without it


def test_of_a_line_that_many_others_follow_no_silence_is_wanted() -> None:
    """Somebody whose log went on for thousands of lines would be told to wait for silence."""
    few, many = (f"TP0: {_STALL}\n" + "TP1: hello\n" * count for count in (MANY_AFTER, MANY_AFTER + 1))
    assert [one.mode.id for one in _read(few).near][:2] == list(_STALLS)
    seen = _read(many)
    assert seen.stop is not None
    assert (seen.stop.stage, seen.stop.all_ranks, seen.stop.went_on) == ("group-created", False, True)
    assert not [one for one in seen.near if one.signature.silence]
    late = _read(f"{many}TP1: {_STALL}", silent=4)
    assert late.stop is not None
    assert not late.stop.went_on  # the last rank came late, and nothing follows it
    assert [one.mode.id for one in late.near][:2] == list(_STALLS)
