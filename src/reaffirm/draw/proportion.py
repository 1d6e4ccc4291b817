"""One bar that is divided as a whole is; the words beside it say what its parts are."""

from collections.abc import Sequence

_WIDTH, _HEIGHT, _GAP, _LEAST = 1000, 14, 4, 8


def proportion_svg(parts: Sequence[tuple[str, int]]) -> str:
    """Draw a bar.

    It has no text and is stretched to the width that there is, so it says nothing to a screen reader: the
    numbers stand beside it. No part is too narrow to be seen.

    Args:
        parts: the class of each part and how many it stands for; a part of nothing is left out.
    """
    shown = [(name, number) for name, number in parts if number > 0]
    total = sum(number for _, number in shown)
    room = _WIDTH - _GAP * (len(shown) - 1)
    widths = [max(_LEAST, room * number / total) for _, number in shown]
    scale = room / sum(widths) if widths else 1
    drawn, x = [], 0.0
    for (name, _), width in zip(shown, widths, strict=True):
        drawn.append(
            f'<rect class="{name}" x="{x:.1f}" y="0" width="{width * scale:.1f}" height="{_HEIGHT}" '
            'fill="currentColor"/>'
        )
        x += width * scale + _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'preserveAspectRatio="none" aria-hidden="true" focusable="false">{"".join(drawn)}</svg>'
    )
