"""probe_image: what an image holds, and whether its engine's registry has the model's exact class."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reaffirm.errors import StepFailedError, UsageError
from reaffirm.images.names import class_name
from reaffirm.images.plan import engine_of
from reaffirm.model.changes import Change
from reaffirm.model.fact import Fact
from reaffirm.model.node import Engine
from reaffirm.model.report import Outcome, Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.transport import Transport
from reaffirm.steps.asking import Asker, json_line, why_not
from reaffirm.steps.containers import image_on, pull_it
from reaffirm.steps.declaring import declares
from reaffirm.steps.named import image_page, model_on, reference_of
from reaffirm.steps.result import StepResult, tell

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True)
class ProbeResult(StepResult):
    """What an image holds. ``supports_model`` is ``None`` when it cannot be told."""

    image: str = ""
    engine: str = ""
    engine_version: str | None = None
    supports_model: bool | None = None


@declares(Change.NOTHING, note="a container without network, gone at once; nothing is pulled")
def probe_image(cluster: Cluster, image: str, *, model: str) -> ProbeResult:
    """Look into an image on the head: engine, versions, and the model's class in the engine's registry.

    The class is read from the model's own ``config.json`` on the head. No GPU and no network are used, and
    neither the engine nor PyTorch is imported: the registry is read as source text.

    Raises:
        UsageError: a name that is not plain; nothing was sent.
        StepFailedError: the image is not on the head.
        NodeError: the head could not be asked.
    """
    reference = reference_of(cluster, image)
    asker, head = Asker(), cluster.head
    here, why = image_on(asker, head, reference)
    if here is None:
        msg = f"cannot look into image {reference} on {head.node.name}: {why}"
        pull = pull_it(asker, head, reference) if why == "absent" else f"docker pull {reference} there"
        raise StepFailedError(msg, hint=f"{pull}, or name another image")
    wanted, source = _architecture(asker, cluster, model)
    told, engine, refused = _probe(asker, head, image, reference, wanted or "Unknown")
    registered = told.get("registered") if wanted else None
    others = [str(entry) for entry in told.get("out_of_tree") or ()]
    supports = registered if isinstance(registered, bool) else None
    if supports is False and others:
        supports = None
    rows = _rows(told, reference, wanted, source, others, refused)
    rows.insert(1, ("digest", here.digest or "unknown"))
    rows.insert(2, ("platform", f"{here.os}/{here.architecture}"))
    version = told.get("engine_version")
    prefix = f"probe.{_NOT_IN_A_NAME.sub('-', image).strip('-')}"
    facts = [
        Fact(f"{prefix}.engine", engine.value if version else None),
        Fact(f"{prefix}.{engine.value}_version", _text(version)),
        Fact(f"{prefix}.torch_version", _text(told.get("torch_version"))),
        Fact(f"{prefix}.transformers_version", _text(told.get("transformers_version"))),
        Fact(f"{prefix}.supports_model", supports),
        Fact(f"{prefix}.digest", here.digest or None),
        Fact(f"{prefix}.architecture", here.architecture or None),
    ]
    outcome = Outcome.UNKNOWN if supports is None else Outcome.PASS
    summary = _summary(image, engine, version, wanted, supports)
    table = Table(f"What {image} holds", ("", "found"), tuple(rows))
    report = tell(cluster, asker, "probe_image", outcome, summary, blocks=(table,), facts=tuple(facts))
    return ProbeResult(report, image, engine.value, _text(version), supports)


def _architecture(asker: Asker, cluster: Cluster, model: str) -> tuple[str, str]:
    """Return (the model's architecture class or nothing, where it was read or why not)."""
    here = model_on(cluster, model)
    argv = ["python3", "-", here.path or model, cluster.machines.hf_cache]
    answer = asker.look(cluster.head, argv, program="check_weights.py", timeout=120)
    told = json_line(answer)
    if told is None:
        return "", why_not(answer)
    names = [str(name) for name in told.get("architectures") or ()]
    if not names:
        return "", f"no architectures in config.json of {model} on {cluster.head.node.name}"
    try:
        return class_name(names[0]), f"config.json in {told.get('path')}"
    except UsageError as error:
        return "", error.message


def _probe(
    asker: Asker, head: Transport, image: str, reference: str, wanted: str
) -> tuple[dict[str, Any], Engine, str]:
    """Ask for the engine that the page or the name suggests first, then for the other one."""
    page = image_page(image)
    first = page.engine if page is not None else _likely(image)
    refused = ""
    tried: dict[Engine, dict[str, Any]] = {}
    for engine in (first, *(e for e in Engine if e is not first)):
        # The image is there; were it removed just now, Docker must not fetch another one of that name.
        argv = ["docker", "run", "--rm", "-i", "--network", "none", "--pull", "never"]
        argv += ["--entrypoint", "python3", reference, "-", engine.value, wanted]
        answer = asker.ask(head, argv, program="probe_image.py", timeout=300)
        told = json_line(answer)
        if told is None:
            refused = why_not(answer)
            break
        tried[engine] = told
        if told.get("engine_version") or told.get("registry"):
            return told, engine, ""
    return tried.get(first, {}), first, refused


def _likely(image: str) -> Engine:
    return engine_of("sglang") if "sglang" in image.lower() else Engine.VLLM


def _rows(
    told: Mapping[str, Any], reference: str, wanted: str, source: str, others: list[str], refused: str
) -> list[tuple[str, str]]:
    rows = [
        ("image", reference),
        ("Python", _shown(told.get("python"))),
        (str(told.get("engine") or "engine"), _shown(told.get("engine_version"))),
        ("PyTorch", _shown(told.get("torch_version"))),
        ("Transformers", _shown(told.get("transformers_version"))),
        ("model's class", f"{wanted or 'unknown'} ({source})"),
        ("registry", f"{_shown(told.get('registry'))}, {told.get('names', 0)} names read"),
        ("class in the registry", _yes_no(told.get("registered") if wanted else None)),
    ]  # fmt: skip
    if refused:
        rows.append(("not answered", refused))
    rows += [("not read", str(entry)) for entry in told.get("unresolved") or ()]
    rows += [("may add models when it starts", entry) for entry in others]
    rows += [("note", str(entry)) for entry in told.get("notes") or ()]
    return rows


def _summary(image: str, engine: Engine, version: object, wanted: str, supports: bool | None) -> str:
    name = f"{engine.value} {version}" if version else "no engine that we know"
    if supports is None:
        return f"{image}: {name}; whether it knows {wanted or 'the model'} cannot be told"
    return f"{image}: {name}; its registry {'has' if supports else 'does not have'} {wanted}"


def _yes_no(value: object) -> str:
    return "yes" if value is True else "no" if value is False else "unknown"


def _shown(value: object) -> str:
    return str(value) if value else "unknown"


def _text(value: object) -> str | None:
    return str(value) if value else None
