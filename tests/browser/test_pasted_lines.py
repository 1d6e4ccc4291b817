"""The script that reads a pasted log says what Python says: page by page, rank by rank, line by line."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version
from pasting import MODES, in_python, in_the_browser, ready
from watched import watched

from reaffirm.diagnose.paste import PASTE_LINES, Paste
from reaffirm.diagnose.stages import stage_book
from reaffirm.model.node import Engine
from reaffirm.site.browser_patterns import browser_pattern
from reaffirm.store.patterns import read_pattern

pytestmark = pytest.mark.browser

_EXAMPLES = [(mode, example) for mode in MODES for example in mode.examples]
_PATTERNS = sorted(
    {one.text for mode in MODES for sign in mode.signatures for one in (*sign.all, *sign.any, *sign.none)}
    | {line.pattern.pattern for stage in stage_book().stages for line in stage.lines}
    | {line.pattern.pattern for line in stage_book().versions}
    | {one.pattern for one in (*stage_book().noise, *stage_book().secondary)}
)
# What the two languages are known to read in two ways, beside plain text.
_ODD = ["\u0663", "\u0967", "\xa0", "\u2028", "\x85", "\ufeff", "\x1c", "\x0b", "\t", " ", "\u212a", "\u017f"]
_ODD += [
    "\x1b[31m",
    "\x1b[0m",
    "\x1b]0;title\x07",
    "\x00",
    "\r",
    "\r\n",
    "\U0001f600",
    "é",
    "9",
    "_",
    "-",
    "$",
]
# What engines put before a line, and what only looks like it.
_MARKS = [
    "",
    "",
    "(Worker_TP0 pid=31) ",
    "(Worker_TP1 pid=16) ",
    "(Worker_DP0_TP1_EP1 pid=16) ",
    "(VllmWorker TP1 pid=16) ",
    "(VllmWorker rank=01 pid=16) ",
    "[2026-11-30 09:55:06 TP0] ",
    "[2026-11-30 09:55:06 PP1] ",
    "[2026-11-30 09:55:06 PP0 TP1] ",
    "[2026-11-30 09:55:06,120 TP1] ",
    "[rank0]: ",
    "[rank1]:[W1130 09:55:06.120 utils.cpp:10] ",
    "(EngineCore pid=24) \x1b[36m(RayWorkerProc pid=47, ip=10.0.14.41)\x1b[0m ",
    "(EngineCore pid=24) (RayWorkerProc pid=47, ip=10.0.14.41) (Worker_TP1 pid=47) ",
    "(RayWorkerWrapper pid=12) ",
    "2026-11-30T09:55:06.120Z (Worker_TP1 pid=16) ",
    "(EngineCore pid=24) ",
    "they said (Worker_TP1 pid=16) ",
    "(Worker_TP\u0661 pid=16) ",
    "(\U0001f600) [rank1]: ",
    "TP0: ",
    "TP1 ",
    "[TP1] ",
    "[TP1]: ",
    "2026-11-30T09:55:06.120Z PP0 TP1: ",
    "TP1_EP0 ",
    "TP\u0661: ",
]
# What stops at a stage that pages are about, and is none of their lines.
_STOPS = [
    "[2026-03-10 09:00:15 TP0] CustomAllreduce is disabled because it's not supported on more than two GPUs.",
    "Custom allreduce is disabled due to an unsupported world size: 3. Supported world sizes: [2, 4, 6, 8].",
    "TP0: Custom allreduce is disabled because your platform lacks GPU P2P capability or P2P test failed.",
    "[2026-03-10 09:00:13 TP1] Init torch distributed begin.",
    "Loading safetensors checkpoint shards:   0% Completed",
    "nothing that anybody knows",
]
_ENGINES = st.sampled_from([None, *Engine])
_VERSIONS = st.sampled_from(
    ["", "0.5.9", "0.5.10", "0.17", "0.27.1", "0.30.0+cpu", "0.33.0.post1", "0.5.10rc1", "odd"]
)


@pytest.fixture(scope="module")
def side(browser: Any) -> Iterator[Any]:
    """A page with the script, for all tests of this module."""
    with watched(browser, "about:") as seen:
        ready(seen.page)
        yield seen.page
        assert seen.taken() == []


@pytest.mark.parametrize(("mode", "example"), _EXAMPLES, ids=[f"{m.id}:{e.line}" for m, e in _EXAMPLES])
def test_every_example_reads_the_same(side: Any, mode: Any, example: Any) -> None:
    """A page's example would match in a report and not in the box, or the other way round."""
    told = Paste(example.text, example.engine, example.version, example.silent, example.ended)
    for paste in (told, Paste(example.text), replace(told, silent=None, ended=None)):
        assert in_the_browser(side, paste) == in_python(paste)
    pages = [one["page"] for one in in_the_browser(side, told)["fits"]]
    later = [one["page"] for one in in_the_browser(side, told)["later"]]
    assert (mode.id in [*pages, *later]) is example.hit


@st.composite
def _mutated(draw: st.DrawFn) -> Paste:
    """Lines of examples, mixed, cut, repeated and strewn with odd signs."""
    lines = [
        line
        for _, one in draw(st.lists(st.sampled_from(_EXAMPLES), min_size=1, max_size=3))
        for line in one.text.split("\n")
    ]
    if draw(st.booleans()):
        stops = draw(st.lists(st.sampled_from(_STOPS), min_size=1, max_size=3))
        lines = stops if draw(st.booleans()) else lines + stops
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(lines) - 1))
        line = lines[at]
        match draw(
            st.sampled_from(
                ["insert", "cut", "drop", "empty", "double", "long", "rank", "mark", "digits", "wrap", "many"]
            )
        ):
            case "insert":
                place = draw(st.integers(0, len(line)))
                lines[at] = line[:place] + draw(st.sampled_from(_ODD)) + line[place:]
            case "cut":
                lines[at] = line[draw(st.integers(0, len(line))) :]
            case "drop" if len(lines) > 1:
                del lines[at]
            case "empty":
                lines.insert(at, draw(st.sampled_from(["", " ", "\xa0", "\t"])))
            case "double":
                lines.insert(at, line)
            case "long":
                lines[at] = (
                    draw(st.sampled_from(["x", "\U0001f600", "\x1b[0m"])) * draw(st.integers(1990, 4010))
                    + line
                )
            case "rank":
                lines = [f"{draw(st.sampled_from(['head', 'worker', 'n 1', '']))} | {one}" for one in lines]
            case "mark":
                lines = [draw(st.sampled_from(_MARKS)) + one for one in lines]
            case "wrap":
                width = draw(st.integers(20, 90))
                lines[at : at + 1] = [line[i : i + width] for i in range(0, max(len(line), 1), width)]
            case "many":
                lines.insert(at, "\n".join(["TP1 step", "step"] * draw(st.sampled_from([100, 101, 300]))))
            case "digits":
                lines[at] = line.translate({ord("0") + n: ord("\u0660") + n for n in range(10)})
    return Paste(
        draw(st.sampled_from(["\n", "\r\n", "\r"])).join(lines) + draw(st.sampled_from(["", "\n", "\n\n"])),
        draw(_ENGINES),
        draw(_VERSIONS),
        draw(st.sampled_from([None, -1.0, 0.0, 44.0, 45.0, 300.0])),
        draw(st.sampled_from([None, -1, 0, 1, 137, 143])),
    )


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(paste=_mutated())
def test_lines_with_odd_signs_read_the_same(side: Any, paste: Paste) -> None:
    """Colours, digits of another script or a line end of Windows would be read in two ways."""
    assert in_the_browser(side, paste) == in_python(paste)


@pytest.mark.parametrize("line", _STOPS)
@pytest.mark.parametrize("silent", [None, 4.0, 300.0])
@pytest.mark.parametrize("engine", [None, *Engine])
def test_what_is_near_is_the_same(side: Any, line: str, silent: float | None, engine: Engine | None) -> None:
    """The box would name other pages than a terminal where none fits."""
    for text in (line, f"TP0: {line}\nTP1: {line}", f"TP0: {line}\nTP1: all is well"):
        paste = Paste(text, engine, silent=silent)
        seen = in_the_browser(side, paste)
        assert seen == in_python(paste)


_STALL = "CustomAllreduce is disabled because this process group spans across nodes."
_BROKEN = [_STALL.replace(" across", "\n across"), _STALL.replace(" across", "\nacross")]
_BROKEN += [
    "\n".join(_STALL[at : at + width] for at in range(0, len(_STALL), width)) for width in (20, 30, 50)
]

_LONG = f"TP0: {_STALL}" + "\nTP1: hello" * 201


@pytest.mark.parametrize("text", [_STALL, *_BROKEN, _LONG, f"{_LONG}\nTP1: {_STALL}"])
@pytest.mark.parametrize("before", ["", "TP0: ", "head | ", "\U0001f600" * 390])
@pytest.mark.parametrize(
    "told", [{}, {"silent": -1.0}, {"silent": 4.0}, {"silent": 300.0}, {"ended": -1}, {"ended": 137}]
)
@pytest.mark.parametrize("engine", [None, *Engine])
def test_what_stands_in_the_way_of_a_page_is_the_same(
    side: Any, text: str, before: str, told: dict[str, Any], engine: Engine | None
) -> None:
    """A wrong engine, a killed container or a broken line would be told in one place only."""
    name = before if "|" in before else ""
    paste = Paste(before + text.replace("\n", f"\n{name}"), engine, **told)
    assert in_the_browser(side, paste) == in_python(paste)


_TOLD = "Gloo connectFullMesh failed"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("\U0001f600" * 1900 + _TOLD, True),  # 3,800 units of a browser, 1,900 signs
        ("\U0001f600" * (2000 - len(_TOLD)) + _TOLD, True),
        ("\U0001f600" * (2001 - len(_TOLD)) + _TOLD, False),
        ("\x1b[0m" * 990 + _TOLD, True),  # colours are taken off the first 4,000 signs
        ("\x1b[0m" * 1000 + _TOLD, False),
        (_TOLD[:4] + "\x00" + _TOLD[4:], True),
        (_TOLD.replace(" ", "\xa0"), False),
    ],
    ids=["signs", "just", "past", "colours", "many colours", "zero", "no-break"],
)
def test_a_long_line_is_cut_at_the_same_sign(side: Any, line: str, found: bool) -> None:
    """A browser counts a sign outside of the basic plane as two."""
    paste = Paste(line, Engine.VLLM)
    seen = in_the_browser(side, paste)
    assert bool(seen["fits"]) is found
    assert seen == in_python(paste)


_MANY = 200_000


@pytest.mark.parametrize(
    "text",
    [
        f"{_TOLD}{chr(10) * _MANY}end",
        f"{_TOLD}{chr(13) * _MANY}end",
        f"a{' ' * _MANY}b | {_TOLD}",
        chr(10).join([f"{_TOLD}{' ' * 1900}."] * 3000),
        "\x1b[0m" * _MANY + chr(10) + _TOLD,
        "\x1b]" * _MANY + chr(10) + _TOLD,
        "\x1b[" * _MANY + chr(10) + _TOLD,
    ],
    ids=["line ends", "carriage returns", "a rank of spaces", "blanks", "colours", "titles", "unended"],
)
def test_long_runs_of_one_sign_are_read_in_one_pass(side: Any, text: str) -> None:
    """The time would grow with the square of their number, and the box would look dead."""
    paste = Paste(text, Engine.VLLM)
    before = time.monotonic()
    seen = in_the_browser(side, paste)
    assert time.monotonic() - before < 4
    assert seen == in_python(paste)


_SEARCH = (
    "([source, lines]) => { const one = new RegExp(source, 'u'); return lines.map(line => one.test(line)) }"
)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
@pytest.mark.parametrize("text", _PATTERNS)
def test_each_pattern_finds_the_same_lines(side: Any, text: str, data: st.DataObject) -> None:
    """The translation of one pattern would mean another thing."""
    pattern = read_pattern(text)
    found = data.draw(st.lists(st.from_regex(pattern.regex), min_size=1, max_size=4))
    lines = [line.replace("\n", " ") for line in found]
    place = data.draw(st.integers(0, len(lines[0])))
    lines.append(
        lines[0][:place] + data.draw(st.sampled_from(_ODD)).replace("\n", "") + lines[0][place + 1 :]
    )
    expected = [pattern.regex.search(line) is not None for line in lines]
    assert side.evaluate(_SEARCH, [browser_pattern(text), lines]) == expected


_ATOMS = st.sampled_from(
    [
        *r"aB9_ -.é{}]/~^$",
        *[r"\.", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\t", r"\$", r"\b", "(ab|b)", "(?:a)", "(|9)"],
        *["[ab]", "[^ab]", r"[\d-]", r"[^\s]", r"[\S]", r"[\W9]", "[]x]", "[a-c9]", r"[\]\\^-]"],
    ]
)
_TIMES = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{,2}", "{1,3}", "*?", "{x}", "{"])


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    pieces=st.lists(st.tuples(_ATOMS, _TIMES).map("".join), min_size=1, max_size=5),
    lines=st.lists(
        st.text(st.sampled_from([*"aB9_ -.é{}]/~^$\\xb", *(o for o in _ODD if len(o) == 1 and o != "\r")])),
        min_size=3,
        max_size=6,
    ),
)
def test_any_pattern_that_is_taken_finds_the_same_lines(
    side: Any, pieces: list[str], lines: list[str]
) -> None:
    """A page that somebody adds would work in one place only."""
    text = "".join(pieces)
    try:
        pattern = read_pattern(text)
    except ValueError:
        return
    expected = [pattern.regex.search(line) is not None for line in lines]
    assert side.evaluate(_SEARCH, [browser_pattern(text), lines]) == expected


_RELEASES = st.lists(st.integers(0, 12), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))
_TAILS = st.sampled_from(
    ["", "", ".post1", "-2", ".dev3", "rc1", "a0.post1.dev2", "+cpu", "+cpu.10", "+cpu.9", "+Z_3"]
)
_SOME = st.tuples(st.sampled_from(["", "", "v", "1!"]), _RELEASES, _TAILS).map("".join)
_HOLDS = """([version, sign, text]) => {
  const {parse, holds} = window.reaffirm.versions;
  const one = parse(version);
  return one === null ? null : one.isPre ? "pre" : holds(one, sign, text);
}"""
_COMPARE = "([a, b]) => window.reaffirm.versions.compare(...[a, b].map(window.reaffirm.versions.parse))"


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(a=_SOME, b=_SOME, sign=st.sampled_from([">=", "<=", "<", ">", "==", "!=", "~="]), star=st.booleans())
def test_versions_are_compared_the_same(side: Any, a: str, b: str, sign: str, star: bool) -> None:
    """A signature would hold for a version in one place, and not in the other."""
    one, other = Version(a), Version(b)
    assert side.evaluate(_COMPARE, [a, b]) == (one > other) - (one < other)
    text = f"{b}.*" if star and sign in ("==", "!=") else b
    try:
        [wanted] = SpecifierSet(sign + text)
    except ValueError:
        return
    expected: object = "pre" if one.is_prerelease else SpecifierSet(sign + text).contains(one)
    assert side.evaluate(_HOLDS, [a, wanted.operator, wanted.version]) == expected


@pytest.mark.parametrize("text", ["junk", "1.0 x", "1..0", "\u0661.0", "1.0\u017f", "", "1.0+"])
def test_what_is_no_version_is_none_in_both(side: Any, text: str) -> None:
    """A word that somebody types would be a version in one place only."""
    parse = "text => window.reaffirm.versions.parse(text) === null"
    with pytest.raises(InvalidVersion):
        Version(text)
    assert side.evaluate(parse, text) is True


def test_only_the_last_lines_of_a_large_paste_are_read(side: Any) -> None:
    """A log of a week would be read in two ways, or for ever."""
    early = "ValueError: zmq.error.ZMQError: Cannot assign requested address"
    late = "Gloo connectFullMesh failed"
    paste = Paste("\n".join([early, *["INFO nothing of interest"] * PASTE_LINES, late]), Engine.VLLM)
    found = in_the_browser(side, paste)
    assert found["leftOut"] == 2
    assert [one["page"] for one in found["fits"]] == ["wrong-interface"]
    assert found == in_python(paste)
