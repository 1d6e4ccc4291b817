"""Reads a pattern of a failure page, and refuses one that could take for ever on some line. No I/O.

Regular expressions of Python and of browsers try every way to divide a text among repeats. Two signs make
that explode: a repeat of something that can itself be read in several ways, and several long repeats in a
row. Neither is needed to recognise a log line, so both are refused when the page is read, with what to write
instead.
"""

import re
import warnings
from dataclasses import dataclass

from reaffirm.model.failure import LINE_LIMIT, LinePattern
from reaffirm.store.pattern_grammar import Alternatives, Char, Group, Item, PatternError, Repeat, parse

#: Ways to divide a line among the repeats of one pattern, at most, from one place in the line.
_MOST_WAYS = 15_000
_LONGEST = 500


@dataclass
class _Part:
    """What was read so far: ways to match, whether something repeats, and the longest plain text."""

    ways: int = 1
    repeats: bool = False
    literal: str = ""


def read_pattern(text: str) -> LinePattern:
    """Return the pattern, compiled once; ``\\d``, ``\\w``, ``\\s`` and ``\\b`` know ASCII only.

    Raises:
        PatternError: it is no regular expression, matches everything, could take too long, or would mean
            something else in a browser.
    """
    if not text.strip():
        raise PatternError("a pattern must not be empty")  # noqa: EM101
    if len(text) > _LONGEST:
        msg = f"a pattern of {len(text)} characters is too long ({_LONGEST} at most)"
        raise PatternError(msg)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            regex = re.compile(text, re.ASCII)
    except (re.error, OverflowError) as error:
        msg = f"not a regular expression: {error}"
        raise PatternError(msg) from None
    except FutureWarning as warning:
        msg = f"a sign in a set may change its meaning ({warning}); write it with \\ before it"
        raise PatternError(msg) from None
    part = _alternatives(parse(text))
    if regex.search("") is not None:
        raise PatternError("it matches an empty line, and so every line")  # noqa: EM101
    if part.ways > _MOST_WAYS:
        msg = (
            "several long repeats in one pattern; write \\d{1,5} in place of \\d+, or make two patterns of it"
        )
        raise PatternError(msg)
    return LinePattern(text, regex, part.literal)


def _alternatives(found: Alternatives) -> _Part:
    parts = [_sequence(one) for one in found.sequences]
    if len(parts) == 1:
        return parts[0]
    # Only what all alternatives share must stand in a line, so nothing is said of it.
    return _Part(sum(part.ways for part in parts), any(part.repeats for part in parts))


def _sequence(items: tuple[Item, ...]) -> _Part:
    whole, run = _Part(), ""
    for item in items:
        atom, least, most = (
            (item.atom, item.least, LINE_LIMIT if item.most is None else item.most)
            if isinstance(item, Repeat)
            else (item, 1, 1)
        )
        part = _alternatives(atom.inside) if isinstance(atom, Group) else _Part()
        if most > 1 and part.repeats:
            msg = "a repeat inside of a repeat can take for ever; write the inner part without one"
            raise PatternError(msg)
        if most > 1 and part.ways > 1:
            msg = "alternatives inside of a repeat can take for ever; write a set such as [ab] for (a|b)"
            raise PatternError(msg)
        span = most - least + 1
        whole.ways *= max(span, 1) * part.ways
        whole.repeats |= part.repeats or span > 1
        plain = atom.sign if isinstance(atom, Char) else ""
        if plain and (least, most) == (1, 1):
            run += plain
            continue
        whole.literal = max(whole.literal, run, key=len)
        run = ""
        if least >= 1:
            whole.literal = max(whole.literal, plain or part.literal, key=len)
    whole.literal = max(whole.literal, run, key=len)
    return whole
