"""probe_images: looks into several images, one after the other, and lays them side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from reaffirm.errors import UsageError
from reaffirm.model.changes import Change
from reaffirm.model.fact import Fact, FactValue
from reaffirm.model.report import Outcome, Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.steps.asking import Asker
from reaffirm.steps.declaring import declares
from reaffirm.steps.probe_image import ProbeResult, probe_image
from reaffirm.steps.result import StepResult, bundle, tell

_COLUMNS = ("image", "engine", "version", "PyTorch", "Transformers", "has the model's class")


@dataclass(frozen=True)
class ProbeImagesResult(StepResult):
    """What each image holds, in the order in which they were named."""

    probes: tuple[ProbeResult, ...] = ()


@declares(Change.NOTHING, note="a container without network, gone at once; nothing is pulled")
def probe_images(cluster: Cluster, images: Sequence[str], *, model: str) -> ProbeImagesResult:
    """Look into each image as :func:`probe_image` does; each report is shown as it comes.

    Raises:
        UsageError: no image was named, or one by a name that is not plain.
        StepFailedError: an image is not on the head; those before it have been looked into.
        NodeError: the head could not be asked.
    """
    wanted = tuple(dict.fromkeys(images))
    if not wanted:
        msg = "probe_images needs the name of at least one image"
        raise UsageError(msg, hint="for example -p images vllm-node,vllm-qwen35")
    probes = []
    for image in wanted:
        probe = probe_image(cluster, image, model=model)
        cluster.context.display(bundle(probe.report))
        probes.append(probe)
    having = [probe.image for probe in probes if probe.supports_model]
    untold = [probe.image for probe in probes if probe.supports_model is None]
    summary = f"the model's class is in the registry of {', '.join(having) or 'none of them'}"
    summary += f"; it cannot be told of {', '.join(untold)}" if untold else ""
    report = tell(
        cluster,
        Asker(),
        "probe_images",
        Outcome.UNKNOWN if untold else Outcome.PASS,
        summary,
        blocks=(Table("Side by side", _COLUMNS, tuple(_row(probe) for probe in probes)),),
        facts=(Fact("probe.images_with_class", having),),
    )
    return ProbeImagesResult(report, tuple(probes))


def _row(probe: ProbeResult) -> tuple[str, ...]:
    found: dict[str, FactValue] = {fact.name.rpartition(".")[2]: fact.value for fact in probe.facts}
    supports = {True: "yes", False: "no", None: "unknown"}[probe.supports_model]
    versions = (probe.engine_version, found.get("torch_version"), found.get("transformers_version"))
    return (
        probe.image,
        str(found.get("engine") or "unknown"),
        *(str(version or "unknown") for version in versions),
        supports,
    )
