"""The patterns of log lines that mean the same to Python and to a browser: read into a tree. No I/O.

Python's ``re`` and JavaScript's ``RegExp`` share most of their signs, and differ in what they mean by some.
So a pattern may use only what both have, or what can be said in both: plain text, ``.``, sets, ``\\d``,
``\\w``, ``\\s`` and their opposites (ASCII only), ``\\b``, ``^``, ``$``, plain groups, alternatives and
repeats. All else is refused with what to write instead.
"""

from dataclasses import dataclass

#: A repeat is counted up to this number at most; a line is not searched any further.
MOST_TIMES = 2000
_DIGITS = frozenset("0123456789")
#: Signs after a backslash that both sides know and mean the same by, where Python is told ``re.ASCII``.
KINDS = frozenset("dDwWsS")


class PatternError(ValueError):
    """The pattern is outside of what Python and a browser share; the text says what to write instead."""


@dataclass(frozen=True)
class Char:
    """One plain character."""

    sign: str


@dataclass(frozen=True)
class AnyChar:
    """``.``: every character but the end of the line."""


@dataclass(frozen=True)
class KindOf:
    """``\\d``, ``\\W`` and the like, by their letter."""

    letter: str


@dataclass(frozen=True)
class Span:
    """``a-z`` in a set."""

    first: str
    last: str


@dataclass(frozen=True)
class CharSet:
    """``[…]`` or ``[^…]``."""

    negated: bool
    items: tuple[Char | KindOf | Span, ...]


@dataclass(frozen=True)
class Anchor:
    """``^``, ``$`` or ``\\b`` (its sign is ``b``)."""

    sign: str


@dataclass(frozen=True)
class Group:
    """A group; ``keeps`` what it found, where it is a plain one."""

    inside: "Alternatives"
    keeps: bool


@dataclass(frozen=True)
class Repeat:
    """An atom that comes ``least`` to ``most`` times; None: as often as one likes. ``lazy``: as few as do."""

    atom: "Char | AnyChar | KindOf | CharSet | Group"
    least: int
    most: int | None
    lazy: bool = False


Item = Char | AnyChar | KindOf | CharSet | Anchor | Group | Repeat


@dataclass(frozen=True)
class Alternatives:
    """One or several sequences, separated by ``|``."""

    sequences: tuple[tuple[Item, ...], ...]


def parse(text: str) -> Alternatives:
    """Return the tree of a pattern that Python's ``re`` accepts.

    Raises:
        PatternError: it uses what a browser does not know or means otherwise.
    """
    reader = _Reader(text)
    found = reader.alternatives()
    if reader.at < len(text):
        raise PatternError("it has a closing bracket too many")  # noqa: EM101
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def sign(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self) -> str:
        if self.at >= len(self.text):
            raise PatternError("it ends in the middle")  # noqa: EM101
        self.at += 1
        return self.text[self.at - 1]

    def alternatives(self) -> Alternatives:
        sequences = [self.sequence()]
        while self.sign() == "|":
            self.at += 1
            sequences.append(self.sequence())
        return Alternatives(tuple(sequences))

    def sequence(self) -> tuple[Item, ...]:
        items: list[Item] = []
        while self.sign() and self.sign() not in "|)":
            items.append(self.item())
        return tuple(items)

    def item(self) -> Item:
        atom = self.atom()
        times = self.times()
        if times is None:
            return atom
        if isinstance(atom, Anchor):
            raise PatternError("^, $ and \\b cannot be repeated")  # noqa: EM101
        least, most = times
        if max(least, most or 0) > MOST_TIMES:
            msg = f"a repeat counts to {MOST_TIMES} at most: that is all that is searched of a line"
            raise PatternError(msg)
        lazy = self.sign() == "?"
        if lazy:
            self.at += 1
        elif self.sign() == "+":
            raise PatternError("a browser knows no possessive repeat; leave out the second +")  # noqa: EM101
        return Repeat(atom, least, most, lazy)

    def atom(self) -> Char | AnyChar | KindOf | CharSet | Anchor | Group:
        sign = self.take()
        match sign:
            case "(":
                return self.group()
            case "[":
                return self.char_set()
            case ".":
                return AnyChar()
            case "^" | "$":
                return Anchor(sign)
            case "\\":
                return self.escaped()
            case _:
                return Char(sign)

    def escaped(self) -> Char | KindOf | Anchor:
        sign = self.take()
        if sign == "b":
            return Anchor("b")
        return self.shared(sign)

    def shared(self, sign: str) -> Char | KindOf:
        if sign in KINDS:
            return KindOf(sign)
        if sign == "t":
            return Char("\t")
        if sign.isalnum():
            msg = f"\\{sign} is not allowed in a pattern; use \\d \\w \\s \\b \\t or the sign itself"
            raise PatternError(msg)
        return Char(sign)

    def group(self) -> Group:
        keeps = True
        if self.text.startswith("?:", self.at):
            self.at += 2
            keeps = False
        elif self.sign() == "?":
            msg = "only plain groups are allowed in a pattern: (…) or (?:…), no flags and no looking around"
            raise PatternError(msg)
        inside = self.alternatives()
        if self.take() != ")":
            raise PatternError("a group is not closed")  # noqa: EM101
        return Group(inside, keeps)

    def char_set(self) -> CharSet:
        """Read a set such as ``[^'\\]]``; a ``]`` right at its beginning is one of its signs."""
        negated = self.sign() == "^"
        self.at += negated
        items: list[Char | KindOf | Span] = []
        while True:
            sign = self.take()
            if sign == "]" and items:
                return CharSet(negated, tuple(items))
            first = self.one_of(sign)
            if self.sign() != "-":
                items.append(first)
                continue
            self.at += 1
            sign = self.take()
            if sign == "]":
                return CharSet(negated, (*items, first, Char("-")))
            last = self.one_of(sign)
            if not isinstance(first, Char) or not isinstance(last, Char):
                raise PatternError("a range in a set goes from one sign to another")  # noqa: EM101
            items.append(Span(first.sign, last.sign))

    def one_of(self, sign: str) -> Char | KindOf:
        return self.shared(self.take()) if sign == "\\" else Char(sign)

    def times(self) -> tuple[int, int | None] | None:
        """Return how often the atom before is repeated, as Python reads it; None: nothing is said of it."""
        sign = self.sign()
        if sign in ("*", "+", "?") and sign:
            self.at += 1
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        if sign != "{" or self.text.startswith("{}", self.at):
            return None
        at = self.at + 1
        low, at = self.number(at)
        high = low
        if self.text.startswith(",", at):
            high, at = self.number(at + 1)
        if not self.text.startswith("}", at):
            return None
        self.at = at + 1
        return int(low or 0), int(high) if high else None

    def number(self, at: int) -> tuple[str, int]:
        begin = at
        while at < len(self.text) and self.text[at] in _DIGITS:
            at += 1
        return self.text[begin:at], at
