"""preflight: can these nodes serve this model with these images? Everything is asked before it judges."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import shorten

from reaffirm.errors import StepFailedError
from reaffirm.model.changes import Change
from reaffirm.model.fact import Fact
from reaffirm.model.report import Outcome
from reaffirm.model.survey import NodeFacts
from reaffirm.nodes.cluster import Cluster
from reaffirm.steps.asking import Asker
from reaffirm.steps.check_network import look_around
from reaffirm.steps.check_resources import image, memory, ports_free, weights
from reaffirm.steps.check_rows import FAIL, PASS, UNKNOWN, WARNING, Checks, all_of
from reaffirm.steps.declaring import declares
from reaffirm.steps.fabric import Fabric
from reaffirm.steps.named import model_on, reference_of
from reaffirm.steps.reading import gib
from reaffirm.steps.result import StepResult, bundle, tell

#: Characters of what was seen that the message of a failed check tells.
_SEEN = 140


@dataclass(frozen=True)
class PreflightResult(StepResult):
    """What preflight found. ``nodes`` are the surveys in the order head, workers."""

    nodes: tuple[NodeFacts, ...] = ()
    fabric: Fabric = field(default_factory=Fabric)


@declares(Change.NOTHING, note="opens and closes TCP connections between the nodes")
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
    asker, checks = Asker(), Checks()
    alive, facts, fabric, reachable = look_around(asker, cluster, checks)
    same_image = [image(asker, alive, reference, checks) for reference in references]
    needed, complete = weights(
        asker, cluster, alive, here.path or model, checks, here.stand_in, need_disk_gib
    )
    memory(facts, checks, need_memory_gib if need_memory_gib is not None else needed)
    ports_free(facts, ports, checks)
    passed = not checks.has(FAIL)
    result = _result(
        cluster, asker, checks, facts, fabric,
        passed=passed, reachable=reachable, complete=complete, same=all_of(same_image),
    )  # fmt: skip
    if not passed:
        cluster.context.display(bundle(result.report))
        rows = [row for row in checks.rows if row[0] == FAIL]
        failed = [
            f"{check}{f' on {node}' if node else ''} ({shorten(seen, _SEEN, placeholder='…')})"
            for _, node, check, seen, _ in rows
        ]
        msg = f"preflight failed: {'; '.join(failed)}"
        more = f" ({len(rows) - 1} more in the report)" if len(rows) > 1 else ""
        raise StepFailedError(msg, hint=f"{rows[0][4] or 'see the report'}{more}")
    return result


def _result(
    cluster: Cluster,
    asker: Asker,
    checks: Checks,
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
    counted = checks.count()
    summary = (
        f"{counted[PASS]} checks passed, {counted[FAIL]} failed, "
        f"{counted[WARNING]} warned, {counted[UNKNOWN]} unknown"
    )
    outcome = Outcome.FAIL if not passed else Outcome.UNKNOWN if counted[UNKNOWN] else Outcome.PASS
    report = tell(cluster, asker, "preflight", outcome, summary, blocks=(checks.table(),), facts=tuple(found))
    return PreflightResult(report, tuple(facts), fabric)
