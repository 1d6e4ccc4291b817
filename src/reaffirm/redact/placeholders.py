"""What stands where a secret would, and is none: ``$TOKEN``, ``<your key>``, ``null``, ``os.environ[…]``."""

import re

from reaffirm.redact.known import MASK
from reaffirm.redact.lazy import lazily
from reaffirm.redact.names import word_set

_WORDS = word_set(
    """
    null none nil true false undefined nan yes no on off str string bytes int bool float any object
    dict list optional unset empty missing required invalid disabled enabled default example changeme
    redacted hidden your token password secret key value auto env given set
    """
)
_LIKE = lazily(
    r"(?:"
    r"\$[\w{(\[].*"  # $HF_TOKEN, ${HF_TOKEN}, $(cat token)
    r"|\{\{?[^{}]{0,200}\}?\}?"  # {token}, {{ .Token }}
    r"|<[^<>]{0,200}>?|&lt;.*"  # <your token>
    r"|%\(?[\w]*\)?[sdr]|%[A-Z_]+%"  # %s, %(token)s, %TOKEN%
    r"|[*•xX.…_#-]+"  # ****, xxxx, ...
    r"|(?:your|my|the|some)[-_ ].*"  # your-token-here
    r"|(?:hf_|sk-|ghp_|nvapi-)(?:[xX.…*•]+|\.\.\.).*"
    r")\Z",
    re.DOTALL,
)
# os.environ["X"], getpass(), self.token, str | None: code, and no value.
_CALL = lazily(r"[A-Za-z_][\w.]{0,120}[(\[]")
_DOTTED = lazily(r"[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,6}\Z")


# 0.14.0rc2, v1.2.3-arm64
_VERSION = lazily(r"[A-Za-z_-]{0,32}[0-9]{1,8}\.[0-9]{1,8}[\w.+-]{0,64}\Z")


def is_placeholder(value: str) -> bool:
    """Whether a value stands for a secret that is elsewhere."""
    plain = value.strip(" \t\r\n\"'`,;\\")
    if not plain or plain.startswith(MASK[:-1]) or plain.partition("  #")[0].lower() in _WORDS:
        return True
    return _LIKE.match(plain) is not None


def is_code(value: str, name: str) -> bool:
    """Whether an unquoted value is an expression: a call, an attribute, the name itself."""
    plain = value.strip()
    if _CALL.match(plain) or plain == name.rpartition(".")[2]:
        return True
    dotted = _DOTTED.match(plain)
    return dotted is not None and plain.lower() == plain and not any(c.isdigit() for c in plain)


def looks_secret(value: str) -> bool:
    """Whether a value looks like a secret by itself: long enough, without blanks, no word, path or number."""
    plain = value.strip("\"'`,;")
    if len(plain) < 8 or plain.split() != [plain] or plain.startswith(("/", "./", "~", "sha256:", "http")):
        return False
    digits = sum(map(str.isdigit, plain))
    letters = sum(map(str.isalpha, plain)) if digits else 0
    if not letters or ("/" in plain.strip("/") and "." in plain):
        return False
    return digits > 0 and letters + digits >= 8 and _VERSION.match(plain) is None
