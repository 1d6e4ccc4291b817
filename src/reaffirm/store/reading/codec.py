"""Documents as plain JSON and back, for the cache. What a cache holds is data, never code."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

_T = TypeVar("_T")


def to_plain(value: Any) -> Any:
    """Return a dataclass as lists, dicts and scalars. Fields come in the order of the class."""
    if is_dataclass(value):
        return [to_plain(getattr(value, one.name)) for one in fields(value)]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, date):
        return value.isoformat()
    return value


def from_plain(kind: type[_T], value: Any) -> _T:
    """Return the dataclass that :func:`to_plain` was given.

    Raises:
        ValueError: the value does not fit the class, as after a change of it.
    """
    try:
        built: _T = _builder(cast(Any, kind))(value)
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        msg = f"not a {kind.__name__}: {error}"
        raise ValueError(msg) from error
    return built


@cache
def _builder(kind: Any) -> Any:
    origin = get_origin(kind)
    if kind in (str, int, float, bool, NoneType, Any):
        return _same
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        made = cast(Any, kind)
        parts = [_builder(hints[one.name]) for one in fields(kind)]

        def build(value: Any) -> Any:
            return made(
                *[item if part is _same else part(item) for part, item in zip(parts, value, strict=True)]
            )

        return build
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if kind is date:
        return date.fromisoformat
    if origin is tuple:
        args = get_args(kind)
        if len(args) == 2 and args[1] is Ellipsis:
            inner = _builder(args[0])
            if inner is _same:
                return tuple
            return lambda value: tuple([inner(item) for item in value])
        each = [_builder(arg) for arg in args]
        return lambda value: tuple(part(item) for part, item in zip(each, value, strict=True))
    if origin in (Union, UnionType):
        some = [arg for arg in get_args(kind) if arg is not NoneType]
        if len(some) == 1:
            inner = _builder(some[0])
            return lambda value: None if value is None else inner(value)
        return lambda value: tuple(value) if isinstance(value, list) else value
    if origin is not None and issubclass(origin, Mapping):
        key, item = get_args(kind)
        inner, enum = _builder(item), key if isinstance(key, type) and issubclass(key, Enum) else str
        return lambda value: {enum(name): inner(one) for name, one in value.items()}
    return _same


def _same(value: Any) -> Any:
    return value
