"""From the words of a command line to open machines: ``HOST HOST``, the second maybe behind the first."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from reaffirm.errors import NetworkError, UsageError
from reaffirm.model.node import Machines, NodeSpec, Role
from reaffirm.nodes.ssh import open_nodes
from reaffirm.nodes.transport import Transport

# user@host:port; a host is a name, an address or a Host of the ssh config.
_HOST = re.compile(r"(?:(?P<user>[^@\s]+)@)?(?P<host>[A-Za-z0-9][A-Za-z0-9._-]*)(?::(?P<port>\d{1,5}))?\Z")


def specs(words: Sequence[str], *, user: str = "", jump: str = "") -> tuple[NodeSpec, ...]:
    """Read ``HOST`` words, the first being the head; each is named as it was typed.

    ``jump`` is one of these hosts: all others are reached through it.

    Raises:
        UsageError: a word that is no host, one that comes twice, or a jump that is none of them.
    """
    found: list[NodeSpec] = []
    for word in words:
        match = _HOST.match(word)
        if match is None or int(match["port"] or 0) > 65535:
            msg = f"not a host: {word!r}"
            raise UsageError(
                msg, hint="write a name, an IPv4 address or a Host of your ssh config: [user@]host[:port]"
            )
        role = Role.WORKER if found else Role.HEAD
        host = match["host"]
        if host in (spec.name for spec in found):
            msg = f"every machine is named once, got {host!r} twice"
            raise UsageError(msg, hint="name the head, then the other machine")
        found.append(NodeSpec(host, role, host, match["user"] or user, int(match["port"] or 0)))
    if not jump:
        return tuple(found)
    if jump not in (spec.name for spec in found):
        msg = f"--jump names one of the machines ({', '.join(s.name for s in found)}), got {jump!r}"
        raise UsageError(msg, hint="a jump host of another kind goes into the ssh config (ProxyJump)")
    return tuple(spec if spec.name == jump else replace(spec, jump=jump) for spec in found)


def open_hosts(
    nodes: Sequence[NodeSpec], *, ssh_config: str = ""
) -> tuple[Machines, Mapping[str, Transport], tuple[str, ...]]:
    """Connect to the machines; a worker that this machine does not reach is tried through the head.

    Returns the machines as they were reached, their transports, and a sentence for each detour.

    Raises:
        NetworkError: a machine is reached neither directly nor through the head.
        AuthenticationError: it does not take our key, or its host key is not the known one.
        MachineFileError: the ssh config cannot be used.
    """
    specs = {node.name: node for node in nodes}
    head = next(node.name for node in nodes if node.role is Role.HEAD)
    detours: list[str] = []
    first: dict[str, NetworkError] = {}
    while True:
        config = str(Path(ssh_config).expanduser().resolve()) if ssh_config else ""
        machines = Machines("init", "the command line", tuple(specs.values()), ssh_config=config)
        try:
            return machines, open_nodes(machines), tuple(detours)
        except NetworkError as error:
            lost = specs.get(error.node)
            if lost is None or lost.name == head:
                raise
            if lost.jump:
                if earlier := first.get(lost.name):
                    error.message = f"{error.message}\ndirectly: {earlier.message}"
                raise
            first[lost.name] = error
            specs[lost.name] = replace(lost, jump=head)
            why = error.message.splitlines()[0]
            detours.append(f"{lost.name} is not reached from here ({why}); it is reached through {head}")
