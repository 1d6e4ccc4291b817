"""What a run rests on, worked out when it ends: code, machines, images, versions, consent, git."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reaffirm.model.code import CodeHashes
from reaffirm.run.checkout import Checkout
from reaffirm.run.evidence import read_headers, recordings
from reaffirm.run.runbook import Runbook
from reaffirm.run.seen import engine_versions, seen_in
from reaffirm.store.machine_hash import machine_hashes
from reaffirm.store.node_programs import node_programs
from reaffirm.store.payloads import code_of
from reaffirm.store.project import Project

#: The machine file as ``connect`` keeps it in the folder of a run.
_MACHINES = "machines.toml"


def code_now(runbook: Runbook) -> CodeHashes:
    """Return the hashes of the code that a runbook would run now, without programs that it sends."""
    project = Project(runbook.project) if runbook.project else None
    codes = ["".join(c["source"]) for c in runbook.notebook["cells"] if c["cell_type"] == "code"]
    return code_of(codes, runbook.text_sha256, project)


def code_json(code: CodeHashes) -> dict[str, Any]:
    """Return hashes as a notebook has them from its beginning, when nobody knows which programs it sends."""
    return {key: value for key, value in code.as_json().items() if key != "node_programs"}


def rests_on(
    runbook: Runbook,
    begun: CodeHashes,
    folder: Path | None,
    facts: Mapping[str, Any],
    checkout: Checkout | None,
) -> dict[str, Any]:
    """Return what ``metadata.reaffirm`` says of what a run rested on.

    ``code`` and ``node_programs`` hold hashes, ``machines`` the machine file's name, path and hashes,
    ``images`` the images by node, ``node_versions`` and ``image_versions`` what runs there, ``consent`` who
    agreed to what, ``git`` the commit and which of the run's own files are not those of it. What nobody saw
    is left out. ``begun`` are the hashes taken when the run began: somebody may have edited a file since.
    """
    project = Project(runbook.project) if runbook.project else None
    seen = seen_in(recordings(folder))
    programs = seen.programs(node_programs(project))
    machines = _machines(folder, project)
    found: dict[str, Any] = {
        "code": code_json(begun),
        "node_programs": programs,
        "machines": machines,
        "images": seen.images,
        "node_versions": seen.versions,
        "image_versions": engine_versions(facts),
        "consent": seen.consent,
    }
    git = None
    if checkout is not None and project is not None:
        own = [runbook.path, *begun.own, *(f"scripts/node/{name}" for name in programs), "src/reaffirm/"]
        git = checkout.state([*own, "docs/container-images/", *filter(None, [machines.get("path")])])
    return {key: value for key, value in found.items() if value} | {"git": git}


def _machines(folder: Path | None, project: Project | None) -> dict[str, str]:
    headers = read_headers(folder)
    if folder is None or not headers:
        return {}
    name, path = str(headers[-1].get("machines", "")), str(headers[-1].get("machines_path", ""))
    used = (project.root / path if project else Path(path)) if path else None
    return {"name": name, "path": path} | machine_hashes(folder / _MACHINES, used)
