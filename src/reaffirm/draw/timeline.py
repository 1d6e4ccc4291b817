"""The picture of a run: one row per step, time from left to right, a mark where each node was asked.

The SVG has no script, no style of its own and no outside reference: the site's style sheet has its colours.
Nodes are told apart by their lane and their name, not by a colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from reaffirm.draw.lanes import duration
from reaffirm.model.evidence import Kind

_LEFT, _WIDTH, _RIGHT, _HEAD, _FOOT, _LANE, _GAP = 250, 640, 84, 34, 30, 9, 12
_LABEL = 36


@dataclass(frozen=True)
class Span:
    """One step: from ``begins`` to ``ends`` (seconds since the run's first request).

    ``marks`` are, for each node in the order of the picture, when it was asked.
    """

    title: str
    begins: float
    ends: float
    marks: tuple[tuple[float, ...], ...] = ()


def timeline_svg(spans: Sequence[Span], nodes: Sequence[str], *, label: str, kind: Kind) -> str:
    """Draw steps over time; ``label`` is the picture in words. ``kind`` stands inside of it."""
    total = max((span.ends for span in spans), default=0.0) or 1.0
    row = max(18, _LANE * len(nodes)) + _GAP
    width, height = _LEFT + _WIDTH + _RIGHT, _HEAD + row * len(spans) + _FOOT
    clock = "virtual time" if kind is Kind.SIMULATED else "time"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rf-chart" role="img" aria-label="{escape(label)}" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"><title>{escape(label)}</title>',
        f'<text class="rf-c-head" x="4" y="18">{kind} run, {clock}</text>',
        f'<text class="rf-c-quiet" x="{_LEFT}" y="18">lanes: {escape(", ".join(nodes))}</text>',
    ]
    for tick in _ticks(total):
        x = _x(tick, total)
        parts.append(f'<path class="rf-c-grid" d="M{x} {_HEAD - 6}V{height - _FOOT + 4}"/>')
        words = brief(tick) if tick else "0"
        parts.append(
            f'<text class="rf-c-quiet" text-anchor="middle" x="{x}" y="{height - 10}">{words}</text>'
        )
    for number, span in enumerate(spans):
        y = _HEAD + row * number
        begin, end = _x(span.begins, total), _x(span.ends, total)
        tall = row - _GAP
        parts.append(f'<text x="4" y="{y + tall // 2 + 5}">{escape(_short(span.title))}</text>')
        wide = f"{max(2, end - begin):g}"
        parts.append(f'<rect class="rf-c-span" x="{begin}" y="{y}" width="{wide}" height="{tall}" rx="2"/>')
        for lane, times in enumerate(span.marks):
            if path := _marks(times, total, y + lane * _LANE + 1):
                parts.append(f'<path class="rf-c-mark" d="{path}"/>')
        took = brief(span.ends - span.begins)
        parts.append(f'<text class="rf-c-quiet" x="{end + 6:g}" y="{y + tall // 2 + 5}">{took}</text>')
    return "".join([*parts, "</svg>"])


def brief(seconds: float) -> str:
    """Say a time in few characters, a short one in milliseconds: ``18 ms``, ``2.1 s``, ``5 min 2 s``."""
    if seconds >= 1:
        return duration(seconds)
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"


def _marks(times: Sequence[float], total: float, y: int) -> str:
    places = sorted({_x(one, total) for one in times})
    return "".join(f"M{x} {y}v{_LANE - 2}" for x in places)


def _x(moment: float, total: float) -> float:
    return round(_LEFT + _WIDTH * min(max(moment / total, 0.0), 1.0), 1)


def _ticks(total: float) -> list[float]:
    """Round moments, at most six of them."""
    for step in (
        0.05,
        0.1,
        0.25,
        0.5,
        1,
        2,
        5,
        10,
        15,
        30,
        60,
        120,
        300,
        600,
        900,
        1800,
        3600,
        7200,
        21600,
        86400,
    ):
        if total / step <= 6:
            return [round(step * n, 2) for n in range(int(total / step) + 1)]
    return [0.0, total]


def _short(title: str) -> str:
    return title if len(title) <= _LABEL else f"{title[: _LABEL - 1]}…"
