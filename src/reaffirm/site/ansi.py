"""What a program wrote to a terminal, as inert HTML: its colours become classes, its other tricks nothing.

Of the sequences that a terminal knows, only those that set colours, bold, italics and underlines are kept.
Colours of 256 and of 24 bits become the nearest of sixteen, which the style sheet gives enough contrast in
both schemes. A background brings its own colour of text, so that nothing can be written in the colour of the
paper; text that a terminal would hide is shown.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape as _entities

from reaffirm.site.text import plain

#: Of a longer line only the beginning is shown (characters).
WIDEST = 2000
_CUT = " [… the line is cut here; the notebook has it whole]"

_SGR = re.compile(r"(\x1b\[[0-9;:]*m)")
# Every other sequence: CSI, OSC and the like up to their ends, then single ones.
_OTHER = re.compile(
    r"\x1b\[(?![0-9;:]*m)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^-_]|\x1b(?!\[)"
)
# C1 controls, which some terminals take for sequences, and the mark that turns the direction of Arabic text.
_UNSEEN = re.compile("[\x80-\x9f\u061c\u200b\ufeff]")
_CUBE = (0, 95, 135, 175, 215, 255)
_BOLD, _ITALIC, _UNDERLINE, _INVERSE = 1, 3, 4, 7
_SWITCHES = {_BOLD: "rf-bold", _ITALIC: "rf-italic", _UNDERLINE: "rf-underline"}


@dataclass
class _Pen:
    """How the terminal writes: colours from 0 to 15, and what is switched on."""

    fore: int | None = None
    back: int | None = None
    on: set[int] = field(default_factory=set)

    def set(self, codes: Sequence[int]) -> None:
        """Follow one sequence ``ESC [ … m``."""
        at = 0
        while at < len(codes):
            code = codes[at]
            if code in (38, 48):
                colour, at = _extended(codes, at + 1)
                if colour is not None and code == 38:
                    self.fore = colour
                elif colour is not None:
                    self.back = colour
                continue
            self._one(code)
            at += 1

    def _one(self, code: int) -> None:
        match code:
            case 0:
                self.fore, self.back = None, None
                self.on.clear()
            case 1 | 3 | 4 | 7:
                self.on.add(code)
            case 21 | 22:
                self.on.discard(_BOLD)
            case 23 | 24 | 27:
                self.on.discard(code - 20)
            case 39:
                self.fore = None
            case 49:
                self.back = None
            case _ if 30 <= code <= 37:
                self.fore = code - 30
            case _ if 90 <= code <= 97:
                self.fore = code - 82
            case _ if 40 <= code <= 47:
                self.back = code - 40
            case _ if 100 <= code <= 107:
                self.back = code - 92

    def classes(self) -> str:
        """The classes of what is written now; empty for plain text."""
        back = self.back
        if _INVERSE in self.on:
            back = self.fore if self.fore is not None else 7
        words = [f"rf-on{back % 8}"] if back is not None else []
        if back is None and self.fore is not None:
            words.append(f"rf-ink{self.fore}")
        return " ".join([*words, *(name for code, name in _SWITCHES.items() if code in self.on)])


def _extended(codes: Sequence[int], at: int) -> tuple[int | None, int]:
    """Read ``5;N`` or ``2;R;G;B``; return the nearest of the sixteen colours and where to go on."""
    if at < len(codes) and codes[at] == 5:
        return (_of_256(codes[at + 1]) if at + 1 < len(codes) else None), at + 2
    if at < len(codes) and codes[at] == 2:
        return (_of_rgb(*codes[at + 1 : at + 4]) if at + 3 < len(codes) else None), at + 4
    return None, at + 1


def _of_256(number: int) -> int | None:
    if number < 16:
        return number
    if number < 232:
        cube = number - 16
        return _of_rgb(_CUBE[cube // 36], _CUBE[cube // 6 % 6], _CUBE[cube % 6])
    return _of_rgb(*[8 + 10 * (number - 232)] * 3) if number < 256 else None


def _of_rgb(red: int, green: int, blue: int) -> int:
    most, least = max(red, green, blue), min(red, green, blue)
    if most - least < 40:
        return next(colour for limit, colour in ((64, 0), (150, 8), (225, 7), (1 << 31, 15)) if most < limit)
    middle = (most + least) / 2
    bits = sum(bit for bit, value in ((1, red), (2, green), (4, blue)) if value > middle)
    return bits + (8 if most > 200 else 0)


def _escape(text: str) -> str:
    """Escape for the inside of an element; braces too, which template languages look for."""
    return _entities(text).replace("{", "&#123;").replace("}", "&#125;")


def html_lines(lines: Sequence[str]) -> list[str]:
    """Return lines as HTML without line breaks, each whole in itself: an element never spans two."""
    pen = _Pen()
    return [_line(line, pen) for line in lines]


def _line(raw: str, pen: _Pen) -> str:
    if "\x1b" not in raw and not pen.classes():
        return _escape(_cut(_clean(raw.rstrip("\r").rsplit("\r", 1)[-1])))
    line = _OTHER.sub("", raw).rstrip("\r")
    gone, _, shown = line.rpartition("\r")
    for sequence in _SGR.findall(gone):
        pen.set(_codes(sequence))
    return "".join(_pieces(shown, pen))


def _pieces(line: str, pen: _Pen) -> Iterator[str]:
    left = WIDEST
    for number, piece in enumerate(_SGR.split(line)):
        if (
            number % 2
        ):  # what the pattern holds; a sequence that was cut off is text, of which nothing is kept
            pen.set(_codes(piece))
            continue
        if left <= 0 or not (text := _clean(piece)):
            continue
        shown = _escape(text if len(text) <= left else f"{text[:left]}{_CUT}")
        left -= len(text)
        classes = pen.classes()
        yield f'<span class="{classes}">{shown}</span>' if classes else shown


def _codes(sequence: str) -> list[int]:
    words = re.split("[;:]", sequence[2:-1])[:32]
    return [int(word[:4]) if word else 0 for word in words]


def _clean(text: str) -> str:
    return _UNSEEN.sub("", plain(text))


def _cut(line: str) -> str:
    return line if len(line) <= WIDEST else f"{line[:WIDEST]}{_CUT}"
