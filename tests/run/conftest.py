"""A project with the specimens as its runbooks, and papermill as people start it."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SPECIMENS = Path(__file__).parent / "specimens"
PAPERMILL = (sys.executable, "-m", "papermill")
SECONDS = 60
#: The simulated machines that come with the project.
MACHINES = str(Path(__file__).parents[2] / "runbooks" / "nodes" / "simulated.toml")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of its own, and the current folder in it."""
    root = tmp_path / "project"
    shutil.copytree(SPECIMENS, root / "runbooks")
    (root / "adrs").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("REAFFIRM_RUNBOOK", "REAFFIRM_RUN_DIR", "REAFFIRM_CALLED_FROM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def papermill(project: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run papermill in the project, as a process of its own."""

    def run(*words: str, cwd: Path | None = None, **how: Any) -> subprocess.CompletedProcess[str]:
        how = {"stdin": subprocess.DEVNULL} | how
        if "input" in how:
            del how["stdin"]
        argv = [*PAPERMILL, *words]
        return subprocess.run(
            argv, cwd=cwd or project, capture_output=True, text=True, timeout=SECONDS, check=False, **how
        )

    return run


def notebooks(folder: Path) -> list[Path]:
    """All notebooks below a folder."""
    return sorted(folder.rglob("*.ipynb"))


def read(path: Path) -> dict[str, Any]:
    """A notebook as data."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def printed(notebook: dict[str, Any]) -> str:
    """All that the cells of a notebook printed."""
    outputs = [o for cell in notebook["cells"] for o in cell.get("outputs", ())]
    return "".join("".join(o["text"]) for o in outputs if o["output_type"] == "stream")
