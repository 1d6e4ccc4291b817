"""HTTP from a machine behind SSH: the request goes through the connection and leaves from the node."""

import asyncio
import codecs
import ssl
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import asyncssh
import httpcore

from reaffirm.clock import Clock
from reaffirm.errors import RemoteCommandError, UsageError
from reaffirm.model.exchange import Chunk, HttpAnswer, HttpRequest
from reaffirm.nodes.ssh_commands import MOST_OUTPUT
from reaffirm.nodes.ssh_connections import Link
from reaffirm.nodes.ssh_errors import dropped


async def ask(link: Link, clock: Clock, request: HttpRequest, timeout: float) -> HttpAnswer:
    """Send one request and read the answer to its end or to the limit.

    Raises:
        NetworkError: the connection to the node was lost.
        RemoteCommandError: the node's sshd forbids forwarding.
        UsageError: not an ``http://`` address.
    """
    _check(request)
    started = clock.now()
    reading = _Reading(clock)
    error = ""
    try:
        async with asyncio.timeout(timeout):
            await reading.read(link, request)
    except TimeoutError:
        error = f"no end within {timeout:g} s" if reading.status else f"no answer within {timeout:g} s"
    except httpcore.ConnectError as refused:
        error = str(refused)
    except (httpcore.NetworkError, httpcore.ProtocolError, asyncssh.Error, OSError) as broken:
        if link.connection.is_closed():
            raise dropped(link.target, f"{request.method} {request.url}", broken) from broken
        error = f"broken off: {broken or type(broken).__name__}"
    return HttpAnswer(
        reading.status, reading.headers, tuple(reading.chunks), started, clock.now(), error or reading.cut
    )


def _check(request: HttpRequest) -> None:
    parts = urlsplit(request.url)
    if parts.scheme != "http" or not parts.hostname:
        msg = f"a request from a node goes to http://HOST:PORT/…, got {request.url!r}"
        raise UsageError(msg, hint="the engines serve plain HTTP; name the node as 127.0.0.1")


class _Reading:
    """What has come of an answer so far; it survives a time-out."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.status = 0
        self.headers: dict[str, str] = {}
        self.chunks: list[Chunk] = []
        self.cut = ""

    async def read(self, link: Link, request: HttpRequest) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        body = None if request.body is None else request.body.encode()
        size = 0
        async with (
            httpcore.AsyncConnectionPool(network_backend=_Backend(link), max_connections=1) as pool,
            pool.stream(
                request.method, request.url, headers=list(request.headers.items()), content=body
            ) as answer,
        ):
            self.status = answer.status
            self.headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in answer.headers}
            async for data in answer.aiter_stream():
                size += len(data)
                if size > MOST_OUTPUT:
                    self.cut = f"cut after {MOST_OUTPUT} bytes"
                    return
                if text := decoder.decode(data):
                    self.chunks.append(Chunk(text, self._clock.now()))
            if rest := decoder.decode(b"", final=True):
                self.chunks.append(Chunk(rest, self._clock.now()))


class _Backend(httpcore.AsyncNetworkBackend):
    """Opens TCP connections from the node, as channels of its SSH connection (``direct-tcpip``)."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        where = f"{host}:{port}"
        try:
            reader, writer = await self._link.connection.open_connection(host, port, encoding=None)
        except asyncssh.ChannelOpenError as error:
            if self._link.connection.is_closed():
                raise dropped(self._link.target, f"a connection to {where}", error) from error
            if error.code == asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED:
                msg = f"{self._link.target.place} does not forward to {where}: {error.reason}"
                hint = (
                    "its sshd needs AllowTcpForwarding yes (or local), and no PermitOpen that leaves this out"
                )
                raise RemoteCommandError(msg, node=self._link.target.node, hint=hint) from error
            # OpenSSH: "Connection refused", or "Name or service not known"
            msg = f"{where}: {(error.reason or 'refused').lower()}"
            raise httpcore.ConnectError(msg) from error
        except (asyncssh.Error, OSError) as error:
            raise dropped(self._link.target, f"a connection to {where}", error) from error
        return _Stream(reader, writer)


class _Stream(httpcore.AsyncNetworkStream):
    def __init__(self, reader: "asyncssh.SSHReader[bytes]", writer: "asyncssh.SSHWriter[bytes]") -> None:
        self._reader = reader
        self._writer = writer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            return await self._reader.read(max_bytes)
        except (asyncssh.Error, OSError) as error:
            raise httpcore.ReadError(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        try:
            self._writer.write(buffer)
            await self._writer.drain()
        except (asyncssh.Error, OSError) as error:
            raise httpcore.WriteError(str(error)) from error

    async def aclose(self) -> None:
        self._writer.close()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        raise NotImplementedError

    def get_extra_info(self, info: str) -> Any:
        return None
