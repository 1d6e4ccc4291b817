"""The picture of a start: one lane per rank, the stages from top to bottom, and where each rank stopped.

The SVG has no script and no outside reference. Text takes the colour of the page around it; shown on its own
it follows the reader's light or dark setting. Every mark has a shape and a word besides its colour.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape

from reaffirm.model.evidence import Kind

_TOP, _ROW, _LABELS, _LANE, _FOOT = 62, 34, 150, 190, 44

_STYLE = """
.rf-lanes{max-width:100%;height:auto;font:13px/1.2 system-ui,sans-serif;fill:currentColor}
.rf-lanes .q{opacity:.72;font-size:11.5px}
.rf-lanes .h{font-weight:600}
.rf-lanes .g{stroke:currentColor;stroke-opacity:.16}
.rf-lanes .l{stroke:var(--rf-line,#7d8794);stroke-width:3;fill:none}
.rf-lanes .w{stroke:var(--rf-line,#7d8794);stroke-width:3;stroke-dasharray:2 6;fill:none}
.rf-lanes .d{fill:var(--rf-seen,#3b82c4)}
.rf-lanes .p{fill:none;stroke:var(--rf-line,#7d8794);stroke-width:2}
.rf-lanes .good{fill:var(--rf-good,#1a8a54)}
.rf-lanes .hold{fill:var(--rf-hold,#b86e00)}
.rf-lanes .bad{fill:var(--rf-bad,#d9443a)}
.rf-lanes .m{fill:none;stroke:#fff;stroke-width:2.5}
.rf-lanes:root{color:#1f2328;background:#fff}
@media (prefers-color-scheme:dark){.rf-lanes:root{color:#e6e6e6;background:#1b1d21}}
""".replace("\n", "")


class Ending(StrEnum):
    """How a lane ends."""

    GOING = "going"
    READY = "ready"
    SILENT = "silent"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Lane:
    """One rank. ``reached`` maps a stage to its time in seconds since the launch began.

    A stage before the last one that has no time was passed without showing itself. ``words`` stand under
    the lane's end, such as ``silent for 5 min``.
    """

    title: str
    subtitle: str
    reached: Mapping[str, float] = field(default_factory=dict)
    ending: Ending = Ending.GOING
    words: str = ""


def lanes_svg(stages: Sequence[tuple[str, str]], lanes: Sequence[Lane], *, label: str, kind: Kind) -> str:
    """Draw ``lanes`` over ``stages`` (id, title) in that order; ``label`` is the picture in words.

    ``kind`` stands inside the picture, so that it goes wherever the picture is copied to.
    """
    width = _LABELS + _LANE * max(len(lanes), 1) + 10
    height = _TOP + _ROW * len(stages) + _FOOT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rf-lanes" role="img" aria-label="{escape(label)}" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<title>{escape(label)}</title><style>{_STYLE}</style>",
    ]
    parts.append(_text(8, 20, f"{kind} run", "h"))
    for row, (_, title) in enumerate(stages):
        y = _y(row)
        parts.append(f'<line class="g" x1="8" y1="{y}" x2="{width - 8}" y2="{y}"/>')
        parts.append(_text(8, y - 5, title))
    for place, lane in enumerate(lanes):
        parts += _lane(_LABELS + _LANE * place + 26, lane, [stage for stage, _ in stages])
    parts.append("</svg>")
    return "".join(parts)


def lanes_alt(stages: Sequence[tuple[str, str]], lanes: Sequence[Lane]) -> str:
    """Say the picture in words: one sentence per rank."""
    titles = dict(stages)
    told = []
    for lane in lanes:
        last = _last(lane, [stage for stage, _ in stages])
        where = f"reached “{titles[last]}”" if last else "reached no stage"
        at = f" after {duration(lane.reached[last])}" if last else ""
        told.append(f"{lane.title} ({lane.subtitle}) {where}{at}, then: {lane.words or lane.ending.value}.")
    return " ".join(told)


def duration(seconds: float) -> str:
    """Say a time in a form that people read: ``0.4 s``, ``12 s``, ``5 min 2 s``, ``1 h 3 min``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def _y(row: int) -> int:
    return _TOP + _ROW * row + 22


def _last(lane: Lane, order: Sequence[str]) -> str:
    return max((s for s in lane.reached if s in order), key=order.index, default="")


def _lane(x: int, lane: Lane, order: Sequence[str]) -> list[str]:
    last = _last(lane, order)
    end = order.index(last) if last else -1
    parts = [_text(x - 8, 20, lane.title, "h"), _text(x - 8, 37, lane.subtitle, "q")]
    if end >= 0:
        parts.append(f'<line class="l" x1="{x}" y1="{_y(0)}" x2="{x}" y2="{_y(end)}"/>')
    for row, stage in enumerate(order[: end + 1]):
        y = _y(row)
        if stage in lane.reached:
            parts.append(f'<circle class="d" cx="{x}" cy="{y}" r="5"/>')
            parts.append(_text(x + 14, y - 5, duration(lane.reached[stage]), "q"))
        else:
            parts.append(f'<circle class="p" cx="{x}" cy="{y}" r="4"/>')
    return parts + _end(x, _y(max(end, 0)), lane)


def _end(x: int, y: int, lane: Lane) -> list[str]:
    """Draw the mark of the lane's end over its last stage, and its words beside it."""
    parts: list[str] = []
    match lane.ending:
        case Ending.READY:
            parts += [_disc("good", x, y), f'<path class="m" d="M{x - 5} {y}l4 4l6 -8"/>']
        case Ending.SILENT:
            parts.append(f'<path class="w" d="M{x} {y + 12}v20"/>')
            parts += [_disc("hold", x, y), f'<path class="m" d="M{x - 3} {y - 5}v10m6 -10v10"/>']
        case Ending.FAILED:
            parts += [_disc("bad", x, y), f'<path class="m" d="M{x - 4} {y - 4}l8 8m0 -8l-8 8"/>']
        case Ending.STOPPED:
            parts.append(f'<rect class="hold" x="{x - 9}" y="{y - 9}" width="18" height="18"/>')
        case Ending.GOING:
            pass
    words = lane.words or ("" if lane.ending is Ending.GOING else lane.ending.value)
    return parts + [_text(x + 16, y + 16 + 15 * n, line, "h") for n, line in enumerate(_wrapped(words))]


def _disc(kind: str, x: int, y: int) -> str:
    return f'<circle class="{kind}" cx="{x}" cy="{y}" r="10"/>'


def _wrapped(words: str, width: int = 24, most: int = 2) -> list[str]:
    if not words:
        return []
    lines = [""]
    for word in words.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    cut = [line if len(line) <= width else f"{line[: width - 1]}…" for line in lines[:most]]
    if len(lines) > most:
        cut[-1] = f"{cut[-1][: width - 1]}…"
    return cut


def _text(x: int, y: int, text: str, kind: str = "") -> str:
    attribute = f' class="{kind}"' if kind else ""
    return f'<text{attribute} x="{x}" y="{y}">{escape(text)}</text>'
