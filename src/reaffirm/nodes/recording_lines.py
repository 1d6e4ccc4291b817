"""How lines of a recording are written: compact JSON with a hash that chains each to the line before."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from math import isfinite
from typing import Any, NamedTuple

# json.dumps makes a new one for each line.
_ENCODER = json.JSONEncoder(separators=(",", ":"))


class Written(NamedTuple):
    """How far a recording is. It changes as a whole, so that an interrupt comes before a line or after it.

    ``seq``, ``hash`` and ``size`` are those of the file without the ``kept`` lines in ``held``: the last one,
    and with it those before.
    """

    seq: int = 0
    hash: str = ""
    held: "Held | None" = None
    size: int = 0
    closed: bool = False
    kept: int = 0


#: A line that is to be written, as :func:`encode` or :func:`encode_seconds` takes it; and those before it.
Held = tuple[tuple[Any, ...], Any]


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


def encoded(lines: Iterable[tuple[Any, ...]], at: Written) -> tuple[bytes, Written]:
    """Return the lines as they are written, and how far the recording is after them."""
    seq, digest = at.seq, at.hash
    written: list[str] = []
    for line in lines:
        if len(line) == 2:
            text, digest = encode({"seq": seq, "op": line[0], **line[1]}, digest)
        else:
            op, node, key, seconds = line
            text, digest = encode_seconds(seq, op, node, key, seconds, digest)
        written.append(text)
        seq += 1
    written.append("")
    return "\n".join(written).encode("utf-8", "surrogatepass"), Written(seq, digest, None, at.size, at.closed)
