"""Which decision took whose place: boxes that are links, an arrow from each to its successor.

The picture has no script and no style of its own: lines and words take the colour of the page. A status is
a word and a kind of border, never a colour alone.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from reaffirm.draw.layers import Component

_WIDE, _HIGH, _ACROSS, _DOWN, _EDGE = 216, 64, 20, 30, 4
_LETTERS = 27
#: A picture with more layers, or more boxes side by side, is no picture that somebody reads.
MOST_LAYERS, MOST_BESIDE = 10, 5


@dataclass(frozen=True)
class Box:
    """A record: what it is called, its status in a word and as a class, and the page of its box."""

    name: str
    title: str
    status: str
    mark: str
    href: str = ""


def fits(component: Component) -> bool:
    """Whether a picture of it can be read."""
    return len(component.layers) <= MOST_LAYERS and max(map(len, component.layers)) <= MOST_BESIDE


def supersession_svg(component: Component, boxes: Mapping[str, Box], label: str) -> str:
    """Draw one component; ``label`` says what the picture is."""
    most = max(map(len, component.layers))
    width = most * _WIDE + (most - 1) * _ACROSS + 2 * _EDGE
    height = len(component.layers) * _HIGH + (len(component.layers) - 1) * _DOWN + 2 * _EDGE
    at: dict[str, tuple[float, float]] = {}
    for row, nodes in enumerate(component.layers):
        left = (width - len(nodes) * _WIDE - (len(nodes) - 1) * _ACROSS) / 2
        for column, node in enumerate(nodes):
            at[node] = (left + column * (_WIDE + _ACROSS), _EDGE + row * (_HIGH + _DOWN))
    arrows = "".join(_arrow(*at[first], *at[second]) for first, second in component.edges)
    drawn = "".join(_box(boxes[node], *at[node]) for nodes in component.layers for node in nodes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rf-supersession" role="group" '
        f'aria-label="{escape(label)}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="inherit" font-size="13">{arrows}{drawn}</svg>'
    )


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    start, end = x1 + _WIDE / 2, x2 + _WIDE / 2
    if y2 > y1:
        top, foot = y1 + _HIGH, y2
        bend = min(20, (foot - top) / 2)
        line = f"M{start:g} {top:g}C{start:g} {top + bend:g} {end:g} {foot - 7 - bend:g} {end:g} {foot - 7:g}"
        tip = f"M{end - 5:g} {foot - 8:g}h10l-5 8z"
    else:  # an arrow that closes a circle leads up, beside the boxes
        top, foot = y1, y2 + _HIGH
        start, end = start + 60, end + 60
        line = f"M{start:g} {top:g}C{start:g} {top - 20:g} {end:g} {foot + 27:g} {end:g} {foot + 7:g}"
        tip = f"M{end - 5:g} {foot + 8:g}h10l-5 -8z"
    return (
        f'<path class="rf-arrow" d="{line}" fill="none" stroke="currentColor"/>'
        f'<path class="rf-tip" d="{tip}" fill="currentColor"/>'
    )


def _box(box: Box, x: float, y: float) -> str:
    lines = _lines(box.title)
    texts = [
        f'<text class="rf-name" x="{x + 12:g}" y="{y + 19:g}" font-weight="600">'
        f"{escape(_cut(box.name, 14))}</text>",
        f'<text class="rf-word" x="{x + _WIDE - 10:g}" y="{y + 19:g}" text-anchor="end" font-size="12">'
        f"{escape(_cut(box.status, 16))}</text>",
        *(
            f'<text class="rf-title" x="{x + 12:g}" y="{y + 37 + 16 * number:g}">{escape(line)}</text>'
            for number, line in enumerate(lines)
        ),
    ]
    inside = (
        f"<title>{escape(f'{box.name} {box.title} ({box.status})')}</title>"
        f'<rect class="rf-box" x="{x:g}" y="{y:g}" width="{_WIDE}" height="{_HIGH}" rx="5" fill="none" '
        f'stroke="currentColor"/><rect class="rf-edge" x="{x:g}" y="{y:g}" width="5" height="{_HIGH}" rx="2" '
        f'fill="currentColor"/>{"".join(texts)}'
    )
    group = f'<g class="rf-node {box.mark}">{inside}</g>'
    return f'<a href="{escape(box.href)}">{group}</a>' if box.href else group


def _lines(title: str) -> list[str]:
    """Two lines of a title; what is left of it is an ellipsis, and stands in the tooltip."""
    lines = [""]
    for word in title.split():
        longer = f"{lines[-1]} {word}".strip()
        if _length(longer) <= _LETTERS or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > 2:
        lines = [lines[0], _cut(f"{lines[1]} {lines[2]}", _LETTERS)]
        lines[1] = lines[1] if lines[1].endswith("…") else f"{lines[1]}…"
    return [_cut(line, _LETTERS) for line in lines if line]


def _length(text: str) -> int:
    """How many Latin letters wide a text is."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def _cut(text: str, most: int) -> str:
    if _length(text) <= most:
        return text
    kept, room = "", most - 1
    for sign in text:
        room -= _length(sign)
        if room < 0:
            break
        kept += sign
    return f"{kept.rstrip()}…"
