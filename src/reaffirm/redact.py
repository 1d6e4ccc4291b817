"""Takes secrets out of text before anything is written."""

import re
from collections.abc import Sequence
from functools import cache

#: Replaces a secret in text.
MASK = "[redacted]"

# The name of something secret. "time_to_first_token = 0.4 s" is a measurement, not a secret.
_KEY = (
    r"\b(?!time_to_first_token\b)[A-Za-z0-9_]*"
    r"(?:password|passwd|secret|api_?key|access_?key|auth_?token|_token)\b"
)
_IS = r"\s*[=:]\s*"
# JSON's own words and brackets stay: "eos_token": null is no secret, and masked it would not be JSON.
_PLAIN = r"(?!\[redacted\]|(?:null|true|false|none)\b|[\[\](){}])"
_VALUE = rf"{_PLAIN}(?:\\.|[^\s\"',;\\])+"

# Looking for a word is quick and nearly every text has none of these, so each has to be there before any of
# the patterns below is tried (or made). They are looked for in text without capitals.
_SHAPED = ("hf_", "@", "ghp", "gho", "ghs", "glpat", "sk-", "sk_", "xoxb")
_NAMED = {
    word: re.compile(rf"{before}{word}\b[\"']?\s*[=:]")
    for word, before in {
        "password": "",
        "passwd": "",
        "secret": "",
        "apikey": "",
        "api_key": "",
        "accesskey": "",
        "access_key": "",
        "authtoken": "",
        "_token": r"(?<![\s\"'.]time_to_first)",  # no secret, see above
        "authorization": "",
    }.items()
}

# Each pattern keeps its first group and masks the rest.
_KEEP = rf"\g<1>{MASK}"


@cache
def _named_patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            r"(\b(?:authorization|proxy-authorization)\b[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic|token)\s+)?)"
            rf"{_VALUE}",
            rf"((?<![\"']){_KEY}{_IS}[\"']?){_VALUE}",  # KEY=abc, KEY="abc", key: abc
            rf"({_KEY}[\"']{_IS}[\"']?){_VALUE}",  # "key": "abc"
            # "KEY=abc", 'KEY="abc"'. The quote that was open before may come next: ["KEY=", "x"]
            rf"((?<=\"){_KEY}{_IS}'?){_VALUE}",
            rf"((?<='){_KEY}{_IS}\"?){_VALUE}",
        )
    )


@cache
def _shaped_patterns() -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            r"(\bhf_)[A-Za-z0-9]{16,}",  # a Hugging Face token
            r"(\b[a-z][a-z0-9+.-]{0,30}://[^\s/:@\"']*:)[^\s/@\"']+(?=@)",  # https://user:pass@host
            r"(\b(?:ghp|gho|ghs|glpat|sk|xoxb)[-_])[A-Za-z0-9_-]{16,}",
        )
    )


_PRIVATE_KEY = re.compile(
    r"(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL
)


def redact(text: str) -> str:
    """Return ``text`` with tokens, keys, passwords and credentials replaced by ``[redacted]``.

    Redacting twice changes nothing: ``redact(redact(x)) == redact(x)``.
    """
    if "PRIVATE KEY-----" in text:
        text = _PRIVATE_KEY.sub(rf"\1{MASK}\2", text)
    low = text.casefold()  # as a pattern that ignores case does: U+017F counts as an s
    for sign in _SHAPED:
        if sign in low:
            for pattern in _shaped_patterns():
                text = pattern.sub(_KEEP, text)
            break
    for word, sign_of in _NAMED.items():
        if word in low and sign_of.search(low):
            for pattern in _named_patterns():
                text = pattern.sub(_KEEP, text)
            break
    return text


# "--api-key X", "--password X": the secret is a word of its own.
_SECRET_OPTION = re.compile(
    r"--?(?:[a-z0-9]+[-_])*(?:password|passwd|secret|api[-_]?key|access[-_]?key|token)\Z", re.IGNORECASE
)
_SECRET_HEADER = re.compile(
    r"(?:proxy-)?authorization\Z|(?:set-)?cookie\Z|.*(?:token|secret|api-?key|password)\Z", re.IGNORECASE
)


def redact_words(argv: Sequence[str]) -> list[str]:
    """Return the words of a command without secrets, also where a secret is a word of its own."""
    words: list[str] = []
    for word in argv:
        secret = bool(words) and bool(_SECRET_OPTION.match(words[-1])) and not word.startswith("-")
        words.append(MASK if secret else redact(word))
    return words


def redact_header(name: str, value: str) -> str:
    """Return the value of an HTTP header, masked where the header is one that carries a secret."""
    return MASK if _SECRET_HEADER.match(name) else redact(value)


class LineRedactor:
    """Redacts a log line by line, and a private key in it over all its lines."""

    def __init__(self) -> None:
        self._in_key = False

    def __call__(self, line: str) -> str:
        """Return one line (without its newline), redacted."""
        if self._in_key:
            if "-----END" not in line:
                return MASK
            self._in_key = False
            return redact(line)
        self._in_key = "PRIVATE KEY-----" in line and "-----BEGIN" in line and "-----END" not in line
        return redact(line)
