"""A text as somebody would read it: without colour codes, without the line ends of a soft wrap.

A secret may be cut up by what is no part of it. A :class:`View` is the text without that, and knows
where each of its characters stands in the text.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reaffirm.redact.lazy import lazily

#: The ranges of one secret in a text: several where something that is no part of it cuts it up.
Places = list[tuple[int, int]]

# Terminal sequences as bytes and as JSON and repr write them, what HTML puts around a word to colour it,
# and characters that nobody sees.
_SEQUENCE = r"\x1b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)|[ -/]{0,2}[0-~])"
_WRITTEN = r"\\{1,16}(?:x1b|u001[bB]|033|e)\[[0-9;]{0,32}[A-Za-z]"
_TAG = r"<(?:/?(?:span|b|i|u|em|strong|font|mark|wbr)(?: [^<>\n]{0,200})?/?>)"
_SIGN = "[\u200b\u200c\u200d\u2060\ufeff\u00ad\x00\x08]"
_UNSEEN = lazily(f"{_SEQUENCE}|{_WRITTEN}|{_TAG}|{_SIGN}")
# A pattern that begins with one character is looked for much faster than one that begins with several.
_ONLY_SEQUENCES, _ONLY_TAGS, _INVISIBLE = lazily(_SEQUENCE), lazily(_TAG), lazily(_SIGN)
_COLOURS_WRITTEN = ("\\x1b[", "\\u001b[", "\\u001B[", "\\033[", "\\e[")
# A line end with what a table or a quotation puts around it, and a line end inside of JSON.
_BAR = r"(?:(?:[│┃|>]|\\{1,16}u250[23]|\\{1,16}xe2\\{1,16}x94\\{1,16}x8[23]) ?)?"
_WRAP = lazily(
    rf"\\{{0,15}}[\"'],(?:[ \n]|\\{{1,16}}n){{0,40}}\\{{0,15}}[\"']"  # two items of a list
    rf"|[ \t]{{0,8}}{_BAR}(?:\\?\r?\n|\\{{1,16}}r\\{{1,16}}n|\\{{1,16}}n|<br ?/?>)[ \t]{{0,40}}{_BAR}"
)
_ESCAPE = lazily(r"\\{1,16}(?:[nrt]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})")
_ESCAPE_OR_SIGN = lazily(r"\\{1,16}(?:[nrt]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})|[A-Za-z0-9]")
_NO_SIGN = {code: None for code in range(128) if not chr(code).isalnum()}
_WRAP_SIGNS = ("\n", "\\n", "<br", "', ", '", ', '","')


@dataclass(frozen=True)
class View:
    """``text`` is what remains; ``starts``: where its parts begin in it, ``origins``: where in the whole."""

    text: str
    starts: Sequence[int]
    origins: Sequence[int]

    def places(self, start: int, end: int) -> Places:
        """Where ``text[start:end]`` stands in the whole text."""
        found: Places = []
        part = bisect_right(self.starts, start) - 1
        while start < end:
            until = self.starts[part + 1] if part + 1 < len(self.starts) else len(self.text)
            stop = min(end, until)
            if stop > start:
                at = self.origins[part] + start - self.starts[part]
                found.append((at, at + stop - start))
            start, part = max(start, stop), part + 1
        return found


def view_of(text: str, kept: Iterable[tuple[int, int]]) -> View:
    """Return the view that consists of these ranges of the text."""
    parts: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    size = 0
    for start, end in kept:
        if end > start:
            parts.append(text[start:end])
            starts.append(size)
            origins.append(start)
            size += end - start
    return View("".join(parts), starts, origins)


def _without(text: str, pattern: re.Pattern[str]) -> View | None:
    kept: list[tuple[int, int]] = []
    at = 0
    for match in pattern.finditer(text):
        kept.append((at, match.start()))
        at = match.end()
    if not at:
        return None
    kept.append((at, len(text)))
    return view_of(text, kept)


def uncoloured(text: str) -> View | None:
    """Return the text without colours and unseen characters; ``None`` where there are none."""
    sequences = "\x1b" in text
    written = "\\" in text and any(map(text.__contains__, _COLOURS_WRITTEN))
    tags = "<" in text and ("</" in text or "<wbr" in text)
    signs = ("\x00" in text or "\x08" in text) if text.isascii() else _INVISIBLE.search(text) is not None
    kinds = sequences + written + tags + signs
    if not kinds:
        return None
    opened = "<" in text and (sequences or (signs and not text.isascii()))  # by a tag that nothing closes
    if kinds > 1 or written or opened:
        return _without(text, _UNSEEN)
    return _without(text, _ONLY_SEQUENCES if sequences else _ONLY_TAGS if tags else _INVISIBLE)


def unwrapped(text: str) -> View | None:
    """Return the text with its lines joined; ``None`` where it is of one line."""
    if not any(sign in text for sign in _WRAP_SIGNS):
        return None
    return _without(text, _WRAP)


def skeleton(text: str) -> str:
    """Return the letters and digits of a text: what no line end, quote or frame of a table changes."""
    if "\\" in text:
        text = _ESCAPE.sub(" ", text)
    return text.encode("ascii", "ignore").decode("ascii").translate(_NO_SIGN)


def places_in_skeleton(text: str, found: str) -> Iterator[Places]:
    """Where the letters and digits ``found`` stand in a text, without what only cuts them up."""
    where = [match.start() for match in _ESCAPE_OR_SIGN.finditer(text) if match[0][0] != "\\"]
    bare = skeleton(text)
    if len(bare) != len(where):
        return
    at = bare.find(found)
    while at >= 0:
        start, end = where[at], where[at + len(found) - 1] + 1
        if end - start <= 4 * len(found) + 200:
            view = _without(text[start:end], _WRAP)
            kept = [(0, end - start)] if view is None else view.places(0, len(view.text))
            yield [(a + start, b + start) for a, b in kept]
        at = bare.find(found, at + len(found))


def cut_out(text: str, secrets: Iterable[Places], mask: str) -> str:
    """Return the text with the mask where each secret begins, and nothing where it goes on.

    Secrets that overlap or touch become one.
    """
    pieces = sorted(
        (start, end, not number)
        for places in secrets
        for number, (start, end) in enumerate(places)
        if end > start
    )
    parts: list[str] = []
    at = masked_to = 0
    for start, end, first in pieces:
        if start > at or not parts:
            parts.append(text[at:start])
        elif start == at and masked_to < at:
            parts.append("")
        if first and (start > masked_to or not masked_to):
            parts.append(mask)
        if first or start <= masked_to:
            masked_to = max(masked_to, end)
        at = max(at, end)
    parts.append(text[at:])
    return "".join(parts)
