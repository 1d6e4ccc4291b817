"""Who said so, in a few of the words of whoever wrote the record."""

import re

# What ends the first part of a source; none of these words is ours.
_PART = re.compile(r"; |\. |: | \(")
_COMMA = ", "
_MOST = 72


def told_in_brief(told_by: str) -> str:
    """Return how a source begins, with a sign where something was left out.

    ``account B; it gives no prompt`` is ``account B…``, ``the released wheels (absent in 0.5.8)`` is ``the
    released wheels…``. The words are those of the record: nothing here knows kinds of sources.
    """
    whole = told_by.rstrip(" .")
    brief = _PART.split(whole, maxsplit=1)[0]
    if len(brief) > _MOST:
        brief = brief.split(_COMMA, 1)[0]
    if len(brief) > _MOST:
        brief = brief[:_MOST].rsplit(" ", 1)[0]
    return brief if brief == whole else f"{brief}…"
