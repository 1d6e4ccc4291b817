"""The programs under ``scripts/node`` that are sent to nodes on standard input."""

import hashlib
from collections.abc import Mapping
from difflib import get_close_matches

from reaffirm.errors import UsageError
from reaffirm.store.project import Project, find_project, node_program_folders


def node_programs(project: Project | None = None) -> Mapping[str, str]:
    """Return every program: file name → text. A project's own program hides one of the package."""
    found: dict[str, str] = {}
    for folder in node_program_folders(project or find_project()):
        for path in sorted(folder.glob("*.py")):
            found.setdefault(path.name, path.read_text(encoding="utf-8"))
    return found


def node_program(name: str, project: Project | None = None) -> str:
    """Return the text of one program, such as ``probe_image.py``.

    Raises:
        UsageError: there is no such program; the message names those there are.
    """
    for folder in node_program_folders(project or find_project()):
        path = folder / name
        if path.suffix == ".py" and path.parent == folder and path.is_file():
            return path.read_text(encoding="utf-8")
    programs = node_programs(project)
    near = get_close_matches(name, programs, n=1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    msg = f"no program named {name!r} under scripts/node"
    raise UsageError(msg, hint=f"{meant}known programs: {', '.join(programs) or 'none'}")


def digest(text: str) -> str:
    """Return the hash by which a recording names a program (sha256, hexadecimal)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
