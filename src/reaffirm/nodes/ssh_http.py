"""HTTP from a machine behind SSH: the request goes through the connection and leaves from the node."""

import asyncio
from collections.abc import Iterable
from typing import Any

import asyncssh
import httpcore

from reaffirm.clock import Clock
from reaffirm.errors import RemoteCommandError
from reaffirm.model.exchange import HttpAnswer, HttpRequest
from reaffirm.nodes.http_reading import ByteStream, Reading
from reaffirm.nodes.http_request import check_request
from reaffirm.nodes.ssh_connections import Link
from reaffirm.nodes.ssh_errors import dropped


async def ask(link: Link, clock: Clock, request: HttpRequest, timeout: float) -> HttpAnswer:
    """Send one request and read the answer to its end or to the limit.

    Raises:
        NetworkError: the connection to the node was lost.
        RemoteCommandError: the node's sshd forbids forwarding.
        UsageError: not an ``http://`` address.
    """
    check_request(request)
    started = clock.now()
    reading = Reading(clock)
    error = ""
    try:
        async with asyncio.timeout(timeout):
            await reading.read(_Backend(link), request)
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
        return ByteStream(reader, writer, (asyncssh.Error, OSError))
