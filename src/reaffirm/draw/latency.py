"""The picture of latencies: each answer where it stood in the row, and how long it took."""

from collections.abc import Mapping, Sequence
from html import escape

from reaffirm.model.evidence import Kind

_LEFT, _WIDTH, _RIGHT, _TOP, _HEIGHT, _FOOT = 64, 640, 150, 36, 200, 34


def latency_svg(
    took: Sequence[float], lines: Mapping[str, float], *, label: str, kind: Kind, what: str = ""
) -> str:
    """Draw latencies (milliseconds) in the order of the requests.

    Args:
        took: one for each request.
        lines: levels with a name, such as ``p95``: figures that the run found, none is worked out here.
        label: the picture in words.
        kind: stands inside of the picture; times of simulated nodes are made up, and it says so.
        what: what was asked.
    """
    top = max([*took, *lines.values(), 0.001]) * 1.08
    right = _LEFT + _WIDTH
    width, height = right + _RIGHT, _TOP + _HEIGHT + _FOOT
    made_up = ": times that somebody made up" if kind is Kind.SIMULATED else ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rf-chart" role="img" aria-label="{escape(label)}" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"><title>{escape(label)}</title>',
        f'<text class="rf-c-head" x="4" y="18">{kind} run{made_up}</text>',
        f'<text class="rf-c-quiet" text-anchor="end" x="{right}" y="18">{escape(what[:70])}</text>',
    ]
    for level in _levels(top):
        y = _y(level, top)
        parts.append(f'<path class="rf-c-grid" d="M{_LEFT} {y}H{right}"/>')
        parts.append(
            f'<text class="rf-c-quiet" text-anchor="end" x="{_LEFT - 8}" y="{y + 4}">{level:g} ms</text>'
        )
    step = _WIDTH / max(len(took), 1)
    dots = "".join(f"M{_LEFT + step * (n + 0.5):.1f} {_y(one, top)}h0" for n, one in enumerate(took))
    parts.append(f'<path class="rf-c-dots" d="{dots}"/>')
    free = -99.0
    for name, level in sorted(lines.items(), key=lambda item: (item[1], item[0]), reverse=True):
        y = _y(level, top)
        free = max(y + 4, free + 17)
        parts.append(f'<path class="rf-c-level" d="M{_LEFT} {y}H{right}"/>')
        words = f"{escape(name)} {level:g} ms"
        parts.append(f'<text class="rf-c-head" x="{right + 8}" y="{free:g}">{words}</text>')
    parts.append(f'<text class="rf-c-quiet" x="{_LEFT}" y="{height - 10}">first request</text>')
    last = f"request {len(took)}"
    parts.append(f'<text class="rf-c-quiet" text-anchor="end" x="{right}" y="{height - 10}">{last}</text>')
    return "".join([*parts, "</svg>"])


def _y(level: float, top: float) -> float:
    return round(_TOP + _HEIGHT * (1 - level / top), 1)


def _levels(top: float) -> list[float]:
    """Round levels, at most five of them."""
    for power in range(-3, 7):
        for one in (1, 2, 5):
            step = one * 10.0**power
            if top / step <= 5:
                return [round(step * n, 6) for n in range(int(top / step) + 1)]
    return [0.0, top]
