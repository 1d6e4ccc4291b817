"""Texts that are made to stop a build: nested without end, cut off, or looked at again and again.

Each is small, and ended the build with a traceback, or kept it busy for long.
"""

import signal
from collections.abc import Iterator

import pytest

from reaffirm.site.links import no_links
from reaffirm.site.log_box import log_box
from reaffirm.site.prose import rebuild
from reaffirm.site.svg import clean_svg

_SVG = '<svg xmlns="http://www.w3.org/2000/svg">'
#: Seconds; each takes well below one, and more than this where somebody takes the bound away.
_BOUND = 30
_BUSY = "a small text keeps the build busy"


@pytest.fixture(autouse=True)
def bounded() -> Iterator[None]:
    """End a test that hangs."""

    def ended(*_: object) -> None:
        raise TimeoutError(_BUSY)

    old = signal.signal(signal.SIGALRM, ended)
    signal.alarm(_BOUND)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, old)


@pytest.mark.parametrize(
    "text",
    [
        "x " + "<b><i>" * 2500,
        "x " + "<b>" * 2000 + "y" + "</b>" * 2000,
        "<details>\n\nx\n\n" * 8000,
        "<details><summary>a</summary>\n\n" * 1500 + "y\n\n" + "</details>\n\n" * 1500,
        "# same\n\n" * 12_000,
    ],
    ids=["open", "nested", "open-boxes", "nested-boxes", "headings"],
)
def test_prose_without_end_is_written(text: str) -> None:
    """One record, or one cell of a notebook, would keep all pages from being built."""
    assert rebuild(text, no_links, reserved=())


def test_boxes_and_elements_that_are_nested_as_people_do_still_are() -> None:
    """The bound would take away what is meant."""
    page = rebuild("<details><summary>a</summary>\n\nx <b>y <i>z</i></b>\n\n</details>\n\nafter", no_links)
    assert page == '??? quote "a"\n\n    x <strong>y <em>z</em></strong>\n\nafter'


@pytest.mark.parametrize("text", ["\x1b[\x1b[", "\x1b[31mred\x1b[", "a\x1b[0;", "\x1b[0;\x1b[1mb"])
def test_a_colour_that_was_cut_off_is_nothing(text: str) -> None:
    """A log that was cut within a sequence would end the build."""
    assert "\x1b" not in log_box(f"line {text}\nnext\n")


@pytest.mark.parametrize(
    "svg",
    [
        f"{_SVG}{'<g>' * 5000}{'</g>' * 5000}</svg>",
        f"{_SVG}<style>{'a' * 200_000}</style></svg>",
        f"{_SVG}\ud800</svg>",
    ],
    ids=["deep", "rules", "half a character"],
)
def test_a_picture_without_end_is_refused_or_drawn(svg: str) -> None:
    """One output of a notebook would keep all pages from being built."""
    drawn = clean_svg(svg)
    assert drawn is None or "aaa" not in drawn
