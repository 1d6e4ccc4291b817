"""Reads JSON that machines and servers send: whatever it is, it is a value or a ``ValueError``."""

import json
from collections.abc import Callable
from typing import Any


def foreign_json(text: str, made: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return the value of a JSON text, with half surrogates replaced: no notebook and no file can hold them.

    Args:
        text: what was sent.
        made: makes the value of an object from its keys and values in order (default: a dict, where the last
            of two equal keys counts).

    Raises:
        ValueError: not JSON, or nested so deeply that nobody can read it.
    """
    try:
        value = json.loads(text, object_pairs_hook=made)
        return _whole(value) if "\\ud" in text.lower() else value
    except RecursionError as error:
        msg = "nested too deeply"
        raise ValueError(msg) from error


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value
