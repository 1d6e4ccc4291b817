"""preflight: can these nodes serve this model with these images? Everything is asked before it judges."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reaffirm.errors import NodeError, StepFailedError
from reaffirm.model.fact import Fact
from reaffirm.model.node import Role
from reaffirm.model.report import Outcome, Table
from reaffirm.model.survey import ImageHere, NodeFacts
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.transport import Transport
from reaffirm.steps.asking import Asker, json_line, why_not
from reaffirm.steps.containers import image_on
from reaffirm.steps.fabric import Fabric, find_fabric
from reaffirm.steps.named import model_on, reference_of
from reaffirm.steps.reading import disk_free, gib
from reaffirm.steps.result import StepResult, bundle, tell
from reaffirm.steps.survey import reaches, survey

_PASS, _FAIL, _UNKNOWN, _WARNING = "pass", "FAIL", "unknown", "WARNING"


@dataclass(frozen=True)
class PreflightResult(StepResult):
    """What preflight found. ``nodes`` are the surveys in the order head, workers."""

    nodes: tuple[NodeFacts, ...] = ()
    fabric: Fabric = field(default_factory=Fabric)


@dataclass
class _Checks:
    rows: list[tuple[str, str, str, str, str]] = field(default_factory=list)

    def add(self, node: str, check: str, verdict: str, seen: str, then: str = "") -> None:
        self.rows.append((verdict, node, check, seen, then))

    def has(self, verdict: str) -> bool:
        return any(row[0] == verdict for row in self.rows)


def preflight(
    cluster: Cluster,
    *,
    images: Sequence[str],
    model: str,
    ports: Sequence[int] = (8000, 30000),
    need_disk_gib: float = 10.0,
    need_memory_gib: float | None = None,
) -> PreflightResult:
    """Check nodes, network, images, weights, disk, memory and ports; change nothing.

    ``need_disk_gib`` is the free space that the file system of the weights must have; ``need_memory_gib``
    the memory that must be available on each node (default: the weights' size over the nodes, plus a tenth).
    A check that could not be judged is *unknown*. An address that the engine would advertise and the
    peer cannot reach is a warning: a launch that sets the host address avoids it.

    Raises:
        UsageError: a name that is not plain; nothing was sent.
        StepFailedError: a check failed; the report was shown before.
    """
    references = [reference_of(cluster, image) for image in images]
    here = model_on(cluster, model)
    asker, checks = Asker(), _Checks()
    alive = [node for node in cluster.all if _answers(asker, node, checks)]
    facts = [survey(asker, node) for node in alive]
    for node in facts:
        for gap in node.gaps:
            checks.add(node.node, gap.partition(":")[0], _UNKNOWN, gap.partition(": ")[2], "ask by hand")
    fabric = Fabric()
    if len(alive) == len(cluster.all):
        fabric = _fabric(asker, cluster, facts, checks)
    else:
        checks.add("", "fabric", _UNKNOWN, "not every node answers", "make all nodes answer first")
    reachable = _advertised(asker, alive, facts, checks)
    same_image = [_image(asker, alive, reference, checks) for reference in references]
    needed, complete = _weights(
        asker, cluster, alive, here.path or model, checks, here.stand_in, need_disk_gib
    )
    _memory(facts, checks, need_memory_gib if need_memory_gib is not None else needed)
    _ports(facts, ports, checks)
    passed = not checks.has(_FAIL)
    result = _result(
        cluster, asker, checks, facts, fabric,
        passed=passed, reachable=reachable, complete=complete, same=_all(same_image),
    )  # fmt: skip
    if not passed:
        cluster.context.display(bundle(result.report))
        failed = [
            f"{check} on {node}" if node else check
            for verdict, node, check, *_ in checks.rows
            if verdict == _FAIL
        ]
        msg = f"preflight failed: {', '.join(failed)}"
        raise StepFailedError(msg, hint="the report says for each what to do")
    return result


def _answers(asker: Asker, node: Transport, checks: _Checks) -> bool:
    role = "head" if node.node.role is Role.HEAD else "worker"
    try:
        answer = asker.ask(node, ["hostname"])
    except NodeError as error:
        told = error.message.splitlines()[0] if error.message else type(error).__name__
        checks.add(
            node.node.name, "answers", _FAIL, told, error.hint or "see that the node is up and reachable"
        )
        return False
    if not answer.ok:
        checks.add(node.node.name, "answers", _FAIL, why_not(answer), "log in by hand and try 'hostname'")
        return False
    checks.add(node.node.name, "answers", _PASS, f"{answer.stdout.strip()}, {role}")
    return True


def _fabric(asker: Asker, cluster: Cluster, facts: Sequence[NodeFacts], checks: _Checks) -> Fabric:
    fabric = find_fabric(asker, cluster, facts)
    if fabric.ends:
        ends = ", ".join(f"{end.node} {end.interface} {end.address}" for end in fabric.ends)
        devices = ", ".join(sorted({device for end in fabric.ends for device in end.rdma}))
        checks.add("", "fabric", _PASS, f"{fabric.subnet}: {ends}; RDMA: {devices or 'none'}")
    elif fabric.tried:
        then = "check cable, addresses and firewall on the interface that should be the fabric"
        checks.add("", "fabric", _FAIL, "; ".join(fabric.tried), then)
    else:
        then = (
            "give the fabric interface of each node an address in one subnet (netplan), and see that it is up"
        )
        within = f" within {cluster.machines.fabric_subnet}" if cluster.machines.fabric_subnet else ""
        checks.add(
            "", "fabric", _FAIL, f"no subnet{within} that all nodes share on an interface that is up", then
        )
    for risk in fabric.risks:
        checks.add("", "twin interfaces", _WARNING, risk, "put the two halves of a port on different subnets")
    return fabric


def _advertised(
    asker: Asker, alive: Sequence[Transport], facts: Sequence[NodeFacts], checks: _Checks
) -> bool | None:
    """Check for each node whether its peers reach the address that an engine there would advertise."""
    verdicts: list[bool | None] = []
    for node, seen in zip(alive, facts, strict=True):
        if seen.advertised is None:
            checks.add(
                seen.node,
                "advertised address",
                _UNKNOWN,
                seen.advertised_how,
                "set the host address variable",
            )
            verdicts.append(None)
            continue
        link = seen.owner_of(seen.advertised)
        where = (
            f"{seen.advertised} ({link.name if link else 'no interface of its own'}, {seen.advertised_how})"
        )
        peers = [peer for peer in alive if peer is not node and _pairs(peer, node)]
        told = [(peer.node.name, *reaches(asker, peer, seen.advertised)) for peer in peers]
        deaf = [f"{name} ({how})" for name, reached, how in told if reached is False]
        if deaf:
            then = (
                "an engine that is not told its own address waits for ever: let launch set VLLM_HOST_IP / "
                "SGLANG_HOST_IP to the fabric address (its default)"
            )
            checks.add(
                seen.node, "advertised address", _WARNING, f"{where}: not reached by {', '.join(deaf)}", then
            )
            verdicts.append(False)
        elif not told or any(reached is None for _, reached, _ in told):
            checks.add(
                seen.node,
                "advertised address",
                _UNKNOWN,
                f"{where}: no peer could tell",
                "make all nodes answer",
            )
            verdicts.append(None)
        else:
            checks.add(seen.node, "advertised address", _PASS, f"{where}: reached by {told[0][0]}")
            verdicts.append(True)
    return _all(verdicts) if verdicts else None


def _pairs(one: Transport, other: Transport) -> bool:
    return Role.HEAD in (one.node.role, other.node.role)


def _image(asker: Asker, alive: Sequence[Transport], reference: str, checks: _Checks) -> bool | None:
    held: list[ImageHere] = []
    unknown = False
    for node in alive:
        image, why = image_on(asker, node, reference)
        if image is not None:
            held.append(image)
            seen = f"{image.digest[:19]}… {image.os}/{image.architecture}, {gib(image.size)} GiB"
            checks.add(node.node.name, f"image {reference}", _PASS, seen)
        elif why == "absent":
            then = f"docker pull {reference} there, or copy it from a node that has it (docker save | docker load)"
            checks.add(node.node.name, f"image {reference}", _FAIL, "not there", then)
        else:
            unknown = True
            checks.add(node.node.name, f"image {reference}", _UNKNOWN, why, "is Docker running there?")
    if len(held) < 2:
        return None if unknown or len(held) == len(alive) else False
    first, differ = held[0], [image for image in held[1:] if not image.same_as(held[0])]
    if not differ:
        return len(held) == len(alive) or (None if unknown else False)
    seen = f"{first.digest[:19]}… {first.architecture} and {differ[0].digest[:19]}… {differ[0].architecture}"
    checks.add(
        "", f"same image {reference}", _FAIL, seen, "give every node the same image: pull it by its digest"
    )
    return False


def _weights(
    asker: Asker,
    cluster: Cluster,
    alive: Sequence[Transport],
    model: str,
    checks: _Checks,
    stand_in: str,
    need_disk_gib: float,
) -> tuple[float | None, bool | None]:
    """Return (memory needed per node in GiB or None, whether all shards are there on all nodes)."""
    verdicts: list[bool | None] = []
    digests: dict[str, str] = {}
    size = 0
    for node in alive:
        name = node.node.name
        argv = ["python3", "-", model, cluster.machines.hf_cache]
        answer = asker.look(node, argv, program="check_weights.py", timeout=120)
        told = json_line(answer)
        if told is None:
            checks.add(name, "weights", _UNKNOWN, why_not(answer), "python3 must be there, 3.9 or newer")
            verdicts.append(None)
            continue
        verdicts.append(_weights_of(name, model, told, checks, stand_in))
        size = max(size, int(told.get("bytes") or 0))
        if told.get("found") and told.get("digest"):
            digests[name] = str(told["digest"])
        _disk(asker, node, str(told.get("path") or told.get("cache") or "/"), checks, need_disk_gib)
    if len(set(digests.values())) > 1:
        seen = ", ".join(f"{name}: {digest[:19]}…" for name, digest in digests.items())
        checks.add("", "same weights", _FAIL, seen, "download the same revision of the model on all nodes")
        verdicts.append(False)
    needed = round(size / 1024**3 / max(len(cluster.all), 1) * 1.1, 2) if size else None
    return needed, _all(verdicts) if verdicts else None


def _weights_of(node: str, model: str, told: dict[str, Any], checks: _Checks, stand_in: str) -> bool:
    missing = [str(name) for name in told.get("missing") or ()]
    incomplete = [str(name) for name in told.get("incomplete") or ()]
    if not told.get("found"):
        then = f"hf download {model} on that node; both nodes need the weights"
        checks.add(node, "weights", _FAIL, f"{model} is not there", then)
        return False
    size = f"{told.get('files')} file(s), {gib(int(told.get('bytes') or 0))} GiB in {told.get('path')}"
    if missing or incomplete:
        seen = f"{size}; missing: {', '.join(missing[:3]) or 'none'}; incomplete: {', '.join(incomplete[:3]) or 'none'}"
        checks.add(node, "weights", _FAIL, seen, f"hf download {model} again on that node; it resumes")
        return False
    checks.add(node, "weights", _PASS, f"{size}{f'; {stand_in}' if stand_in else ''}")
    return True


def _disk(asker: Asker, node: Transport, path: str, checks: _Checks, need_gib: float) -> None:
    answer = asker.look(node, ["df", "-B1", "--output=avail,target", path])
    found = disk_free(answer.stdout) if answer.ok else None
    if found is None:
        checks.add(node.node.name, "disk", _UNKNOWN, f"{path}: {why_not(answer)}", f"df {path} by hand")
        return
    free, mount = found
    enough = free >= need_gib * 1024**3
    then = "" if enough else "free some space: docker system df, and old models in the cache"
    seen = f"{gib(free)} GiB free on {mount}, need {need_gib:g}"
    checks.add(node.node.name, "disk", _PASS if enough else _FAIL, seen, then)


def _memory(facts: Sequence[NodeFacts], checks: _Checks, needed: float | None) -> None:
    for node in facts:
        available = gib(node.memory_available)
        if available is None:
            checks.add(node.node, "memory", _UNKNOWN, "MemAvailable is not told", "cat /proc/meminfo by hand")
            continue
        seen = f"{available} GiB available of {gib(node.memory_total)}"
        if needed is None:
            checks.add(
                node.node,
                "memory",
                _UNKNOWN,
                f"{seen}; how much is needed is not known",
                "pass need_memory_gib",
            )
        elif available >= needed:
            checks.add(node.node, "memory", _PASS, f"{seen}, need {needed:g}")
        else:
            then = (
                "stop what holds it (docker ps), then: sudo sh -c 'sync; echo 3 > /proc/sys/vm/drop_caches'"
            )
            checks.add(node.node, "memory", _FAIL, f"{seen}, need {needed:g}", then)


def _ports(facts: Sequence[NodeFacts], ports: Sequence[int], checks: _Checks) -> None:
    for node in facts:
        if node.listeners is None:
            continue  # already a row: the gap
        taken = [listener for listener in node.listeners if listener.port in ports]
        for held in taken:
            who = held.process or "a process that this user may not see"
            then = "stop it, or give the engine another port; an old container? run cleanup with its name"
            checks.add(node.node, f"port {held.port}", _FAIL, f"taken by {who}", then)
        if not taken:
            checks.add(node.node, "ports", _PASS, f"{', '.join(map(str, ports))} free")


def _all(verdicts: Sequence[bool | None]) -> bool | None:
    """False when one is false, else unknown when one is unknown, else true."""
    if any(verdict is False for verdict in verdicts):
        return False
    return None if any(verdict is None for verdict in verdicts) or not verdicts else True


def _result(
    cluster: Cluster,
    asker: Asker,
    checks: _Checks,
    facts: Sequence[NodeFacts],
    fabric: Fabric,
    *,
    passed: bool,
    reachable: bool | None,
    complete: bool | None,
    same: bool | None,
) -> PreflightResult:
    by_node = {node.node: node for node in facts}
    ends = {end.node: end for end in fabric.ends}
    head = cluster.head.node.name
    worker = cluster.workers[0].node.name if cluster.workers else ""
    interfaces = {end.interface for end in fabric.ends}
    found = [
        Fact("preflight.passed", passed),
        Fact("preflight.head", head),
        Fact("preflight.worker", worker or None),
        Fact("preflight.fabric_interface", " / ".join(sorted(interfaces)) if interfaces else None),
        Fact("preflight.advertised_address_reachable", reachable),
        Fact("preflight.weights_complete", complete),
        Fact("preflight.same_image", same),
    ]
    for role, name in (("head", head), ("worker", worker)):
        node, end = by_node.get(name), ends.get(name)
        found += [
            Fact(f"preflight.fabric_address_{role}", end.address if end else None),
            Fact(f"preflight.advertised_address_{role}", node.advertised if node else None),
            Fact(f"preflight.free_memory_gib_{role}", gib(node.memory_available) if node else None, "GiB"),
        ]
    order = {_FAIL: 0, _WARNING: 1, _UNKNOWN: 2, _PASS: 3}
    rows = tuple(sorted(checks.rows, key=lambda row: order[row[0]]))
    table = Table("Checks", ("", "node", "check", "seen", "what to do"), rows)
    counted = {verdict: sum(row[0] == verdict for row in rows) for verdict in order}
    summary = f"{counted[_PASS]} checks passed, {counted[_FAIL]} failed, {counted[_WARNING]} warned, {counted[_UNKNOWN]} unknown"
    outcome = Outcome.FAIL if not passed else Outcome.UNKNOWN if counted[_UNKNOWN] else Outcome.PASS
    report = tell(cluster, asker, "preflight", outcome, summary, blocks=(table,), facts=tuple(found))
    return PreflightResult(report, tuple(facts), fabric)
