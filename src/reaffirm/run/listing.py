"""What runs there are: local ones and published ones, newest first, and those that are damaged."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from reaffirm.errors import DocumentError
from reaffirm.model.run_view import RunView
from reaffirm.run import places
from reaffirm.run.which import Which, local_runs, published_runs
from reaffirm.store.ledger import LEDGER, read_ledger
from reaffirm.store.project import Project
from reaffirm.store.published import read_run
from reaffirm.store.run_view import view_of

#: A notebook of more bytes is not read.
_MOST = 200_000_000


@dataclass(frozen=True)
class Listed:
    """One run as the list shows it.

    ``when`` is the time of the run (UTC, ISO 8601; empty where nobody knows), ``facts`` how many it found,
    ``published`` the folder of the run under ``docs/runs``, ``problem`` what is wrong with it.
    """

    run: str
    runbook: str
    kind: str = ""
    when: str = ""
    ended: str = ""
    facts: int = 0
    published: str = ""
    path: str = ""
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "run": self.run,
            "runbook": self.runbook,
            "kind": self.kind or None,
            "when": self.when or None,
            "ended": self.ended or None,
            "facts": self.facts,
            "published": self.published or None,
            "path": self.path,
            "problem": self.problem or None,
        }


def list_runs(project: Project) -> list[Listed]:
    """Return all runs of a project, newest first; a run that lies in both places is listed once."""
    public = {(one.runbook, one.run): one for one in map(_published, published_runs(project))}
    found: list[Listed] = []
    for one in _local(project):
        twin = public.get((one.runbook, one.run))
        if twin is not None and twin.when[:16] == one.when[:16]:
            del public[one.runbook, one.run]
            one = Listed(
                **(vars(one) | {"published": twin.published, "problem": one.problem or twin.problem})
            )
        found.append(one)
    found += public.values()
    return sorted(found, key=lambda one: (one.when, one.runbook, one.run), reverse=True)


def read_view(which: Which) -> RunView:
    """Return a run as it can be compared.

    Raises:
        DocumentError: a file of it is missing or damaged.
    """
    data = read_notebook(which.notebook)
    if not which.published:
        return view_of(data, name=which.shown)
    return view_of(data, name=which.shown, about=read_run(which.folder, shown=which.shown).provenance)


def _local(project: Project) -> Iterator[Listed]:
    """Local runs: what lies under ``runs/``, and what the ledger knows elsewhere."""
    seen: set[Path] = set()
    for which in local_runs(project):
        seen.add(which.notebook.resolve())
        yield _read_local(which)
    try:
        entries = read_ledger(project.runs / LEDGER).runs
    except DocumentError:
        return
    for run, lines in entries.items():
        notebook = project.root / run
        if notebook.suffix == ".ipynb" and notebook.is_file() and notebook.resolve() not in seen:
            yield _read_local(Which(run, notebook, places.run_folder(notebook), published=False))
        elif lines[-1].op == "begun" and not notebook.exists():
            fields = lines[-1].fields
            book = Path(str(fields.get("runbook", ""))).stem
            how = "began and left nothing: it was killed, or is under way"
            yield Listed(notebook.stem, book, when=lines[-1].at, ended=how, path=places.shown(notebook))


def _read_local(which: Which) -> Listed:
    run, book = which.notebook.stem, which.notebook.absolute().parent.name
    try:
        data = read_notebook(which.notebook)
    except DocumentError as error:
        return Listed(run, book, path=which.shown, problem=error.message)
    metadata = data.get("metadata")
    about = metadata.get("reaffirm") if isinstance(metadata, dict) else None
    if not isinstance(about, dict):
        return Listed(run, book, path=which.shown, problem="no run of a runbook")
    path = (about.get("runbook") or {}).get("path")
    facts = about.get("facts")
    return Listed(
        run,
        Path(str(path)).stem if path else book,
        str(about.get("kind") or ""),
        str(about.get("ran") or about.get("started") or ""),
        _ended(about),
        len(facts) if isinstance(facts, dict) else 0,
        path=which.shown,
    )


def _published(which: Which) -> Listed:
    book, _, run = which.name.partition("/")
    try:
        found = read_run(which.folder, shown=which.shown)
    except DocumentError as error:
        message = error.message.removeprefix(f"{which.shown}/")
        return Listed(run, book, published=which.shown, path=which.shown, problem=message)
    return Listed(
        run,
        book,
        str(found.kind),
        _text(found.ran or found.when),
        _ended(found.provenance),
        len(found.facts),
        which.shown,
        which.shown,
    )


def _ended(about: Mapping[str, Any]) -> str:
    ended = about.get("ended")
    if not isinstance(ended, dict):
        return "never ended: it was killed, or is under way"
    part = " (dry run)" if about.get("dry_run") else " (partial)" if about.get("partial") else ""
    part += " (resumed)" if about.get("resumed") else ""
    where = f" at cell {ended['cell']}" if ended.get("cell") and ended.get("how") != "completed" else ""
    how = "the runner was killed" if ended.get("how") == "killed" else ended.get("how")
    return f"{how}{where}{part}"


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def read_notebook(path: Path) -> dict[str, Any]:
    """Return the data of a notebook.

    Raises:
        DocumentError: it is missing, damaged, or none.
    """
    shown = places.shown(path)
    try:
        if path.stat().st_size > _MOST:
            msg = f"{shown}: larger than a notebook may be ({_MOST} bytes)"
            raise DocumentError(msg, hint="look at it with another tool")
        data = json.loads(path.read_bytes())
    except OSError as error:
        msg = f"{shown}: cannot be read: {error.strerror}"
        raise DocumentError(msg, hint="reaffirm runs lists the runs that there are") from error
    except (ValueError, RecursionError) as error:
        msg = f"{shown}: not a notebook: {error}"
        raise DocumentError(msg, hint="the file is cut or was edited; run the runbook again") from error
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list):
        msg = f"{shown}: not a notebook"
        raise DocumentError(msg, hint="give the path of an executed notebook")
    return data
