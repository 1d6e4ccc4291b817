"""The typed parameters that a runbook declares: read from its parameter cell by AST, never by running it.

A declaration is one annotated line of the cell tagged ``parameters``::

    dry_run: bool = False            # only say what would be done
    nodes: Literal["simulated", "lab"] = "simulated"
    model: str                       # no default: it must be given
    requests: Annotated[int, "at least 1"] = 3
"""

import ast
import io
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reaffirm.redact import is_secret
from reaffirm.run.ranges import Range, is_marked_secret, ranges_of

#: What stands for a default that is not there.
REQUIRED = "must be given"
#: What stands for a secret where people look.
HIDDEN = "•••"
_NO_SECRETS = ("None", "''", '""')
#: A default that is an expression: nobody knows its value before it runs.
_NOTHING = object()


@dataclass(frozen=True)
class Shape:
    """A declared type.

    ``name`` is ``any``, ``bool``, ``int``, ``float``, ``str``, ``list``, ``dict`` or ``literal``.
    ``item`` is the type of the members of a list or of the values of a dict; ``options`` are those of
    a ``Literal``; ``optional`` says that ``None`` is a value too.
    """

    name: str
    item: "Shape | None" = None
    options: tuple[Any, ...] = ()
    optional: bool = False


ANY = Shape("any", optional=True)


@dataclass(frozen=True)
class Declaration:
    """One parameter. ``annotation`` is empty where there is none; ``line`` counts from 1 in the file.

    An annotation with a range reads as people do: ``int, at least 1``. ``secret`` says that the value is
    never stored, by the parameter's name or by its mark.
    """

    name: str
    annotation: str
    shape: Shape
    default: str
    required: bool
    help: str
    line: int
    ranges: tuple[Range, ...] = ()
    secret: bool = False

    @property
    def shown_default(self) -> str:
        """The default as people may see it."""
        hidden = self.secret and not self.required and self.default not in _NO_SECRETS
        return HIDDEN if hidden else self.default

    @property
    def form(self) -> str:
        """What may be given, in words."""
        return ", ".join([_form(self.shape), *map(str, self.ranges)])


@dataclass(frozen=True)
class Declarations:
    """The parameters of one runbook, in the order of the source, and how messages name its file.

    ``cell`` says whether any cell is tagged ``parameters``.
    """

    file: str
    found: Mapping[str, Declaration] = field(default_factory=dict)
    cell: bool = True

    @property
    def typed(self) -> bool:
        """Whether any parameter has a type. Without one, everything stays as papermill has it."""
        return any(declaration.annotation for declaration in self.found.values())

    def where(self, name: str) -> str:
        """Return ``file:line`` of a declaration."""
        return f"{self.file}:{self.found[name].line}"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The names of the parameters whose values are never stored."""
        return tuple(name for name, one in self.found.items() if one.secret)

    def differing(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that are not the declared defaults."""
        return {name: value for name, value in values.items() if value != self._default(name)}

    def default(self, name: str) -> Any:
        """The declared default of a parameter, where it is a plain value; else ``None``."""
        value = self._default(name)
        return None if value is _NOTHING else value

    def _default(self, name: str) -> Any:
        try:
            return ast.literal_eval(self.found[name].default)
        except (KeyError, ValueError, SyntaxError):
            return _NOTHING


def declared(source: str, *, file: str, first_line: int = 1) -> Declarations:
    """Read the declarations from the source of a parameter cell.

    ``first_line`` is the line of the file on which the cell begins. A source that is no Python
    declares nothing: running it says what is wrong with it.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return Declarations(file)
    comments = _comments(source)
    found: dict[str, Declaration] = {}
    for node in tree.body:
        ranges: tuple[Range, ...] = ()
        marked = False
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                plain, ranges = ranges_of(_unquoted(annotation))
                marked = is_marked_secret(annotation)
                words = [ast.unparse(plain), *map(str, ranges), *(["secret"] if marked else [])]
                text, shape = ", ".join(words), shape_of(plain)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                text, shape = "", ANY
            case _:
                continue
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        found[name] = Declaration(
            name=name,
            annotation=text,
            shape=shape,
            default=(ast.get_source_segment(source, value) or ast.unparse(value)) if value else REQUIRED,
            required=value is None,
            help=next((comments[line] for line in reversed(lines) if line in comments), ""),
            line=first_line + node.lineno - 1,
            ranges=ranges,
            secret=marked or is_secret(name),
        )
    return Declarations(file, found)


def _form(shape: Shape) -> str:
    """The accepted form of a type in words."""
    forms = {
        "bool": "true or false",
        "int": "a whole number such as 5, without leading zeros",
        "float": "a number such as 0.5",
        "str": "text",
        "literal": "one of " + ", ".join(str(option) for option in shape.options),
        "list": "a list such as a,b or [a, b]",
        "dict": "a mapping such as {a: 1}",
    }
    form = forms.get(shape.name, "a value")
    if shape.name == "list" and shape.item and shape.item.name != "any":
        form += f" (each {_form(shape.item)})"
    return f"{form}, or none" if shape.optional and shape.name != "any" else form


def shape_of(node: ast.expr) -> Shape:
    """Return the type that an annotation names; what we do not know is ``any``."""
    node = _unquoted(node)
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return _named(name)
        case ast.Constant(value=None):
            return Shape("none", optional=True)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _union([shape_of(left), shape_of(right)])
        case ast.Subscript(value=ast.Name(id=outer) | ast.Attribute(attr=outer), slice=inner):
            return _subscript(outer, inner)
    return ANY


def _named(name: str) -> Shape:
    match name:
        case "bool" | "int" | "float" | "str":
            return Shape(name)
        case "list" | "List" | "Sequence":
            return Shape("list", ANY)
        case "dict" | "Dict" | "Mapping":
            return Shape("dict", ANY)
    return ANY


def _subscript(outer: str, inner: ast.expr) -> Shape:
    members = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    match outer:
        case "Optional":
            return _union([shape_of(inner), Shape("none", optional=True)])
        case "Union":
            return _union([shape_of(member) for member in members])
        case "Annotated" | "Final":
            return shape_of(members[0])
        case "list" | "List" | "Sequence" if len(members) == 1:
            return Shape("list", shape_of(members[0]))
        case "dict" | "Dict" | "Mapping" if len(members) == 2:
            return Shape("dict", shape_of(members[1]))
        case "Literal":
            options = tuple(m.value for m in members if isinstance(m, ast.Constant))
            if len(options) == len(members):
                return Shape("literal", options=options, optional=None in options)
    return ANY


def _union(members: list[Shape]) -> Shape:
    """``X | None`` is X that may be absent; any other union is left to the runbook."""
    real = [member for member in members if member.name != "none"]
    if len(real) == 1:
        only = real[0]
        optional = only.optional or len(real) < len(members)
        return Shape(only.name, only.item, only.options, optional)
    return ANY


def _unquoted(node: ast.expr) -> ast.expr:
    """An annotation in quotes means what is inside of them."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return ast.parse(node.value, mode="eval").body
        except SyntaxError:
            return node
    return node


def _comments(source: str) -> dict[int, str]:
    """The text of the comment on each line that has one."""
    found: dict[int, str] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string.lstrip("#").strip()
    except (tokenize.TokenError, SyntaxError):
        pass
    return found
