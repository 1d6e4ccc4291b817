"""Reads published runs: ``docs/runs/<runbook>/<run>/{notebook.ipynb, facts.json, provenance.json}``.

``recording.jsonl`` lies beside them where the run was recorded; its header then says the kind.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Never, TypeVar

from reaffirm.errors import DocumentError, MachineFileError
from reaffirm.model.claim import Evidence
from reaffirm.model.evidence import Kind, Via, lowest, name_order
from reaffirm.model.fact import Fact, is_fact_name
from reaffirm.model.finding import Finding
from reaffirm.model.node import Machines
from reaffirm.model.report import facts_from_json
from reaffirm.store.machines import read_machines
from reaffirm.store.shown_facts import fact_cells, shown_facts

#: The version of ``facts.json`` and ``provenance.json`` that is understood.
SCHEMA = 1
#: A file of a run that is larger is not read (bytes).
MAX_BYTES = 50_000_000

_Word = TypeVar("_Word", Kind, Via)

_HINT = "publish the run again with `reaffirm publish`; these files are never edited by hand"


@dataclass(frozen=True)
class PublishedRun:
    """One run under ``docs/runs``. ``path`` is its folder as messages name it, ``folder`` where it lies.

    ``started`` is the node's time (UTC), ``ran`` when the machine that ran it began (UTC); None where
    nobody wrote that down. ``files`` are the paths of what lies in the folder. ``changed`` names what the run
    rests on that is different now; only :func:`reaffirm.store.changes.with_changes` fills it.
    """

    run: str
    runbook: str
    kind: Kind
    via: Via
    started: datetime
    facts: tuple[Fact, ...]
    path: str
    folder: Path
    versions: Mapping[str, str] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    ran: datetime | None = None
    changed: str = ""
    cells: Mapping[str, int] = field(default_factory=dict)

    @property
    def when(self) -> datetime:
        """When the run happened (UTC): the node's time, which dates its evidence.

        The clock of simulated nodes is virtual and dates nothing; for such a run it is when the runner ran
        it. Runs from before that was written down have it in their name.
        """
        if self.kind is Kind.SIMULATED:
            if self.ran is not None:
                return self.ran
            with suppress(ValueError):
                return datetime.strptime(self.run[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        return self.started

    @property
    def whole(self) -> bool:
        """Whether the run is known to have gone through all of its runbook."""
        ended = self.provenance.get("ended")
        parts = any(self.provenance.get(key) for key in ("partial", "dry_run"))
        return isinstance(ended, dict) and ended.get("how") == "completed" and not parts

    @cached_property
    def machines(self) -> Machines | None:
        """The machine file that was published with the run; None where there is none that can be read."""
        try:
            return read_machines(self.folder / "machines.toml", shown=f"{self.path}/machines.toml")
        except MachineFileError:
            return None

    def evidence(self) -> tuple[Evidence, ...]:
        """Return each fact of the run as evidence."""
        return tuple(
            Evidence(
                f.name,
                f.value,
                f.unit,
                self.kind,
                self.via,
                self.when,
                self.run,
                self.runbook,
                self.path,
                self.changed,
                by=f.by,
                whole=self.whole,
            )
            for f in self.facts
        )

    def notebook(self) -> dict[str, Any]:
        """Read the executed notebook.

        Raises:
            DocumentError: it is missing or no notebook.
        """
        shown = f"{self.path}/notebook.ipynb"
        data = _read_json(self.folder / "notebook.ipynb", shown)
        if not isinstance(data.get("cells"), list) or not all(
            isinstance(cell, dict) for cell in data["cells"]
        ):
            msg = f"{shown}:1: a notebook has a list of cells"
            raise DocumentError(msg, hint=_HINT)
        return data


@dataclass(frozen=True)
class PublishedRuns:
    """All published runs, newest first within a runbook, and what is wrong with the others."""

    runs: tuple[PublishedRun, ...]
    findings: tuple[Finding, ...]

    def evidence(self) -> tuple[Evidence, ...]:
        """Return the facts of all runs."""
        return tuple(one for run in self.runs for one in run.evidence())


def read_published(folder: Path, *, shown: str = "docs/runs") -> PublishedRuns:
    """Read every run below ``folder``; a damaged one becomes a finding and hides no other."""
    runs: list[PublishedRun] = []
    findings: list[Finding] = []
    for runbook in sorted(p for p in folder.glob("*") if p.is_dir()):
        for run in sorted(p for p in runbook.glob("*") if p.is_dir()):
            name = f"{shown}/{runbook.name}/{run.name}"
            try:
                runs.append(read_run(run, shown=name))
            except DocumentError as error:
                message = error.message.removeprefix(f"{name}/")
                findings.append(Finding(name, 1, "run-damaged", message, error.hint))
    newest = sorted(runs, key=lambda one: (one.when, name_order(one.run) or ("", 0), one.run), reverse=True)
    return PublishedRuns(tuple(sorted(newest, key=lambda one: one.runbook)), tuple(findings))


def read_run(folder: Path, *, shown: str = "") -> PublishedRun:
    """Read one published run.

    Raises:
        DocumentError: a file is missing or damaged, or the files disagree about what run this is.
    """
    name = shown or str(folder)
    facts_name, provenance_name = f"{name}/facts.json", f"{name}/provenance.json"
    facts = _read_json(folder / "facts.json", facts_name)
    provenance = _read_json(folder / "provenance.json", provenance_name)
    if facts.get("schema") != SCHEMA:
        msg = f"{facts_name}:1: schema {facts.get('schema')!r} is not understood, expected {SCHEMA}"
        raise DocumentError(msg, hint="update reaffirm, or publish the run again")
    for key in ("kind", "via", "run", "runbook", "started"):
        for source, data in ((facts_name, facts), (provenance_name, provenance)):
            if key not in data:
                msg = f"{source}:1: {key!r} is missing"
                raise DocumentError(msg, hint=_HINT)
        if facts[key] != provenance[key]:
            msg = f"{facts_name}:1: {key!r} is {facts[key]!r} here and {provenance[key]!r} in provenance.json"
            raise DocumentError(msg, hint=_HINT)
    kind, via = _word(Kind, facts, "kind", facts_name), _word(Via, facts, "via", facts_name)
    recorded = _recorded_kind(folder, name)
    if recorded is not None and kind.weight > recorded.weight:
        msg = f"{facts_name}:1: 'kind' is {kind} here, but the recording was made on {recorded} nodes"
        raise DocumentError(msg, hint=_HINT)
    if recorded is None and kind is not Kind.SIMULATED:
        msg = f"{name}/recording.jsonl:1: missing, so nobody can tell that this is a run of kind {kind}"
        raise DocumentError(msg, hint=_HINT)
    found = _facts(facts, facts_name)
    cells = _check_notebook(folder, name, facts, provenance)
    if facts["run"] != folder.name or facts["runbook"] != folder.parent.name:
        msg = f"{facts_name}:1: says that it is {facts['runbook']}/{facts['run']}"
        raise DocumentError(msg, hint="the folders are named after the runbook and the run; " + _HINT)
    versions = provenance.get("versions", {})
    return PublishedRun(
        run=folder.name,
        runbook=folder.parent.name,
        kind=kind,
        via=via,
        started=_time(facts["started"], facts_name),
        facts=found,
        path=name,
        folder=folder,
        versions={str(k): str(v) for k, v in versions.items()} if isinstance(versions, dict) else {},
        provenance=provenance,
        ran=_time(provenance["ran"], provenance_name, "ran") if provenance.get("ran") else None,
        cells=cells,
        files=tuple(sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())),
    )


def _check_notebook(
    folder: Path, name: str, facts: Mapping[str, Any], provenance: Mapping[str, Any]
) -> Mapping[str, int]:
    """The files beside a notebook say what its outputs say: those are compared when it is executed again.

    Returns the cell of each fact.
    """
    notebook = _read_json(folder / "notebook.ipynb", f"{name}/notebook.ipynb")
    shown = shown_facts(notebook)
    given: Mapping[str, Any] = facts["facts"]
    for key in (*given, *filter(is_fact_name, shown)):
        if given.get(key) != shown.get(key):
            _disagree(f"{name}/facts.json", key, given.get(key), shown.get(key))
    metadata = notebook.get("metadata")
    about = metadata.get("reaffirm") if isinstance(metadata, dict) else None
    if not isinstance(about, dict):
        return fact_cells(notebook)
    runbook = about.get("runbook")
    said = {key: about.get(key) for key in ("kind", "via", "started")}
    said["runbook_sha256"] = runbook.get("sha256") if isinstance(runbook, dict) else None
    for key, value in said.items():
        if value is not None and value != provenance.get(key):
            _disagree(f"{name}/provenance.json", key, provenance.get(key), value)
    return fact_cells(notebook)


def _disagree(file: str, key: str, here: object, there: object) -> Never:
    msg = f"{file}:1: {key!r} is {here!r} here and {there!r} in the notebook"
    raise DocumentError(msg, hint=_HINT)


def _read_json(path: Path, shown: str) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_BYTES:
            msg = f"{shown}:1: larger than a file of a run may be ({MAX_BYTES} bytes)"
            raise DocumentError(msg, hint=_HINT)
        data = json.loads(path.read_bytes())
    except OSError as error:
        msg = f"{shown}:1: cannot be read: {error.strerror}"
        raise DocumentError(msg, hint=_HINT) from error
    except json.JSONDecodeError as error:
        msg = f"{shown}:{error.lineno}: not JSON: {error.msg}"
        raise DocumentError(msg, hint=_HINT) from error
    except (UnicodeDecodeError, RecursionError) as error:
        msg = f"{shown}:1: not JSON: {error}"
        raise DocumentError(msg, hint=_HINT) from error
    if not isinstance(data, dict):
        msg = f"{shown}:1: expected a JSON object"
        raise DocumentError(msg, hint=_HINT)
    return data


def _facts(data: Mapping[str, Any], shown: str) -> tuple[Fact, ...]:
    try:
        facts = facts_from_json(data["facts"])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        msg = f"{shown}:1: 'facts' must be names with a value and a unit: {error}"
        raise DocumentError(msg, hint=_HINT) from error
    for fact in facts:
        listed = isinstance(fact.value, list) and all(isinstance(item, str) for item in fact.value)
        if not listed and not isinstance(fact.value, bool | int | float | str | None):
            msg = f"{shown}:1: the fact {fact.name} has a value of no known type: {fact.value!r}"
            raise DocumentError(msg, hint=_HINT)
    return facts


def _word(of: type[_Word], data: Mapping[str, Any], key: str, shown: str) -> _Word:
    words = [str(one) for one in of]
    if data[key] not in words:
        msg = f"{shown}:1: {key!r} must be one of {', '.join(words)}, got {data[key]!r}"
        raise DocumentError(msg, hint=_HINT)
    return of(data[key])


def _time(value: Any, shown: str, key: str = "started") -> datetime:
    """Read ISO 8601 or seconds since the epoch; without an offset it is UTC."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        moment = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError) as error:
        msg = f"{shown}:1: {key!r} must be a time such as 2026-11-30T09:00:00Z, got {value!r}"
        raise DocumentError(msg, hint=_HINT) from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _recorded_kind(folder: Path, name: str) -> Kind | None:
    """The lowest kind in the headers of a run's recordings. None when there is no recording.

    A header is the first line: ``{"op": "begin", "nodes": [{"name": "spark-1", "kind": "lab"}, …], …}``.
    """
    kinds: list[Kind] = []
    for path in sorted(folder.glob("recording*.jsonl")):
        try:
            with path.open(encoding="utf-8") as lines:
                header = json.loads(lines.readline(1_000_000))
            kinds.append(lowest(Kind(node["kind"]) for node in header["nodes"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            msg = f"{name}/{path.name}:1: the recording has no header that says the kind of its nodes"
            raise DocumentError(msg, hint=_HINT) from error
    return lowest(kinds) if kinds else None
