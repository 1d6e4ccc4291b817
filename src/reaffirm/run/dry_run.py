"""``reaffirm run --dry-run``: what each step would send where, as people read it and as data."""

import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reaffirm.errors import ReaffirmError
from reaffirm.redact import mark, remember
from reaffirm.run.cells import heading_at, number_of, source_of, step_ids
from reaffirm.run.runbook import Runbook
from reaffirm.run.secret_marks import knowing
from reaffirm.run.secrets import Redactor, secret_values
from reaffirm.store.project import (
    CALLED_FROM_VARIABLE,
    DRY_RUN_VARIABLE,
    RUNBOOK_VARIABLE,
    RUNNER_VARIABLES,
    Project,
)

#: A dry run waits for nobody; whatever takes longer hangs (seconds).
LIMIT = 600


@dataclass
class DryStep:
    """What one cell would send. ``unknown`` says why more could follow that is not shown."""

    number: int
    step: str
    heading: str
    sent: list[dict[str, str]] = field(default_factory=list)
    consent: list[dict[str, Any]] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    skipped: str = ""
    unknown: str = ""


@dataclass
class DryRun:
    """A whole dry run. ``simulated`` is true where the machine file itself describes a simulated world."""

    runbook: str
    machines: str = ""
    nodes: tuple[str, ...] = ()
    simulated: bool = False
    steps: list[DryStep] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether every step was shown to its end."""
        return not any(step.unknown for step in self.steps)

    def counts(self) -> dict[str, int]:
        """How many requests there are, each counted once in its step."""
        sent = [one for step in self.steps for one in step.sent]
        return {
            "commands": sum(one["op"] == "run" for one in sent),
            "http": sum(one["op"] == "http" for one in sent),
            "changing": sum(bool(one["effect"]) for one in sent),
            "removing": sum(one["effect"] == "removes" for one in sent),
            "nodes": len({one["node"] for one in sent}),
        }

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data. ``answers`` says that nothing of this was seen on a machine."""
        return {
            "schema": 1,
            "dry_run": True,
            "answers": "simulated" if self.simulated else "assumed",
            "runbook": self.runbook,
            "machines": self.machines,
            "nodes": list(self.nodes),
            "steps": [
                {
                    "cell": step.number,
                    "step": step.step,
                    "heading": step.heading,
                    "sent": step.sent,
                    "consent": step.consent,
                    "assumed": step.assumed,
                    "skipped": step.skipped,
                    "unknown": step.unknown,
                }
                for step in self.steps
            ],
            "counts": self.counts(),
            "complete": self.complete,
        }

    def _stand_ins(self) -> str:
        what = "a simulated DGX Spark that has" if len(self.nodes) == 1 else "simulated DGX Sparks that have"
        whose = f"stand{'s' if len(self.nodes) == 1 else ''} in for {', '.join(self.nodes) or 'the machines'}"
        return f"{what} what is asked for {whose}"

    def lines(self) -> Iterator[str]:
        """Return it as people read it; each command can be pasted."""
        whose = (
            "answers are those of the simulated world in its machine file"
            if self.simulated
            else f"answers are assumed: {self._stand_ins()}"
        )
        yield f"DRY RUN of {self.runbook}: nothing is sent; {whose}."
        if self.machines:
            yield f"Machines: {self.machines} ({', '.join(self.nodes)})"
        for step in self.steps:
            if not (step.sent or step.skipped or step.unknown or step.consent):
                continue
            yield ""
            yield f"{step.heading or 'Start'} ({step.step})"
            if step.skipped:
                yield f"  skipped: {step.skipped}"
            yield from (f"  assumed: {what}" for what in step.assumed)
            for one in step.consent:
                yield f"  on real machines needs consent to {one['action']} {', '.join(one['targets'])}"
            for one in step.sent:
                mark = f"  # {one['effect'].upper()}" if one["effect"] else ""
                yield f"  {one['node']}: {one['shell']}{mark}"
            if step.unknown:
                yield f"  what else it would send is not known: {step.unknown}"
        yield ""
        n = self.counts()
        asked = f"{_many(n['commands'], 'command')} and {_many(n['http'], 'HTTP request')}"
        changing = f"{n['changing']} change something or may, {n['removing']} of them remove"
        yield f"{asked} to {_many(n['nodes'], 'node')}, each counted once in its step; {changing}."
        yield "Nothing was sent."


def dry_run(
    runbook: Runbook, values: Mapping[str, Any], base: Path, *, skipped: Mapping[int, str] | None = None
) -> DryRun:
    """Run a runbook dry.

    Args:
        runbook: the runbook.
        values: its parameters as they were given, typed.
        base: the folder in which this was called.
        skipped: the numbers of cells that are not run, and why.

    Raises:
        ReaffirmError: the process that runs the cells ended otherwise than it should.
    """
    cells = list(_cells(runbook, values, skipped or {}))
    env = {name: value for name, value in os.environ.items() if name not in RUNNER_VARIABLES}
    env |= {DRY_RUN_VARIABLE: "1", CALLED_FROM_VARIABLE: os.fspath(base)}
    if runbook.file is not None:
        env[RUNBOOK_VARIABLE] = os.fspath(runbook.file)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "reaffirm.run.dry_worker"],
            input=json.dumps({"cells": cells}),
            env=env,
            cwd=runbook.project,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        msg = f"{runbook.path}: the dry run did not end within {LIMIT} s"
        raise ReaffirmError(msg, hint="does a cell wait for something that is not a node?") from error
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    project = Project(runbook.project) if runbook.project else None
    with knowing(runbook.declarations, values, project, forget=True):
        for learnt in (line for line in said if line["op"] == "secrets"):
            mark(learnt["names"], learnt["patterns"])
            remember(learnt["values"])
        redactor = Redactor(secret_values(values, runbook.declarations.secrets))
        found = _read(runbook.path, [redactor.data(line) for line in said if line["op"] != "secrets"])
        stderr = redactor.text(done.stderr)
    if not said or said[-1]["op"] != "end":
        last = (stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        at = f" in the step {found.steps[-1].step}" if found.steps else ""
        msg = f"{runbook.path}: the dry run ended{at}: {last}"
        raise ReaffirmError(msg, hint="a cell of the runbook ended the process")
    return found


def _cells(
    runbook: Runbook, values: Mapping[str, Any], skipped: Mapping[int, str]
) -> Iterator[dict[str, Any]]:
    cells: Sequence[Any] = runbook.notebook["cells"]
    ids = step_ids(cells)
    given = dict(values)
    for index, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        parameters = "parameters" in cell["metadata"].get("tags", ())
        yield {
            "number": number_of(cells, index),
            "step": ids[index],
            "heading": heading_at(cells, index),
            "source": source_of(cell),
            "skip": skipped.get(number_of(cells, index), ""),
            "values": given if parameters else {},
        }


def _read(runbook: str, lines: Collection[Mapping[str, Any]]) -> DryRun:
    found = DryRun(runbook)
    for line in lines:
        step = found.steps[-1] if found.steps else DryStep(0, "", "")
        match line["op"]:
            case "cell":
                found.steps.append(DryStep(line["number"], line["step"], line["heading"]))
            case "connect":
                found.machines, found.nodes = line["machines"], tuple(line["nodes"])
                found.simulated = line["simulated"]
            case "run" | "http":
                one = {key: line[key] for key in ("op", "node", "shell", "effect")}
                if one not in step.sent:
                    step.sent.append(one)
            case "consent":
                step.consent.append({"action": line["action"], "targets": line["targets"]})
            case "assumed":
                step.assumed.append(line["what"])
            case "skipped":
                step.skipped = line["why"]
            case "unknown":
                step.unknown = line["why"]
    return found


def _many(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
