"""Brings a fault about on simulated nodes: mishaps in the machine file, and one world for all runs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fault_table import Fault
from playing import ROOT, Played, closed, play

from reaffirm.images.plan import LABEL
from reaffirm.nodes import connect as connecting
from reaffirm.nodes.connect import simulated_nodes
from reaffirm.nodes.recording_format import read_tape
from reaffirm.nodes.simulated import World
from reaffirm.store.machines import read_machines
from reaffirm.store.project import find_project

#: A service of somebody else's that runs on both nodes all the time.
BYSTANDER = "somebody-elses"
OURS = ("sglang-head", "sglang-worker", "vllm-head", "vllm-worker")


def machine_file(fault: Fault, folder: Path) -> Path:
    """Write the machine file of a fault: the one it names, with a bystander and what goes wrong."""
    base = (ROOT / "runbooks" / "nodes" / f"{fault.nodes or 'simulated'}.toml").read_text(encoding="utf-8")
    words = [
        "docker",
        "run",
        "-d",
        "--name",
        BYSTANDER,
        "--network",
        "host",
        "vllm-node",
        "sleep",
        "99999999",
    ]
    parts = [base]
    for node in ("spark-1", "spark-2"):
        parts.append(_table("world.earlier", {"seconds": 3600, "node": node, "command": words}))
    parts += [_table("world.earlier", entry) for entry in fault.earlier]
    parts += [_table("world.mishaps", entry) for entry in fault.mishaps]
    path = folder / f"{fault.nodes or 'simulated'}.toml"
    path.write_text("\n".join(parts), encoding="utf-8")
    return path


def _table(name: str, entry: Mapping[str, Any]) -> str:
    # JSON's strings, numbers and lists are TOML's as well
    return f"\n[[{name}]]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in entry.items())


@dataclass
class Scene:
    """One world, and the runs that were made in it."""

    fault: Fault
    file: Path
    world: World
    folder: Path
    before: dict[str, Any] = field(default_factory=dict)

    def play(self, name: str, run: str, monkeypatch: pytest.MonkeyPatch, **values: Any) -> Played:
        """Play a runbook in this world."""
        transports = {name: self.world.transport(name) for name in self.world.nodes}
        with monkeypatch.context() as patch:
            patch.setattr(connecting, "simulated_nodes", lambda *_: transports)
            return play(name, {"nodes": str(self.file), **values}, self.folder / run, patch)

    def of_others(self) -> dict[str, Any]:
        """What must not change: the bystander on each node and the images."""
        return {
            node.name: {
                BYSTANDER: (held.id if (held := node.containers.get(BYSTANDER)) else None),
                "restarts": held.restarts if held else None,
                "images": sorted(node.images),
            }
            for node in self.world.nodes.values()
        }

    def left(self) -> list[str]:
        """Our containers on the nodes, running or not."""
        return sorted(
            f"{node.name}/{name}"
            for node in self.world.nodes.values()
            for name, held in node.containers.items()
            if LABEL in held.spec.labels
        )


def scene(fault: Fault, folder: Path) -> Scene:
    """Make the world of a fault."""
    path = machine_file(fault, folder)
    machines = read_machines(path)
    transports = simulated_nodes(machines, find_project(ROOT))
    world: World = next(iter(transports.values()))._world  # type: ignore[attr-defined]
    made = Scene(fault, path, world, folder)
    made.before = made.of_others()
    return made


def hit(fault: Fault, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Played, Scene]:
    """Let the fault hit its runbook, check the world afterwards, then make the next run."""
    here = scene(fault, folder)
    with closed(here.play(fault.runbook, "hit.run", monkeypatch, **fault.parameters)) as played:
        pass
    check_recording(played)
    return played, here


def check_recording(played: Played) -> None:
    """Stop unless the recording can be read from end to end."""
    tape = read_tape(played.folder / "recording.jsonl")
    assert tape.ended, "the recording has no end though the run was closed"


def next_run(here: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mend the world, clean up and run the same runbook again: it must pass."""
    here.world.mishaps.mend()
    for step in here.fault.next:
        if step == "cleanup":
            _cleanup(here, monkeypatch)
            continue
        name = here.fault.runbook if step == "again" else step
        with closed(
            here.play(name, f"next-{step}.run", monkeypatch, **here.fault.how.get("next", {}))
        ) as again:
            assert again.exit == 0, f"the next run ended at {again.ends!r}: {again.said}"
        check_recording(again)


def _cleanup(here: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clean up: every container that was left must be found, and its log saved."""
    left = here.left()
    names = [one.partition("/")[2] for one in left] + list(here.fault.how.get("names", ()))
    if not names:
        return
    values = {"names": list(dict.fromkeys(names))}
    with closed(here.play("cleanup_containers", "cleanup.run", monkeypatch, **values)) as cleaned:
        assert cleaned.exit == 0, cleaned.said
        assert set(left) <= set(cleaned.facts["cleanup.removed"]), "cleanup did not find what was left"
    for one in left:
        assert (cleaned.folder / f"logs/{one}.log").is_file(), f"the log of {one} was not saved"
    check_recording(cleaned)
    assert not here.left()
