"""Lines that a narrow terminal, or whatever they were copied through, has broken into several. Pure.

The box on the site puts them together in the same way, so what is changed here is changed in
``site/static/failures_wrapped.js`` as well.
"""

import re
from collections.abc import Sequence

from reaffirm.diagnose.stages import searched
from reaffirm.model.failure import FailureMode, LinePattern

#: Of a paste the last lines are tried.
JOIN_LINES = 2_000
#: Of more pieces than this no line is put together, and no terminal is wider than so many signs.
MOST_PIECES, WIDEST = 4, 400

# How a line of a log begins: time, process, level, rank.
_HEAD = re.compile(
    r"^(?:[(\[]|[0-9]{4}-[0-9]{2}|(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)(?: |:|$)|(?:DP|PP|TP|EP|CP)[0-9])"
)


def unwrapped(
    modes: Sequence[FailureMode], lines: Sequence[str], names: Sequence[str] = ()
) -> tuple[list[str], tuple[str, ...]]:
    """Return the lines with those in one that were broken, and which ones that are.

    Neighbours are one line where a page knows a line of the whole and of neither part, and none but the first
    begins as lines of a log do. The others stay as empty lines, so that all keep their number.

    Args:
        modes: the pages.
        lines: of the log.
        names: what stands before each line and names its rank, if anything does.
    """
    patterns = tuple(
        {
            one.text: one for mode in modes for sign in mode.signatures for one in (*sign.all, *sign.any)
        }.values()
    )
    out = list(lines)
    start = max(len(out) - JOIN_LINES, 0)
    led = list(names[start:]) or [""] * (len(out) - start)
    parts = [searched(line[len(name) :]) for name, line in zip(led, out[start:], strict=True)]
    joined = []
    place = 0
    while place < len(parts):
        pieces, whole = _whole(patterns, parts, led, place)
        if pieces:
            out[start + place] = led[place] + whole
            out[start + place + 1 : start + place + pieces] = led[place + 1 : place + pieces]
            joined.append(whole.strip())
        place += pieces or 1
    return out, tuple(joined)


def _whole(
    patterns: Sequence[LinePattern], parts: Sequence[str], led: Sequence[str], place: int
) -> tuple[int, str]:
    """Return how many pieces from a place on are one line, and that line; 0 where none are."""
    for pieces in range(2, MOST_PIECES + 1):
        end = place + pieces
        if end > len(parts) or led[end - 1] != led[place]:
            break
        if not parts[end - 2].strip() or len(parts[end - 2]) > WIDEST:
            break
        if not parts[end - 1].strip() or _HEAD.match(parts[end - 1]):
            break
        for glue in ("", " "):
            whole = searched(glue.join(parts[place:end]))
            known = [one for one in patterns if one.literal in whole and one.search(whole)]
            within = (glue.join(parts[place : end - 1]), glue.join(parts[place + 1 : end]))
            if any(not any(one.search(part) for part in within) for one in known):
                return pieces, whole
    return 0, ""
