"""Takes secrets out of text before anything is written."""

import re
from collections.abc import Sequence

#: Replaces a secret in text.
MASK = "[redacted]"

# Each pattern keeps its first group and masks the rest. Before it stand the words without one of which it
# cannot match: nearly all text has none of them, and looking for a word is much cheaper than matching.
_PATTERNS = tuple(
    (words, re.compile(pattern, re.IGNORECASE))
    for words, pattern in (
        (("hf_",), r"(\bhf_)[A-Za-z0-9]{16,}"),  # a Hugging Face token
        (
            ("authorization",),
            r"(\b(?:authorization|proxy-authorization)\b[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic|token)\s+)?)"
            r"(?!\[redacted\])[^\s\"',;]+",
        ),
        (
            ("passw", "secret", "key", "token"),
            # "time_to_first_token = 0.4 s" is a measurement, not a secret.
            r"(\b(?!time_to_first_token\b)[A-Za-z0-9_]*(?:password|passwd|secret|api_?key|access_?key|auth_?token|_token)\b[\"']?\s*[=:]\s*[\"']?)"
            # JSON's own words stay: "eos_token": null is no secret, and masked it would be no JSON any more
            r"(?!\[redacted\]|(?:null|true|false|none)\b|[\[{(])[^\s\"',;]+",
        ),
        # https://user:pass@host
        (("://",), r"(\b[a-z][a-z0-9+.-]{0,30}://[^\s/:@\"']*:)[^\s/@\"']+(?=@)"),
        (
            ("ghp", "gho", "ghs", "glpat", "sk-", "sk_", "xoxb"),
            r"(\b(?:ghp|gho|ghs|glpat|sk|xoxb)[-_])[A-Za-z0-9_-]{16,}",
        ),
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
    folded = text.casefold()  # masking adds none of the words
    for words, pattern in _PATTERNS:
        if any(word in folded for word in words):
            text = pattern.sub(rf"\g<1>{MASK}", text)
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
