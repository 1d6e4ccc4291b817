"""Reads what a command prints, to its end and within bounds."""

import shlex
from collections.abc import Sequence
from typing import Protocol

from reaffirm.redact import redact_words

#: What one command may answer; the rest is cut, and said so (bytes).
MOST_OUTPUT = 64 * 1024 * 1024


def shortened(argv: Sequence[str]) -> str:
    """Return a command as messages show it: on one line, not too long, without secrets."""
    shown = shlex.join(redact_words(argv))
    return shown if len(shown) <= 120 else f"{shown[:117]}…"


class _Reader(Protocol):
    async def read(self, n: int = -1) -> bytes: ...


async def read_to_end(reader: _Reader, most: int) -> str:
    """Read to the end and keep ``most`` bytes; what is no UTF-8 becomes replacement characters.

    A connection that is lost ends it: the missing exit status will tell.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        try:
            part = await reader.read(65536)
        except Exception:
            break
        if not part:
            break
        if size < most:
            parts.append(part[: most - size])
        size += len(part)
    text = b"".join(parts).decode("utf-8", "replace")
    return f"{text}\n[cut: {size} bytes came, {most} are kept]\n" if size > most > 0 else text
