"""copy_image: brings an image to the nodes that lack it, over the fabric, and compares afterwards."""

import re
from dataclasses import dataclass, field

from reaffirm.errors import StepFailedError, UsageError
from reaffirm.model.changes import Change
from reaffirm.model.fact import Fact
from reaffirm.model.report import Outcome, Report, Table
from reaffirm.model.survey import FabricEnd, ImageHere
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.transport import Transport
from reaffirm.steps.asking import Asker, json_line, why_not
from reaffirm.steps.containers import image_on
from reaffirm.steps.declaring import declares
from reaffirm.steps.fabric import find_fabric
from reaffirm.steps.named import reference_of
from reaffirm.steps.reading import amount, disk_free
from reaffirm.steps.result import StepResult, bundle, tell
from reaffirm.steps.survey import survey_network

#: How long the source waits for the peer to come (seconds).
_WAIT = 60.0
# `docker save` may stage the archive beside the images; `docker load` writes it there and unpacks it.
_ROOM_TO_SAVE, _ROOM_TO_LOAD = 1, 2
# Docker's own word for the folder of its images, and podman's.
_IMAGE_FOLDERS = ("{{.DockerRootDir}}", "{{.Store.GraphRoot}}")
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True)
class CopyImageResult(StepResult):
    """What was copied. ``copied_to`` is empty when every node had the same image already."""

    image: str = ""
    source: str = ""
    copied_to: tuple[str, ...] = ()


@dataclass
class _Copy:
    """One call of the step: what it found and did so far."""

    cluster: Cluster
    image: str
    reference: str
    asker: Asker = field(default_factory=Asker)
    held: dict[str, ImageHere | None] = field(default_factory=dict)
    rows: list[tuple[str, str, str]] = field(default_factory=list)
    copied: list[str] = field(default_factory=list)
    bytes: int = 0
    seconds: float = 0.0

    def row(self, node: Transport, what: str, seen: str) -> None:
        self.rows.append((node.node.name, what, seen))


@declares(Change.IMAGES, destructive=[Change.IMAGES], note="consent only where another image loses its name")
def copy_image(cluster: Cluster, image: str, *, timeout: float = 3600.0) -> CopyImageResult:
    """Copy an image to every node that lacks it or has another one of that name; idempotent.

    The source is the head, or the first worker that has the image where the head does not. The source
    offers ``docker save`` once, on its fabric address only, to one peer with a one-time ticket; the peer
    gives what comes to ``docker load``. Nothing is compressed or encrypted on the way. Before, the disks
    are checked; afterwards, the images are compared. An image that loses its name stays on its node,
    nameless; on real machines that needs consent: ``node/reference``.

    ``timeout`` limits each transfer (seconds).

    Raises:
        UsageError: a name that is not plain, or a reference by digest; nothing was sent.
        StepFailedError: no node has the image, the nodes do not reach each other, a disk is too full,
            consent is missing (nothing was changed), or the transfer failed (the report was shown).
    """
    copy = _Copy(cluster, image, reference_of(cluster, image))
    if "@" in copy.reference:
        msg = f"an image is copied by its name, got {copy.reference!r}; nothing was sent"
        raise UsageError(
            msg, hint=f"docker pull {copy.reference} on each node: a digest is the same everywhere"
        )
    source = _look(copy)
    here = copy.held[source.node.name]
    assert here is not None
    targets = [node for node in cluster.all if node is not source and not _same(copy, node, here)]
    if targets:
        differ = [node for node in targets if copy.held[node.node.name] is not None]
        cluster.need_consent("replace", [f"{node.node.name}/{copy.reference}" for node in differ])
        ends = _ends(copy)
        _check_room(copy, source, targets, here)
        for target in targets:
            _transfer(copy, source, target, ends, timeout)
            _compare(copy, source, target, here)
    return CopyImageResult(_report(copy, source, here), image, source.node.name, tuple(copy.copied))


def _look(copy: _Copy) -> Transport:
    """Ask every node for the image and return the node to copy from."""
    source: Transport | None = None
    for node in copy.cluster.all:
        here, why = image_on(copy.asker, node, copy.reference)
        if here is None and why != "absent":
            msg = f"whether {node.node.name} has {copy.reference} cannot be told: {why}; nothing was changed"
            raise StepFailedError(msg, hint="is Docker running there, and may this user use it?")
        copy.held[node.node.name] = here
        copy.row(node, "before", "not there" if here is None else _shown(here))
        source = source or (node if here is not None else None)
    if source is None:
        names = " nor ".join(copy.held)
        msg = f"{copy.reference} is not on {names}; nothing was changed"
        raise StepFailedError(msg, hint=f"docker pull or build it on {copy.cluster.head.node.name} first")
    return source


def _same(copy: _Copy, node: Transport, here: ImageHere) -> bool:
    other = copy.held[node.node.name]
    return other is not None and other.same_as(here)


def _ends(copy: _Copy) -> dict[str, FabricEnd]:
    facts = [survey_network(copy.asker, node) for node in copy.cluster.all]
    fabric = find_fabric(copy.asker, copy.cluster, facts)
    if not fabric.ends:
        tried = "; ".join(fabric.tried) or "no subnet that all nodes share on an interface that is up"
        msg = f"no network on which the nodes reach each other: {tried}; nothing was changed"
        raise StepFailedError(msg, hint="run preflight; it says for each interface what to do")
    return {end.node: end for end in fabric.ends}


def _check_room(copy: _Copy, source: Transport, targets: list[Transport], here: ImageHere) -> None:
    """Check the disks before anything is sent; what cannot be told is said and does not stop."""
    short = []
    for node in (source, *targets):
        times = _ROOM_TO_SAVE if node is source else _ROOM_TO_LOAD
        free, where = _room(copy.asker, node)
        if free is None:
            copy.row(node, "disk", f"unknown: {where}")
            continue
        need = times * here.size
        copy.row(node, "disk", f"{amount(free)} free on {where}, need {amount(need)}")
        if free < need:
            short.append(f"{node.node.name} has {amount(free)} free on {where}, need {amount(need)}")
    if short:
        msg = f"not enough room for {copy.reference}: {'; '.join(short)}; nothing was changed"
        raise StepFailedError(msg, hint="free some space there: docker system df, then docker image prune")


def _room(asker: Asker, node: Transport) -> tuple[int | None, str]:
    """Return (free bytes, mount point) where images are kept, or (None, why not)."""
    why = ""
    for template in _IMAGE_FOLDERS:
        answer = asker.look(node, ["docker", "info", "--format", template])
        folder = answer.stdout.strip()
        if not answer.ok or not folder.startswith("/"):
            why = why or why_not(answer)
            continue
        space = asker.look(node, ["df", "-B1", "--output=avail,target", folder])
        found = disk_free(space.stdout) if space.ok else None
        return found if found is not None else (None, f"{folder}: {why_not(space)}")
    return None, why


def _transfer(
    copy: _Copy, source: Transport, target: Transport, ends: dict[str, FabricEnd], timeout: float
) -> None:
    give, take = ends[source.node.name], ends[target.node.name]
    words = [copy.reference, give.address, take.address, f"{_WAIT:g}", f"{timeout + _WAIT:g}"]
    offered = copy.asker.look(source, ["python3", "-", *words], program="serve_image.py")
    told = json_line(offered)
    if told is None or told.get("serving") is not True:
        why = why_not(offered) if told is None else str(told.get("why"))
        _fail(copy, source, f"{source.node.name} does not offer {copy.reference}: {why}")
        return
    words = [give.address, str(told["port"]), str(told["ticket"]), f"{timeout:g}"]
    answer = copy.asker.look(
        target, ["python3", "-", *words], program="fetch_image.py", timeout=timeout + _WAIT
    )
    got = json_line(answer)
    if got is None or got.get("loaded") is not True:
        why = why_not(answer) if got is None else f"{got.get('why')} {got.get('said') or ''}".strip()
        _fail(copy, source, f"{copy.reference} did not get to {target.node.name}: {why}")
        return
    copy.copied.append(target.node.name)
    copy.bytes += int(got["bytes"])
    copy.seconds = round(copy.seconds + float(got["seconds"]), 3)
    way = f"{give.interface} {give.address} → {take.interface} {take.address}"
    copy.row(target, "copied", f"{got['bytes']} bytes in {got['seconds']} s over {way}; {got['said']}")


def _compare(copy: _Copy, source: Transport, target: Transport, here: ImageHere) -> None:
    before = copy.held[target.node.name]
    now, why = image_on(copy.asker, target, copy.reference)
    copy.held[target.node.name] = now
    if now is None or not now.same_as(here):
        seen = f"has {_shown(now)}" if now is not None else f"does not show it: {why}"
        _fail(copy, source, f"loaded, but {target.node.name} {seen}, not what {source.node.name} has")
    assert now is not None
    copy.row(target, "after", f"{_shown(now)}: the same as on {source.node.name}")
    if before is not None:
        copy.row(target, "left there", f"{before.id}, now without the name {copy.reference}")


def _fail(copy: _Copy, source: Transport, msg: str) -> None:
    """Show what was done so far, then stop."""
    report = _report(copy, source, copy.held[source.node.name], problem=msg)
    copy.cluster.context.display(bundle(report))
    hint = "the report says what was done; look at `docker images` there, then run this step again"
    raise StepFailedError(msg, hint=hint)


def _report(copy: _Copy, source: Transport, here: ImageHere | None, *, problem: str = "") -> Report:
    names = " and ".join(copy.copied)
    summary = f"{copy.image}: the same on all nodes already; nothing was copied"
    if copy.copied:
        summary = f"{copy.image}: copied from {source.node.name} to {names}, {amount(copy.bytes)}"
    same = not problem and all(other is not None for other in copy.held.values())
    prefix = f"copy_image.{_NOT_IN_A_NAME.sub('-', copy.image).strip('-')}"
    facts = (
        Fact(f"{prefix}.source", source.node.name),
        Fact(f"{prefix}.copied_to", list(copy.copied)),
        Fact(f"{prefix}.bytes", copy.bytes, "B"),
        Fact(f"{prefix}.seconds", copy.seconds if copy.copied else None, "s"),
        Fact(f"{prefix}.same", same),
        Fact(f"{prefix}.digest", here.digest or None if here is not None else None),
    )
    table = Table(f"What was done about {copy.reference}", ("node", "", "seen"), tuple(copy.rows))
    outcome = Outcome.FAIL if problem else Outcome.PASS
    return tell(
        copy.cluster, copy.asker, "copy_image", outcome, problem or summary, blocks=(table,), facts=facts
    )


def _shown(image: ImageHere) -> str:
    return f"{image.id[:19]}… {image.os}/{image.architecture}, {amount(image.size)}"
