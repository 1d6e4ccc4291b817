"""A pattern of a log line as JavaScript writes it, meaning exactly what Python means by it. Pure.

What is written here is for ``new RegExp(text, "u")`` and for single lines, as Python reads the same pattern
with ``re.ASCII``. A line holds no end of a line, so ``^`` and ``$`` are its two ends on both sides.
"""

from collections.abc import Mapping

from reaffirm.store.pattern_grammar import (
    Alternatives,
    Anchor,
    AnyChar,
    Char,
    CharSet,
    Group,
    Item,
    KindOf,
    Repeat,
    Span,
    parse,
)

_SYNTAX = frozenset("^$\\.*+?()[]{}|/-")
_LAST = "\\u{10ffff}"
# What stands between the brackets of a set. Python's \s knows six signs there, JavaScript's all of Unicode's.
_KINDS: Mapping[str, str] = {
    "d": "0-9",
    "D": f"\\u{{0}}-\\u{{2f}}\\u{{3a}}-{_LAST}",
    "w": "A-Za-z0-9_",
    "W": f"\\u{{0}}-\\u{{2f}}\\u{{3a}}-\\u{{40}}\\u{{5b}}-\\u{{5e}}\\u{{60}}\\u{{7b}}-{_LAST}",
    "s": "\\u{9}-\\u{d}\\u{20}",
    "S": f"\\u{{0}}-\\u{{8}}\\u{{e}}-\\u{{1f}}\\u{{21}}-{_LAST}",
}


def browser_pattern(text: str) -> str:
    """Return the source of the same pattern in JavaScript.

    Raises:
        PatternError: it is outside of what both share.
    """
    return _alternatives(parse(text))


def _alternatives(found: Alternatives) -> str:
    return "|".join("".join(map(_item, sequence)) for sequence in found.sequences)


def _item(item: Item) -> str:
    match item:
        case Char(sign):
            return _char(sign)
        case AnyChar():
            return "[^\\n]"  # a browser's dot also stops at \r and at two signs of Unicode
        case KindOf(letter):
            return f"[{_KINDS[letter]}]"
        case CharSet(negated, items):
            return f"[{'^' if negated else ''}{''.join(map(_one_of, items))}]"
        case Anchor(sign):
            return "\\b" if sign == "b" else sign
        case Group(inside, keeps):
            return f"({'' if keeps else '?:'}{_alternatives(inside)})"
        case Repeat(atom, least, most, lazy):
            return _item(atom) + _times(least, most) + ("?" if lazy else "")


def _times(least: int, most: int | None) -> str:
    if least == most:
        return f"{{{least}}}"
    return f"{{{least},{'' if most is None else most}}}"


def _one_of(item: Char | KindOf | Span) -> str:
    match item:
        case Char(sign):
            return _char(sign)
        case KindOf(letter):
            return _KINDS[letter]
        case Span(first, last):
            return f"{_char(first)}-{_char(last)}"


def _char(sign: str) -> str:
    if sign in _SYNTAX or not sign.isprintable() or not sign.isascii():
        return f"\\u{{{ord(sign):x}}}"
    return sign
