"""Says in a person's words what went wrong on the way to a machine, and what to do about it."""

import asyncio
import getpass
import socket
from dataclasses import dataclass

import asyncssh

from reaffirm.errors import AuthenticationError, NetworkError, NodeError, RemoteCommandError
from reaffirm.nodes.lab_marker import is_lab_up


@dataclass(frozen=True)
class Target:
    """Where a connection goes, in the words that a person can check.

    ``node`` is the name in the machine file, ``host`` and ``port`` what the ssh config made of it,
    ``known_hosts`` the files that host keys are looked up in, ``known`` whether one holds a key for it.
    """

    node: str
    alias: str
    host: str
    port: int
    user: str
    known_hosts: tuple[str, ...] = ()
    known: bool = False
    jump: str = ""
    config: str = "~/.ssh/config"

    @property
    def place(self) -> str:
        """``spark-1 (192.0.2.12 port 22)``."""
        return f"{self.node} ({self.host} port {self.port})"

    @property
    def ssh(self) -> str:
        """The command with which a person tries the same."""
        config = f"-F {self.config} " if self.config != "~/.ssh/config" else ""
        port = f"-p {self.port} " if self.port != 22 else ""
        return f"ssh {config}{port}{self.alias}"

    @property
    def entry(self) -> str:
        """The name of this host in a known_hosts file."""
        return self.host if self.port == 22 else f"'[{self.host}]:{self.port}'"


def explain(error: BaseException, target: Target) -> NodeError:
    """Return the error to raise for what happened while connecting."""
    told = _explained(error, target)
    if isinstance(told, NetworkError) and told is not error:
        told.hint = is_lab_up(target.config, told.hint)
    return told


def _explained(error: BaseException, target: Target) -> NodeError:
    via = f" through {target.jump}" if target.jump else ""
    if isinstance(error, NodeError):
        return error
    if isinstance(error, PermissionError) and error.filename:
        msg, hint = unreadable(error)
        return AuthenticationError(f"{target.place}: {msg}", node=target.node, hint=hint)
    if isinstance(error, asyncssh.HostKeyNotVerifiable):
        return _host_key(str(error), target)
    if isinstance(error, asyncssh.KeyExchangeFailed) and target.known and "host key" in str(error).lower():
        return _host_key(str(error), target)
    if isinstance(error, asyncssh.PermissionDenied):
        msg = f"{target.place} does not take our key for user {target.user!r}"
        hint = (
            f"try `{target.ssh}`; load the key (ssh-add -l shows those loaded), or add it to "
            f"authorized_keys there"
        )
        return AuthenticationError(msg, node=target.node, hint=hint)
    if isinstance(error, asyncssh.KeyImportError | asyncssh.KeyEncryptionError):
        msg = f"a key for {target.place} cannot be read: {error}"
        return AuthenticationError(msg, node=target.node, hint="load it into the agent with ssh-add")
    if isinstance(error, asyncssh.ChannelOpenError):
        msg = f"{target.place} cannot be reached{via}: {error.reason}"
        hint = f"on {target.jump or 'the jump host'}, try `nc -vz {target.host} {target.port}`"
        return NetworkError(msg, node=target.node, hint=hint)
    if isinstance(error, socket.gaierror):
        msg = f"no address is known for {target.host!r} ({target.node}): {error.strerror}"
        hint = f"correct 'address' in the machine file, or add a Host {target.alias} to {target.config}"
        return NetworkError(msg, node=target.node, hint=hint)
    if isinstance(error, ConnectionRefusedError):
        msg = f"{target.place} refuses the connection{via}"
        hint = "it is up but no sshd listens there: look at the port, and at `systemctl status ssh` on it"
        return NetworkError(msg, node=target.node, hint=hint)
    if isinstance(error, TimeoutError | asyncio.TimeoutError):
        msg = f"no answer from {target.place}{via} within the time limit"
        hint = f"is it on, and is this network the right one? try `ping {target.host}`"
        return NetworkError(msg, node=target.node, hint=hint)
    if isinstance(error, OSError):
        msg = f"no way to {target.place}{via}: {error.strerror or error}"
        return NetworkError(msg, node=target.node, hint=f"try `{target.ssh}` from a terminal")
    msg = f"{target.place} broke off while connecting{via}: {error or type(error).__name__}"
    return NetworkError(msg, node=target.node, hint=f"try `{target.ssh} -v` from a terminal")


def unreadable(error: PermissionError) -> tuple[str, str]:
    """Return what to say, and to advise, about an ssh config, a key or known_hosts of this machine."""
    msg = f"{error.filename} cannot be read: this user ({getpass.getuser()}) has no permission"
    hint = (
        f"run this as the user that the file belongs to (`ls -ld {error.filename}` shows it), or have it "
        f"made readable for you; the files of the lab are given to whoever calls `sudo scripts/lab up`"
    )
    return msg, hint


def _host_key(reason: str, target: Target) -> AuthenticationError:
    files = ", ".join(target.known_hosts) or "(no known_hosts file)"
    look = f"ssh-keyscan -p {target.port} {target.host} | ssh-keygen -lf -"
    if "revoked" in reason:
        msg = f"the host key of {target.place} is marked as revoked in {files}"
        return AuthenticationError(msg, node=target.node, hint="do not connect; ask who revoked it")
    if target.known:
        msg = (
            f"the host key of {target.place} is not the one in {files}: "
            f"it has CHANGED, or this is another machine"
        )
        hint = (
            f"ask whether it was set up anew; look with `{look}`, and only when the fingerprint is the one "
            f"its console shows remove the old key: ssh-keygen -R {target.entry} -f {target.known_hosts[0]}"
        )
        return AuthenticationError(msg, node=target.node, hint=hint)
    msg = f"the host key of {target.place} is unknown: no entry {target.entry} in {files}"
    hint = (
        f"look at its fingerprint with `{look}`, compare it with `ssh-keygen -lf "
        f"/etc/ssh/ssh_host_ed25519_key.pub` on its console, then accept it once by hand: {target.ssh}"
    )
    return AuthenticationError(msg, node=target.node, hint=hint)


def dropped(target: Target, doing: str, error: BaseException | None = None) -> NetworkError:
    """Return the error for a connection that was lost in the middle of something."""
    why = f": {error}" if error and str(error) else ""
    msg = f"the connection to {target.place} dropped during {doing}{why}"
    hint = "look whether the machine is up; the command may still run there; the next request connects again"
    return NetworkError(msg, node=target.node, hint=hint)


def not_started(target: Target, doing: str, error: asyncssh.ChannelOpenError) -> RemoteCommandError:
    """Return the error for a command that the machine did not start."""
    msg = f"{target.place} did not start {doing}: {error.reason or 'refused'}"
    hint = "sshd there limits sessions (MaxSessions) or commands (ForceCommand, a shell that is not allowed)"
    return RemoteCommandError(msg, node=target.node, hint=hint)
