"""Finds steps of one's own: files in ``runbooks/steps`` of the project, and packages that offer some."""

import ast
import importlib.util
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reaffirm.errors import DocumentError, ReaffirmError, UsageError
from reaffirm.store.project import Project, find_project

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The entry point group in which a package offers steps: ``disk_free = "my_package.steps:disk_free"``.
GROUP = "reaffirm.steps"
_WORD = "step"


@dataclass(frozen=True)
class Place:
    """Where a step of one's own is defined: a file and its line, as people of the project name it."""

    path: Path
    shown: str
    line: int

    def __str__(self) -> str:
        return f"{self.shown}:{self.line}"


def own_steps(project: Project | None, shipped: Iterable[str]) -> dict[str, Place]:
    """Return every step that the project's files define, by name. No file is executed.

    Raises:
        UsageError: two steps have one name, or one has that of a shipped step.
        DocumentError: a file is not Python.
    """
    taken = frozenset(shipped)
    found: dict[str, Place] = {}
    folder = project.runbooks / "steps" if project else None
    if project is None or folder is None or not folder.is_dir():
        return found
    for path in sorted(folder.glob("*.py")):
        for name, line in _decorated(path, project.relative(path)):
            place = Place(path, project.relative(path), line)
            if name in taken:
                msg = f"{place}: {name!r} is the name of a shipped step"
                raise UsageError(msg, hint="give yours another name, such as " + f"our_{name}")
            if name in found:
                msg = f"{place}: the step {name!r} is already in {found[name]}"
                raise UsageError(msg, hint="rename one of them")
            found[name] = place
    return found


def offered_steps(shipped: Iterable[str]) -> "dict[str, EntryPoint]":
    """Return the steps that installed packages offer, by name.

    Raises:
        UsageError: two have one name, or one has that of a shipped step.
    """
    from importlib.metadata import entry_points  # 7 ms that a run with shipped steps does not need

    taken = frozenset(shipped)
    found: dict[str, EntryPoint] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda e: (e.name, e.value)):
        of = f"the package {entry.dist.name}" if entry.dist else entry.value
        if entry.name in taken:
            msg = f"{of} offers a step {entry.name!r}, which is the name of a shipped step"
            raise UsageError(msg, hint="uninstall that package, or ask for another name there")
        if entry.name in found and found[entry.name].value != entry.value:
            msg = f"{of} offers a step {entry.name!r}, and so does {found[entry.name].value}"
            raise UsageError(msg, hint="uninstall one of the two packages")
        found[entry.name] = entry
    return found


def find_step(name: str, shipped: Iterable[str]) -> Callable[..., Any] | None:
    """Return the step of one's own of that name; ``None`` when there is none.

    Raises:
        UsageError: names clash, or what an entry point names is no step.
        DocumentError: a file cannot be used.
    """
    own = own_steps(find_project(), shipped)
    offered = offered_steps(shipped)
    if name in own and name in offered:
        msg = f"{own[name]}: the step {name!r} is also offered by {offered[name].value}"
        raise UsageError(msg, hint="rename yours, or uninstall that package")
    if name in own:
        found = getattr(_module(own[name].path, own[name].shown), name, None)
        where = str(own[name])
    elif name in offered:
        found, where = offered[name].load(), offered[name].value
    else:
        return None
    if not getattr(found, "reaffirm_step", False):
        msg = f"{where}: {name!r} is no step"
        raise UsageError(msg, hint="put @reaffirm.step above its def")
    return found


def _decorated(path: Path, shown: str) -> list[tuple[str, int]]:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        msg = f"{shown}:{line}: not Python: {getattr(error, 'msg', error)}"
        raise DocumentError(msg, hint="correct the file, or move it out of runbooks/steps") from error
    return [
        (node.name, node.lineno)
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any(map(_is_step, node.decorator_list))
    ]


def _is_step(decorator: ast.expr) -> bool:
    """Whether it is ``@step`` or ``@reaffirm.step``, maybe with a declaration in brackets."""
    if isinstance(decorator, ast.Call):
        decorator = decorator.func
    match decorator:
        case ast.Name(id=word) | ast.Attribute(attr=word):
            return word == _WORD
    return False


@cache
def _module(path: Path, shown: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"reaffirm_own_steps.{path.stem}", path)
    if spec is None or spec.loader is None:  # pragma: no cover: a .py file always has a loader
        msg = f"{shown}: cannot be imported"
        raise DocumentError(msg)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except ReaffirmError:
        raise
    except Exception as error:
        msg = f"{shown}: cannot be imported: {type(error).__name__}: {error}"
        raise DocumentError(msg, hint="run the file by itself with python to see where") from error
    return module
