"""check_nodes: is a machine file right about its machines? Asks, changes nothing, emits no facts."""

from collections.abc import Sequence
from dataclasses import dataclass

from reaffirm.images.engines import SETTINGS
from reaffirm.model.evidence import Kind
from reaffirm.model.node import Engine, LaunchHere
from reaffirm.model.survey import NodeFacts
from reaffirm.nodes.cluster import Cluster
from reaffirm.steps.asking import Asker
from reaffirm.steps.check_network import look_around
from reaffirm.steps.check_resources import image, ports_free, weights
from reaffirm.steps.check_rows import FAIL, PASS, UNKNOWN, WARNING, Checks
from reaffirm.steps.reading import gib


@dataclass(frozen=True)
class NodesChecked:
    """The rows of the check, the failed ones first: verdict, node, what, seen, what to do."""

    kind: Kind
    rows: tuple[tuple[str, ...], ...]
    counts: dict[str, int]

    @property
    def status(self) -> int:
        """The exit status: 1 when a check failed, 2 when one could not be judged, else 0."""
        return 1 if self.counts[FAIL] else 2 if self.counts[UNKNOWN] else 0


def check_nodes(cluster: Cluster) -> NodesChecked:
    """Check what needs no name of a runbook: nodes, network, hardware, ports, and what the file itself names.

    Images and models are checked where the machine file names them. A node that does not answer is a row.
    """
    asker, checks = Asker(), Checks()
    alive, facts, _, _ = look_around(asker, cluster, checks)
    _hardware(checks, facts)
    machines = cluster.machines
    for reference in dict.fromkeys(machines.images.values()):
        image(asker, alive, reference, checks)
    for model, here in machines.models.items():
        weights(asker, cluster, alive, here.path or model, checks, here.stand_in, 0.0)
    ports = [port for engine in Engine for port in _ports(engine, machines.launch.get(engine.value))]
    ports_free(facts, tuple(dict.fromkeys(ports)), checks)
    return NodesChecked(cluster.kind, checks.table().rows, checks.count())


def _ports(engine: Engine, here: LaunchHere | None) -> tuple[int, int]:
    here, usual = here or LaunchHere(), SETTINGS[engine]
    meeting = here.dist_port if engine is Engine.SGLANG else here.master_port
    return here.port or usual.port, meeting or usual.meeting_port


def _hardware(checks: Checks, facts: Sequence[NodeFacts]) -> None:
    """Tell what there is; whether it is enough depends on the model, and preflight judges it."""
    for node in facts:
        driver = f" (driver {node.driver})" if node.driver else ""
        if node.gpus:
            checks.add(node.node, "GPU", PASS, f"{', '.join(node.gpus)}{driver}")
        else:
            then = "where there is one: install its driver, and try nvidia-smi by hand"
            checks.add(node.node, "GPU", WARNING, "none seen: launches there ask for no GPU", then)
        available, total = gib(node.memory_available), gib(node.memory_total)
        if available is not None:
            checks.add(node.node, "memory", PASS, f"{available} of {total} GiB available")
        if node.docker:
            checks.add(node.node, "docker", PASS, node.docker)
