"""Reads the value that begins at some place of a text: quoted in any way, or plain."""

import re
from typing import NamedTuple

from reaffirm.redact.lazy import lazily

#: A longer value is cut here; the rest of it is looked at again (characters).
LONGEST = 16_384

_OPEN = lazily(
    r"[bBrRuUfF]{0,2}\$?(?P<quote>\"\"\"|'''|(?:\\{15}|\\{7}|\\{3}|\\)?[\"']|&quot;|&#39;|&#x27;|&#34;|`)"
)
# Plain text ends at a blank, a quote, a tag, or where the next pair begins.
_PLAIN = lazily(
    r"(?:\\(?![nrt\"']|\r?\n).|[^\s\"'`<>,;&\\]|<(?![/A-Za-z!])|>|[,;&](?![\s\"'\\}\])]|[\w.-]{0,40}[=:]|\Z|amp;|quot;|#))+"
)
# A line end as JSON and repr write it; a backslash before an n has two of them there.
_NEWLINE = lazily(r"(?<!\\)(?:\\{8}|\\{4}|\\{1,2})[nr](?![a-z]{3})")
_NOT_A_VALUE = "[({"
# A text that is empty, in a line of code that is in quotes itself: "api_key: str = \\"\\"  # none yet\\n".
_EMPTY = lazily(r"(?P<quote>\\{0,15}[\"'])(?P=quote)(?=[ \t]{0,40}(?:#|\\{1,15}[nr]|[\"'\n]|\Z))")


class Value(NamedTuple):
    """``text`` is what stands from ``start`` to ``end``; for the end of its line see :func:`line_end`.

    ``quoted`` says that its end is sure, ``bare`` that it has no quotes of its own: then it may be code.
    """

    start: int
    end: int
    text: str
    quoted: bool
    bare: bool = True


def read_value(
    text: str, at: int, quote: str, *, whole_line: bool = False, most: int = LONGEST
) -> Value | None:
    """Return the value at this place; ``None`` where there is none, or a list or table begins.

    ``quote`` is one that was opened before the name: the value then ends with it. ``whole_line`` says that
    an unquoted value goes to the end of its line, as in what ``env`` prints. A plain value is read no further
    than ``most`` characters.
    """
    if at >= len(text) or text[at] in "\r\n" or _NEWLINE.match(text, at):
        return None
    if quote and text.startswith(quote, at):
        return None
    if quote and _EMPTY.match(text, at):
        return None
    if quote and (end := _shell_end(text, _closing(text, at, quote), quote)) is not None:
        newline = _NEWLINE.search(text, at, end)
        end = newline.start() if newline else end
        return _value(text, at, end, quoted=True) if end > at else None
    if opened := _OPEN.match(text, at):
        return None if _closes(text, opened) else _quoted(text, opened)
    if text[at] in _NOT_A_VALUE and not whole_line:
        return None
    if whole_line:
        end = _line_end(text, at)
        return _value(text, at, end, quoted=True) if end > at else None
    return _plain(text, at, most)


def line_end(text: str, value: Value) -> int:
    """Where the line of a value ends, or its quotation."""
    return value.end if value.quoted else max(value.end, _line_end(text, value.start))


def _value(text: str, start: int, end: int, *, quoted: bool) -> Value:
    return Value(start, end, text[start:end], quoted)


def _plain(text: str, at: int, most: int) -> Value | None:
    match = _PLAIN.match(text, at, at + most)
    if match is None:
        return None
    end = match.end()
    value = text[at:end]
    for opening, closing in ("()", "[]", "{}"):  # print(password=abc), and {password: abc}
        while value.endswith(closing) and value.count(closing) > value.count(opening):
            end -= 1
            value = text[at:end]
    while len(value) > 1 and value[-1] in ".!?:" and (end >= len(text) or text[end].isspace()):
        end -= 1
        value = text[at:end]
    return _value(text, at, end, quoted=False) if value else None


def _line_end(text: str, at: int) -> int:
    """Where the line ends, or the quotation that this line is a part of."""
    stop = min(at + LONGEST, len(text))
    end = text.find("\n", at, stop)
    end = stop if end < 0 else end
    for sign in ('"', "'", "\\n", "\\r", "</"):
        found = text.find(sign, at, end)
        end = end if found < 0 else found
    while end > at and text[end - 1] in "\r\\":
        end -= 1
    return end


def _closing(text: str, at: int, quote: str) -> int | None:
    """Where the quotation ends that ``quote`` began; one with more backslashes before it is inside of it."""
    depth = len(quote) - len(quote.lstrip("\\"))
    plain = quote.lstrip("\\")
    stop = min(at + LONGEST, len(text))
    where = at
    while (found := text.find(plain, where, stop)) >= 0:
        slashes = 0
        while found - slashes > at and text[found - slashes - 1] == "\\":
            slashes += 1
        if slashes % (2 * (depth + 1)) == depth:  # a backslash in the text is two of them, or four
            return found - depth
        where = found + len(plain)
    return None


def _closes(text: str, opened: re.Match[str]) -> bool:
    """Whether a quote in front of a value ends a quotation that began before: ``["-e TOKEN=", 1]``."""
    quote, after = opened["quote"], text[opened.end() : opened.end() + 1]
    if quote.lstrip("\\") not in ("'", '"'):
        return False
    return after in ("", ",", ")", "]", "}", "\n", ";")


def _shell_end(text: str, end: int | None, quote: str) -> int | None:
    """The end of a shell's word that goes on after its quotes: ``'it'\\''s'``."""
    while end is not None and quote == "'" and text.startswith("'\\''", end):
        more = _closing(text, end + 4, "'")
        if more is None:
            break
        end = more
    return end


def _quoted(text: str, opened: re.Match[str]) -> Value | None:
    quote, start = opened["quote"], opened.end()
    end = _closing(text, start, quote)
    if end is None:
        end = _line_end(text, start)
        if end <= start:
            return None
        return _value(text, start, end, quoted=True)._replace(bare=False)
    if end == start:
        return None
    end = _shell_end(text, end, quote) or end
    return _value(text, start, end, quoted=True)._replace(bare=False)
