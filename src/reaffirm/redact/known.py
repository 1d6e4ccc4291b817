"""Secrets that this process knows by value, and what else it was told: names of variables, patterns.

Values live in memory only. They come from parameters with a secret's name or mark, and from variables
of the environment. Every function of this package masks them, in each form in which a text may hold them.
"""

import base64
import html
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from reaffirm.redact.names import is_secret_name, name_words
from reaffirm.redact.views import skeleton

#: Replaces a secret in text.
MASK = "[redacted]"
#: A shorter value is no secret that could be told from an ordinary word (characters).
SHORTEST = 6
# A value found under a secret's name in the environment was not given to us: "postgres" is a word, too.
_SHORTEST_FOUND = 8
_LONGEST = 100_000
_BARE = 10


@dataclass(frozen=True)
class Known:
    """What is known. Each has a ``version`` of its own, for those who keep what they have masked."""

    values: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    patterns: tuple[re.Pattern[str], ...] = ()
    version: int = 0


_known = Known()
_versions = count(1)
_listeners: list[Callable[[Known], None]] = []


def known() -> Known:
    """Return what this process knows now."""
    return _known


def remember(values: Iterable[str]) -> None:
    """Mask these values from now on, wherever this process writes.

    They are kept in memory and nowhere else. Values of less than 6 characters are not kept.
    """
    new = {value.strip("\r\n") for value in values if len(value) <= _LONGEST}
    more = {value for value in new if len(value.strip()) >= SHORTEST and value not in MASK} - set(
        _known.values
    )
    if more:
        ordered = tuple(sorted({*_known.values, *more}, key=lambda value: (-len(value), value)))
        _learn(Known(ordered, _known.names, _known.patterns, next(_versions)))


def mark(names: Iterable[str] = (), patterns: Iterable[str] = ()) -> None:
    """Take variables of these names for secret from now on, and what these patterns match.

    Raises:
        re.error: a pattern is no regular expression.
    """
    all_names = _known.names | {name.casefold() for name in names}
    there = {pattern.pattern for pattern in _known.patterns}
    all_patterns = (*_known.patterns, *(re.compile(p) for p in dict.fromkeys(patterns) if p not in there))
    if all_names != _known.names or len(all_patterns) != len(_known.patterns):
        _learn(Known(_known.values, all_names, all_patterns, next(_versions)))


def on_learning(listener: Callable[[Known], None]) -> None:
    """Call ``listener`` whenever more becomes known: the process that writes may be another than this one."""
    _listeners.append(listener)


def _learn(more: Known) -> None:
    global _known
    _known = more
    for listener in _listeners:
        listener(more)


@contextmanager
def remembering(values: Iterable[str] = (), names: Iterable[str] = ()) -> Iterator[None]:
    """Know these values and names within the block; what was learnt in it is forgotten after it."""
    global _known
    before = _known
    try:
        remember(values)
        mark(names)
        yield
    finally:
        _known = before


def is_secret(name: str) -> bool:
    """Whether a value under this name is secret: by what the name says, or because it was marked."""
    return name.casefold() in _known.names or is_secret_name(name)


def secrets_in(variables: Mapping[str, object]) -> Iterator[str]:
    """The values that stand under a secret's name; words such as ``changeme`` do not count."""
    for name, value in variables.items():
        if not isinstance(value, str) or not isinstance(name, str) or not is_secret(name):
            continue
        marked = name.casefold() in _known.names
        if (len(value) >= SHORTEST and marked) or (len(value) >= _SHORTEST_FOUND and not _is_word(value)):
            yield value


def _is_word(value: str) -> bool:
    """Whether a value is an ordinary word, a path or a number."""
    plain = value.strip()
    return plain.isalpha() and (plain.islower() or plain.isupper() or plain.istitle()) and len(plain) < 20


@lru_cache(maxsize=512)
def forms_of(value: str) -> tuple[str, ...]:
    """The forms in which a text may hold a value: as it is, escaped, quoted, encoded."""
    found = {value}
    if not value.isalnum():
        escaped = json.dumps(value)[1:-1]
        found |= {escaped, json.dumps(value, ensure_ascii=False)[1:-1], json.dumps(escaped)[1:-1]}
        found |= {repr(value)[1:-1], ascii(value)[1:-1], repr(repr(value)[1:-1])[1:-1]}
        found |= {repr(value.encode())[2:-1], value.replace("'", "\\'"), value.replace('"', '\\"')}
        for text in (value, escaped, repr(value)[1:-1]):
            page = html.escape(text)
            found |= {page, html.escape(text, quote=False), page.replace("&#x27;", "&#39;")}
            found |= {page.replace("&quot;", "&#34;"), page.replace("&#x27;", "&apos;")}
        for safe in ("", "/", "!'()*~", "!$&'()*+,;=:"):
            found |= {quote(value, safe=safe), quote(quote(value, safe=safe), safe="")}
        found |= {quote_plus(value), re.sub("%[0-9A-F]{2}", lambda m: m[0].lower(), quote(value, safe=""))}
        found |= {shlex.quote(value), re.sub(r"([^\w@%+=:,./-])", r"\\\1", value, flags=re.ASCII)}
        found.add(value.replace("'", "'\\''"))
    found.update(_encoded(value.encode("utf-8", "surrogatepass")))
    return tuple(sorted((form for form in found if len(form) >= SHORTEST), key=lambda f: (-len(f), f)))


def _encoded(data: bytes) -> Iterator[str]:
    """Base64 with the value at any place of what was encoded, and hexadecimal."""
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + data).decode()
        # the first characters also hold bits of what stands before, the last ones of what comes after
        first = (0, 2, 3)[shift]
        whole = len(data) + shift
        last = len(coded.rstrip("=")) - (1 if whole % 3 else 0)
        middle = coded[first:last]
        if len(middle) >= 8:
            yield middle
            yield middle.replace("+", "-").replace("/", "_")
    if len(data) >= 8:
        yield data.hex()
        yield data.hex().upper()


@lru_cache(maxsize=64)
def all_forms(values: Sequence[str]) -> tuple[str, ...]:
    """The forms of all values, longest first: the form of one may hold that of another."""
    found = {form for value in values for form in forms_of(value)}
    return tuple(sorted(found, key=lambda form: (-len(form), form)))


class Secret(NamedTuple):
    """How a value is looked for: its longest word, its pattern however escaped, its encoded forms.

    ``bare`` are its letters and digits, by which it is known where it is cut up; empty where they are few.
    """

    word: str
    bare: str
    pattern: re.Pattern[str]
    coded: tuple[str, ...]


@lru_cache(maxsize=64)
def secrets_by_word(values: Sequence[str]) -> tuple[Secret, ...]:
    """Return for each value how it is looked for.

    JSON inside of JSON inside of a repr has a form that nobody lists; but no format escapes a word of letters
    and digits. Where that is not in a text, nothing else of the value is, unless it was encoded as a whole.
    """
    found = []
    for value in values:
        word = max(_RUN.findall(value), key=len, default="")
        coded = tuple(dict.fromkeys(_encoded(value.encode("utf-8", "surrogatepass"))))
        bare = skeleton(value)
        found.append(
            Secret(word, bare if len(bare) >= _BARE else "", re.compile("".join(map(_escaped, value))), coded)
        )
    return tuple(found)


_RUN = re.compile(r"[A-Za-z0-9]+")


_NAMED = {" ": (r"\+",), "'": ("&apos;",), '"': ("&quot;",), "&": ("&amp;",), "<": ("&lt;",), ">": ("&gt;",)}


@lru_cache(maxsize=4096)
def _escaped(sign: str) -> str:
    """A pattern of one character, as it is or escaped in any of the usual ways and as often as one likes."""
    if sign.isascii() and sign.isalnum():
        return sign
    ways = [rf"\\{{0,64}}{re.escape(sign)}" if sign != "\\" else r"\\{1,64}"]
    # %20, %2520; the letters of a percent-encoding are large or small
    coded = "".join(f"%(?:25){{0,3}}(?i:{byte:02x})" for byte in sign.encode("utf-8", "surrogatepass"))
    ways += [coded, rf"&#0{{0,4}}{ord(sign)};", rf"&#[xX]0{{0,4}}(?i:{ord(sign):x});"]
    ways += [rf"\\{{1,64}}[xu](?:00){{0,3}}(?i:{ord(sign):02x})" if ord(sign) < 256 else ""]
    if not sign.isascii():
        ways.append("".join(rf"\\{{1,64}}x{byte:02x}" for byte in sign.encode("utf-8", "surrogatepass")))
        ways.append(rf"\\{{1,64}}u(?i:{ord(sign):04x})")
    if sign == "'":  # as shells escape it, and that escaped once more
        some = r"\\{0,64}"
        ways += [f"{some}'{some}'{some}'", f"{some}'{some}\"{some}'{some}\"{some}'"]
    ways += _NAMED.get(sign, ())
    # a blank may have gone where a line was wrapped
    return f"(?:{'|'.join(way for way in ways if way)}){'?' if sign == ' ' else ''}"


@lru_cache(maxsize=1)
def mask_forms() -> tuple[str, ...]:
    """What encoding makes of the mask itself: a replay encodes the mask where the run encoded the secret."""
    return ("%5Bredacted%5D", "%5bredacted%5d", "%255Bredacted%255D")


__all__ = [
    "MASK",
    "Known",
    "all_forms",
    "forms_of",
    "is_secret",
    "known",
    "mark",
    "mask_forms",
    "name_words",
    "on_learning",
    "remember",
    "remembering",
    "secrets_by_word",
    "secrets_in",
]
