"""``provenance.json`` of a published run: where its facts come from, as the run and its recordings say it."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reaffirm.errors import UsageError
from reaffirm.run.secrets import Redactor
from reaffirm.run.seen import engine_versions, seen_in
from reaffirm.store.code_hash import file_hash
from reaffirm.store.machine_hash import machine_hashes
from reaffirm.store.node_programs import node_programs
from reaffirm.store.project import Project

#: The version of ``facts.json`` and ``provenance.json``. Keys are added without a new one.
SCHEMA = 1
#: Every key of ``provenance.json`` and what it says; docs/reference/provenance.md is made from it.
KEYS: Mapping[str, str] = {
    "schema": "the version of the format",
    "run": "the name of the run, which is that of its folder",
    "runbook": "the name of the runbook",
    "runbook_path": "the runbook's file, from the root of the project",
    "runbook_sha256": "the hash of its code",
    "code": "the hashes of all code that the run rests on; see below",
    "kind": "simulated, lab or real: what the run is worth as evidence",
    "via": "live, or replay for answers from a recording",
    "started": "when the run began, by the clock of its nodes (UTC)",
    "ran": "when the runner began, by the clock of its machine (UTC)",
    "ended": "how it ended, at which cell and why",
    "parameters": "the parameters that differ from the runbook's own values, without secrets",
    "machines": "the name of the machine file",
    "machine_file": "its path; the hash of its bytes (`sha256`), of the redacted copy that is kept with the "
    "run (`redacted_sha256`), and of what it says without comments (`settings_sha256`)",
    "node_programs": "the programs of `scripts/node` that were sent, with the hash of their whole text",
    "node_images": "node, image, and the id and digests that the node told",
    "images": "the digests that the probes of images found",
    "node_versions": "node, program, version: docker, the GPU's driver",
    "image_versions": "image, program, version: the engine, PyTorch, Transformers, as a probe found them",
    "versions": "what ran the notebook: Python and the packages",
    "consent": "what was agreed to on real machines, for which containers, and how (parameter or prompt)",
    "git": "the commit; `dirty`: whether any file that git knows differed from it; `own`: which of the files "
    "that this run used did, `changed` or `untracked`",
    "resumed": "the run that this one took up again, and at which cell",
    "partial": "which cells were left out; such a run is published only with `--partial`",
    "dry_run": "true where nothing was sent",
    "engine": "what executed the notebook",
}
#: Every key of ``code``.
CODE_KEYS: Mapping[str, str] = {
    "runbook": "the code cells of the runbook",
    "cells": "each of them by itself, shortened, so that a changed one can be named",
    "file": "the whole text of the runbook; where it is the same nothing else needs to be looked at",
    "node_programs": "the programs that were sent",
    "own": "the project's own files that the cells use: steps in `runbooks/steps`, modules beside runbooks",
    "engine": "one hash for each part of reaffirm that decides facts, of its files as they are",
}


def provenance(
    about: Mapping[str, Any], recordings: Mapping[Path, str], given: Mapping[str, Any], project: Project
) -> dict[str, Any]:
    """Return what ``provenance.json`` says.

    Args:
        about: ``metadata.reaffirm`` of the notebook. What a run from before noted less of is worked out from
            its recordings where they tell it, and is left out where nobody knows.
        recordings: the recordings, and the name of the machine file that each was made on.
        given: the parameters as papermill has them, for runs that noted none.
        project: where it is published.
    """
    seen = seen_in(recordings)
    folder = next(iter(recordings)).parent
    programs = seen.programs(node_programs(project))
    images = {
        name.removeprefix("probe.").removesuffix(".digest"): fact["value"]
        for name, fact in about["facts"].items()
        if name.startswith("probe.") and name.endswith(".digest") and fact["value"]
    }
    code = dict(about.get("code") or {})
    if code:  # of what was sent, as the recording has it: the files may have changed since
        code["node_programs"] = {name: file_hash(seen.texts[sha]) for name, sha in programs.items()}
    machines = about.get("machines") or machine_hashes(folder / "machines.toml", None)
    found = {
        "schema": SCHEMA,
        "kind": about["kind"],
        "via": about["via"],
        "started": about["started"],
        "ended": about.get("ended"),
        "runbook_path": about["runbook"]["path"],
        "runbook_sha256": about["runbook"]["sha256"],
        "ran": ran(about),
        "parameters": about.get("parameters", given),
        "machines": next(iter(recordings.values())),
        "machine_file": machines,
        "node_programs": programs,
        "images": images,
        "node_images": seen.images,
        "node_versions": seen.versions,
        "image_versions": engine_versions(about["facts"]),
        "consent": seen.consent,
        "code": code,
        "versions": about.get("versions", {}),
        "git": about.get("git"),
    }
    for key in ("resumed", "partial", "dry_run", "engine"):
        if about.get(key):
            found[key] = about[key]
    return Redactor().data(found)  # type: ignore[no-any-return]


def ran(about: Mapping[str, Any]) -> str | None:
    """When the runner ran it. A run from before that was noted has it in the name that the runner gave."""
    moment = _moment(about.get("ran")) or _moment(str(about.get("run", ""))[:16])
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def check_past(value: Any, key: str, notebook: Path) -> None:
    """Stop for a run of tomorrow. One hour is allowed: clocks of machines differ.

    Raises:
        UsageError: the time is in the future.
    """
    moment = _moment(value)
    if moment is not None and moment > datetime.now(UTC) + timedelta(hours=1):
        msg = f"{notebook}: {key!r} is {value}, which is in the future"
        raise UsageError(msg, hint="set the clock of this machine, or of the nodes, and run it again")


def _moment(value: Any) -> datetime | None:
    for form in ("%Y-%m-%dT%H:%M:%SZ", "%Y%m%dT%H%M%SZ"):
        with suppress(ValueError):
            return datetime.strptime(str(value)[:20], form).replace(tzinfo=UTC)
    return None
