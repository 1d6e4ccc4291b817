"""Publishing: a run becomes ``docs/runs/<runbook>/<run>/``, redacted, stable, all or nothing."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reaffirm.errors import DocumentError, UsageError
from reaffirm.model.evidence import Kind
from reaffirm.nodes.recording_format import Tape, read_tape
from reaffirm.redact import redact
from reaffirm.run import evidence, places
from reaffirm.run.ending import own_cells
from reaffirm.run.secrets import Redactor
from reaffirm.store.node_programs import digest, node_programs
from reaffirm.store.project import Project

SCHEMA = 1
_TIMING = ("papermill", "execution")


@dataclass(frozen=True)
class Publication:
    """What becomes public: text by file name, and where it will lie. ``about`` is the provenance."""

    folder: Path
    files: Mapping[str, str]
    about: Mapping[str, Any]

    def write(self, *, replace: bool = False) -> bool:
        """Write all files into a folder beside the final one, then rename it.

        Returns whether anything changed: the same run is never written twice.

        Raises:
            UsageError: there is another run of this name, and ``replace`` is not set.
        """
        there = self.folder.exists()
        if there and _same(self.folder, self.files):
            return False
        if there and not replace:
            msg = f"{places.shown(self.folder)} holds another run, or this one with other contents"
            raise UsageError(
                msg,
                hint="publish this one under another --name, or put it in that one's place with --replace",
            )
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=self.folder.parent, prefix=".part-"))
        try:
            for name, text in self.files.items():
                target = part / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8", newline="")
            part.chmod(0o755)
            if there:
                old = part.with_name(f"{part.name}.old")
                self.folder.rename(old)
                try:
                    part.rename(self.folder)
                except BaseException:
                    old.rename(self.folder)
                    raise
                shutil.rmtree(old)
            else:
                part.rename(self.folder)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        return True


def prepare(notebook: Path, project: Project, *, name: str = "", failed: bool = False) -> Publication:
    """Read a run and make of it what may be published. Nothing is written.

    Args:
        notebook: the executed notebook; the folder of its run lies beside it.
        project: where it is published.
        name: the name of the run (default: that of the notebook).
        failed: whether a run that did not complete may be published.

    Raises:
        UsageError: it is no run of a runbook, or did not complete.
        DocumentError: a file is damaged, or holds a secret that cannot be taken out.
    """
    data = _read(notebook)
    about = data["metadata"].get("reaffirm") or {}
    _check(about, notebook, failed=failed)
    folder = places.run_folder(notebook)
    tapes = {path.name: read_tape(path, shown=places.shown(path)) for path in evidence.recordings(folder)}
    if not tapes:
        msg = f"{places.shown(folder)} holds no recording, so nobody could replay this run"
        raise UsageError(msg, hint="run it again with an output path on this machine")
    _agree(about, tapes, notebook)
    runbook = Path(about["runbook"]["path"]).stem
    run = name or about["run"]
    provenance = _provenance(about, data, tapes, project) | {"run": run, "runbook": runbook}
    facts = {key: provenance[key] for key in ("schema", "kind", "via", "run", "runbook", "started")}
    files = {
        "notebook.ipynb": _json(stable(data), indent=1),
        "facts.json": _json(facts | {"facts": Redactor().data(about["facts"])}),
        "provenance.json": _json(provenance),
    } | _kept(folder, tapes)
    return Publication(project.published / runbook / run, files, provenance)


def stable(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a notebook without times of the wall, banners and secrets."""
    copy: dict[str, Any] = json.loads(json.dumps(notebook))
    copy["cells"] = own_cells(copy)
    for cell in copy["cells"]:
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


def _check(about: Mapping[str, Any], notebook: Path, *, failed: bool) -> None:
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
        _past(about.get(key), key, notebook)
    if ended["how"] != "completed" and not failed:
        why = f" ({ended['why']})" if ended.get("why") else ""
        msg = f"{notebook}: this run {ended['how']}{why}"
        raise UsageError(msg, hint="publish it all the same with --failed, if the failure is the evidence")


def _past(value: Any, key: str, notebook: Path) -> None:
    """A run is not of tomorrow. One hour is allowed: clocks of machines differ."""
    moment = _moment(value)
    if moment is not None and moment > datetime.now(UTC) + timedelta(hours=1):
        msg = f"{notebook}: {key!r} is {value}, which is in the future"
        raise UsageError(msg, hint="set the clock of this machine, or of the nodes, and run it again")


def _moment(value: Any) -> datetime | None:
    for form in ("%Y-%m-%dT%H:%M:%SZ", "%Y%m%dT%H%M%SZ"):
        with suppress(ValueError):
            return datetime.strptime(str(value)[:20], form).replace(tzinfo=UTC)
    return None


def _ran(about: Mapping[str, Any]) -> str | None:
    """When the runner ran it. A run from before that was noted has it in the name that the runner gave."""
    moment = _moment(about.get("ran")) or _moment(str(about.get("run", ""))[:16])
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def _agree(about: Mapping[str, Any], tapes: Mapping[str, Tape], notebook: Path) -> None:
    """The recording says the kind; a notebook that says better was edited."""
    recorded = min((kind for tape in tapes.values() for kind in tape.header.kinds.values()), key=_weight)
    if _weight(Kind(about["kind"])) > _weight(recorded):
        msg = f"{notebook}: says kind {about['kind']}, but was recorded on {recorded} nodes"
        raise DocumentError(msg, hint="publish the notebook as the run left it")


def _weight(kind: Kind) -> int:
    return kind.weight


def _provenance(
    about: Mapping[str, Any], data: Mapping[str, Any], tapes: Mapping[str, Tape], project: Project
) -> dict[str, Any]:
    given = data["metadata"].get("papermill", {}).get("parameters", {})
    first = next(iter(tapes.values()))
    images = {
        name.removeprefix("probe.").removesuffix(".digest"): fact["value"]
        for name, fact in about["facts"].items()
        if name.startswith("probe.") and name.endswith(".digest") and fact["value"]
    }
    found = {
        "schema": SCHEMA,
        "kind": about["kind"],
        "via": about["via"],
        "started": about["started"],
        "ended": about.get("ended"),
        "runbook_path": about["runbook"]["path"],
        "runbook_sha256": about["runbook"]["sha256"],
        "ran": _ran(about),
        "parameters": about.get("parameters", given),
        "machines": first.header.machines,
        "node_programs": _programs(tapes, project),
        "images": images,
        "versions": about.get("versions", {}),
        "git": about.get("git"),
    }
    return Redactor().data(found)  # type: ignore[no-any-return]


def _programs(tapes: Mapping[str, Tape], project: Project) -> dict[str, str]:
    """The hashes of the programs of ``scripts/node`` that this run sent."""
    known = {digest(redact(text)): name for name, text in node_programs(project).items()}
    sent = {sha for tape in tapes.values() for sha in tape.texts}
    return {known[sha]: sha for sha in sorted(sent & known.keys(), key=known.__getitem__)}


def _kept(folder: Path, tapes: Mapping[str, Tape]) -> dict[str, str]:
    """What the run saved beside its notebook.

    A recording is a chain of hashes: it is taken as it is or not at all.
    """
    found: dict[str, str] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if path.name.startswith(".part-"):
            continue
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


def _same(folder: Path, files: Mapping[str, str]) -> bool:
    there = {
        os.fspath(path.relative_to(folder)): path.read_text(encoding="utf-8", errors="replace")
        for path in folder.rglob("*")
        if path.is_file()
    }
    return there == dict(files)
