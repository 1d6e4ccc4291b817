"""Runs what decides claims: each runbook once, in a process of its own, and reads what it found."""

import json
import subprocess
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from reaffirm.claims.board import Row
from reaffirm.model.claim import Evidence
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.report import facts_from_json
from reaffirm.run import places
from reaffirm.store.project import Project


@dataclass(frozen=True)
class Outcome:
    """What one run gave: evidence that is not under ``docs/runs``, what went wrong, whether it judged."""

    runbook: str
    evidence: tuple[Evidence, ...] = ()
    problem: str = ""
    judged: bool = True


@dataclass(frozen=True)
class Deciding:
    """A runbook that decides claims, and with which parameters."""

    runbook: str
    parameters: tuple[tuple[str, bool | int | float | str], ...] = ()

    @property
    def words(self) -> list[str]:
        """The parameters as options of ``reaffirm run``."""
        return [
            word
            for name, value in self.parameters
            for word in ("-p", name, str(value).lower() if isinstance(value, bool) else str(value))
        ]

    def __str__(self) -> str:
        return " ".join((self.runbook, *self.words))


def deciding_runbooks(rows: Sequence[Row]) -> dict[Deciding, list[str]]:
    """Return the runbooks that decide these claims, each with the claims as ``record/claim``."""
    found: dict[Deciding, list[str]] = {}
    for row in rows:
        if (check := row.claim.check) is not None:
            one = Deciding(check.runbook, check.parameters)
            found.setdefault(one, []).append(f"{row.record.id}/{row.claim.id}")
    return found


def wanted_facts(rows: Sequence[Row], one: Deciding) -> frozenset[str]:
    """Return the facts by which a runbook decides these claims."""
    named = (one.runbook, one.parameters)
    checks = [c for row in rows if (c := row.claim.check) and (c.runbook, c.parameters) == named]
    return frozenset(condition.fact for check in checks for condition in check.conditions)


def rerun(project: Project, one: Deciding, *, nodes: str, publish: bool, wanted: Collection[str]) -> Outcome:
    """Run one runbook and publish what it left; what the run prints goes to the terminal.

    A run that failed before it found any of the ``wanted`` facts says nothing of the claims and is kept.
    """
    runbook = one.runbook
    notebook = places.reserve_output(project.root, runbook)
    words = [*(["--nodes", nodes] if nodes else []), *one.words]
    status = _reaffirm(project, "run", runbook, *words, "--output", _literal(notebook))
    places.release(places.run_folder(notebook))
    if status in (130, 143):
        raise KeyboardInterrupt
    if status not in (0, 1) or not notebook.is_file():
        problem = f"{runbook} could not judge (exit status {status}): no new evidence"
        return Outcome(runbook, (), problem, judged=False)
    found = _evidence(notebook, runbook)
    if status and publish and not any(fact.fact in wanted for fact in found):
        shown = places.shown(notebook)
        why = f"{runbook} failed before it found what the claims ask for: no new evidence; {shown} is kept"
        return Outcome(runbook, (), f"{why}, not published", judged=False)
    if publish:
        # a run that failed may be what refutes a claim
        status = _reaffirm(project, "publish", str(notebook), *(["--failed"] if status else []))
        if status == 0:
            return Outcome(runbook)
        problem = f"{places.shown(notebook)} was not published (exit status {status})"
        return Outcome(runbook, found, problem)
    return Outcome(runbook, found)


def _reaffirm(project: Project, *words: str) -> int:
    argv = [sys.executable, "-m", "reaffirm", *words]
    return subprocess.run(argv, cwd=project.root, check=False).returncode  # noqa: S603


def _evidence(notebook: Path, runbook: str) -> tuple[Evidence, ...]:
    """The facts of a run that is only on this machine. A simulated one is dated by when it was run."""
    about: dict[str, Any] = json.loads(notebook.read_text(encoding="utf-8"))["metadata"]["reaffirm"]
    if not all(about.get(key) for key in ("kind", "via", "started")):
        return ()
    kind = Kind(about["kind"])
    when = about.get("ran") if kind is Kind.SIMULATED else about["started"]
    moment = datetime.fromisoformat(str(when or about["started"]))
    return tuple(
        Evidence(
            fact=fact.name,
            value=fact.value,
            unit=fact.unit,
            kind=kind,
            via=Via(about["via"]),
            started=moment,
            run=about["run"],
            runbook=runbook,
            path=places.shown(notebook),
            by=fact.by,
        )
        for fact in facts_from_json(about["facts"])
    )


def _literal(path: Path) -> str:
    return str(path).replace("{", "{{").replace("}", "}}")
