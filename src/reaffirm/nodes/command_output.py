"""Reads what a command prints, to its end and within bounds."""

from typing import Protocol

#: What one command may answer; the rest is cut, and said so (bytes).
MOST_OUTPUT = 64 * 1024 * 1024


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
