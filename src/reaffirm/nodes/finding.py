"""Finds the machine file that a runbook or a command names."""

import os
from difflib import get_close_matches
from pathlib import Path

from reaffirm.errors import MachineFileError
from reaffirm.store.project import CALLED_FROM_VARIABLE, Project


def machine_file(nodes: str | Path, project: Project | None, called_from: Path) -> Path:
    """Find the file of a name or a path.

    Raises:
        MachineFileError: there is none; the message lists those there are.
    """
    text = str(nodes)
    known = sorted(path.stem for path in project.machine_files.glob("*.toml")) if project else []
    hint = f"known machine files: {', '.join(known) or 'none'}; or give a path to one"
    if isinstance(nodes, Path) or "/" in text or text.endswith(".toml"):
        wanted = Path(text).expanduser()
        caller = Path(os.environ.get(CALLED_FROM_VARIABLE) or called_from)
        bases = dict.fromkeys((caller, called_from, project.root if project else called_from))
        places = list(dict.fromkeys(base / wanted for base in bases))
        for place in places:
            if place.is_file():
                return place
        msg = f"no machine file at {text!r}; looked at {', '.join(map(str, places))}"
        raise MachineFileError(msg, hint=hint)
    if project is None:
        msg = f"no project with machine files at or above {called_from}, got nodes = {text!r}"
        raise MachineFileError(
            msg, hint="go into the checkout, where runbooks/ and adrs/ are, or give a path to a machine file"
        )
    if text in known:
        return project.machine_files / f"{text}.toml"
    near = get_close_matches(text, known, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    msg = f"no machine file for nodes = {text!r}{meant}"
    raise MachineFileError(msg, hint=hint)
