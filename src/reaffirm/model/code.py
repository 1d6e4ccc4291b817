"""The code that a run rests on, as hashes: what is the same under two hashes does the same."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class CodeHashes:
    """SHA-256 (hex) of code without comments, docstrings and prose. Empty: nobody knows.

    ``file`` is of the runbook's whole text: where it is the same, nothing in it changed at all. ``cells`` are
    short hashes of the runbook's code cells in order. ``node_programs`` are the programs that were sent,
    by file name; ``own`` the project's own files that the runbook uses (steps, modules), by path. ``engine``
    has one hash for each part of this package that decides facts, of the bytes of its files: a change there
    makes evidence stale only when a replay gives other facts.
    """

    runbook: str = ""
    file: str = ""
    cells: tuple[str, ...] = ()
    node_programs: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, str] = field(default_factory=dict)
    engine: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return what ``metadata.reaffirm.code`` and ``provenance.json`` hold."""
        return {
            "runbook": self.runbook,
            "file": self.file,
            "cells": list(self.cells),
            "node_programs": dict(self.node_programs),
            "own": dict(self.own),
            "engine": dict(self.engine),
        }


def code_from_json(data: object) -> CodeHashes:
    """Read hashes back; what is missing or of another kind is not known."""
    if not isinstance(data, dict):
        return CodeHashes()
    cells = data.get("cells")
    return CodeHashes(
        _text(data.get("runbook")),
        _text(data.get("file")),
        tuple(map(_text, cells)) if isinstance(cells, list) else (),
        _texts(data.get("node_programs")),
        _texts(data.get("own")),
        _texts(data.get("engine")),
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> dict[str, str]:
    return {str(k): v for k, v in value.items() if isinstance(v, str)} if isinstance(value, dict) else {}
