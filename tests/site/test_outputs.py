"""Outputs of cells on a page: what is kept of them, and that nothing in them does anything."""

import re
import time
from html.parser import HTMLParser

import markdown
import pytest
from article import Article
from run_specimens import page_of

from reaffirm.site.ansi import html_lines
from reaffirm.site.html_table import clean_table
from reaffirm.site.links import no_links
from reaffirm.site.log_box import FOLD, MOST, folded_box, log_box
from reaffirm.site.output import outputs_markdown
from reaffirm.site.svg import clean_svg

_EXTENSIONS = ["admonition", "attr_list", "tables", "toc"]
_EXTENSIONS += [f"pymdownx.{name}" for name in ("details", "highlight", "superfences")]


class Seen(HTMLParser):
    """The text of HTML as a browser shows it, and its elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element with its classes."""
        self.tags.append(" ".join([tag, dict(attrs).get("class") or ""]).strip())

    def handle_data(self, data: str) -> None:
        """Note text."""
        self.text += data


def built(text: str) -> str:
    """Return a page as MkDocs makes it of Markdown."""
    return markdown.Markdown(extensions=_EXTENSIONS).convert(
        re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    )


@pytest.mark.parametrize("name", ["attack", "rich", "hostile"])
def test_nothing_in_an_output_does_anything(name: str) -> None:
    """A log line could run code in the browser of whoever reads the site."""
    html = built(page_of(name))
    assert Article(f"<article>{html}</article>").dangers == []
    for word in ("<iframe", "<style>.", "foreignobject", "elsewhere.invalid", "onerror", "onmouseover"):
        assert (
            word
            not in re.sub(r"<(pre|code|title)\b.*?</\1>", "", html.lower(), flags=re.S)
            .replace("&lt;", "\0")
            .split("\0")[0]
        )


def test_a_log_that_ends_every_fence_and_element_stays_one_box() -> None:
    """What follows a closing tag or a blank line in a log would become part of the page."""
    evil = "</code></pre></div></details>\n\n```\n~~~\n\n# heading\n\n    code\n[x]: javascript:x\n<!-- \n\n"
    seen = Seen(built(f"before\n\n{log_box(evil)}\n\n## after"))
    assert seen.tags == ["p", "div rf-log", "pre", "code", "h2"]
    assert evil.strip("\n") in seen.text


@pytest.mark.parametrize(
    ("written", "classes", "text"),
    [
        ("\x1b[31mred\x1b[0m", ["rf-ink1"], "red"),
        ("\x1b[1;92mgreen", ["rf-ink10 rf-bold"], "green"),
        ("\x1b[38;5;196mred of 256", ["rf-ink9"], "red of 256"),
        ("\x1b[38;5;240mgrey", ["rf-ink8"], "grey"),
        ("\x1b[38;2;0;90;200mblue", ["rf-ink4"], "blue"),
        ("\x1b[44mon blue\x1b[49m off", ["rf-on4"], "on blue off"),
        ("\x1b[31;41mred on red", ["rf-on1"], "red on red"),
        ("\x1b[7minverse\x1b[27m", ["rf-on7"], "inverse"),
        ("\x1b[8mhidden", [], "hidden"),
        ("\x1b[38;5mcut off", [], "cut off"),
        ("\x1b[38;9mx\x1b[38;5;300my\x1b[m", [], "xy"),
        ("\x1b[2J\x1b[Hmoved\x1b]0;title\x07 \x1b(B.", [], None),
        ("10%\r\x1b[32m100%\x1b[0m", ["rf-ink2"], "100%"),
        ("nul\x00 bell\x07 c1\x9b31m \u202eturned\u202c", [], "nul bell c131m turned"),
    ],
)
def test_of_a_terminal_only_its_colours_are_kept(written: str, classes: list[str], text: str | None) -> None:
    """Text could be hidden, moved or turned round, so that a log says what nobody wrote."""
    seen = Seen(html_lines([written])[0])
    assert [tag.removeprefix("span ") for tag in seen.tags] == classes
    assert "\x1b" not in seen.text
    if text is not None:
        assert seen.text == text


def test_a_colour_goes_on_in_the_next_line_but_no_element_does() -> None:
    """A fold that begins between two lines would break the page."""
    assert html_lines(["\x1b[31mone", "two\x1b[0m", "three"]) == [
        '<span class="rf-ink1">one</span>',
        '<span class="rf-ink1">two</span>',
        "three",
    ]


def test_a_long_output_shows_its_beginning_and_its_end_and_says_how_much_is_between() -> None:
    """The last line is the one that tells why."""
    assert "<details" not in log_box("\n".join(map(str, range(FOLD))))
    seen = Seen(log_box("\n".join(f"line {n}" for n in range(100))))
    assert "88 of 100 lines are folded here" in seen.text
    head, _, rest = seen.text.partition("88 of")
    assert head.split("\n")[-1] == "line 5"
    assert rest.rstrip().endswith("line 99")
    assert all(f"line {n}" in seen.text for n in range(100))


def test_a_huge_output_makes_a_small_page_soon() -> None:
    """Five megabytes of log, or one line of them, would freeze the reader's browser and the build."""
    began = time.monotonic()
    for text in ("x" * 5_000_000, "a line of a log\n" * 400_000, "50%\r" * 1_500_000, "\x1b[31m" * 1_000_000):
        html = log_box(text) + folded_box(text, "Traceback")
        assert len(html) < 100_000
    many = log_box("a line\n" * 10_000)
    assert f"{10_000 - MOST} lines left out here" in many
    assert time.monotonic() - began < 60  # bounded, not measured


def test_of_html_only_a_table_stays() -> None:
    """A library's table is worth reading; whatever else its HTML does is not."""
    table = clean_table(
        "<style>p{}</style><table class='x' style='a'><tr><th scope='row'>n</th><td>1</td></tr></table>"
    )
    assert table == (
        '<div class="rf-frame"><table><tbody><tr><th scope="row">n</th><td>1</td></tr></tbody></table></div>'
    )
    for html in ("<p>no table</p>", "", "<table>" * 2 + "</table>" * 2, "<svg><table></svg>" * 3):
        assert "<p>" not in clean_table(html)
        assert clean_table(html).count("<table>") <= 1
    assert "\n" not in clean_table("<table>\n\n<tr><td>a\n\n# b</td></tr></table>")


def test_an_error_says_what_to_do_before_how_python_came_there() -> None:
    """Readers would look for the sentence that helps them among forty lines of frames."""
    error = {
        "output_type": "error",
        "ename": "NodeError",
        "evalue": "spark-1: refused\n  next: start sshd\n  page: docs/how-to/ssh.md",
        "traceback": ["Traceback", "  File"],
    }
    pages = {"../docs/how-to/ssh.md": "../how-to/ssh.md"}
    (shown,) = outputs_markdown([error], pages.get)
    box, trace = shown.split("\n\n<details", 1)
    assert box.index("This cell failed: NodeError") < box.index("spark-1: refused") < box.index("start sshd")
    assert "[docs/how-to/ssh.md](../how-to/ssh.md)" in box
    assert trace.startswith(' class="rf-fold"')


def test_a_picture_may_use_its_shapes_again_and_nothing_else() -> None:
    """Letters of plots are shapes used again; a picture that uses itself would never end."""
    svg = (
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:x='http://www.w3.org/1999/xlink'>"
        "<defs><path id='a' d='M0 0'/><g id='b'><use href='#a'/><use href='#b'/></g></defs>"
        "<use x:href='#a'/><use href='#b'/><use href='https://elsewhere.invalid/#a'/><use/></svg>"
    )
    drawn = clean_svg(svg)
    assert drawn is not None
    assert len(re.findall("<use ", drawn)) == 2
    assert "elsewhere" not in drawn


def test_odd_outputs_make_no_page_fail() -> None:
    """One odd cell would break the whole site."""
    odd = [None, 3, {}, {"output_type": "stream", "text": {}}, {"output_type": "error", "traceback": 5}]
    odd += [{"output_type": "display_data", "data": {"text/html": 5, "image/png": [], "image/svg+xml": None}}]
    odd += [{"output_type": "error", "ename": None, "evalue": ["a", 1], "traceback": None}]
    for outputs in (odd, {}, None, "x"):
        list(outputs_markdown(outputs, no_links))
