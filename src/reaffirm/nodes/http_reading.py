"""Reads an HTTP answer chunk by chunk with the times of arrival, whatever the bytes travel through."""

import codecs
import ssl
from typing import Any, Protocol

import httpcore

from reaffirm.clock import Clock
from reaffirm.model.exchange import Chunk, HttpRequest

#: What one answer may bring; the rest is cut, and said so (bytes).
MOST_BODY = 64 * 1024 * 1024


class Reading:
    """What has come of an answer so far; it survives a time-out."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.status = 0
        self.headers: dict[str, str] = {}
        self.chunks: list[Chunk] = []
        self.cut = ""

    async def read(self, backend: httpcore.AsyncNetworkBackend, request: HttpRequest) -> None:
        """Send the request on a connection of its own and read the answer to its end."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        body = None if request.body is None else request.body.encode()
        size = 0
        async with (
            httpcore.AsyncConnectionPool(network_backend=backend, max_connections=1) as pool,
            pool.stream(
                request.method, request.url, headers=list(request.headers.items()), content=body
            ) as answer,
        ):
            self.status = answer.status
            self.headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in answer.headers}
            async for data in answer.aiter_stream():
                size += len(data)
                if size > MOST_BODY:
                    self.cut = f"cut after {MOST_BODY} bytes"
                    return
                if text := decoder.decode(data):
                    self.chunks.append(Chunk(text, self._clock.now()))
            if rest := decoder.decode(b"", final=True):
                self.chunks.append(Chunk(rest, self._clock.now()))


class _Reader(Protocol):
    async def read(self, n: int = -1) -> bytes: ...


class _Writer(Protocol):
    def write(self, data: bytes) -> None: ...

    async def drain(self) -> None: ...

    def close(self) -> None: ...


class ByteStream(httpcore.AsyncNetworkStream):
    """A pair of reader and writer, as asyncio and asyncssh both have them, for httpcore.

    ``broken`` are the errors by which they say that the connection broke.
    """

    def __init__(self, reader: _Reader, writer: _Writer, broken: tuple[type[Exception], ...]) -> None:
        self._reader = reader
        self._writer = writer
        self._broken = broken

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return what has come, nothing at the end."""
        try:
            return await self._reader.read(max_bytes)
        except self._broken as error:
            raise httpcore.ReadError(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it."""
        try:
            self._writer.write(buffer)
            await self._writer.drain()
        except self._broken as error:
            raise httpcore.WriteError(str(error)) from error

    async def aclose(self) -> None:
        """Close the connection."""
        self._writer.close()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Plain HTTP only; see ``check_request``."""
        raise NotImplementedError

    def get_extra_info(self, info: str) -> Any:
        """There is nothing to tell."""
        return None
