"""How ranks find each other: meeting, Gloo, NCCL, the fast path, the message queue.

The order is that of both engines' ``GroupCoordinator`` (read in SGLang 0.5.9 and 0.5.10 and, for the message
queue, seen with vLLM 0.32): when the line about the fast path is printed, NCCL and Gloo have done their work,
and what is left is the hand-shake of a ZeroMQ queue, which has no time-out and prints nothing.
"""

import hashlib

from reaffirm.model.node import Engine
from reaffirm.nodes.simulated.machine import ANY
from reaffirm.nodes.simulated.network import Interface, Way
from reaffirm.nodes.simulated.rank import Rank, fail
from reaffirm.nodes.simulated.schedule import Life, Until

#: The variables by which each engine is told the address of its own host, first one first.
HOST_ADDRESS = {Engine.VLLM: ("VLLM_HOST_IP",), Engine.SGLANG: ("SGLANG_HOST_IP", "HOST_IP")}

#: Lines of standard output and standard error that follow each other closely still have an order (seconds).
_MOMENT = 0.01


def form_groups(rank: Rank, *, nccl: bool = True) -> Life:
    """Let a rank meet its peers and form the groups; it may wait for ever in the last part.

    ``nccl=False`` is for a group whose collectives run over Gloo alone.
    """
    yield from meet(rank)
    if rank.world_size > 1:
        yield from connect_gloo(rank)
        if nccl:
            yield from connect_nccl(rank)
        yield _MOMENT
        if not rank.command.has("disable-custom-all-reduce"):
            rank.say("fast-path-off")
        yield from open_queue(rank)
    yield rank.took("join")


def meet(rank: Rank) -> Life:
    """Rank 0 listens; everybody connects to it and waits until all are there."""
    command, limit = rank.command, rank.took("rendezvous-limit")
    if rank.world_size == 1:
        rank.members = {0: rank}
        return
    if command.rank == 0:
        if rank.node.taken(ANY[0], command.meeting_port):
            fail("store-port-taken", port=command.meeting_port)
        rank.container.listen("*", command.meeting_port)
        rank.listening = True
        rank.members = {0: rank}
    found = yield Until(lambda: _head(rank) is not None, limit)
    head = _head(rank)
    if not found or head is None:
        fail("store-connect-timeout", seconds=int(limit), address=command.address, port=command.meeting_port)
    head.members[command.rank] = rank
    rank.members = head.members
    if not (yield Until(lambda: len(rank.members) == rank.world_size, limit)):
        joined = len(rank.members)
        fail("store-clients-timeout", seconds=int(limit) + 1, joined=joined, world=rank.world_size)
    yield rank.took("rendezvous")


def _head(rank: Rank) -> Rank | None:
    """Return the rank 0 that listens where this rank was told to connect, if it can be reached."""
    command = rank.command
    for other in rank.world.ranks.values():
        same = (other.command.engine, other.command.meeting_port, other.world_size)
        if (
            other.command.rank == 0
            and other.alive
            and other.listening
            and same == (command.engine, command.meeting_port, rank.world_size)
            and rank.reaches(command.address, other)
        ):
            return other
    return None


def connect_gloo(rank: Rank) -> Life:
    """Connect every rank with every other over the interface that Gloo was given."""
    if name := rank.env.get("GLOO_SOCKET_IFNAME", "").split(",")[0]:
        device = rank.node.host.find(name)
        if device is None or not device.carrier or not device.inet:
            fail("gloo-no-address", interface=name)
        rank.gloo_address = str(device.inet[0].ip)
    else:
        rank.gloo_address = rank.node.hostname_address
    yield Until(lambda: all(other.gloo_address for other in rank.others))
    yield rank.took("gloo")
    for other in rank.others:
        if not rank.reaches(other.gloo_address, other):
            rank.say("gloo-loopback")
            fail("gloo-mesh-failed", address=other.gloo_address, port=rank.node.free_port())
    rank.say("gloo-connected", peers=rank.world_size - 1)


def connect_nccl(rank: Rank) -> Life:
    """Make the one NCCL communicator of the group and run the first all-reduce over the wire."""
    wanted = rank.env.get("NCCL_SOCKET_IFNAME", "")
    if rank.command.rank == 0:
        rank.say("nccl-version", nccl=rank.nccl_version)
    if wanted:
        rank.nccl("nccl-ifname", interface=wanted)
    device = _chosen(rank, wanted)
    if device is None:
        rank.nccl("nccl-no-interface")
        fail("nccl-error")
    rank.nccl_interface, rank.nccl_address = device.name, str(device.inet[0].ip)
    rank.nccl("nccl-bootstrap", interface=device.name, address=rank.nccl_address)
    yield Until(lambda: all(other.nccl_address for other in rank.others))
    for other in rank.others:
        if not rank.reaches(other.nccl_address, other):
            way, _ = rank.world.way(rank.node, other.nccl_address)
            yield rank.took("nccl") * 10
            if way is Way.NO_ROUTE:
                rank.nccl("nccl-no-route", address=other.nccl_address, port=rank.node.free_port())
            fail("nccl-error")
    adapters = _adapters(rank)
    if adapters:
        rank.network = "IBext_v11"
        for index, hca in enumerate(adapters):
            rank.nccl("nccl-ib-device", index=index, hca=hca)
    else:
        rank.nccl("nccl-ib-none")
    rank.nccl("nccl-network", network=rank.network)
    # Making a communicator is a collective: nobody goes on before all have come this far.
    rank.nccl_joined = True
    yield Until(lambda: all(other.nccl_joined for other in rank.others))
    yield rank.took("nccl") / 2
    rank.container.hold(rank.took("context-memory"))
    common = f"{rank.command.engine}:{rank.command.address}:{rank.command.meeting_port}"
    rank.nccl(
        "nccl-init-complete",
        comm="0x" + hashlib.sha256(rank.container.id.encode()).hexdigest()[:12],
        world=rank.world_size,
        commid="0x" + hashlib.sha256(common.encode()).hexdigest()[:16],
    )
    for other in rank.others:
        rank.nccl("nccl-channel", peer=other.command.rank, network=rank.network)
    yield rank.took("nccl") / 2
    rank.nccl("nccl-rings")


def _fits(name: str, wanted: str) -> bool:
    """Whether NCCL's filter takes the name: prefixes, ``=`` exact, ``^`` for all but these."""
    if not wanted:
        return True
    words = wanted.lstrip("^=").split(",")
    exact = "=" in wanted[:2]
    hit = any(name == word if exact else name.startswith(word) for word in words if word)
    return hit != wanted.startswith("^")


def _chosen(rank: Rank, wanted: str) -> Interface | None:
    for device in rank.node.host.interfaces:
        if not device.carrier or not device.inet or not _fits(device.name, wanted):
            continue
        if wanted or not device.name.startswith(("lo", "docker")):
            return device
    return None


def _adapters(rank: Rank) -> list[str]:
    """Return the RDMA devices that the container sees, that are up, and that the filter takes."""
    spec = rank.container.spec
    visible = spec.privileged or any(device.startswith("/dev/infiniband") for device in spec.devices)
    if not visible or rank.env.get("NCCL_IB_DISABLE", "0") == "1":
        return []
    devices = [device for device in rank.node.host.interfaces if device.hca and device.carrier]
    wanted = rank.env.get("NCCL_IB_HCA", "").replace(":1", "")
    return [device.hca for device in devices if _fits(device.hca, wanted)]


def host_address(rank: Rank) -> str:
    """Return the address that the engine takes for its own host's."""
    for variable in HOST_ADDRESS[rank.command.engine]:
        if given := rank.env.get(variable):
            return given
    if rank.command.engine is Engine.SGLANG and (name := rank.env.get("SGLANG_LOCAL_IP_NIC")):
        device = rank.node.host.find(name)
        if device is not None and device.inet:
            return str(device.inet[0].ip)
    return rank.default_address()


def open_queue(rank: Rank) -> Life:
    """Open the message queue between the nodes: rank 0 binds, the others connect, all wait."""
    off = rank.env.get("SGLANG_USE_MESSAGE_QUEUE_BROADCASTER", "true").lower() in ("false", "0")
    if rank.command.engine is Engine.SGLANG and off:
        return
    yield rank.took("queue")
    address = host_address(rank)
    port = rank.node.free_port()
    # vLLM's other ranks bind a queue for their answers too; SGLang's only connect.
    binds = rank.command.rank == 0 or rank.command.engine is Engine.VLLM
    if binds and address not in ANY and not rank.node.host.owns(address):
        fail("queue-no-address", address=address, port=port)
    if rank.command.rank == 0:
        rank.container.listen(address, port)
        rank.queue = (address, port)
        rank.debug("queue-handle", address=address, port=port)
        rank.deaf = True
        yield Until(lambda: all(other.queue_joined for other in rank.others))
    else:
        yield Until(lambda: rank.head is not None and rank.head.queue is not None)
        head = rank.head
        if head is None or head.queue is None:
            return
        there, its_port = head.queue
        rank.debug("queue-connecting", address=there, port=its_port)
        rank.deaf = True
        rank.world.dialling[rank.container.id] = (there, its_port)
        # ZeroMQ dials again and again, without a word and without an end.
        yield Until(lambda: rank.reaches(there, head) and head.alive)
        rank.queue_joined = True
        del rank.world.dialling[rank.container.id]
    rank.deaf = False
