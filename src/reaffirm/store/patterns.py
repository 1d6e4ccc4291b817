"""Reads a pattern of a failure page, and refuses one that could take for ever on some line. No I/O.

Python's regular expressions try every way to divide a text among repeats. Two signs make that explode: a
repeat inside of a repeat, and several long repeats in a row. Neither is needed to recognise a log line, so
both are refused when the page is read, with what to write instead.
"""

import re

from reaffirm.lazy_dataclass import dataclass
from reaffirm.model.failure import LINE_LIMIT, LinePattern

#: Ways to divide a line among the repeats of one pattern, at most, from one place in the line.
_MOST_WAYS = 50_000
_REPEAT = re.compile(r"\*|\+|\?|\{(\d*)(,?)(\d*)\}")
_LONGEST = 500


@dataclass
class _Part:
    """What was read so far: ways to match, whether something repeats, and the longest plain text."""

    ways: int = 1
    repeats: bool = False
    literal: str = ""


def read_pattern(text: str) -> LinePattern:
    """Return the pattern, compiled once.

    Raises:
        ValueError: it is no regular expression, matches everything, or could take too long.
    """
    if not text.strip():
        raise ValueError("a pattern must not be empty")  # noqa: EM101
    if len(text) > _LONGEST:
        msg = f"a pattern of {len(text)} characters is too long ({_LONGEST} at most)"
        raise ValueError(msg)
    try:
        regex = re.compile(text)
    except re.error as error:
        msg = f"not a regular expression: {error}"
        raise ValueError(msg) from None
    if regex.search("") is not None:
        raise ValueError("it matches an empty line, and so every line")  # noqa: EM101
    part = _Reader(text).alternatives()
    if part.ways > _MOST_WAYS:
        msg = (
            "several long repeats in one pattern; write \\d{1,5} in place of \\d+, or make two patterns of it"
        )
        raise ValueError(msg)
    return LinePattern(text, regex, part.literal)


class _Reader:
    """Walks over a pattern that ``re`` has accepted already."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def alternatives(self) -> _Part:
        """Read up to the closing bracket or the end: one of several sequences."""
        parts = [self._sequence()]
        while self.at < len(self.text) and self.text[self.at] == "|":
            self.at += 1
            parts.append(self._sequence())
        if len(parts) == 1:
            return parts[0]
        # Only what all alternatives share must stand in a line, so nothing is said of it.
        return _Part(sum(part.ways for part in parts), any(part.repeats for part in parts))

    def _sequence(self) -> _Part:
        whole, run = _Part(), ""
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            atom, plain = self._atom()
            least, most = self._times()
            if most > 1 and atom.repeats:
                msg = "a repeat inside of a repeat can take for ever; write the inner part without one"
                raise ValueError(msg)
            span = most - least + 1
            whole.ways *= max(span, 1) * (atom.ways if atom.ways > 1 else 1)
            whole.repeats |= atom.repeats or span > 1
            if plain and (least, most) == (1, 1):
                run += plain
                continue
            whole.literal = max(whole.literal, run, key=len)
            run = ""
            if least >= 1:
                whole.literal = max(whole.literal, plain or atom.literal, key=len)
        whole.literal = max(whole.literal, run, key=len)
        return whole

    def _atom(self) -> tuple[_Part, str]:
        """Return one atom, and its character where it is a plain one."""
        sign = self.text[self.at]
        if sign == "(":
            return self._group(), ""
        if sign == "[":
            self._set()
            return _Part(), ""
        self.at += 1
        if sign == "\\":
            sign = self.text[self.at]
            self.at += 1
            if sign.isalnum() and sign not in "dDwWsSbBt":
                msg = f"\\{sign} is not allowed in a pattern; use \\d \\w \\s \\b \\t or the sign itself"
                raise ValueError(msg)
            return _Part(), "" if sign.isalnum() else sign
        return _Part(), "" if sign in ".^$" else sign

    def _group(self) -> _Part:
        if self.text.startswith("(?:", self.at):
            self.at += 3
        elif self.text.startswith("(?", self.at):
            msg = "only plain groups are allowed in a pattern: (…) or (?:…), no flags and no looking around"
            raise ValueError(msg)
        else:
            self.at += 1
        part = self.alternatives()
        self.at += 1
        return part

    def _set(self) -> None:
        """Skip a set such as ``[^'\\]]``; a ``]`` right at its beginning is one of its signs."""
        self.at += 1
        if self.text[self.at] == "^":
            self.at += 1
        first = True
        while first or self.text[self.at] != "]":
            self.at += 2 if self.text[self.at] == "\\" else 1
            first = False
        self.at += 1

    def _times(self) -> tuple[int, int]:
        """Return how often the atom before is repeated, at least and at most."""
        found = _REPEAT.match(self.text, self.at)
        if found is None or found[0] in ("{}", "{,}"):
            return 1, 1
        self.at = found.end()
        if self.at < len(self.text) and self.text[self.at] in "?+":
            self.at += 1
        match found[0]:
            case "*":
                return 0, LINE_LIMIT
            case "+":
                return 1, LINE_LIMIT
            case "?":
                return 0, 1
        least = int(found[1] or 0)
        if not found[2]:
            return least, least
        return least, int(found[3]) if found[3] else LINE_LIMIT
