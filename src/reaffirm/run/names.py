"""Which names the code of a cell needs, and which it sets. Read from its syntax tree, never by running it."""

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_BUILTIN = frozenset(dir(builtins)) | {"display", "get_ipython", "__name__", "__doc__", "_"}
#: The function that opens the nodes of a run.
CONNECT = "connect"


@dataclass(frozen=True)
class CellNames:
    """``needs``: names that must be there before. ``sets``: names that are there afterwards.

    ``plain`` is false for what is no Python, such as a line for the shell. ``calls`` tells whether anything
    but ``connect`` is called outside of the functions that the cell defines.
    """

    needs: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()
    calls: bool = False
    plain: bool = True


def names_of(source: str) -> CellNames:
    """Read the names of one cell."""
    try:
        tree = ast.parse(source)
        table = symtable.symtable(source, "cell", "exec")
    except (SyntaxError, ValueError):
        return CellNames(calls=True, plain=False)
    sets = frozenset(s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported())
    return CellNames(
        frozenset(_needed(tree, table, sets)) - _BUILTIN,
        sets,
        any(_is_call(node) for statement in tree.body for node in _outside(statement)),
    )


def looked_at(source: str, *, otherwise: Iterable[str]) -> set[str]:
    """Return every name that the code of a cell looks at anywhere; ``otherwise`` for what is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return set(otherwise)
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _needed(tree: ast.Module, table: symtable.SymbolTable, sets: frozenset[str]) -> Iterator[str]:
    """Names that are looked at, in the order of the statements, before the cell has set them."""
    known: set[str] = set()
    for statement in tree.body:
        for node in ast.walk(statement):
            grows = isinstance(statement, ast.AugAssign) and node is statement.target
            looks = isinstance(node, ast.Name) and (isinstance(node.ctx, ast.Load) or grows)
            if not looks or not isinstance(node, ast.Name) or node.id in known:
                continue
            if not _set_within(statement, node.id) and (node.id in sets or _is_global(table, node.id)):
                yield node.id
        known |= _stored(statement)


def _set_within(statement: ast.stmt, name: str) -> bool:
    """Whether a function, a class, a loop or a comprehension of the statement itself sets the name."""
    simple = isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return)
    inner = [n for n in ast.walk(statement) if isinstance(n, ast.comprehension | ast.Lambda | ast.NamedExpr)]
    if simple and not inner:
        return False
    return name in _stored(statement) | {a.arg for a in ast.walk(statement) if isinstance(a, ast.arg)}


def _is_global(table: symtable.SymbolTable, name: str) -> bool:
    """Whether the module's scope or that of a function in it takes the name from outside."""
    if name in table.get_identifiers() and table.lookup(name).is_referenced():
        return True
    return any(
        (name in child.get_identifiers() and child.lookup(name).is_global()) or _is_global(child, name)
        for child in table.get_children()
    )


def _stored(statement: ast.stmt) -> set[str]:
    found = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return found


def _is_connect(node: ast.AST | None) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    return (
        isinstance(called, ast.Name | ast.Attribute)
        and (called.id if isinstance(called, ast.Name) else called.attr) == CONNECT
    )


def _is_call(node: ast.AST) -> bool:
    if isinstance(node, ast.Await):
        return True
    if not isinstance(node, ast.Call) or _is_connect(node):
        return False
    # what is built of values already known changes nothing anywhere
    return not (isinstance(node.func, ast.Name) and node.func.id in _MAKERS)


_MAKERS = frozenset(
    (
        *("bool", "bytes", "dict", "enumerate", "float", "frozenset", "int", "len", "list", "max", "min"),
        *("Path", "range", "repr", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip"),
    )
)


def _outside(statement: ast.AST) -> Iterator[ast.AST]:
    """What of a statement is executed when the cell runs: not the bodies of functions."""
    yield statement
    if isinstance(statement, ast.Lambda):
        return
    inner = statement.body if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) else []
    for child in ast.iter_child_nodes(statement):
        if child not in inner:
            yield from _outside(child)
