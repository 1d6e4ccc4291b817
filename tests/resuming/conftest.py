"""A run of two steps that died, and the means to take it up again, without a runner."""

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import reaffirm
from reaffirm.nodes import connect as module
from reaffirm.nodes import marks
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.earlier import Earlier
from reaffirm.nodes.simulated import World
from reaffirm.nodes.transport import Transport
from reaffirm.store.images import read_images
from reaffirm.store.machines import read_machines
from reaffirm.store.node_programs import node_programs

ROOT = Path(__file__).parents[2]
Cell = tuple[str, Callable[[Cluster], object]]


@dataclass
class Bench:
    """Runs steps as an engine would: marks each cell, with a folder of its own for each run.

    The first cell of every run, number 1, connects.
    """

    root: Path
    patch: pytest.MonkeyPatch
    machines: str = "simulated"
    said: dict[str, list[object]] = field(default_factory=dict)

    def run(self, name: str, cells: Sequence[Cell], *, resume: Earlier | None = None) -> Path:
        """Run the cells as run ``name``; an error ends it as a crash would, without a last line."""
        folder = self.root / "runs" / f"{name}.run"
        marks.forget()
        self.patch.setattr(module, "_process", module._Process())
        self.patch.setenv("REAFFIRM_RUN_DIR", str(folder))
        self.patch.setenv("REAFFIRM_RUNBOOK", str(self.root / "runbooks" / "x.py"))
        if resume is not None:
            self.patch.setenv("REAFFIRM_RESUME", resume.as_text())
        try:
            marks.cell_begins(1, "connect")
            cluster = reaffirm.connect(self.machines)
            self.said[name] = []
            for number, (step, cell) in enumerate(cells, 2):
                marks.cell_begins(number, step)
                self.said[name].append(cell(cluster))
            cluster.close()
        finally:
            marks.forget()
            self.patch.delenv("REAFFIRM_RUN_DIR")
            self.patch.delenv("REAFFIRM_RUNBOOK")
            self.patch.delenv("REAFFIRM_RESUME", raising=False)
        return folder

    def earlier(self, name: str, cell: int, step: str = "second", here: int = 0) -> Earlier:
        """Name a run to be taken up at a cell."""
        return Earlier(name, str(self.root / "runs" / f"{name}.run"), cell, here or cell, step)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """A project with the simulated machines and this machine."""
    root = tmp_path / "project"
    (root / "adrs").mkdir(parents=True)
    shutil.copytree(ROOT / "runbooks" / "nodes", root / "runbooks" / "nodes")
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(root)
    yield Bench(root, monkeypatch)
    marks.forget()


@dataclass
class Lasting:
    """Simulated machines that outlive a run, as real ones do, and are reached as real ones are."""

    world: World

    def nodes(self) -> Mapping[str, Transport]:
        """Open the way to them."""
        return {name: self.world.transport(name) for name in self.world.nodes}


@pytest.fixture
def lasting(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Lasting:
    """Machines behind a machine file without a world, which the bench then uses."""
    machines = read_machines(ROOT / "runbooks" / "nodes" / "simulated.toml")
    world = World.from_machines(machines, read_images(ROOT / "docs" / "container-images"), node_programs())
    there = Lasting(world)
    text = (bench.root / "runbooks" / "nodes" / "simulated.toml").read_text()
    (bench.root / "runbooks" / "nodes" / "desk.toml").write_text(text[: text.index("\n[world]")])
    bench.machines = "desk"
    monkeypatch.setattr(module, "_live", lambda *_: there.nodes())
    return there
