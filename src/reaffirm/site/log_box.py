"""Text that a program wrote, on a page: inert, a long one folded with its first and last lines in sight.

A box is one line of HTML in which every sign that means something to Markdown is inside of an element that
Markdown leaves alone. So no fence, no indentation and no blank line of a log can end it.
"""

from collections.abc import Sequence

from reaffirm.site.ansi import html_lines
from reaffirm.site.text import attribute

#: A text with more lines is folded.
FOLD = 25
#: Of a text with more lines only the beginning and the end are on the page; the notebook has it all.
MOST = 400
#: How many lines of a folded text stay in sight at its beginning and at its end.
_EDGE = 6
# A line of a terminal that was overwritten a million times, or never ended, is not looked at as a whole.
_LONGEST = 20_000
_NEWLINE = "&#10;"


def log_box(text: str, *, name: str = "", quiet: bool = False) -> str:
    """Return what a program wrote as a box; empty where there is nothing to show.

    Args:
        text: as it was written, with the colours of a terminal.
        name: what it is, where that must be said, such as *Errors*.
        quiet: whether search leaves it alone.
    """
    lines = text.removesuffix("\n").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return ""
    head = f'<span class="rf-out-name">{attribute(name)}</span>' if name else ""
    mark = " data-search-exclude" if quiet else ""
    long = " no-copy" if len(lines) > FOLD else ""  # the theme's button would copy a part and not say so
    return f'<div class="rf-log{long}"{mark}>{head}{_body(lines)}</div>'


def folded_box(text: str, title: str) -> str:
    """Return what a program wrote behind a title to click on."""
    lines = text.rstrip().split("\n")
    if lines == [""]:
        return ""
    count = f"{len(lines)} line{'' if len(lines) == 1 else 's'}"
    summary = f"<summary>{attribute(title)} ({count})</summary>"
    inside = _pre(html_lines(_short(_kept(lines))))
    return f'<details class="rf-fold" data-search-exclude>{summary}{inside}</details>'


def diff_box(lines: Sequence[str]) -> str:
    """Return lines that begin with ``-`` or ``+``: what is gone and what came, marked besides by a colour."""
    marked = []
    for line, html in zip(lines, html_lines(_short(lines)), strict=True):
        sort = {"-": "del", "+": "ins"}.get(line[:1])
        marked.append(f"<{sort}>{html}</{sort}>" if sort else html)
    return f'<div class="rf-log rf-diff">{_pre(marked)}</div>'


def _body(lines: Sequence[str]) -> str:
    if len(lines) <= FOLD:
        return _pre(html_lines(_short(lines)))
    kept = _kept(lines)
    shown = html_lines(_short(kept))
    middle = shown[_EDGE:-_EDGE]
    count = len(lines) - 2 * _EDGE
    told = f"{count} of {len(lines)} lines are folded here"
    if len(kept) < len(lines):
        told += f"; {len(lines) - len(kept) + 1} of them are only in the notebook"
    return (
        f"{_pre(shown[:_EDGE])}"
        f'<details class="rf-middle" data-search-exclude><summary>{told}</summary>{_pre(middle)}</details>'
        f"{_pre(shown[-_EDGE:])}"
    )


def _kept(lines: Sequence[str]) -> Sequence[str]:
    """The lines that are on the page; what is left out is said in their middle."""
    if len(lines) <= MOST:
        return lines
    half = MOST // 2
    return [*lines[:half], f"[… {len(lines) - MOST} lines left out here …]", *lines[-half:]]


def _short(lines: Sequence[str]) -> list[str]:
    """Lines of a bearable length: of one that was overwritten, what a terminal still shows."""
    return [
        line if len(line) <= _LONGEST else line.rstrip("\r").rsplit("\r", 1)[-1][:_LONGEST] for line in lines
    ]


def _pre(lines: Sequence[str]) -> str:
    return f"<pre><code>{_NEWLINE.join(lines)}</code></pre>"
