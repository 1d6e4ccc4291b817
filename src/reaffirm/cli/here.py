"""The project that a command works in."""

from pathlib import Path

from reaffirm.errors import UsageError
from reaffirm.store.project import Project, find_project

#: What to do outside of a project.
NO_PROJECT = (
    "go into the checkout, where runbooks/ and adrs/ are, "
    'or name the folder of records in pyproject.toml: [tool.reaffirm] records = "docs/adr"'
)


def project_here(start: Path | None = None) -> Project:
    """Return the project that holds ``start``, else the one of the current folder.

    Raises:
        UsageError: there is none.
    """
    project = (find_project(start.resolve()) if start else None) or find_project(Path.cwd())
    if project is None:
        msg = f"{Path.cwd()} is in no project"
        raise UsageError(msg, hint=NO_PROJECT)
    return project
