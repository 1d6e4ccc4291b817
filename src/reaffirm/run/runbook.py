"""A runbook as it was read: a jupytext ``py:percent`` text, and the notebook that papermill gets of it."""

import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reaffirm.errors import DocumentError
from reaffirm.run.declarations import Declarations, declared
from reaffirm.run.places import project_of, shown
from reaffirm.store.code_hash import code_hash, text_hash
from reaffirm.store.installed import version_of
from reaffirm.store.kept import keep, kept
from reaffirm.store.project import find_project, runbook_files

#: Counts up when a runbook's notebook is made in another way: what was made before is then not used.
_FORM = 1
#: Runbooks of a folder that a message names.
_NAMED = 5
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def is_remote(path: str) -> bool:
    """Whether a path is an address with a scheme, such as ``s3://…``."""
    return bool(_SCHEME.match(path))


def is_python(path: object) -> bool:
    """Whether a path, however it is spelled and whatever its scheme, names a ``.py`` file."""
    if not isinstance(path, str):
        return False
    plain = path.split("?")[0].split("#")[0] if is_remote(path) else path
    return plain.endswith(".py")


def leads_to_source(path: str) -> bool:
    """Whether writing to ``path`` would write a ``.py`` file: by its name, in any case, or over links."""
    if is_remote(path):
        return is_python(path.lower())
    return path.lower().endswith(".py") or os.path.realpath(path).lower().endswith(".py")


@dataclass(frozen=True)
class Runbook:
    """One runbook. ``file`` is its absolute path, ``None`` for a stream or a remote address.

    ``path`` is how records name it: relative to the project. ``project`` is the folder of the project.
    ``sha256`` is the hash of its code, ``text_sha256`` that of the whole text.
    """

    path: str
    file: Path | None
    project: Path | None
    notebook: dict[str, Any]
    declarations: Declarations
    sha256: str
    text_sha256: str = ""

    @property
    def stem(self) -> str:
        """The name without folder and suffix."""
        return Path(self.path).stem if self.path != "-" else "stdin"

    def as_json(self) -> str:
        """Return the notebook as the text of an ``.ipynb`` file."""
        return json.dumps(self.notebook, ensure_ascii=False)


def read_runbook(path: str, read: Callable[[str], str]) -> Runbook:
    """Read a runbook through papermill's own reader, so that every scheme works.

    Raises:
        DocumentError: it cannot be read, is not text, or is no ``py:percent`` file.
    """
    try:
        text = read(path)
    except FileNotFoundError as error:
        raise no_runbook(path, near_runbook(path)) from error
    except UnicodeDecodeError as error:
        msg = f"{path}: not UTF-8: byte {error.object[error.start]:#04x} at offset {error.start}"
        raise DocumentError(msg, hint="save the file as UTF-8") from error
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror or error}"
        raise DocumentError(msg, hint="check the path and its permissions") from error
    return runbook_from_text(text, path)


def no_runbook(path: str, near: str) -> DocumentError:
    """Return the error for a path at which there is no runbook; ``near`` is the one that was meant."""
    meant = f"; did you mean {near}?" if near else ""
    hint = "check the path; runbooks lie in runbooks/"
    return DocumentError(f"there is no runbook {path}{meant}", hint=hint if meant else elsewhere() or hint)


def elsewhere() -> str:
    """Return what to do where no folder of runbooks is here or above; empty where one is."""
    here = Path.cwd()
    if any((folder / "runbooks").is_dir() for folder in (here, *here.parents)):
        return ""
    return f"no runbooks/ in {here} or above it: go into the checkout (cd), or check the path"


def folder_for_runbook(path: str) -> DocumentError:
    """Return the error for a folder in place of a runbook, with what may have been meant."""
    near = near_runbook(path)
    inside = [shown(one) for one in runbook_files(Path(path))]
    if near:
        hint = f"did you mean {near}?"
    elif inside:
        more = f", … ({len(inside)} in all)" if len(inside) > _NAMED else ""
        hint = f"name one of its runbooks: {', '.join(inside[:_NAMED])}{more}"
    else:
        hint = "name a notebook, or a runbook such as runbooks/NAME.py"
    return DocumentError(f"{path} is a folder, not a notebook", hint=hint)


def near_runbook(path: str) -> str:
    """Return the path of a runbook whose name is nearly that of ``path``, with or without ``.py``; or ``""``.

    It is looked for in the folder that the path names, then among the runbooks of the project.
    """
    if not path or is_remote(path):
        return ""
    wanted = Path(path)
    stem = wanted.stem if wanted.suffix == ".py" else wanted.name
    project = find_project()
    for folder in (wanted.parent, *([project.runbooks] if project else [])):
        known = {one.stem: one for one in runbook_files(folder)}
        from difflib import get_close_matches

        if near := get_close_matches(stem, known, n=1, cutoff=0.8):
            return shown(known[near[0]])
    return ""


def runbook_from_text(text: str, path: str) -> Runbook:
    """Make a runbook of its text; ``path`` is where it came from (``-``: standard input)."""
    notebook = _notebook(text, path)
    file = None if path == "-" or is_remote(path) else Path(path).absolute()
    project = project_of(file.resolve().parent if file else Path.cwd())
    if file and project and file.resolve().is_relative_to(project.resolve()):
        name = file.resolve().relative_to(project.resolve()).as_posix()
    else:
        name = file.name if file else path
    codes = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    digest = code_hash(codes)
    notebook["metadata"]["reaffirm"] = {"runbook": {"path": name, "sha256": digest}}
    whole = text_hash(text)
    return Runbook(name, file, project, notebook, _declarations(notebook, text, path), digest, whole)


def _notebook(text: str, path: str) -> dict[str, Any]:
    reader = f"{_FORM} {version_of('jupytext')}"
    known: dict[str, Any] | None = kept("notebooks", text, reader)
    if known is None:
        known = _read(text, path)
        keep("notebooks", text, reader, known)
    return known


def _read(text: str, path: str) -> dict[str, Any]:
    jupytext = _jupytext()
    try:
        made = jupytext.reads(text.removeprefix("\ufeff"), fmt="py:percent")
    except Exception as error:
        msg = f"{path}: not a jupytext py:percent file: {error}"
        raise DocumentError(msg, hint="cells begin with a line '# %%' or '# %% [markdown]'") from error
    kernel = dict(made.metadata.get("kernelspec") or {})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"} | kernel
    cells = []
    for number, cell in enumerate(made.cells):
        plain: dict[str, Any] = {
            "cell_type": cell.cell_type,
            "id": f"c{number:04d}",
            "metadata": json.loads(json.dumps(cell.metadata)),
            "source": cell.source,
        }
        if cell.cell_type == "code":
            plain |= {"execution_count": None, "outputs": []}
        cells.append(plain)
    metadata = {"kernelspec": kernel, "language_info": {"name": kernel["language"]}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


# What jupytext can do without: its MyST format, and how Jupyter servers open text files.
_OPTIONAL = ("markdown_it", "jupytext.sync_contentsmanager", "jupytext.async_contentsmanager")
_alone: list[bool] = []


def command_line() -> None:
    """Say that this process does nothing but run runbooks, so that half of jupytext need not be loaded."""
    _alone[:] = [True]


def _jupytext() -> Any:
    if not _alone or "jupytext" in sys.modules:
        import jupytext  # 0.1 s, so only when there is a runbook

        return jupytext
    absent = [name for name in _OPTIONAL if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]  # None: "import" says there is none
    try:
        import jupytext
    finally:
        for name in absent:
            del sys.modules[name]
    return jupytext


def _declarations(notebook: dict[str, Any], text: str, path: str) -> Declarations:
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and "parameters" in cell["metadata"].get("tags", ()):
            at = text.replace("\r\n", "\n").find(cell["source"])
            first = text.replace("\r\n", "\n").count("\n", 0, at) + 1 if at >= 0 else 1
            return declared(cell["source"], file=path, first_line=first)
    return Declarations(path, cell=False)
