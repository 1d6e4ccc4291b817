"""What a runbook tells of itself without being run: its prose, parameters, steps, and what they change."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from reaffirm.errors import DocumentError
from reaffirm.run.cells import step_ids
from reaffirm.run.declarations import Declaration
from reaffirm.run.runbook import runbook_from_text
from reaffirm.run.selection import steps_of
from reaffirm.site.prose_words import first_heading
from reaffirm.steps.declaring import declarations

_LABEL = re.compile(r"\*\*([^*\n]{2,40}?)[.:]?\*\*[.:]?\s+(.+)", re.DOTALL)
_AUTHOR = "what its author says"


@dataclass(frozen=True)
class BookStep:
    """One step of a runbook: its cell, its id for ``--from`` and the like, and the heading above it."""

    cell: int
    id: str
    heading: str
    source: str


@dataclass(frozen=True)
class BookChange:
    """What one call of a step changes, in the words of its declaration, and what of it needs consent."""

    step: str
    changes: str
    consent: str
    note: str = ""


@dataclass(frozen=True)
class RunbookText:
    """A runbook as it was read. ``labels`` are the paragraphs that begin with words in bold, by these;
    ``prose`` are the passages between its cells of code, the first with the introduction.
    """

    name: str
    path: str
    source: str
    heading: str = ""
    introduction: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    parameters: tuple[Declaration, ...] = ()
    steps: tuple[BookStep, ...] = ()
    changes: tuple[BookChange, ...] = ()
    problem: str = ""
    prose: tuple[str, ...] = ()

    def label(self, *words: str) -> str:
        """The paragraph under the first of these words that there is, as Markdown on one line."""
        return next((self.labels[word] for word in words if word in self.labels), "")


def read_runbook_text(name: str, source: str, path: str, own: Mapping[str, str]) -> RunbookText:
    """Read a runbook; what is no ``py:percent`` text has nothing but its source, and ``problem`` says why.

    Args:
        name: such as ``launch_vllm``.
        source: the text of its file.
        path: the file as readers know it.
        own: what the project's own steps say that they change, by name.
    """
    try:
        read = runbook_from_text(source, path)
    except DocumentError as error:
        return RunbookText(name, path, source, problem=error.message)
    cells = read.notebook["cells"]
    prose = "".join(cells[0]["source"]) if cells and cells[0]["cell_type"] == "markdown" else ""
    heading, introduction = first_heading(prose)
    return RunbookText(
        name,
        path,
        source,
        heading,
        introduction,
        dict(_labels(introduction)),
        tuple(read.declarations.found.values()),
        tuple(_steps(cells)),
        tuple(_changes(cells, own)),
        prose=tuple("".join(one["source"]) for one in cells if one["cell_type"] == "markdown"),
    )


def own_steps(sources: Mapping[str, str]) -> dict[str, str]:
    """Return what a project's own steps say that they change, by name, from the sources of their files."""
    found: dict[str, str] = {}
    for source in sources.values():
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                for mark in node.decorator_list:
                    call = mark.func if isinstance(mark, ast.Call) else mark
                    if getattr(call, "attr", getattr(call, "id", "")) == "step":
                        found[node.name] = _said(mark) or _AUTHOR
    return found


def _labels(introduction: str) -> Iterator[tuple[str, str]]:
    for paragraph in re.split(r"\n\s*\n", introduction):
        if match := _LABEL.match(paragraph.strip()):
            yield match[1].strip().lower(), " ".join(match[2].split())


def _steps(cells: list[dict[str, Any]]) -> Iterator[BookStep]:
    ids = step_ids(cells)
    for one in steps_of(cells):
        if not one.defines:
            yield BookStep(one.number, one.id, one.heading, "".join(cells[ids.index(one.id)]["source"]))


def _changes(cells: list[dict[str, Any]], own: Mapping[str, str]) -> Iterator[BookChange]:
    seen: set[str] = set()
    known = declarations()
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        try:
            tree = ast.parse("".join(cell["source"]))
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not _is_step(node.func):
                continue
            name = node.func.attr  # type: ignore[attr-defined]
            if name in seen:
                continue
            seen.add(name)
            if name in known:
                one = known[name]
                changes = ", ".join(sorted(map(str, one.changes or ()))) or "nothing"
                yield BookChange(
                    name, changes, ", ".join(sorted(map(str, one.destructive))) or "no", one.note
                )
            elif name in ("command", "http"):
                silent = "nothing with GET, HEAD, OPTIONS" if name == "http" else _AUTHOR
                yield BookChange(name, _said(node) or silent, "what is known to destroy")
            else:
                yield BookChange(
                    name, own.get(name, _AUTHOR), "what is known to destroy", "a step of this project"
                )


def _is_step(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "steps"
    )


def _said(call: ast.expr) -> str:
    """The words of ``changes=`` where they are written out."""
    if not isinstance(call, ast.Call):
        return ""
    for word in call.keywords:
        if word.arg == "changes":
            try:
                value = ast.literal_eval(word.value)
            except (ValueError, SyntaxError):
                return ""
            return value if isinstance(value, str) else ", ".join(map(str, value))
    return ""
