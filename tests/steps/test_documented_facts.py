"""Every fact that a step emits stands in the reference, with its unit."""

import re
from collections.abc import Iterator
from pathlib import Path

from scripted_node import MODEL, pair

from reaffirm.model.fact import Fact
from reaffirm.steps import (
    cleanup,
    command,
    conclude,
    copy_image,
    experiment,
    file,
    http,
    launch,
    preflight,
    probe_image,
    probe_images,
    verify,
)

PAGE = Path(__file__).parents[2] / "docs/reference/facts.md"


def _documented() -> dict[str, str]:
    rows = re.findall(r"^\| `([^`]+)` \|[^|]+\|([^|]*)\|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: unit.strip() for name, unit in rows}


def _emitted() -> Iterator[Fact]:
    cluster, *_ = pair()
    yield from preflight(cluster, images=["img"], model=MODEL).facts
    yield from copy_image(cluster, "img").facts
    yield from launch(cluster, "vllm", image="img", model=MODEL, limits={"container": 5}).facts
    yield from cleanup(cluster, "vllm-head", "vllm-worker").facts
    yield from probe_image(cluster, "img", model=MODEL).facts
    yield from probe_image(cluster, "sglang", model=MODEL).facts
    yield from probe_images(cluster, ["img"], model=MODEL).facts
    yield from experiment(cluster, "vllm", image="img", model=MODEL, limits={"container": 5}).facts
    yield from verify(cluster, model=MODEL).facts
    yield from conclude(cluster, image_at_hand="img", vllm_image="img").facts
    yield from command(cluster, ["hostname"], name="name").facts
    yield from http(cluster, "http://127.0.0.1:1/", name="name").facts
    yield from file(cluster, "/f", name="name", contains="x", matches="x", sha256="0" * 64).facts


def test_every_fact_is_documented_and_every_documented_fact_exists() -> None:
    """A claim would rest on a value whose meaning nobody wrote down, or on one that is never found."""
    names = {
        r"^probe\.[^.]+\.": "probe.<image>.",
        r"^copy_image\.[^.]+\.": "copy_image.<image>.",
        r"^experiment\.[^.]+\.": "experiment.<engine>.",
        r"^name\.": "<name>.",
    }
    found = {}
    for fact in _emitted():
        name = fact.name
        for pattern, written in names.items():
            name = re.sub(pattern, written, name)
        found[name] = fact.unit
    assert found == _documented()
