"""What ``reaffirm check`` found last, in ``runs/checked.json``: whether a newer engine gives other facts.

Git ignores the file. Where it is missing nobody knows, and nothing grows stale by that.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reaffirm.store.project import Project

_SCHEMA = 1


@dataclass(frozen=True)
class Checked:
    """One check of one published run.

    ``engine`` is the hash of the engine that ran it again, ``run`` that of the run's files, ``facts`` the
    names of facts that came out differently.
    """

    engine: str
    run: str
    facts: tuple[str, ...] = ()


def checked_file(project: Project) -> Path:
    """Return where it is kept."""
    return project.runs / "checked.json"


def read_checked(project: Project) -> dict[str, Checked]:
    """Return the last check of each run by the path of its folder; a file that is damaged tells nothing."""
    try:
        data = json.loads(checked_file(project).read_text(encoding="utf-8"))
        runs: Mapping[str, Any] = data["runs"] if data["schema"] == _SCHEMA else {}
        return {
            str(path): Checked(str(one["engine"]), str(one["run"]), tuple(map(str, one["facts"])))
            for path, one in runs.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def write_checked(project: Project, found: Mapping[str, Checked]) -> None:
    """Keep the outcome of checks beside those that are kept already.

    Raises:
        OSError: it cannot be written.
    """
    both = read_checked(project) | dict(found)
    runs = {
        path: {"engine": one.engine, "run": one.run, "facts": list(one.facts)}
        for path, one in sorted(both.items())
        if (project.root / path).is_dir()
    }
    text = json.dumps({"schema": _SCHEMA, "runs": runs}, indent=1, ensure_ascii=False) + "\n"
    target = checked_file(project)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=target.parent, prefix=".part-")
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
    Path(part).replace(target)
