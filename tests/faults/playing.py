"""Plays a runbook in this process, cell by cell: the same cells and the same steps, without a notebook."""

import ast
import contextlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jupytext
import pytest

from reaffirm.errors import ReaffirmError
from reaffirm.nodes import connect as connecting
from reaffirm.nodes.cluster import Cluster
from reaffirm.run.ending import heading_at
from reaffirm.steps.result import StepResult

ROOT = Path(__file__).parents[2]


@dataclass
class Played:
    """How a runbook ended. ``exit`` is the status that ``reaffirm run`` would end with."""

    folder: Path
    exit: int = 0
    ends: str = ""
    said: str = ""
    hint: str = ""
    printed: str = ""
    outcome: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    cluster: Cluster | None = None
    error: BaseException | None = None


@cache
def _cells(path: Path) -> list[dict[str, Any]]:
    return list(jupytext.read(path).cells)


def runbook_file(name: str) -> Path:
    """Return a runbook of the project, or one of those that only faults use."""
    own = Path(__file__).parent / "runbooks" / f"{name}.py"
    return own if own.is_file() else ROOT / "runbooks" / f"{name}.py"


def play(name: str, values: Mapping[str, Any], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    """Play a runbook of the project with these values; its files go to ``folder``."""
    path = runbook_file(name)
    cells = _cells(path)
    played = Played(folder)
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = io.StringIO()
    with monkeypatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setenv("REAFFIRM_RUN_DIR", str(folder))
        patch.setenv("REAFFIRM_RUNBOOK", str(path))
        patch.setattr(connecting, "_process", connecting._Process())
        patch.setattr("atexit.register", lambda *_: None)
        patch.chdir(ROOT)
        for index, cell in enumerate(cells):
            if cell["cell_type"] != "code":
                continue
            try:
                value = _run(cell["source"], names, f"{path.name}, cell {index + 1}")
            except (Exception, KeyboardInterrupt) as error:
                _ended(played, error)
                played.ends = heading_at(cells, index)
                break
            finally:
                played.cluster = names.get("cluster", played.cluster)
            if isinstance(value, StepResult):
                played.outcome = value.outcome.value
                played.said = value.report.summary
            if "parameters" in cell["metadata"].get("tags", ()):
                names |= values
    if played.cluster is not None:
        played.facts = {name: fact.value for name, fact in played.cluster.context.facts.items()}
    played.printed = printed.getvalue()
    return played


def _run(source: str, names: dict[str, Any], where: str) -> Any:
    """Run one cell; return the value of its last line, if that is an expression."""
    tree = ast.parse(source, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)
    return eval(compile(ast.Expression(last.value), where, "eval"), names) if last is not None else None


def _ended(played: Played, error: BaseException) -> None:
    played.error = error
    if isinstance(error, ReaffirmError):
        played.exit, played.said, played.hint = error.exit_code, error.message, error.hint
    else:
        played.exit, played.said = 1, f"{type(error).__name__}: {error}"


@contextlib.contextmanager
def closed(played: Played) -> Iterator[Played]:
    """Let go of the nodes at the end."""
    try:
        yield played
    finally:
        if played.cluster is not None:
            played.cluster.close()
