"""SSH connections: opened once, shared by all nodes behind a jump, host keys always checked."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import asyncssh

from reaffirm.errors import MachineFileError, NodeError
from reaffirm.model.node import Machines, NodeSpec
from reaffirm.nodes.lab_marker import is_lab_up
from reaffirm.nodes.ssh_errors import Target, explain, unreadable

#: Limits where the ssh config has none (seconds).
CONNECT_SECONDS = 15.0
LOGIN_SECONDS = 15.0
KEEPALIVE_SECONDS = 15.0
#: Where OpenSSH looks when the ssh config names no file.
KNOWN_HOSTS = (
    "~/.ssh/known_hosts",
    "~/.ssh/known_hosts2",
    "/etc/ssh/ssh_known_hosts",
    "/etc/ssh/ssh_known_hosts2",
)
_MOST_JUMPS = 8
# Asked for after the algorithms of the known keys. asyncssh asks for those alone, and a server without
# them resets the connection: a changed key would look like a broken network.
_HOST_KEY_ALGORITHMS = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "rsa-sha2-512",
    "rsa-sha2-256",
)
_DEFAULT_PORT = 22


@dataclass
class Link:
    """An open connection, and the words for it in messages."""

    connection: asyncssh.SSHClientConnection
    target: Target
    # The marks of commands that run, and what ends them; the marks of those that a broken connection
    # left running, which are ended when we are back.
    running: dict[str, Callable[[], Awaitable[None]]] = field(default_factory=dict)
    orphans: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class _Hop:
    """One machine on the way: ``node`` is its name in messages."""

    node: str
    address: str
    user: str = ""
    port: int = 0


class Connections:
    """All SSH connections of one cluster. To be used within the event loop only."""

    def __init__(self, machines: Machines) -> None:
        self._nodes = {node.name: node for node in machines.nodes}
        self._config = _config_paths(machines)
        self._links: dict[str, Link] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def link(self, node: NodeSpec) -> Link:
        """Return the connection to a node, opened where there is none or it was lost.

        Raises:
            NetworkError, AuthenticationError: see :mod:`reaffirm.nodes.ssh_errors`.
        """
        return await self._open(_Hop(node.name, node.address, node.user, node.port), node.jump, _MOST_JUMPS)

    @property
    def links(self) -> tuple[Link, ...]:
        """Every connection that was opened."""
        return tuple(self._links.values())

    async def close(self) -> None:
        """Close every connection, those behind a jump first."""
        for link in reversed(self._links.values()):
            link.connection.close()
            with suppress(Exception):
                await asyncio.wait_for(link.connection.wait_closed(), 3)
        self._links.clear()

    async def _open(self, hop: _Hop, jump: str, jumps_left: int) -> Link:
        key = f"{hop.user}@{hop.address}:{hop.port} via {jump}"
        async with self._locks.setdefault(key, asyncio.Lock()):
            old = self._links.get(key)
            if old is not None and not old.connection.is_closed():
                return old
            if jumps_left < 0:
                msg = f"{hop.node}: more than {_MOST_JUMPS} jumps; a ProxyJump leads back to itself"
                raise MachineFileError(msg, hint="look at ProxyJump in the ssh config")
            link = await self._connect(hop, jump, jumps_left)
            if old is not None:
                link.orphans |= old.orphans | set(old.running)
            self._links.pop(key, None)
            self._links[key] = link
            return link

    async def _connect(self, hop: _Hop, jump: str, jumps_left: int) -> Link:
        options = await self._options(hop)
        tunnel, via = await self._tunnel(options.tunnel, jump, jumps_left)
        try:
            files = _known_hosts_files(options.known_hosts)
        except PermissionError as error:
            raise explain(error, self._unresolved(hop)) from error
        target = Target(
            hop.node,
            hop.address,
            options.host,
            options.port,
            options.username,
            tuple(files),
            jump=via,
            config=self._config[0] if self._config else "~/.ssh/config",
        )
        try:
            known = asyncssh.read_known_hosts([str(Path(name).expanduser()) for name in files])
        except PermissionError as error:
            raise explain(error, target) from error
        except (OSError, ValueError, asyncssh.Error) as error:
            msg = f"host keys for {target.place} cannot be looked up: {error}"
            raise MachineFileError(msg, hint=f"look at {', '.join(files)}") from error
        port = options.port if options.port != _DEFAULT_PORT else None
        keys, authorities, *_ = asyncssh.match_known_hosts(
            known, options.host_key_alias or options.host, "", port
        )
        target = replace(target, known=bool(keys or authorities))
        arguments = self._arguments(hop)
        if keys and not authorities and not options.config.get("HostKeyAlgorithms"):
            known_first = (name.decode() for key in keys for name in key.sig_algorithms)
            arguments["server_host_key_algs"] = list(dict.fromkeys((*known_first, *_HOST_KEY_ALGORITHMS)))
        try:
            connection = await asyncio.wait_for(
                asyncssh.connect(
                    hop.address,
                    **arguments,
                    # Always given: asyncssh takes "UserKnownHostsFile none" as leave to check nothing.
                    known_hosts=known,
                    tunnel=tunnel,
                    login_timeout=LOGIN_SECONDS,
                    keepalive_interval=options.keepalive_interval or KEEPALIVE_SECONDS,
                ),
                options.connect_timeout or CONNECT_SECONDS,
            )
        except (OSError, asyncssh.Error, TimeoutError, ValueError) as error:
            raise explain(error, target) from error
        return Link(connection, target)

    async def _tunnel(
        self, proxy_jump: object, jump: str, jumps_left: int
    ) -> tuple[asyncssh.SSHClientConnection | None, str]:
        """Return the connection to go through, and its name: the machine file's jump, else ProxyJump."""
        if jump:
            link = await self.link(self._nodes[jump])
            return link.connection, jump
        if not isinstance(proxy_jump, str) or proxy_jump.lower() in ("", "none"):
            return None, ""
        way: Link | None = None
        for text in proxy_jump.split(","):
            way = await self._open(_hop(text.strip()), "", jumps_left - 1)
        assert way is not None
        return way.connection, way.target.node

    async def _options(self, hop: _Hop) -> Any:
        """Return what the ssh config says about a host."""
        try:
            return await asyncssh.SSHClientConnectionOptions.construct(
                host=hop.address, **self._arguments(hop)
            )
        except asyncssh.ConfigParseError as error:
            where = self._config[0] if self._config else "~/.ssh/config"
            msg = f"{where}: not an ssh config: {error}"
            raise MachineFileError(msg, hint=f"compare with `ssh -G {hop.address}`") from error
        except (OSError, ValueError, asyncssh.Error) as error:
            raise explain(error, self._unresolved(hop)) from error

    @staticmethod
    def _unresolved(hop: _Hop) -> Target:
        return Target(hop.node, hop.address, hop.address, hop.port or 22, hop.user)

    def _arguments(self, hop: _Hop) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        if self._config:
            arguments["config"] = self._config
        if hop.user:
            arguments["username"] = hop.user
        if hop.port:
            arguments["port"] = hop.port
        return arguments


async def connect_all(connections: Connections, nodes: Iterable[NodeSpec]) -> None:
    """Connect to all nodes at once.

    Raises:
        NodeError: the first of those that failed; its message names the others too.
    """
    nodes = tuple(nodes)
    results = await asyncio.gather(*(connections.link(node) for node in nodes), return_exceptions=True)
    failed = [result for result in results if isinstance(result, BaseException)]
    if not failed:
        return
    first = failed[0]
    others = dict.fromkeys(e.message for e in failed[1:] if isinstance(e, NodeError))
    if isinstance(first, NodeError) and (others := {m: None for m in others if m != first.message}):
        first.message = "\n".join((first.message, *others))
    raise first


def _config_paths(machines: Machines) -> list[str]:
    """Return the machine file's own ssh config, where it names one.

    Raises:
        MachineFileError: the file is not there, or this user may not read it.
    """
    if not machines.ssh_config:
        return []
    path = Path(machines.ssh_config).expanduser()
    if not path.is_absolute():
        path = Path(machines.path).parent / path
    try:
        path.open("rb").close()
    except PermissionError as error:
        why, hint = unreadable(error)
        msg = f"{machines.path}: ssh-config: {why}"
        raise MachineFileError(msg, hint=hint) from error
    except OSError as error:
        msg = f"{machines.path}: ssh-config names a file that is not there, got {machines.ssh_config!r}"
        hint = is_lab_up(str(path), "") or "correct it, or make the file"
        raise MachineFileError(msg, hint=hint) from error
    return [str(path)]


def _known_hosts_files(named: object) -> list[str]:
    names = KNOWN_HOSTS if named == [] else named if isinstance(named, list) else ()
    return [str(name) for name in names if Path(str(name)).expanduser().is_file()]


def _hop(text: str) -> _Hop:
    """Read one part of a ProxyJump: ``user@host:port``, ``ssh://user@host:port``, ``[::1]:22``."""
    text = text.removeprefix("ssh://")
    user, _, host = text.rpartition("@")
    if host.startswith("["):
        address, _, port = host[1:].partition("]")
        port = port.removeprefix(":")
    else:
        address, _, port = host.partition(":")
    return _Hop(address, address, user, int(port) if port.isdigit() else 0)
