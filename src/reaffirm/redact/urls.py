"""Credentials in addresses: ``scheme://user:password@host``, and parameters such as ``?token=``."""

import re
from collections.abc import Iterator

from reaffirm.redact.found import Found
from reaffirm.redact.lazy import lazily
from reaffirm.redact.names import is_secret_name, word_set
from reaffirm.redact.placeholders import is_placeholder

# ://user:password@host. Also percent-encoded as part of another address: %3A%2F%2Fuser%3Apassword%40host.
_USER = lazily(r"://(?P<user>[^\s/:@\"'<>\\?#]{0,256}):(?P<secret>[^\s/\"'<>\\]{1,512})@(?=[\w\[.-])")
_SLASHED = lazily(
    r"://[^\s/:@\"'<>\\?#]{1,64}:(?P<secret>[^\s@\"'<>\\:]{1,256})@(?=[\w.-]{1,253}[:/\s\"']|[\w.-]{1,253}\Z)"
)
_TOKEN_ONLY = lazily(r"://(?P<secret>[A-Za-z0-9_-]{20,255})@(?=[\w\[.-])")
_ENCODED = lazily(
    r"%3a%2f%2f(?:[\w.~+-]|%(?!3a|2f|40)[0-9a-f]{2}){0,128}%3a(?P<secret>(?:[\w.~!*+-]|%(?!2f|40)[0-9a-f]{2}){1,256})%40",
    re.IGNORECASE,
)
_QUERY = lazily(
    r"[?&;](?:amp;)?(?P<name>[A-Za-z][\w.-]{0,60})=(?P<secret>[^\s&#\"'<>;,)\]}\\]{1,4096})", re.ASCII
)
_IN_QUERY = word_set(
    """
    token access_token id_token refresh_token auth_token sig signature x-amz-signature x-amz-security-
    token x-goog-signature x-amz-credential auth apikey api_key api-key key password passwd pwd secret
    client_secret private_token job_token code_verifier client_assertion sas se_sig awsaccesskeyid
    sv_sig jwt session_token
    """
)
_SHORT_OK = frozenset(["key", "auth", "code_verifier", "jwt", "sas"])


def find_in_urls(text: str, low: str) -> Iterator[Found]:
    """Find passwords and tokens in addresses. ``low`` is the text in small letters."""
    if "://" in text and "@" in text:
        for match in _USER.finditer(text):
            # the last @ before the path is the one that counts: a password may hold others
            secret = match["secret"]
            if not is_placeholder(secret) and not _is_port(secret):
                yield Found(match.start("secret"), match.end("secret"), "url-password")
        for match in _SLASHED.finditer(text):  # a password with a slash in it, written down as it is
            secret = match["secret"]
            if "/" in secret and not is_placeholder(secret) and not secret.split("/")[0].isdigit():
                yield Found(match.start("secret"), match.end("secret"), "url-password")
        for match in _TOKEN_ONLY.finditer(text):
            secret = match["secret"]
            if any(c.isdigit() for c in secret) and any(c.isalpha() for c in secret):
                yield Found(match.start("secret"), match.end("secret"), "url-password")
    if "%3a%2f%2f" in low:
        for match in _ENCODED.finditer(text):
            if not is_placeholder(match["secret"]):
                yield Found(match.start("secret"), match.end("secret"), "url-password")
    if "=" in text and ("?" in text or "&" in text):
        for match in _QUERY.finditer(text):
            name, secret = match["name"].lower(), match["secret"]
            named = name in _IN_QUERY or is_secret_name(name)
            if named and not is_placeholder(secret) and (name not in _SHORT_OK or len(secret) >= 16):
                yield Found(match.start("secret"), match.end("secret"), "url-parameter")


def _is_port(text: str) -> bool:
    return text.isdigit() and len(text) <= 5
