"""describe: everything about the machines that a machine file can be written from. Asks, changes nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reaffirm.errors import UsageError
from reaffirm.model.evidence import Kind
from reaffirm.model.node import Role
from reaffirm.model.survey import NodeFacts
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.transport import Transport
from reaffirm.steps.asking import Asker, json_line, why_not
from reaffirm.steps.fabric import Fabric, find_fabric
from reaffirm.steps.survey import reaches, survey

#: A word in the name of an image that an engine's image is likely to have.
_ENGINES = ("vllm", "sglang")
# enp1s0f1np1 and enP2p1s0f1np1 are the two halves of one socket: their names differ in the PCIe domain.
_DOMAIN = re.compile(r"^en(?:P\d+)?(?=p\d)")


@dataclass(frozen=True)
class Model:
    """A model in the Hugging Face cache. ``size`` is bytes; ``unfinished`` counts broken-off downloads."""

    name: str
    size: int
    unfinished: int = 0


@dataclass(frozen=True)
class Machine:
    """One machine as it described itself. ``images`` maps a reference to its size as Docker writes it."""

    facts: NodeFacts
    role: Role
    processor: str = ""
    boot: str = ""
    images: dict[str, str] = field(default_factory=dict)
    cache: str = ""
    cache_there: bool = False
    hf_home: str = ""
    models: tuple[Model, ...] = ()
    reached: tuple[bool | None, str] = (None, "")
    gaps: tuple[str, ...] = ()

    @property
    def engines(self) -> tuple[str, ...]:
        """The images that look like an engine's, by their names."""
        return tuple(ref for ref in self.images if any(word in ref.lower() for word in _ENGINES))

    def twins(self) -> tuple[tuple[str, ...], ...]:
        """Return the names of interfaces that look like the two halves of one socket."""
        halves: dict[str, list[str]] = {}
        for link in self.facts.interfaces:
            if _DOMAIN.match(link.name):
                halves.setdefault(_DOMAIN.sub("en", link.name), []).append(link.name)
        return tuple(tuple(names) for names in halves.values() if len(names) > 1)


@dataclass(frozen=True)
class Description:
    """What the machines said, head first, and what follows from it. ``at`` is the head's time (epoch)."""

    machines: tuple[Machine, ...]
    fabric: Fabric
    kind: Kind
    at: float

    @property
    def one_kernel(self) -> bool:
        """Whether two of them run on one kernel: containers or namespaces of one machine."""
        boots = [machine.boot for machine in self.machines if machine.boot]
        return len(set(boots)) < len(boots)


def describe(cluster: Cluster, *, hf_cache: str = "~/.cache/huggingface") -> Description:
    """Ask every machine about itself, and find the fabric between them as preflight does.

    What a machine does not tell is a gap, never a guess.

    Raises:
        UsageError: two of the names lead to one machine.
    """
    asker = Asker()
    machines = [_machine(asker, node, hf_cache) for node in cluster.all]
    refuse_one_machine([(m.facts.node, m.facts.hostname, m.boot) for m in machines])
    fabric = find_fabric(asker, cluster, [machine.facts for machine in machines])
    reached = [_reached(asker, cluster, machine) for machine in machines]
    told = tuple(
        Machine(**{**machine.__dict__, "reached": answer})
        for machine, answer in zip(machines, reached, strict=True)
    )
    return Description(told, fabric, cluster.kind, cluster.head.clock.now())


def refuse_one_machine(told: Sequence[tuple[str, str, str]]) -> None:
    """Stop where two names lead to one machine: the same host name and the same boot id.

    Raises:
        UsageError: they do. Each of ``told`` is (name, host name, boot id).
    """
    seen: dict[tuple[str, str], str] = {}
    for name, hostname, boot in told:
        other = seen.setdefault((hostname, boot), name)
        if hostname and boot and other != name:
            msg = f"{other} and {name} are one machine: both say that they are {hostname!r}"
            raise UsageError(msg, hint="look at HostName in the ssh config; name two different machines")


def boot_id(asker: Asker, node: Transport) -> str:
    """Return the id that a kernel makes when it starts; empty where a machine does not tell."""
    answer = asker.look(node, ["cat", "/proc/sys/kernel/random/boot_id"])
    return answer.stdout.strip() if answer.ok else ""


def _machine(asker: Asker, node: Transport, hf_cache: str) -> Machine:
    gaps: list[str] = []
    facts = survey(asker, node)
    processor = asker.look(node, ["uname", "-m"])
    if not processor.ok:
        gaps.append(f"processor: {why_not(processor)}")
    cache = asker.look(node, ["python3", "-", hf_cache], program="list_models.py", timeout=120)
    told: dict[str, Any] = json_line(cache) or {}
    if not told:
        gaps.append(f"Hugging Face cache: {why_not(cache)}")
    models = tuple(
        Model(str(entry.get("name")), int(entry.get("bytes") or 0), int(entry.get("unfinished") or 0))
        for entry in told.get("models") or ()
    )
    return Machine(
        facts=facts,
        role=node.node.role,
        processor=processor.stdout.strip() if processor.ok else "",
        boot=boot_id(asker, node),
        images=_images(asker, node, gaps),
        cache=str(told.get("cache") or ""),
        cache_there=bool(told.get("there")),
        hf_home=str(told.get("hf_home") or ""),
        models=models,
        gaps=(*facts.gaps, *gaps),
    )


def _images(asker: Asker, node: Transport, gaps: list[str]) -> dict[str, str]:
    answer = asker.look(node, ["docker", "images", "--format", "{{.Repository}}:{{.Tag}} {{.ID}} {{.Size}}"])
    if not answer.ok:
        gaps.append(f"images: {why_not(answer)}")
        return {}
    rows = [line.split(None, 2) for line in answer.stdout.splitlines()]
    # podman, where it plays docker, puts localhost/ before a name without a registry; docker run knows both
    return {row[0].removeprefix("localhost/"): row[2] for row in rows if len(row) == 3 and "<" not in row[0]}


def _reached(asker: Asker, cluster: Cluster, machine: Machine) -> tuple[bool | None, str]:
    """Ask a peer whether it reaches the address that an engine here would advertise by itself."""
    address = machine.facts.advertised
    peers = [node for node in cluster.all if node.node.name != machine.facts.node]
    if address is None or not peers:
        return None, machine.facts.advertised_how
    peer = peers[0]
    reached, how = reaches(asker, peer, address)
    return reached, f"{peer.node.name}: {how}"
