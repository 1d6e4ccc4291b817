"""The hashes of the code that a runbook of this project would run now."""

import ast
import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from reaffirm.model.code import CodeHashes
from reaffirm.redact import redact
from reaffirm.store.code_hash import bare_code, code_hash, file_hash
from reaffirm.store.node_programs import digest, node_programs
from reaffirm.store.project import Project, image_folders

#: Parts of the package that decide what a step sends, how it reads the answer, what it concludes.
ENGINE_PARTS = ("model", "store", "images", "diagnose", "nodes", "nodes/simulated", "steps")
#: The part that only a simulated run rests on.
SIMULATED_PART = "nodes/simulated"
_BASE = ("clock", "errors", "redact")
_WORD = re.compile(r"[A-Za-z_]\w*")
#: Characters of the hash of one cell.
_SHORT = 16


def code_of(codes: Iterable[str], file: str, project: Project | None) -> CodeHashes:
    """Return the hashes of a runbook as it is now, without those of the programs that it would send.

    Args:
        codes: the sources of its code cells.
        file: the hash of its text.
        project: where its own steps and modules lie.
    """
    cells = tuple(codes)
    return CodeHashes(
        runbook=code_hash(cells),
        file=file,
        cells=cell_hashes(cells),
        own=own_hashes(cells, project) if project else {},
        engine=engine_hashes(project),
    )


def cell_hashes(codes: Iterable[str]) -> tuple[str, ...]:
    """Return a short hash for each code cell; of one without code it is empty."""
    return tuple(digest(bare)[:_SHORT] if (bare := bare_code(code)) else "" for code in codes)


def own_hashes(codes: Iterable[str], project: Project) -> dict[str, str]:
    """Return the hashes of the project's own files that these cells use: steps and modules, by path."""
    found: dict[str, str] = {}
    waiting = list(_used("\n".join(codes), project))
    while waiting:
        path = waiting.pop()
        name = project.relative(path)
        if name in found:
            continue
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found[name] = file_hash(text)
        waiting += _used(text, project)
    return dict(sorted(found.items()))


def program_hashes(names: Iterable[str], project: Project | None) -> dict[str, str]:
    """Return the hash of the code of each program of ``scripts/node`` that is still there."""
    known = node_programs(project)
    return {name: file_hash(redact(known[name])) for name in sorted(names) if name in known}


def engine_hashes(project: Project | None) -> dict[str, str]:
    """Return a hash for each part of the package that decides facts, and for the pages of images."""
    pages = tuple((folder, _stamp(folder)) for folder in image_folders(project))
    return dict(_package_hashes()) | {"container-images": _pages_hash(pages)}


def engine_digest(engine: Mapping[str, str], *, simulated: bool) -> str:
    """Return one hash for all parts that a run of this kind rests on; empty where none is known."""
    parts = [(k, v) for k, v in sorted(engine.items()) if simulated or k != SIMULATED_PART]
    return digest("\n".join(f"{k} {v}" for k, v in parts)) if parts else ""


@cache
def _package_hashes() -> Mapping[str, str]:
    package = Path(str(resources.files("reaffirm")))
    found = {}
    for part in ENGINE_PARTS:
        files = [path for path in (package / part).iterdir() if path.suffix in (".py", ".toml")]
        found[part] = _hash_of(files, package)
    low = [path for name in _BASE for path in (*package.glob(f"{name}.py"), *package.glob(f"{name}/*.py"))]
    return found | {"base": _hash_of(low, package)}


@cache
def _pages_hash(pages: tuple[tuple[Path, tuple[tuple[str, int, int], ...]], ...]) -> str:
    parts = [_hash_of(sorted(folder.glob("*.md")), folder) for folder, _ in pages]
    return digest("\n".join(parts))


def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    states = ((path.name, path.stat()) for path in sorted(folder.glob("*.md")))
    return tuple((name, state.st_mtime_ns, state.st_size) for name, state in states)


def _hash_of(files: Iterable[Path], base: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(f"{path.relative_to(base).as_posix()}\0".encode())
        total.update(path.read_bytes() + b"\0")
    return total.hexdigest()


def _used(code: str, project: Project) -> list[Path]:
    """The project's own files that code names: those that define a step of that name, and modules."""
    words, modules = _words(code)
    folder = project.runbooks / "steps"
    found = [path for path in sorted(folder.glob("*.py")) if words & _defined(path)]
    for module in sorted(modules):
        for base in (project.runbooks / module, project.root / module):
            found += [path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()]
    return found


def _words(code: str) -> tuple[set[str], set[str]]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):  # a magic in a cell; every word counts then
        every = set(_WORD.findall(code))
        return every, every
    words: set[str] = set()
    modules: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=word) | ast.Name(id=word):
                words.add(word)
            case ast.Import(names=names):
                modules |= {name.name.split(".")[0] for name in names}
            case ast.ImportFrom(module=str(module), level=0, names=names):
                modules.add(module.split(".")[0])
                words |= {name.name for name in names}
    return words, modules


def _defined(path: Path) -> set[str]:
    """The steps that a file defines."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return set()
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {one.name for one in functions if any(map(_is_step, one.decorator_list))}


def _is_step(decorator: ast.expr) -> bool:
    """Whether it is ``@step`` or ``@reaffirm.step``, with or without parentheses."""
    match decorator:
        case ast.Call(func=called):
            return _is_step(called)
        case ast.Name(id=word) | ast.Attribute(attr=word):
            return word == "step"
    return False
