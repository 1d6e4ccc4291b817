"""The checks of preflight that are about what is on the nodes: images, weights, disk, memory, ports."""

from collections.abc import Sequence
from typing import Any

from reaffirm.model.survey import ImageHere, NodeFacts
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.transport import Transport
from reaffirm.steps.asking import Asker, json_line, why_not
from reaffirm.steps.check_rows import FAIL, PASS, UNKNOWN, Checks, all_of
from reaffirm.steps.containers import image_on, pull_it
from reaffirm.steps.reading import amount, disk_free, gib


def image(asker: Asker, alive: Sequence[Transport], reference: str, checks: Checks) -> bool | None:
    """Check that an image is there and the same on all nodes; return whether it is."""
    held: list[ImageHere] = []
    unknown = False
    for node in alive:
        image, why = image_on(asker, node, reference)
        if image is not None:
            held.append(image)
            seen = f"{image.digest[:19]}… {image.os}/{image.architecture}, {gib(image.size)} GiB"
            checks.add(node.node.name, f"image {reference}", PASS, seen)
        elif why == "absent":
            then = f"{pull_it(asker, node, reference)}; where another node has it: steps.copy_image"
            checks.add(node.node.name, f"image {reference}", FAIL, "not there", then)
        else:
            unknown = True
            checks.add(node.node.name, f"image {reference}", UNKNOWN, why, "is Docker running there?")
    if len(held) < 2:
        return None if unknown or len(held) == len(alive) else False
    first, differ = held[0], [image for image in held[1:] if not image.same_as(held[0])]
    if not differ:
        return len(held) == len(alive) or (None if unknown else False)
    seen = f"{first.digest[:19]}… {first.architecture} and {differ[0].digest[:19]}… {differ[0].architecture}"
    checks.add(
        "", f"same image {reference}", FAIL, seen, "give every node the same image: pull it by its digest"
    )
    return False


def weights(
    asker: Asker,
    cluster: Cluster,
    alive: Sequence[Transport],
    model: str,
    checks: Checks,
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
            checks.add(name, "weights", UNKNOWN, why_not(answer), "python3 must be there, 3.9 or newer")
            verdicts.append(None)
            continue
        verdicts.append(_weights_of(name, model, told, checks, stand_in))
        size = max(size, int(told.get("bytes") or 0))
        if told.get("found") and told.get("digest"):
            digests[name] = str(told["digest"])
        _disk(asker, node, str(told.get("path") or told.get("cache") or "/"), checks, need_disk_gib)
    if len(set(digests.values())) > 1:
        seen = ", ".join(f"{name}: {digest[:19]}…" for name, digest in digests.items())
        checks.add("", "same weights", FAIL, seen, "download the same revision of the model on all nodes")
        verdicts.append(False)
    needed = round(size / 1024**3 / max(len(cluster.all), 1) * 1.1, 2) if size else None
    return needed, all_of(verdicts) if verdicts else None


def _weights_of(node: str, model: str, told: dict[str, Any], checks: Checks, stand_in: str) -> bool:
    missing = [str(name) for name in told.get("missing") or ()]
    incomplete = [str(name) for name in told.get("incomplete") or ()]
    if not told.get("found"):
        then = f"hf download {model} on that node; both nodes need the weights"
        checks.add(node, "weights", FAIL, f"{model} is not there", then)
        return False
    size = f"{told.get('files')} file(s), {amount(int(told.get('bytes') or 0))} in {told.get('path')}"
    if missing or incomplete:
        lacks = (
            f"missing: {', '.join(missing[:3]) or 'none'}; incomplete: {', '.join(incomplete[:3]) or 'none'}"
        )
        seen = f"{size}; {lacks}"
        checks.add(node, "weights", FAIL, seen, f"hf download {model} again on that node; it resumes")
        return False
    checks.add(node, "weights", PASS, f"{size}{f'; {stand_in}' if stand_in else ''}")
    return True


def _disk(asker: Asker, node: Transport, path: str, checks: Checks, need_gib: float) -> None:
    answer = asker.look(node, ["df", "-B1", "--output=avail,target", path])
    found = disk_free(answer.stdout) if answer.ok else None
    if found is None:
        checks.add(node.node.name, "disk", UNKNOWN, f"{path}: {why_not(answer)}", f"df {path} by hand")
        return
    free, mount = found
    enough = free >= need_gib * 1024**3
    then = "" if enough else "free some space: docker system df, and old models in the cache"
    seen = f"{gib(free)} GiB free on {mount}, need {need_gib:g}"
    checks.add(node.node.name, "disk", PASS if enough else FAIL, seen, then)


def memory(facts: Sequence[NodeFacts], checks: Checks, needed: float | None) -> None:
    """Check that each node has ``needed`` GiB of memory available."""
    for node in facts:
        available = gib(node.memory_available)
        if available is None:
            checks.add(node.node, "memory", UNKNOWN, "MemAvailable is not told", "cat /proc/meminfo by hand")
            continue
        seen = f"{available} GiB available of {gib(node.memory_total)}"
        if needed is None:
            checks.add(
                node.node,
                "memory",
                UNKNOWN,
                f"{seen}; how much is needed is not known",
                "pass need_memory_gib",
            )
        elif available >= needed:
            checks.add(node.node, "memory", PASS, f"{seen}, need {needed:g}")
        else:
            then = (
                "stop what holds it (docker ps), then: sudo sh -c 'sync; echo 3 > /proc/sys/vm/drop_caches'"
            )
            checks.add(node.node, "memory", FAIL, f"{seen}, need {needed:g}", then)


def ports_free(facts: Sequence[NodeFacts], ports: Sequence[int], checks: Checks) -> None:
    """Check that nobody listens on the ports, and name who does."""
    for node in facts:
        if node.listeners is None:
            continue  # already a row: the gap
        taken = [listener for listener in node.listeners if listener.port in ports]
        for held in taken:
            who = held.process or "a process that this user may not see"
            then = "stop it, or give the engine another port; an old container? run cleanup with its name"
            checks.add(node.node, f"port {held.port}", FAIL, f"taken by {who}", then)
        if not taken:
            checks.add(node.node, "ports", PASS, f"{', '.join(map(str, ports))} free")
