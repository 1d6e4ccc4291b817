"""How one line of a recording is written: compact JSON with a hash that chains it to the line before."""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from math import isfinite
from typing import Any

# json.dumps makes a new one for each line.
_ENCODER = json.JSONEncoder(separators=(",", ":"))


def encode(fields: Mapping[str, Any], before: str) -> tuple[str, str]:
    """Return a line without its newline, and its hash, which the next line needs."""
    return chained(_ENCODER.encode(fields), before)


def encode_seconds(seq: int, op: str, node: str, key: str, seconds: float, before: str) -> tuple[str, str]:
    """Return what :func:`encode` does for a line of one number, of which most of a recording consists."""
    if type(seconds) is not float or not isfinite(seconds):
        return encode({"seq": seq, "op": op, "node": node, key: seconds}, before)
    return chained(f'{{"seq":{seq},"op":"{op}","node":{_quoted(node)},"{key}":{seconds!r}}}', before)


@cache
def _quoted(name: str) -> str:
    return _ENCODER.encode(name)


def chained(body: str, before: str) -> tuple[str, str]:
    """Return the line that a body becomes, and its hash."""
    digest = chain(body, before)
    return f'{body[:-1]},"h":"{digest}"}}', digest


def chain(body: str, before: str) -> str:
    """Return the hash of a line after the line with the hash ``before``."""
    return hashlib.sha256(f"{before}{body}".encode()).hexdigest()[:16]
