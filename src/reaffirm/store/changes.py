"""What published runs rest on that is different now. What nobody can tell is no change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from reaffirm.errors import DocumentError
from reaffirm.model.code import CodeHashes, code_from_json
from reaffirm.model.evidence import Kind
from reaffirm.store.checked import Checked, read_checked
from reaffirm.store.code_hash import code_hash, text_hash
from reaffirm.store.installed import version_of
from reaffirm.store.kept import keep, kept
from reaffirm.store.machine_hash import settings_hash
from reaffirm.store.payloads import engine_digest, engine_hashes, own_hashes, program_hashes
from reaffirm.store.project import Project
from reaffirm.store.published import PublishedRun, PublishedRuns


def with_changes(published: PublishedRuns, project: Project) -> PublishedRuns:
    """Return the runs, each with what it rests on that changed since: see :attr:`PublishedRun.changed`."""
    now = _Now(project, published.runs)
    return replace(
        published, runs=tuple(replace(run, changed="; ".join(now.changes(run))) for run in published.runs)
    )


@dataclass
class _Source:
    """A runbook as it is now. ``codes`` are its code cells; ``None`` where it cannot be read."""

    text: str
    file: str

    @cached_property
    def codes(self) -> tuple[str, ...] | None:
        return runbook_codes(self.text)


def runbook_codes(text: str) -> tuple[str, ...] | None:
    """Return the code cells of a ``py:percent`` text; ``None`` where it is none."""
    reader = f"1 {version_of('jupytext')}"
    known: list[str] | None = kept("codes", text, reader)
    if known is not None:
        return tuple(known)
    import jupytext  # 0.1 s, so only for a runbook that was touched

    try:
        made = jupytext.reads(text.removeprefix("\ufeff"), fmt="py:percent")
    except Exception:  # whatever the library stumbles over: then nobody knows
        return None
    codes = [cell.source for cell in made.cells if cell.cell_type == "code"]
    keep("codes", text, reader, codes)
    return tuple(codes)


def _hashed_alike(run: PublishedRun, known: str) -> bool:
    """Whether a run that says no more of its code was hashed as today: then its own cells have that hash."""
    try:
        cells = run.notebook()["cells"]
        codes = [
            "".join(cell["source"])
            for cell in cells
            if cell.get("cell_type") == "code"
            and "injected-parameters" not in cell.get("metadata", {}).get("tags", ())
        ]
    except (DocumentError, KeyError, TypeError, AttributeError):
        return False
    return code_hash(codes) == known


class _Now:
    def __init__(self, project: Project, runs: Iterable[PublishedRun]) -> None:
        self._project = project
        self._sources: dict[str, _Source | None] = {}
        self._programs: dict[str, str] = {}
        self._own: dict[str, dict[str, str]] = {}
        self._checked = read_checked(project)
        self._engine = engine_hashes(project)
        self._newest = _newest_images(runs)

    def changes(self, run: PublishedRun) -> Iterable[str]:
        then = code_from_json(run.provenance.get("code"))
        yield from self._runbook(run, then)
        yield from self._files(run, then)
        yield from self._machine_file(run)
        yield from self._images(run)
        yield from self._facts(run, then)

    def _runbook(self, run: PublishedRun, then: CodeHashes) -> Iterable[str]:
        path, known = run.provenance.get("runbook_path"), run.provenance.get("runbook_sha256")
        if not isinstance(path, str) or not isinstance(known, str):
            return
        source = self._source(path)
        if source is None:
            if "/" in path:  # a bare name is that of a file outside of the project
                yield f"{path} is gone"
        elif source.file == then.file or source.codes is None or code_hash(source.codes) == known:
            return
        elif then.runbook or _hashed_alike(run, known):
            yield f"the code of {path}"

    def _source(self, path: str) -> _Source | None:
        if path not in self._sources:
            try:
                text = (self._project.root / path).read_text(encoding="utf-8")
                self._sources[path] = _Source(text, text_hash(text))
            except (OSError, UnicodeDecodeError):
                self._sources[path] = None
        return self._sources[path]

    def _files(self, run: PublishedRun, then: CodeHashes) -> Iterable[str]:
        """Programs that were sent, and the project's own steps and modules."""
        now = self._programs
        if more := then.node_programs.keys() - now.keys():
            now |= program_hashes(more, self._project)
        for name, known in then.node_programs.items():
            if now.get(name) != known:
                yield f"scripts/node/{name}" + ("" if name in now else " is gone")
        if not then.own:
            return
        path = str(run.provenance.get("runbook_path"))
        source = self._source(path)
        if source is None or source.codes is None:
            return
        if path not in self._own:
            self._own[path] = own_hashes(source.codes, self._project)
        own = self._own[path]
        for name, known in then.own.items():
            if name in own and own[name] != known:
                yield f"the code of {name}"
            elif not (self._project.root / name).is_file():
                yield f"{name} is gone"

    def _machine_file(self, run: PublishedRun) -> Iterable[str]:
        said = run.provenance.get("machine_file")
        if not isinstance(said, dict) or not said.get("settings_sha256") or not said.get("path"):
            return
        path = self._project.root / str(said["path"])
        try:
            now = settings_hash(path.read_text(encoding="utf-8-sig"))
        except (OSError, UnicodeDecodeError):
            return  # machine files of real machines are often nobody else's business
        if now and now != said["settings_sha256"]:
            yield f"the machine file {said['path']}"

    def _images(self, run: PublishedRun) -> Iterable[str]:
        for key, (identity, _) in _images_of(run).items():
            newest, seen_in = self._newest[key]
            if newest != identity:
                yield f"the image {key[3]} on {key[2]} (as the run {seen_in} saw it)"

    def _facts(self, run: PublishedRun, then: CodeHashes) -> Iterable[str]:
        """A change of the engine counts only when running the run again gave other facts."""
        simulated = run.kind is Kind.SIMULATED
        now = engine_digest(self._engine, simulated=simulated)
        if not then.engine or engine_digest(then.engine, simulated=simulated) == now:
            return
        found: Checked | None = self._checked.get(run.path)
        if found is None or found.engine != now or found.run != run_digest(run.folder):
            return  # nobody ran it again with this engine
        if found.facts:
            yield f"what the engine makes of it ({', '.join(found.facts)})"


_Key = tuple[str, str, str, str]


def _images_of(run: PublishedRun) -> Mapping[_Key, tuple[str, str]]:
    """(kind, machines, node, reference) → the image's id there, and the run that saw it."""
    nodes: Any = run.provenance.get("node_images")
    found: dict[_Key, tuple[str, str]] = {}
    for node, images in nodes.items() if isinstance(nodes, dict) else ():
        for reference, about in images.items() if isinstance(images, dict) else ():
            if isinstance(about, dict) and isinstance(about.get("id"), str):
                key = (str(run.kind), str(run.provenance.get("machines")), str(node), str(reference))
                found[key] = (about["id"], f"{run.runbook}/{run.run}")
    return found


def _newest_images(runs: Iterable[PublishedRun]) -> Mapping[_Key, tuple[str, str]]:
    newest: dict[_Key, tuple[str, str]] = {}
    for run in sorted(runs, key=lambda one: (one.when, one.run)):
        newest |= _images_of(run)
    return newest


def run_digest(folder: Path) -> str:
    """Return one hash over what a check of a published run depends on: its notebook and its recordings."""
    parts = []
    for path in sorted(
        (*folder.glob("recording*.jsonl"), folder / "notebook.ipynb", folder / "machines.toml")
    ):
        try:
            parts.append(f"{path.name} {text_hash(path.read_text(encoding='utf-8', errors='replace'))}")
        except OSError:
            continue
    return text_hash("\n".join(parts))
