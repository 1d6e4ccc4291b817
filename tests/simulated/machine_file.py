"""Reads the machine file of the simulated nodes for tests that need a world and nothing else."""

import tomllib
from pathlib import Path
from typing import Any

from reaffirm.model.node import ContainersHere, LaunchHere, Machines, ModelHere, NodeSpec, Role

ROOT = Path(__file__).resolve().parents[2]


def read_machines(path: Path = ROOT / "runbooks/nodes/simulated.toml", **world: Any) -> Machines:
    """Return the machines of a file; ``world`` replaces keys of its ``[world]`` table."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    nodes = tuple(NodeSpec(**{**entry, "role": Role(entry["role"])}) for entry in data["node"])
    launch = {
        engine: LaunchHere(
            port=entry.get("port", 0),
            master_port=entry.get("master-port", 0),
            dist_port=entry.get("dist-port", 0),
            arguments=tuple(entry.get("arguments", ())),
        )
        for engine, entry in data.get("launch", {}).items()
    }
    return Machines(
        name=path.stem,
        path=str(path),
        nodes=nodes,
        fabric_subnet=data.get("fabric", {}).get("subnet", ""),
        hf_cache=data["hf-cache"],
        images=data.get("images", {}),
        models={
            name: ModelHere(path=entry.get("path", "")) for name, entry in data.get("models", {}).items()
        },
        containers=ContainersHere(),
        launch=launch,
        world={**data["world"], **world},
    )
