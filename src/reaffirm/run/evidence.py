"""What a run's notebook says about itself: ``metadata.reaffirm``, collected from its outputs and its recording."""

import json
import sys
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from reaffirm.model.evidence import Kind, Via, lowest
from reaffirm.model.fact import FACTS_MIME

_PACKAGES = ("reaffirm", "papermill", "jupytext", "nbclient", "ipykernel")


@cache
def versions() -> dict[str, str]:
    """The versions of what ran the notebook."""
    found = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def payloads(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The data of all outputs of the facts type, in order."""
    found = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            payload = output.get("data", {}).get(FACTS_MIME)
            if isinstance(payload, dict):
                found.append(payload)
    return found


def read_header(folder: Path | None) -> dict[str, Any]:
    """The first line of the run's recording; empty where nothing was recorded yet."""
    if folder is None:
        return {}
    try:
        with (folder / "recording.jsonl").open(encoding="utf-8") as lines:
            header = json.loads(lines.readline())
    except (OSError, ValueError):
        return {}
    return header if isinstance(header, dict) else {}


def summary(notebook: dict[str, Any], header: dict[str, Any]) -> dict[str, Any]:
    """Return ``kind``, ``via``, ``started`` and ``facts`` of a run.

    All of them are ``None`` or empty where nothing connected. The kind is the lowest that anything
    in the run says of itself.
    """
    told = [header, *payloads(notebook)]
    kinds = [Kind(p["kind"]) for p in told if p.get("kind") in tuple(Kind)]
    vias = [Via(p["via"]) for p in told if p.get("via") in tuple(Via)]
    facts: dict[str, Any] = {}
    for payload in told[1:]:
        for name, fact in payload.get("facts", {}).items():
            facts.pop(name, None)  # found again: the newest, and in the order of finding
            facts[name] = fact
    starts = [p["started"] for p in told if p.get("started") is not None]
    return {
        "kind": str(lowest(kinds)) if kinds else None,
        "via": str(Via.REPLAY if Via.REPLAY in vias else Via.LIVE) if vias else None,
        "started": _time(starts[0]) if starts else None,
        "facts": facts,
    }


def _time(value: Any) -> Any:
    """Seconds since the epoch as UTC; a time that is text already stays."""
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value
