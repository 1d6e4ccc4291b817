"""What a notebook says about its run: ``metadata.reaffirm``, from its outputs and its recording."""

import json
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from reaffirm.model.evidence import Kind, Via, lowest
from reaffirm.model.fact import FACTS_MIME
from reaffirm.store.installed import version_of

_PACKAGES = ("reaffirm", "papermill", "jupytext", "nbclient", "ipykernel")


@cache
def versions() -> dict[str, str]:
    """The versions of what ran the notebook."""
    found = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    return found | {package: version_of(package) for package in _PACKAGES}


def wall_time() -> str:
    """The time of this machine (UTC), such as ``2026-11-30T10:22:37Z``."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def payloads(cells: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The data of all outputs of the facts type, in order."""
    found = []
    for cell in cells:
        for output in cell.get("outputs", ()):
            payload = output.get("data", {}).get(FACTS_MIME)
            if isinstance(payload, dict):
                found.append(payload)
    return found


def read_headers(folder: Path | None) -> list[dict[str, Any]]:
    """The first line of each recording of the run, in order; empty where nothing was recorded yet."""
    found = []
    for path in recordings(folder):
        try:
            with path.open(encoding="utf-8") as lines:
                header = json.loads(lines.readline())
        except (OSError, ValueError):
            continue
        if isinstance(header, dict) and header.get("op") == "begin":
            found.append(header)
    return found


def recordings(folder: Path | None) -> list[Path]:
    """The recordings in the folder of a run: one for each time that it connected."""
    if folder is None or not folder.is_dir():
        return []
    return sorted(folder.glob("recording*.jsonl"), key=lambda path: (len(path.name), path.name))


def summary(shown: list[dict[str, Any]], headers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return ``kind``, ``via``, ``started`` and ``facts`` of a run from its payloads and its recordings.

    All of them are ``None`` or empty where nothing connected. The kind is the lowest that anything
    in the run says of itself. What records is live: a replay records nothing.
    """
    words = [node.get("kind") for header in headers for node in header.get("nodes", ())]
    words += [payload.get("kind") for payload in shown]
    kinds = [Kind(word) for word in words if word in tuple(Kind)]
    facts: dict[str, Any] = {}
    for payload in shown:
        for name, fact in payload.get("facts", {}).items():
            facts.pop(name, None)  # found again: the newest counts, in the order of finding
            facts[name] = fact
    return {
        "kind": str(lowest(kinds)) if kinds else None,
        "via": str(Via.LIVE) if headers else next((p["via"] for p in shown if p.get("via")), None),
        "started": _time(headers[0].get("started")) if headers else None,
        "facts": facts,
    }


def _time(value: Any) -> Any:
    """Seconds since the epoch as UTC; a time that is text already stays."""
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value
