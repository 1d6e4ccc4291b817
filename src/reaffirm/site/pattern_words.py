"""A pattern of a log line in the form of a line, for people who read no regular expressions. Pure."""

from reaffirm.store.pattern_grammar import Alternatives, Anchor, Char, CharSet, Group, Item, Repeat, parse

_ANYTHING = "…"


def as_line(pattern: str) -> str:
    """Return what a line looks like that the pattern finds; ``…`` is what differs from line to line."""
    return _alternatives(parse(pattern)).strip()


def _alternatives(found: Alternatives) -> str:
    return " / ".join(_sequence(sequence) for sequence in found.sequences)


def _sequence(items: tuple[Item, ...]) -> str:
    text = "".join(map(_item, items))
    while _ANYTHING * 2 in text:
        text = text.replace(_ANYTHING * 2, _ANYTHING)
    return text


def _item(item: Item) -> str:
    match item:
        case Char(sign):
            return sign
        case Anchor():
            return ""
        case Group(inside, _):
            text = _alternatives(inside)
            return f"({text})" if len(inside.sequences) > 1 else text
        case CharSet(False, (Char(one), Char(other))) if one.lower() == other.lower():
            return other
        case Repeat(Char(sign), 0, 1):
            return f"({sign})"
        case Repeat(Group() as group, 0, 1):
            return f"({_item(group)})"
        case _:
            return _ANYTHING
