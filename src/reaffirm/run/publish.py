"""Publishing: a run becomes ``docs/runs/<runbook>/<run>/``, redacted, stable, all or nothing."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reaffirm.errors import DocumentError, UsageError
from reaffirm.model.evidence import Kind
from reaffirm.nodes.recording_format import Tape, read_tape
from reaffirm.redact import redact
from reaffirm.run import evidence, places
from reaffirm.run.ending import own_cells
from reaffirm.run.journal import JOURNAL
from reaffirm.run.part import is_skipped
from reaffirm.run.provenance_file import check_past, provenance
from reaffirm.run.publication import Publication
from reaffirm.run.secrets import Redactor
from reaffirm.store.project import Project

_TIMING = ("papermill", "execution")
#: What only the runner needs: the notebook was made of it.
_PRIVATE = (JOURNAL,)
#: Keys of ``metadata.reaffirm`` that say that not all of the runbook was run, and what they mean.
_PARTS = {"dry_run": "a dry run: nothing was sent", "partial": "a run of some cells only"}


def prepare(
    notebook: Path, project: Project, *, name: str = "", failed: bool = False, partial: bool = False
) -> Publication:
    """Read a run and make of it what may be published. Nothing is written.

    Args:
        notebook: the executed notebook; the folder of its run lies beside it.
        project: where it is published.
        name: the name of the run (default: that of the notebook).
        failed: whether a run that did not complete may be published.
        partial: whether a run of which only some cells ran live, or a dry run, may be published.

    Raises:
        UsageError: it is no run of a runbook, did not complete, or is only a part of one.
        DocumentError: a file is damaged, or holds a secret that cannot be taken out.
    """
    data = _read(notebook)
    about = data["metadata"].get("reaffirm") or {}
    _check(about, notebook, failed=failed, partial=partial)
    folder = places.run_folder(notebook)
    tapes = {path.name: read_tape(path, shown=places.shown(path)) for path in evidence.recordings(folder)}
    if not tapes:
        msg = f"{places.shown(folder)} holds no recording, so nobody could replay this run"
        raise UsageError(msg, hint="run it again with an output path on this machine")
    _agree(about, tapes, notebook)
    runbook = Path(about["runbook"]["path"]).stem
    run = name or about["run"]
    given = data["metadata"].get("papermill", {}).get("parameters", {})
    made_on = {folder / file: tape.header.machines for file, tape in tapes.items()}
    about_it = provenance(about, made_on, given, project) | {"run": run, "runbook": runbook}
    facts = {key: about_it[key] for key in ("schema", "kind", "via", "run", "runbook", "started")}
    files = {
        "notebook.ipynb": _json(stable(data), indent=1),
        "facts.json": _json(facts | {"facts": Redactor().data(about["facts"])}),
        "provenance.json": _json(about_it),
    } | _kept(folder, tapes)
    return Publication(project.published / runbook / run, files, about_it)


def stable(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a notebook without times of the wall, banners and secrets."""
    copy: dict[str, Any] = json.loads(json.dumps(notebook))
    copy["cells"] = own_cells(copy)
    for cell in copy["cells"]:
        _tag(cell)
        for key in _TIMING:
            cell["metadata"].pop(key, None)
        if not cell["metadata"].get("tags"):
            cell["metadata"].pop("tags", None)
    metadata = copy["metadata"]
    metadata.pop("papermill", None)
    metadata.get("reaffirm", {}).pop("ran", None)  # provenance.json has it
    metadata["language_info"] = {"name": metadata.get("language_info", {}).get("name", "python")}
    Redactor().notebook(copy)
    return copy


def _tag(cell: dict[str, Any]) -> None:
    """Say by nbval's tags which cell did not run, and which one failed."""
    if cell["cell_type"] != "code":
        return
    status = (cell["metadata"].get("papermill") or {}).get("status")
    failed = any(output["output_type"] == "error" for output in cell["outputs"])
    tags = list(cell["metadata"].get("tags") or ())
    if is_skipped(cell) or (status == "pending" and "".join(cell["source"]).strip()):
        tags.append("nbval-skip")
    elif failed:
        tags.append("raises-exception")
    cell["metadata"]["tags"] = list(dict.fromkeys(tags))


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
        if not isinstance(data["metadata"], dict) or not isinstance(data["cells"], list):
            raise TypeError
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror}"
        raise UsageError(msg, hint="give the path of an executed notebook, such as runs/…/….ipynb") from error
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{path}: not a notebook"
        raise DocumentError(msg, hint="give the path of an executed notebook") from error
    return data  # type: ignore[no-any-return]


def _check(about: Mapping[str, Any], notebook: Path, *, failed: bool, partial: bool) -> None:
    if not about.get("runbook"):
        msg = f"{notebook}: not the run of a runbook"
        raise UsageError(
            msg, hint="run the .py file with papermill or `reaffirm run` and publish what that leaves"
        )
    if not all(about.get(key) for key in ("kind", "via", "started")):
        msg = f"{notebook}: nothing connected to nodes in this run, so it is no evidence"
        raise UsageError(msg, hint="publish a run that calls reaffirm.connect")
    ended = about.get("ended") or {"how": "never ended: it was killed"}
    for key in ("ran", "started"):
        check_past(about.get(key), key, notebook)
    if ended["how"] != "completed" and not failed:
        why = f" ({ended['why']})" if ended.get("why") else ""
        msg = f"{notebook}: this run {ended['how']}{why}"
        raise UsageError(msg, hint="publish it all the same with --failed, if the failure is the evidence")
    for key, what in _PARTS.items():
        if about.get(key) and not partial:
            msg = f"{notebook}: this is {what}, so it is no evidence of the whole runbook"
            raise UsageError(msg, hint="run all of it; or publish this all the same with --partial")


def _agree(about: Mapping[str, Any], tapes: Mapping[str, Tape], notebook: Path) -> None:
    """The recording says the kind; a notebook that says better was edited."""
    recorded = min((kind for tape in tapes.values() for kind in tape.header.kinds.values()), key=_weight)
    if _weight(Kind(about["kind"])) > _weight(recorded):
        msg = f"{notebook}: says kind {about['kind']}, but was recorded on {recorded} nodes"
        raise DocumentError(msg, hint="publish the notebook as the run left it")


def _weight(kind: Kind) -> int:
    return kind.weight


def _kept(folder: Path, tapes: Mapping[str, Tape]) -> dict[str, str]:
    """What the run saved beside its notebook.

    A recording is a chain of hashes: it is taken as it is or not at all.

    Raises:
        DocumentError: it holds a secret, or a link to a file that is no part of the run.
    """
    found: dict[str, str] = {}
    inside = folder.resolve()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if path.name.startswith(".") or name in _PRIVATE:
            continue
        if not path.resolve().is_relative_to(inside):
            msg = f"{name}: is a link to {path.resolve()}, which is no part of the run"
            raise DocumentError(msg, hint="put a copy in its place if that may become public, or remove it")
        text = path.read_text(encoding="utf-8", errors="replace")
        if name in tapes:
            _clean(text, name)
            found[name] = text
        else:
            found[name] = redact(text)
    return found


def _clean(text: str, name: str) -> None:
    redactor = Redactor()
    for number, line in enumerate(text.splitlines(), 1):
        data = json.loads(line)
        if redactor.data(data) != data:
            msg = f"{name}:{number}: holds what looks like a secret"
            raise DocumentError(msg, hint="keep this run private, and run again without the secret in reach")


def _json(data: Mapping[str, Any], indent: int = 2) -> str:
    return json.dumps(data, ensure_ascii=False, indent=indent, sort_keys=True) + "\n"
