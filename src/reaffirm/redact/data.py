"""Takes secrets out of JSON data: a value under a secret's name goes whole, any other text is redacted."""

from collections.abc import Callable
from typing import Any

from reaffirm.redact.commands import secret_words
from reaffirm.redact.known import MASK, is_secret
from reaffirm.redact.masking import redact, redact_header

_NAMES = ("name", "Name", "key", "Key")
_VALUES = ("value", "Value")
_AUTHORIZE = ("authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key")
_HEADERS = ("headers", "request_headers", "response_headers", "http_headers")


def redact_data(value: Any, name: str = "", *, text: Callable[[str], str] = redact) -> Any:
    """Return JSON data without secrets. ``text`` is what redacts one text."""
    if isinstance(value, str):
        return MASK if name and value and is_secret(name) else text(value)
    if isinstance(value, dict):
        return _table({text(k) if isinstance(k, str) else k: v for k, v in value.items()}, name, text)
    if isinstance(value, list | tuple):
        return _list(value, name, text)
    if (
        isinstance(value, int)
        and not isinstance(value, bool)
        and abs(value) > 999
        and name
        and is_secret(name)
    ):
        return value if name.lower().endswith("token") else MASK
    return value


def _table(table: dict[Any, Any], name: str, text: Callable[[str], str]) -> dict[Any, Any]:
    named = next((table[key] for key in _NAMES if isinstance(table.get(key), str)), "")
    found = {}
    for key, value in table.items():
        as_name = key if isinstance(key, str) else ""
        if as_name in _VALUES and named and is_secret(named):
            as_name = named
        if name.lower() in _HEADERS and isinstance(value, str):
            found[key] = redact_header(as_name, text(value))
        else:
            found[key] = redact_data(value, as_name, text=text)
    return found


def _list(items: list[Any] | tuple[Any, ...], name: str, text: Callable[[str], str]) -> Any:
    if items and all(isinstance(item, str) for item in items):
        if len(items) > 1 and all(item.endswith("\n") for item in items[:-1]):
            whole = "".join(items)  # a secret may span lines (a private key)
            masked = text(whole)
            return list(items) if masked == whole else masked.splitlines(keepends=True)
        if not is_secret(name):
            return _words(items, text)
    return [redact_data(item, name, text=text) for item in items]


def _words(items: Any, text: Callable[[str], str]) -> list[str]:
    """A list of text may be the words of a command, or a header and its value."""
    if len(items) == 2 and items[0].lower() in (
        "authorization",
        "proxy-authorization",
        "cookie",
        "x-api-key",
    ):
        return [items[0], MASK if items[1] else items[1]]
    secret = secret_words(items)
    masked = []
    for at, item in enumerate(items):
        start, end = secret.get(at, (0, 0))
        masked.append(text(f"{item[:start]}{MASK}{item[end:]}" if end > start else item))
    return masked
