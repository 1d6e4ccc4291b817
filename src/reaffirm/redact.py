"""Takes secrets out of text before anything is written."""

import re

#: Replaces a secret in text.
MASK = "[redacted]"

# Each pattern keeps its first group and masks the rest.
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(\bhf_)[A-Za-z0-9]{16,}",  # a Hugging Face token
        r"(\b(?:authorization|proxy-authorization)\b[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic|token)\s+)?)"
        r"(?!\[redacted\])[^\s\"',;]+",
        r"(\b[A-Za-z0-9_]*(?:password|passwd|secret|api_?key|access_?key|auth_?token|_token)\b[\"']?\s*[=:]\s*[\"']?)"
        r"(?!\[redacted\])[^\s\"',;]+",
        r"(\b[a-z][a-z0-9+.-]*://[^\s/:@\"']*:)[^\s/@\"']+(?=@)",  # https://user:pass@host
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
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\g<1>{MASK}", text)
    return text
