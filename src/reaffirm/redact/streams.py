"""Redacts text that comes in pieces: chunk by chunk, or line by line."""

from functools import lru_cache

from reaffirm.redact.keys import closes_key, is_of_key, opens_key
from reaffirm.redact.known import MASK, all_forms, known
from reaffirm.redact.masking import secrets_of
from reaffirm.redact.tokens import is_unfinished
from reaffirm.redact.views import Places, cut_out, uncoloured

#: What of the text before is looked at together with what comes next (characters).
_CONTEXT = 2048
#: So many characters without a line end are kept back at most.
MOST_HELD = 16_384
# Of a secret value that a line end or a chunk cuts up, that much must have come to be known by it.
_LEAST = 4
# A private key has at most so many lines.
_LINES_OF_KEY = 400


class LineRedactor:
    """Redacts a log line by line: each line at once, with an eye on the line before.

    A private key is masked over all its lines. A value that is known is masked also where it is wrapped.
    """

    def __init__(self) -> None:
        self._before = _Before()

    def __call__(self, line: str) -> str:
        """Return one line (without its newline), redacted."""
        if self._before.in_key and not line.strip():
            return line
        return self._before.block(f"{line}\n")[:-1]


class StreamRedactor:
    """Redacts a stream that comes in chunks of any size, as if it came at once.

    What is returned is always safe to write. The last, unfinished line is kept back until its end comes, or
    :meth:`flush` or :meth:`close` is called; never more than ``most`` characters of it.
    """

    def __init__(self, *, most: int = MOST_HELD) -> None:
        self._before = _Before()
        self._most = max(most, 2 * _CONTEXT)
        self._held: list[str] = []
        self._size = 0

    @property
    def held(self) -> int:
        """How many characters are kept back."""
        return self._size

    def feed(self, chunk: str) -> str:
        """Take the next chunk and return what can be written now, redacted; often less than came."""
        self._held.append(chunk)
        self._size += len(chunk)
        if "\n" not in chunk and self._size <= self._most:
            return ""
        text = self._take()
        end = text.rfind("\n") + 1
        done = self._before.block(text[:end]) if end else ""
        rest = text[end:]
        if len(rest) > self._most:
            ready, rest = self._before.part(rest)
            done += ready
        self._keep(rest)
        return done

    def flush(self) -> str:
        """Return also the unfinished line, for a stream that pauses; nothing if a secret may be under way."""
        text = self._take()
        if not text or self._before.may_go_on(text):
            self._keep(text)
            return ""
        return self._before.block(text)

    def close(self) -> str:
        """Return all that was kept back. The stream has ended."""
        text = self._take()
        return self._before.block(text) if text else ""

    def _take(self) -> str:
        text = "".join(self._held)
        self._held, self._size = [], 0
        return text

    def _keep(self, text: str) -> None:
        self._held, self._size = ([text] if text else []), len(text)


class _Before:
    """What came before, as far as it matters for what comes next. Kept in memory only."""

    def __init__(self) -> None:
        self._context = ""
        self.in_key = 0

    def block(self, text: str) -> str:
        """Return the next lines, redacted."""
        done = ""
        while self.in_key and text:
            line, newline, rest = text.partition("\n")
            if closes_key(line) or not is_of_key(line) or self.in_key > _LINES_OF_KEY:
                self.in_key = 0
                break
            self.in_key += 1
            done += f"{MASK if line.strip() else line}{newline}"
            text = rest
        if not text:
            return done
        begin = len(self._context)
        whole = self._context + text
        secrets = _after(begin, [*secrets_of(whole), *_unfinished(whole)])
        self._keep(whole)
        return done + cut_out(text, secrets, MASK)

    def part(self, text: str) -> tuple[str, str]:
        """Return the first part of a line that is too long to be kept back, redacted, and its rest."""
        begin = len(self._context)
        whole = self._context + text
        secrets = secrets_of(whole)
        cut = len(whole) - _CONTEXT
        for start, end in sorted((range_ for places in secrets for range_ in places), reverse=True):
            if start < cut < end:
                cut = start if start > begin else end
        ready = cut_out(text[: cut - begin], _after(begin, secrets, cut), MASK)
        rest = whole[cut:]
        self._keep(whole[:cut])
        return ready, rest

    def may_go_on(self, text: str) -> bool:
        """Whether a secret may be under way at the end of this text."""
        whole = self._context + text
        secrets = secrets_of(whole)
        reaches = any(end >= len(whole.rstrip()) for places in secrets for _, end in places)
        tail = whole[-_CONTEXT:]
        plain = uncoloured(tail)
        shown = tail if plain is None else plain.text
        if reaches or _unfinished(whole) or is_unfinished(shown) or self.in_key:
            return True
        # a name whose value is to come: it would be masked if there were one
        return any(
            secrets_of(f"{shown}{more}") != secrets_of(shown) for more in ("aB3xY9kQ2mZ7", ": aB3xY9kQ2mZ7")
        )

    def _keep(self, whole: str) -> None:
        lines = whole[-_CONTEXT:].split("\n")
        self._context = "\n".join(lines[-2:])
        # the beginning of a key may be further away than that
        begin = whole.rfind("-----BEGIN")
        self.in_key = 1 if begin >= 0 and opens_key(whole[begin:]) and _key_goes_on(whole[begin:]) else 0


def _key_goes_on(text: str) -> bool:
    return all(is_of_key(line) for line in text.split("\n")[1:])


def _after(begin: int, secrets: list[Places], end: int | None = None) -> list[Places]:
    """The parts of secrets from ``begin`` on, counted from there."""
    found: list[Places] = []
    for places in secrets:
        kept = [
            (max(s, begin) - begin, (e if end is None else min(e, end)) - begin)
            for s, e in places
            if e > begin
        ]
        kept = [(s, e) for s, e in kept if e > s]
        if kept:
            found.append(kept)
    return found


def _unfinished(text: str) -> list[Places]:
    """The beginning of a known value at the end of the text, before its line end."""
    values = known().values
    if not values:
        return []
    body = text.rstrip("\r\n")
    plain = uncoloured(body[-_CONTEXT:])
    shown = (body[-_CONTEXT:] if plain is None else plain.text).rstrip(" \t│┃|\\")
    if shown[-_LEAST:] not in _grams(values):
        return []
    longest = max(
        (
            size
            for form in all_forms(values)
            for size in range(_LEAST, len(form))
            if shown.endswith(form[:size])
        ),
        default=0,
    )
    if not longest:
        return []
    start, end = len(shown) - longest, len(shown)
    places = [(start, end)] if plain is None else plain.places(start, end)
    shift = max(0, len(body) - _CONTEXT)
    return [[(a + shift, b + shift) for a, b in places]]


@lru_cache(maxsize=16)
def _grams(values: tuple[str, ...]) -> frozenset[str]:
    return frozenset(form[at : at + _LEAST] for form in all_forms(values) for at in range(len(form) - _LEAST))
