"""Finds the run that a person means: by a path, by a folder, by a name."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from reaffirm.errors import UsageError
from reaffirm.run import places
from reaffirm.store.project import Project

_NOTEBOOK = "notebook.ipynb"


@dataclass(frozen=True)
class Which:
    """One run. ``name`` is ``runbook/run``; ``folder`` holds its recordings."""

    name: str
    notebook: Path
    folder: Path
    published: bool

    @property
    def shown(self) -> str:
        """The published folder, or the notebook of a local run."""
        return places.shown(self.folder if self.published else self.notebook)


def local_runs(project: Project) -> list[Which]:
    """Return the runs under ``runs/``, by runbook and name."""
    found = sorted(project.runs.glob("*/*.ipynb"))
    return [_local(path) for path in found if path.is_file() and path.name[0] != "."]


def published_runs(project: Project) -> list[Which]:
    """Return the runs under ``docs/runs``, whole or damaged, by runbook and name."""
    found = sorted(path for path in project.published.glob("*/*") if path.is_dir() and path.name[0] != ".")
    return [_published(path) for path in found]


def which_run(word: str, project: Project | None, *, local: bool = True, published: bool = True) -> Which:
    """Return the run that ``word`` means.

    Args:
        word: a notebook, the folder of a run, ``runbook/run``, or as much of the run's name as is enough.
        project: where names are looked for; paths need none.
        local: whether a run under ``runs/`` is meant.
        published: whether a published run is. Where one name is both, the published one is meant.

    Raises:
        UsageError: there is no such run, or several.
    """
    path = Path(word)
    if path.suffix == ".ipynb" and path.name != _NOTEBOOK:
        return _local(path)
    if path.name == _NOTEBOOK and path.parent.is_dir():
        path = path.parent
    if path.is_dir() and path.suffix == ".run":
        return _local(path.with_suffix(".ipynb"))
    if path.is_dir() and (path / _NOTEBOOK).exists():
        return _published(path.resolve())
    known = published_runs(project) if project and published else []
    known += local_runs(project) if project and local else []
    return _named(word, known)


def _named(word: str, known: Sequence[Which]) -> Which:
    for matches in (
        [one for one in known if word in (one.name, one.name.partition("/")[2])],
        [one for one in known if one.name.startswith(word) or one.name.partition("/")[2].startswith(word)],
    ):
        names = sorted({one.name for one in matches})
        if len(names) == 1:
            return matches[0]  # published runs come first
        if names:
            some = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
            msg = f"which run? {word!r} is {len(names)} of them"
            raise UsageError(msg, hint=f"say more of its name: {some}")
    near = get_close_matches(word, [one.name for one in known], n=1)
    meant = f"; did you mean {near[0]}?" if near else ""
    msg = f"there is no run {word!r}{meant}"
    raise UsageError(msg, hint="reaffirm runs lists them; or give the path of its notebook or its folder")


def _local(notebook: Path) -> Which:
    absolute = notebook.absolute()
    name = f"{absolute.parent.name}/{absolute.stem}"
    return Which(name, notebook, places.run_folder(notebook), published=False)


def _published(folder: Path) -> Which:
    return Which(f"{folder.parent.name}/{folder.name}", folder / _NOTEBOOK, folder, published=True)
