"""Finds the project that a runbook belongs to, and the catalogue that comes with the package."""

import os
import sys
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from reaffirm.store.settings import names_us, record_settings

#: Set by the runner: the runbook that is being run.
RUNBOOK_VARIABLE = "REAFFIRM_RUNBOOK"
#: Set by the runner: the folder for the files of this run, beside its notebook.
RUN_DIR_VARIABLE = "REAFFIRM_RUN_DIR"
#: Set by the runner: the folder in which it was called, where relative paths of parameters begin.
CALLED_FROM_VARIABLE = "REAFFIRM_CALLED_FROM"
#: Set by the runner: the earlier run that this one takes up again, as JSON; see ``reaffirm.nodes.earlier``.
RESUME_VARIABLE = "REAFFIRM_RESUME"
#: Set to 1 by ``--dry-run``: no node is reached, see ``reaffirm.nodes.dry_run``.
DRY_RUN_VARIABLE = "REAFFIRM_DRY_RUN"
#: All of them: they belong to one run and to no other.
RUNNER_VARIABLES = (
    RUNBOOK_VARIABLE,
    RUN_DIR_VARIABLE,
    CALLED_FROM_VARIABLE,
    RESUME_VARIABLE,
    DRY_RUN_VARIABLE,
)


@dataclass(frozen=True)
class Project:
    """A folder with runbooks and records, and the names of the folders in it."""

    root: Path

    @property
    def records(self) -> Path:
        """Decision records: the first of their folders, where new ones go."""
        return self.record_folders[0]

    @property
    def record_folders(self) -> tuple[Path, ...]:
        """The folders of records that the settings name; without settings ``adrs``."""
        named = record_settings(self.root)
        return tuple(self.root / name for name in named) or (self.root / "adrs",)

    @property
    def runbooks(self) -> Path:
        """Runbooks, as jupytext files."""
        return self.root / "runbooks"

    @property
    def machine_files(self) -> Path:
        """Machine files (TOML)."""
        return self.runbooks / "nodes"

    @property
    def docs(self) -> Path:
        """The pages of the site."""
        return self.root / "docs"

    @property
    def published(self) -> Path:
        """Published runs."""
        return self.docs / "runs"

    @property
    def runs(self) -> Path:
        """Local runs, ignored by git."""
        return self.root / "runs"

    def relative(self, path: Path) -> str:
        """Name a file as people of this project do: from its root, else as given.

        What is printed or recorded this way is the same on every machine.
        """
        try:
            return path.resolve().relative_to(self.root.resolve()).as_posix()
        except ValueError:
            return str(path)


def runbook_files(folder: Path) -> list[Path]:
    """Return the runbooks in a folder, by name; a file whose name begins with ``_`` or ``.`` is none."""
    return sorted(folder.glob("[!_.]*.py"))


def find_project(start: Path | None = None) -> Project | None:
    """Walk up from ``start`` to the project's root; ``None`` when there is none.

    The root is the first folder that holds both ``runbooks/`` and ``adrs/``, or a ``.reaffirm.toml``, or a
    ``pyproject.toml`` with a table ``[tool.reaffirm]``. Without ``start`` the walk begins at the runbook that
    the runner named in ``REAFFIRM_RUNBOOK``, else at the working directory.
    """
    if start is None:
        named = os.environ.get(RUNBOOK_VARIABLE)
        start = Path(named) if named else Path.cwd()
    here = start.resolve()
    for folder in (here, *here.parents):
        if (folder / "runbooks").is_dir() and (folder / "adrs").is_dir():
            return Project(folder)
        if names_us(folder):
            return Project(folder)
    return None


def enter_project(start: Path | None = None) -> Project | None:
    """Make the project's root the working directory, and the runbook's folder importable.

    papermill runs a notebook in the caller's folder, nbval and Jupyter in the notebook's. With this
    rule a relative path in a runbook means the same file under all of them: it starts at the root of
    the project. Outside of a project nothing changes.
    """
    project = find_project(start)
    if project is None:
        return None
    named = os.environ.get(RUNBOOK_VARIABLE)
    folder = str(Path(named).resolve().parent if named else project.runbooks)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    os.chdir(project.root)
    return project


def failure_folders(project: Project | None = None) -> tuple[Path, ...]:
    """Return the folders with pages of failure modes: the project's own, then the package's."""
    return _folders("failures", project.docs / "failures" if project else None)


def image_folders(project: Project | None = None) -> tuple[Path, ...]:
    """Return the folders with pages of container images: the project's own, then the package's."""
    return _folders("container-images", project.docs / "container-images" if project else None)


def node_program_folders(project: Project | None = None) -> tuple[Path, ...]:
    """Return the folders with programs for nodes: the project's own, then the package's."""
    return _folders("node", project.root / "scripts" / "node" if project else None)


def facts_pages(docs: Path | None = None) -> tuple[Path, ...]:
    """Return the pages that document facts: the one in these documents, then the package's."""
    package = Path(str(resources.files("reaffirm")))
    in_wheel = package / "_catalogue" / "facts.md"
    bundled = in_wheel if in_wheel.is_file() else package.parent.parent / "docs/reference/facts.md"
    own = docs / "reference/facts.md" if docs else None
    found = [page for page in (own, bundled) if page is not None and page.is_file()]
    return tuple(dict.fromkeys(page.resolve() for page in found))


def _folders(name: str, own: Path | None) -> tuple[Path, ...]:
    found = [folder for folder in (own, _bundled(name)) if folder is not None and folder.is_dir()]
    return tuple(dict.fromkeys(folder.resolve() for folder in found))


def _bundled(name: str) -> Path:
    """Return what the wheel carries under ``_catalogue``; in a checkout the folder it is made from."""
    package = Path(str(resources.files("reaffirm")))
    in_wheel = package / "_catalogue" / name
    if in_wheel.is_dir():
        return in_wheel
    checkout = package.parent.parent
    return checkout / "scripts" / "node" if name == "node" else checkout / "docs" / name
