"""Parameter values as people give them, turned into the types that the runbook declares.

``-p dry_run false`` is ``False`` and ``-p sha 0123`` stays ``"0123"`` where ``sha`` is text. Whatever
does not fit is a :class:`~reaffirm.errors.ParameterError` before anything starts. A name is never code.
"""

import keyword
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from reaffirm.errors import ParameterError
from reaffirm.run.declarations import ANY, HIDDEN, Declaration, Declarations, Shape

#: papermill adds these by itself when asked with ``--inject-paths``.
_PAPERMILL = ("PAPERMILL_INPUT_PATH", "PAPERMILL_OUTPUT_PATH")

_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
_NULL = ("none", "null", "~")
_INT = re.compile(r"[+-]?(0|[1-9][0-9]*(_[0-9]+)*)\Z")
_FLOAT = re.compile(
    r"[+-]?((0|[1-9][0-9_]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\Z|[+-]?(inf|nan)\Z", re.IGNORECASE
)


@dataclass(frozen=True)
class Text:
    """A value given as text: by ``-p``, by ``-r`` (then ``raw``), or as a scalar in YAML."""

    value: str
    raw: bool = False


class _Misfit(ValueError):  # noqa: N818 - an inner signal, not an error that people see
    """The value does not fit the declared type."""


def typed(declarations: Declarations, given: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the values in their declared types; of a name given twice the last one counts.

    Values are :class:`Text`, or plain Python values as they come from the API and from YAML.
    Where the runbook declares no types, names are checked and values stay what they are.

    Raises:
        ParameterError: an unknown name, or a value that does not fit.
    """
    values: dict[str, Any] = {}
    for name, value in given:
        declaration = declarations.found.get(name)
        _check_name(name, declarations)
        if declaration is None:
            values[name] = _any(value)
            continue
        try:
            values[name] = _within(declaration, fit(declaration.shape, value))
        except (ValueError, OverflowError):
            raise _wrong(declaration, declarations, value) from None
    return values


def check_complete(declarations: Declarations, names: Iterable[str]) -> None:
    """Stop when a parameter without a default was not given.

    Raises:
        ParameterError: naming every one that is missing, and where it is declared.
    """
    given = set(names)
    missing = [d for d in declarations.found.values() if d.required and d.name not in given]
    if missing:
        first = missing[0]
        names_ = ", ".join(d.name for d in missing)
        msg = f"{declarations.where(first.name)}: {names_} must be given: no default is declared"
        told = f" ({first.help})" if first.help else ""
        raise ParameterError(msg, hint=f"pass -p {first.name} {first.form}{told}")


def fit(shape: Shape, value: Any) -> Any:
    """Return ``value`` as the declared type.

    Raises:
        ValueError: it does not fit; nothing is guessed.
    """
    if value is None:
        if shape.optional:
            return None
        raise _Misfit
    if shape.optional and shape.name != "any" and _says_none(shape, value):
        return None
    match shape.name:
        case "bool":
            return _bool(value)
        case "int":
            return _int(value)
        case "float":
            return _float(value)
        case "str":
            return _str(value)
        case "literal":
            return _literal(shape.options, value)
        case "list":
            return [fit(shape.item or ANY, item) for item in _members(value)]
        case "dict":
            return {_str(k): fit(shape.item or ANY, v) for k, v in _mapping(value).items()}
    return _any(value)


def _within(declaration: Declaration, value: Any) -> Any:
    if all(one.holds(value) for one in declaration.ranges):
        return value
    raise _Misfit


def _says_none(shape: Shape, value: Any) -> bool:
    if not isinstance(value, Text) or value.raw:
        return False
    return value.value.lower() in _NULL and value.value not in shape.options


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, Text | str):
        word = _text(value).strip().lower()
        if word in _TRUE:
            return True
        if word in _FALSE:
            return False
    raise _Misfit


def _int(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, Text | str) and _INT.match(word := _text(value).strip()):
        return int(word)
    raise _Misfit


def _float(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, Text | str) and _FLOAT.match(word := _text(value).strip()):
        number = float(word)
        # 12e5678 is a number that no float holds; only the word inf means infinity.
        if math.isfinite(number) or "n" in word.lower():
            return number
    raise _Misfit


def _str(value: Any) -> str:
    if isinstance(value, Text | str):
        return _text(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)  # type: ignore[no-any-return]
    raise _Misfit


def _literal(options: tuple[Any, ...], value: Any) -> Any:
    for option in options:
        if isinstance(value, Text):
            if value.value == str(option):
                return option
        elif type(value) is type(option) and value == option:
            return option
    for option in options:  # an option that is no text, given as text
        if isinstance(value, Text | str) and not isinstance(option, str):
            try:
                if fit(Shape(type(option).__name__), value) == option:
                    return option
            except (ValueError, OverflowError):
                continue
    raise _Misfit


def _members(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, Text | str):
        text = _text(value).strip()
        if text.startswith("["):
            read = read_yaml(text)
            if isinstance(read, list):
                return read
            raise _Misfit
        return [Text(part.strip()) for part in text.split(",")] if text else []
    raise _Misfit


def _mapping(value: Any) -> Mapping[Any, Any]:
    if isinstance(value, Mapping):
        return value
    if isinstance(value, Text | str) and _text(value).lstrip().startswith("{"):
        read = read_yaml(_text(value))
        if isinstance(read, dict):
            return read
    raise _Misfit


def _any(value: Any) -> Any:
    """A value without a declared type: as papermill reads it, except that no text turns into infinity."""
    if isinstance(value, list | tuple):
        return [_any(item) for item in value]
    if isinstance(value, Mapping):
        return {(k.value if isinstance(k, Text) else k): _any(v) for k, v in value.items()}
    if not isinstance(value, Text):
        return value
    text = value.value
    if value.raw:
        return text
    for word, meant in (("True", True), ("False", False), ("None", None)):
        if text == word:
            return meant
    for convert in (_int, _float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def _bare(value: Any) -> Any:
    """Return a value as it was written, for messages."""
    if isinstance(value, Text):
        return value.value
    if isinstance(value, list | tuple):
        return [_bare(item) for item in value]
    return {k: _bare(v) for k, v in value.items()} if isinstance(value, dict) else value


def _text(value: Text | str) -> str:
    return value.value if isinstance(value, Text) else value


def read_yaml(text: str) -> Any:
    """Read YAML with every plain scalar kept as the text that was written (:class:`Text`).

    So the declared type decides what ``no``, ``017`` or ``1:30`` mean, never YAML's own rules.
    Quoted scalars are text and nothing else.

    Raises:
        ValueError: not YAML.
    """
    import yaml  # papermill's own reader

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise _Misfit(str(error)) from error
    return None if node is None else _plain(node, yaml, 0)


def _plain(node: Any, yaml: Any, depth: int) -> Any:
    if depth > 50:
        raise _Misfit
    match node:
        case yaml.MappingNode():
            pairs = [(_plain(k, yaml, depth + 1), _plain(v, yaml, depth + 1)) for k, v in node.value]
            names = [k.value if isinstance(k, Text) else str(k) for k, _ in pairs]
            if twice := sorted({name for name in names if names.count(name) > 1}):
                msg = f"given twice: {', '.join(twice)}"
                raise _Misfit(msg)
            return dict(zip(names, (v for _, v in pairs), strict=True))
        case yaml.SequenceNode():
            return [_plain(item, yaml, depth + 1) for item in node.value]
    if node.style in ("'", '"', "|", ">"):
        return Text(node.value, raw=True)
    return None if node.value == "" else Text(node.value)


def _check_name(name: str, declarations: Declarations) -> None:
    if name in declarations.found or name in _PAPERMILL:
        return
    if not name.isidentifier() or keyword.iskeyword(name):
        msg = f"{declarations.file}: {name!r} is not the name of a parameter{_meant(name, declarations)}"
        raise ParameterError(msg, hint=_known(declarations) or "a name is letters, digits and _")
    if not declarations.cell:
        msg = f"{declarations.file}: no cell has the tag parameters, so {name!r} would change nothing"
        raise ParameterError(msg, hint='begin the cell that declares it with: # %% tags=["parameters"]')
    if declarations.typed:
        msg = f"{declarations.file}: there is no parameter {name!r}{_meant(name, declarations)}"
        raise ParameterError(msg, hint=_known(declarations))


def _meant(name: str, declarations: Declarations) -> str:
    from difflib import get_close_matches  # 3 ms, and names are seldom wrong

    near = get_close_matches(name.replace("-", "_"), declarations.found, n=1)
    return f" (did you mean {near[0]}, {declarations.where(near[0])}?)" if near else ""


def _known(declarations: Declarations) -> str:
    return f"parameters: {', '.join(declarations.found)}" if declarations.found else ""


def _wrong(declaration: Declaration, declarations: Declarations, value: Any) -> ParameterError:
    seen = repr(value.value) if isinstance(value, Text) else f"{_bare(value)!r} ({type(value).__name__})"
    seen = HIDDEN if declaration.secret else seen
    where = declarations.where(declaration.name)
    msg = f"{where}: {declaration.name} is declared {declaration.annotation}, got {seen}"
    return ParameterError(msg, hint=f"give {declaration.form}")
