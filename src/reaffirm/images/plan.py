"""Launch plans: what ``docker run`` gets on each node, from what a survey found. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reaffirm.errors import UsageError
from reaffirm.images import engines
from reaffirm.images.names import container_name, image_reference, model_name
from reaffirm.model.node import Engine, LaunchHere, Machines, ModelHere
from reaffirm.model.survey import FabricEnd, NodeFacts

#: Everything that we start carries this label; its value is the name of the runbook.
LABEL = "org.reaffirm.runbook"
#: And this one, with the id of the run.
RUN_LABEL = "org.reaffirm.run"
_CACHE_IN_CONTAINER = "/root/.cache/huggingface"


@dataclass(frozen=True)
class RankPlan:
    """What one node starts. ``program`` is the file of ``scripts/node`` behind ``-c``, if any."""

    rank: int
    node: str
    container: str
    argv: tuple[str, ...]
    program: str = ""


@dataclass(frozen=True)
class LaunchPlan:
    """A launch on all nodes. ``goal`` is the stage where it is done; ``note`` what does not run.

    ``ports`` are the TCP ports whose numbers are known beforehand; engines open random ones besides.
    """

    engine: Engine
    image: str
    model: str
    ranks: tuple[RankPlan, ...]
    port: int
    ports: tuple[int, ...]
    goal: str = "ready"
    note: str = ""


@dataclass(frozen=True)
class Place:
    """One node of a plan, in the order of the ranks. ``cache`` is its Hugging Face cache, absolute."""

    facts: NodeFacts
    fabric: FabricEnd
    cache: str


def launch_plan(
    engine: str,
    *,
    image: str,
    model: str,
    machines: Machines,
    places: Sequence[Place],
    tensor_parallel_size: int = 2,
    host_address: bool = True,
    name_prefix: str = "",
    runbook: str = "",
    run: str = "",
    program_text: str = "",
) -> LaunchPlan:
    """Return what each node starts; the first of ``places`` is the head.

    ``host_address=False`` leaves the variable unset that tells the engine its own address, as in the
    set-up of the sources. ``program_text`` is the text of the program that the machine file names.

    Raises:
        UsageError: an unknown engine, a name that is not plain, or a size that does not fit the nodes.
    """
    kind = engine_of(engine)
    image_reference(image)
    model_name(model)
    if tensor_parallel_size != len(places):
        msg = (
            f"tensor parallel size {tensor_parallel_size} does not fit {len(places)} node(s) of one GPU each"
        )
        raise UsageError(msg, hint=f"use tensor_parallel_size={len(places)}")
    here = machines.launch.get(kind.value, LaunchHere())
    settings = engines.SETTINGS[kind]
    names = container_names(kind, len(places), name_prefix)
    stands = machines.models.get(model, ModelHere())
    port = here.port or settings.port
    meeting = (here.dist_port if kind is Engine.SGLANG else here.master_port) or settings.meeting_port
    ranks = []
    for rank, place in enumerate(places):
        job = engines.Job(
            rank=rank,
            size=len(places),
            model=stands.path or model,
            served_name=model if stands.path else "",
            head_address=places[0].fabric.address,
            port=port,
            meeting_port=meeting,
            gpu=bool(place.facts.gpus),
            arguments=here.arguments,
        )
        command = engines.program_command(job, program_text) if here.program else settings.command(job)
        argv = (
            *_options(names[rank], runbook, run, machines, place),
            *_mounts(stands, place),
            *_environment(kind, here, place, host_address=host_address),
            *machines.containers.extra,
            image,
            *command,
        )
        ranks.append(RankPlan(rank, place.facts.node, names[rank], argv, here.program))
    return LaunchPlan(
        engine=kind,
        image=image,
        model=model,
        ranks=tuple(ranks),
        port=port,
        ports=(meeting,) if here.program else (port, meeting),
        goal="groups-joined" if here.program else "ready",
        note=here.note,
    )


def engine_of(text: str) -> Engine:
    """Return the engine of that name.

    Raises:
        UsageError: we do not know how to start it.
    """
    try:
        return Engine(text)
    except ValueError:
        msg = f"unknown engine {text!r}"
        raise UsageError(msg, hint=f"use one of: {', '.join(e.value for e in Engine)}") from None


def container_names(engine: Engine, count: int, prefix: str = "") -> tuple[str, ...]:
    """Return the containers' names in the order of the ranks: ``vllm-head``, ``vllm-worker`` …"""
    stem = prefix or engine.value
    names = [f"{stem}-head"] + [f"{stem}-worker" + (f"-{n}" if n > 1 else "") for n in range(1, count)]
    return tuple(container_name(name) for name in names)


def _options(name: str, runbook: str, run: str, machines: Machines, place: Place) -> tuple[str, ...]:
    here = machines.containers
    options = ["docker", "run", "-d", "--name", name, "--label", f"{LABEL}={runbook or '-'}"]
    if run:
        options += ["--label", f"{RUN_LABEL}={run}"]
    # A restart would erase the first error: it is as a rule on the other node.
    options += ["--restart", "no", "--network", "host"]
    if here.ipc:
        options += ["--ipc", here.ipc]
    if here.shm_size:
        options += ["--shm-size", here.shm_size]
    for limit in here.ulimits:
        options += ["--ulimit", limit]
    if place.facts.gpus:
        options += ["--gpus", "all"]
    if place.fabric.rdma:
        options.append("--device=/dev/infiniband")
    return tuple(options)


def _mounts(stands: ModelHere, place: Place) -> tuple[str, ...]:
    if stands.path:
        return ("-v", f"{stands.path}:{stands.path}:ro")
    return ("-v", f"{place.cache}:{_CACHE_IN_CONTAINER}")


def _environment(engine: Engine, here: LaunchHere, place: Place, *, host_address: bool) -> tuple[str, ...]:
    settings = engines.SETTINGS[engine]
    fabric = place.fabric
    values = {"GLOO_SOCKET_IFNAME": fabric.interface, "NCCL_SOCKET_IFNAME": fabric.interface}
    if engine is Engine.VLLM:
        values["TP_SOCKET_IFNAME"] = fabric.interface
    if fabric.rdma:
        values["NCCL_IB_DISABLE"] = "0"
        values["NCCL_IB_HCA"] = ",".join(fabric.rdma)
    values |= settings.environment
    values |= here.env
    values.pop(settings.address_variable, None)
    if host_address:
        values[settings.address_variable] = fabric.address
    return tuple(word for pair in _pairs(values) for word in ("-e", pair))


def _pairs(values: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in values.items()]
