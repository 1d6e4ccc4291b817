"""Where things are: the project of a runbook, its default output, the folder beside a notebook."""

import os
import time
from pathlib import Path

from reaffirm.errors import UsageError
from reaffirm.store.project import find_project


def project_of(path: Path) -> Path | None:
    """Return the root of the project that holds ``path``; ``None`` outside of one."""
    project = find_project(path)
    return project.root if project else None


def check_here() -> None:
    """Stop when the current folder was removed: no relative path means anything then.

    Raises:
        UsageError: it was.
    """
    try:
        Path.cwd()
    except OSError as error:
        msg = "the folder that this was started in does not exist any more"
        raise UsageError(msg, hint="cd to a folder that is there, then start it again") from error


def stamp() -> str:
    """Return the wall's UTC time as ``20261130T092301Z``. It names files, never facts."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def run_folder(notebook: Path) -> Path:
    """Return the folder of a run: ``x.run`` beside ``x.ipynb``."""
    return notebook.with_suffix(".run")


def reserve_output(base: Path, stem: str) -> Path:
    """Return a new ``runs/<stem>/<stamp>.ipynb`` under ``base`` and make the folder of that run.

    Making the folder is what reserves the name: two runs that start in one second get two names.

    Raises:
        OSError: the folder cannot be made.
    """
    parent = base / "runs" / stem
    parent.mkdir(parents=True, exist_ok=True)
    now = stamp()
    for attempt in range(1, 1000):
        notebook = parent / (f"{now}.ipynb" if attempt == 1 else f"{now}-{attempt}.ipynb")
        try:
            run_folder(notebook).mkdir()
        except FileExistsError:
            continue
        return notebook
    msg = f"{parent} has a thousand runs of this second"
    raise FileExistsError(msg)


def set_aside(folder: Path) -> None:
    """Rename the folder of an earlier run of this name, so that what it saved is kept."""
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    number = 1
    while (aside := folder.with_name(f"{folder.name}.{number}")).exists():
        number += 1
    folder.rename(aside)


def release(folder: Path) -> None:
    """Remove the folder of a run if nothing was put into it."""
    try:
        folder.rmdir()
    except OSError:
        return


def shown(path: Path) -> str:
    """Return a path as people read it: relative where it lies below the current folder."""
    try:
        return os.fspath(path.absolute().relative_to(Path.cwd()))
    except ValueError:
        return os.fspath(path)
