"""How vLLM and SGLang start, from the command line to the ready line, derived from the state of the world."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from reaffirm.model.node import Engine
from reaffirm.nodes.simulated.container import Container
from reaffirm.nodes.simulated.engine_command import EngineCommand
from reaffirm.nodes.simulated.group_formation import form_groups, host_address
from reaffirm.nodes.simulated.machine import GIB, Weights
from reaffirm.nodes.simulated.rank import EngineError, Rank, fail
from reaffirm.nodes.simulated.schedule import Life, Until

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World

#: Running sequences for which SGLang keeps recurrent state, and the share of it that is convolution state.
_SLOTS = 48
_CONVOLUTION = 0.033


def engine_life(world: "World", command: EngineCommand) -> Callable[[Container], Life]:
    """Return what the main process of a container does when it is this engine."""

    def life(container: Container) -> Life:
        rank = Rank(world, container, command)
        world.ranks[container.id] = rank
        start = start_vllm if command.engine is Engine.VLLM else start_sglang
        try:
            yield from start_program(rank) if command.program else start(rank)
        except EngineError as error:
            yield from give_up(rank, error)

    return life


def give_up(rank: Rank, error: EngineError) -> Life:
    """Print the cause and what an engine prints after it, then end the process."""
    if not error.early:
        rank.say("engine-fatal" if rank.ready else "engine-error")
    if error.early or rank.command.engine is Engine.VLLM:
        rank.say("traceback")
    rank.say(error.line, **error.values)
    if not error.early:
        yield 1.0
        rank.say("engine-dead" if rank.ready else "engine-end", code=error.code)
    yield 0.2
    rank.container.exit(error.code)


def start_vllm(rank: Rank) -> Life:
    """Start one node of vLLM; the head serves HTTP."""
    command, version = rank.command, rank.container.image.engine_version
    yield rank.took("import")
    if command.headless:
        rank.say("hello-headless", version=version, address=command.address, port=command.meeting_port)
    else:
        rank.say("hello", version=version)
        # vLLM binds its port before it does anything else, and listens on it when it is ready.
        if rank.node.taken(command.host, command.port):
            fail("server-port-taken", early=True, host=command.host, port=command.port)
    weights = rank.weights()
    yield rank.took("config")
    rank.check_architecture(weights)
    context = int(command.number("max-model-len", default=weights.context))
    rank.say("architecture", architecture=weights.architecture)
    rank.say("context", context=context)
    if weights.state_bytes_per_sequence:
        rank.say("block-size")
    _check_gpus(rank)
    yield rank.took("spawn")
    tp, eager = command.tensor_parallel_size, command.has("enforce-eager")
    told = {"model": command.model, "context": context, "tp": tp, "eager": eager}
    if not command.headless:
        rank.say("engine-config", version=version, served=command.served_name, **told)
    if rank.world_size > 1 and command.rank == 0:
        where = host_address(rank)
        rank.say("group-leader", master=command.address, address=where, world=rank.world_size)
    rank.say("world", world=rank.world_size, address=command.address, port=command.meeting_port)
    yield from form_groups(rank)
    rank.say("groups-joined", world=rank.world_size)
    fraction = command.number("gpu-memory-utilization", default=0.9)
    free, total = rank.node.memory_free, rank.node.memory_total
    wanted = fraction * total
    if free < wanted:
        fail("not-enough-memory", free=free, total=total, fraction=fraction, wanted=wanted)
    rank.say("load-begin", model=command.model)
    began = rank.world.clock.now()
    yield from load(rank, weights, shown=command.rank == 0)
    elapsed = rank.world.clock.now() - began
    rank.say("load-end", elapsed=elapsed)
    rank.say("loaded", weights=rank.per_rank(weights), elapsed=elapsed + 0.4)
    if not eager:
        rank.say("compile-begin")
        yield rank.took("compile")
        rank.say("compile-end", elapsed=rank.took("compile"))
    kv = wanted - rank.per_rank(weights) - rank.took("context-memory") - rank.took("activation-memory")
    if kv <= 0:
        fail("no-kv-memory")
    rank.say("kv-memory", kv=kv)
    if command.rank == 0:
        tokens = int(kv * GIB * tp / weights.kv_bytes_per_token)
        rank.say("kv-cache", tokens=tokens)
        rank.say("concurrency", context=context, concurrency=tokens / context)
    rank.container.hold(kv + rank.took("activation-memory"))
    if not eager:
        yield rank.took("graph")
        rank.container.hold(rank.took("graph-memory"))
        rank.say("graph-end", elapsed=rank.took("graph"), graph=rank.took("graph-memory"))
    yield from together(rank)
    if not command.headless:
        rank.say("server-starting", host=command.host, port=command.port)
        yield 0.01
        rank.say("server-process", pid=1)
        rank.say("server-waiting")
        yield rank.took("server")
        rank.container.listen(command.host, command.port)
        rank.ready = True
        rank.say("server-complete")
    yield Until(lambda: False)


def start_sglang(rank: Rank) -> Life:
    """Start one node of SGLang; the head serves, the others answer ``/health`` only."""
    command = rank.command
    yield rank.took("import")
    rank.say(
        "hello",
        model=command.model,
        host=command.host,
        port=command.port,
        tp=command.tensor_parallel_size,
        nnodes=command.nnodes,
        init=f"{command.address}:{command.meeting_port}",
    )
    weights = rank.weights()
    yield rank.took("config") + rank.took("spawn")
    image = rank.container.image
    if image.registry.has(weights.architecture) is False:
        rank.check_architecture(weights)
    _check_gpus(rank)
    began, before = rank.world.clock.now(), rank.node.memory_free
    rank.say("init-begin")
    yield from form_groups(rank)
    elapsed = rank.world.clock.now() - began
    rank.say("groups-joined", elapsed=elapsed, used=before - rank.node.memory_free)
    rank.say("load-begin", available=rank.node.memory_free)
    began = rank.world.clock.now()
    if rank.node.memory_free < rank.per_rank(weights):
        wanted, total = rank.per_rank(weights), rank.node.memory_total
        free = rank.node.memory_free
        fail("cuda-memory", free=free, total=total, wanted=wanted)
    yield from load(rank, weights, shown=True)
    rank.say(
        "load-end",
        elapsed=rank.world.clock.now() - began,
        architecture=weights.architecture,
        available=rank.node.memory_free,
        weights=rank.per_rank(weights),
    )
    fraction = command.number("mem-fraction-static", default=0.85)
    cache = rank.node.memory_free - before * (1 - fraction)
    state = _SLOTS * weights.state_bytes_per_sequence / command.tensor_parallel_size / GIB
    kv = cache - state
    if kv <= 0:
        fail("not-enough-memory", fraction=fraction)
    if weights.state_bytes_per_sequence:
        conv = state * _CONVOLUTION
        rank.say("state-cache", slots=_SLOTS, conv=conv, state=state - conv)
    tokens = int(kv * GIB * command.tensor_parallel_size / weights.kv_bytes_per_token)
    rank.container.hold(cache)
    rank.say("kv-cache", tokens=tokens, half=kv / 2)
    if not command.has("disable-cuda-graph"):
        rank.say("graph-begin", available=rank.node.memory_free)
        yield rank.took("graph")
        rank.container.hold(rank.took("graph-memory"))
        told = {"elapsed": rank.took("graph"), "graph": rank.took("graph-memory")}
        rank.say("graph-end", available=rank.node.memory_free, **told)
    yield from together(rank)
    context = int(command.number("context-length", default=weights.context))
    rank.say("totals", tokens=tokens, slots=_SLOTS, context=context, available=rank.node.memory_free)
    rank.say("server-process", pid=1)
    rank.say("server-waiting")
    # SGLang binds its port only now, when all the weights are loaded.
    if rank.node.taken(command.host, command.port):
        rank.say("server-port-taken", host=command.host, port=command.port)
        yield 0.5
        rank.container.exit(1)
        return
    rank.container.listen(command.host, command.port)
    rank.say("server-complete")
    rank.say("server-running", host=command.host, port=command.port)
    yield rank.took("server")
    rank.ready = True
    if command.rank == 0:
        rank.say("ready")
    yield Until(lambda: False)


def start_program(rank: Rank) -> Life:
    """Run the node program that forms SGLang's groups over Gloo, adds up ones, stays a while, and ends."""
    command, image = rank.command, rank.container.image
    yield rank.took("import")
    rank.container.log(
        f"reaffirm: rank {command.rank} of {rank.world_size}: SGLang {image.engine_version}'s group "
        f"formation and message queue over Gloo, torch {image.torch_version}; "
        "no server, no model, no kernels, no NCCL"
    )
    init = f"tcp://{command.address}:{command.meeting_port}"
    rank.container.log(f"reaffirm: init_distributed_environment over {init}")
    yield from form_groups(rank, nccl=False)
    rank.container.log(f"reaffirm: all_reduce of ones gave {float(rank.world_size)}")
    stay = command.number("stay", default=600)
    rank.container.log(f"reaffirm: staying {stay:.0f} s")
    yield stay
    rank.members = {}
    rank.container.exit(0)


def _check_gpus(rank: Rank) -> None:
    """Stop where a node would need more GPUs than its one."""
    tp = rank.command.tensor_parallel_size
    if tp > rank.command.nnodes:
        fail("too-few-gpus", early=True, tp=tp)


def load(rank: Rank, weights: Weights, *, shown: bool) -> Life:
    """Read the weight files one after the other; each rank keeps its part."""
    folder = weights.path(rank.node.hf_cache)
    part, pace = rank.per_rank(weights) / weights.shards, rank.took("shard")
    for done in range(weights.shards + 1):
        if shown:
            rank.say(
                "shards",
                percent=100 * done // weights.shards,
                done=done,
                total=weights.shards,
                elapsed=_minutes(done * pace),
                rest=_minutes((weights.shards - done) * pace),
                pace=pace,
            )
        if done == weights.shards:
            return
        name = weights.names[done]
        if name in weights.missing:
            fail("shard-missing", path=f"{folder}/{name}")
        if name in weights.cut:
            fail("shard-cut")
        yield pace
        if rank.node.memory_free < part:
            free, total = rank.node.memory_free, rank.node.memory_total
            fail("cuda-memory", free=free, total=total, wanted=part)
        rank.container.hold(part)


def together(rank: Rank) -> Life:
    """Wait for the other ranks at the end of the start: all serve or none does."""
    rank.world.arrived.add(rank.container.id)
    yield Until(lambda: all(other.container.id in rank.world.arrived for other in rank.others))


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60:02}:{int(seconds) % 60:02}"
