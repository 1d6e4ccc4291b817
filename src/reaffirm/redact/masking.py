"""Takes secrets out of text before anything is written."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain

from reaffirm.redact.assignments import find_assigned
from reaffirm.redact.commands import find_in_commands, secret_words
from reaffirm.redact.found import Found
from reaffirm.redact.keys import find_keys
from reaffirm.redact.known import MASK, is_secret, known, mask_forms, secrets_by_word
from reaffirm.redact.lazy import lazily
from reaffirm.redact.present import words_in
from reaffirm.redact.tokens import WRAPPABLE, find_tokens, find_wrapped_tokens
from reaffirm.redact.urls import find_in_urls
from reaffirm.redact.views import Places, cut_out, places_in_skeleton, skeleton, uncoloured, unwrapped

# Masking one secret may show another for what it is; two passes are enough for all that was seen.
_PASSES = 4
_SHORT = 256
#: Characters of a text whose secrets are looked for once, however often it comes.
_REMEMBERED = 16_384


def redact(text: str) -> str:
    """Return ``text`` with tokens, keys, passwords and credentials replaced by ``[redacted]``.

    Redacting twice changes nothing: ``redact(redact(x)) == redact(x)``.
    """
    return _short(text, known().version) if len(text) <= _SHORT else _redact(text)


@lru_cache(maxsize=8192)
def _short(text: str, _version: int) -> str:
    """A run says the same short words over and over."""
    return _redact(text)


def _redact(text: str) -> str:
    if _is_plain(text):
        return text
    for _ in range(_PASSES):
        secrets = secrets_of(text)
        if not secrets:
            return text
        masked = cut_out(text, secrets, MASK)
        if masked == text:
            break
        text = masked
    return text


def find(text: str) -> Iterator[Found]:
    """Find the secrets that stand in a text as it is, without a look below colours and wraps."""
    low = _small(text)
    there = words_in(low)
    yield from _find_known(text, there)
    if "private" in there:
        yield from find_keys(text)
    if there:
        yield from find_tokens(text, there)
    if "=" in text or "@" in text or "%3a" in there:
        yield from find_in_urls(text, low)
    yield from find_assigned(text, low, there)
    if there:
        yield from find_in_commands(text, low, there)
    for pattern in known().patterns:
        for match in pattern.finditer(text):
            start, end = match.span(1 if pattern.groups else 0)
            if end > start and MASK not in text[start:end]:
                yield Found(start, end, "marked-pattern")


def secrets_of(text: str) -> list[Places]:
    """Return where secrets stand in a text, also those that colours or line ends cut up."""
    return list(_remembered(text, known().version)) if len(text) <= _REMEMBERED else _secrets_of(text)


@lru_cache(maxsize=512)
def _remembered(text: str, _version: int) -> tuple[Places, ...]:
    """A program is sent to every node, and two nodes answer the same."""
    return tuple(_secrets_of(text))


_SIGNS = lazily(r"[=@<\\\n\x1b\x00\x08]")


def _is_plain(text: str) -> bool:
    """Whether there is nothing to look for: so are most of the short texts of a run, and a glance tells."""
    now = known()
    if now.values or now.names or now.patterns or not text.isascii() or _SIGNS.search(text):
        return False
    return not words_in(text.lower())


def _secrets_of(text: str) -> list[Places]:
    return [*([(one.start, one.end)] for one in find(text)), *hidden(text)]


def hidden(text: str) -> list[Places]:
    """Return where secrets stand that :func:`find` may not see: colours or line ends cut them up."""
    secrets: list[Places] = []
    plain = uncoloured(text)
    if plain is not None:
        secrets += [plain.places(one.start, one.end) for one in find(plain.text)]
    shown = text if plain is None else plain.text
    for places in [*_wrapped_known(shown), *_wrapped_tokens(shown)]:
        if plain is not None:
            places = [part for start, end in places for part in plain.places(start, end)]
        secrets.append(places)
    return secrets


def _wrapped_known(text: str) -> Iterator[Places]:
    """Known values that line ends cut up, or the quotes between two items of a list."""
    secrets = [secret for secret in secrets_by_word(known().values) if secret.bare]
    if not secrets:
        return
    bare = skeleton(text)
    for secret in secrets:
        if secret.bare in bare:
            yield from places_in_skeleton(text, secret.bare)


def _wrapped_tokens(text: str) -> Iterator[Places]:
    """Tokens of a fixed length that a line end cuts up."""
    if "\n" not in text and "\\" not in text:
        return
    for match in chain.from_iterable(pattern.finditer(text) for pattern in WRAPPABLE):
        start, end = max(0, match.start() - 16), min(len(text), match.end() + 300)
        joined = unwrapped(text[start:end])
        if joined is not None:
            for one in find_wrapped_tokens(joined.text):
                yield [(a + start, b + start) for a, b in joined.places(one.start, one.end)]


def _find_known(text: str, there: Mapping[str, Sequence[int]]) -> Iterator[Found]:
    for secret in secrets_by_word(known().values):
        if secret.word in text:
            for match in secret.pattern.finditer(text):
                yield Found(match.start(), match.end(), "known-secret")
        for form in secret.coded:
            at = text.find(form)
            while at >= 0:
                yield Found(at, at + len(form), "known-secret")
                at = text.find(form, at + len(form))
    if "edacted%" in there:
        for form in mask_forms():
            at = text.find(form)
            while at >= 0:
                yield Found(at, at + len(form), "mask")
                at = text.find(form, at + len(form))


def _small(text: str) -> str:
    """The text in small letters, each character at its place."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join([small if len(small := sign.lower()) == 1 else sign for sign in text])


def redact_words(argv: Sequence[str]) -> list[str]:
    """Return the words of a command without secrets, also where a secret is a word of its own."""
    return list(_redact_words(tuple(argv), known().version))


@lru_cache(maxsize=512)
def _redact_words(argv: tuple[str, ...], _version: int) -> tuple[str, ...]:
    secret = secret_words(argv)
    words: list[str] = []
    for at, word in enumerate(argv):
        start, end = secret.get(at, (0, 0))
        words.append(f"{word[:start]}{MASK}{word[end:]}" if end > start else word)
    # one secret may lie over several words: the lines of a key, the halves of a value
    pieces = [piece for word in words for piece in (word, "\n")]
    # the mask stands in a word, and not between two of them
    between = set(accumulate((len(word) + 1 for word in words), initial=-1))
    secrets = [[(s + (s in between), e) for s, e in places] for places in secrets_of("".join(pieces))]
    return tuple(redact_pieces(pieces, secrets)[::2])


def redact_pieces(pieces: Sequence[str], secrets: Sequence[Places]) -> list[str]:
    """Return the pieces of one text without these secrets of it; each keeps what is its own."""
    if not secrets:
        return list(pieces)
    masked: list[str] = []
    at = 0
    for piece in pieces:
        end = at + len(piece)
        begun: list[Places] = []
        taken: list[tuple[int, int]] = []
        for places in secrets:
            kept = [(max(s, at) - at, min(e, end) - at) for s, e in places if s < end and e > at]
            if kept and places[0][0] >= at:
                begun.append(kept)
            else:
                taken += kept  # the mask is where it began
        masked.append(_cut_piece(piece, begun, taken))
        at = end
    return masked


def _cut_piece(piece: str, begun: list[Places], taken: Places) -> str:
    if not taken:
        return cut_out(piece, begun, MASK) if begun else piece
    gone = {at for start, end in taken for at in range(start, end)}
    sign = "\ue000"  # stands for what is taken out while the rest is masked
    held = "".join(sign if at in gone else char for at, char in enumerate(piece))
    return cut_out(held, begun, MASK).replace(sign, "")


_SECRET_HEADER = lazily(
    r"(?:proxy-|x-)?authorization\Z|(?:set-)?cookie2?\Z|.*(?:token|secret|api-?key|access-?key|password|passwd|signature|"
    r"credentials?|-key|session-?id|-auth|auth-key)\Z",
    re.IGNORECASE,
)
_PUBLIC_HEADER = lazily(
    r"sec-websocket-key\Z|idempotency-key\Z|surrogate-key\Z|cache-key\Z|.*-tokens?-?(?:limit|used)\Z",
    re.IGNORECASE,
)


def redact_header(name: str, value: str) -> str:
    """Return the value of an HTTP header, masked where the header is one that carries a secret."""
    plain = name.strip()
    if is_secret(plain) or (_SECRET_HEADER.match(plain) and not _PUBLIC_HEADER.match(plain)):
        return MASK if value.strip() else value
    return redact(value)
