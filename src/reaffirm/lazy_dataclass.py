"""``@dataclass`` whose methods are made when an object of the class is made, and not when it is defined.

The library's decorator writes up to six functions for each class and compiles them, which takes about as long
as all the rest of loading a module of classes; a run loads more than a hundred classes and makes objects of
half of them. Here comparison, representation and the guard of a frozen class are functions that all classes
share, and ``__init__`` is written with the first object. What stands in the class is otherwise what the
library puts there, so that ``fields``, ``replace``, ``asdict`` and ``match`` work; to a type checker it is
the library's decorator.

What this module does not know is left to the library: other options than ``frozen``, and classes that compare
or hash themselves. It is not for classes that others derive from: to the library none of ours is frozen.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, fields
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """Make a class a dataclass, as :func:`dataclasses.dataclass` does."""
        if cls is None:
            return lambda found: dataclass(found, **options)
        if not options.keys() <= {"frozen"} or not {"__eq__", "__hash__"}.isdisjoint(vars(cls)):
            return dataclasses.dataclass(cls, **options)
        return _made(cls, frozen=options.get("frozen", False))


def _made(cls: Any, *, frozen: bool) -> Any:
    own = set(vars(cls))
    cls.__doc__ = cls.__doc__ or cls.__name__  # or the library would look up what it is called with
    dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    cls.__eq__ = _eq
    cls.__hash__ = _hash if frozen else None
    if "__init__" not in own:
        cls.__init__ = _first(cls, frozen=frozen)
    if "__repr__" not in own:
        cls.__repr__ = _repr
    if frozen:
        cls.__setattr__, cls.__delattr__ = _refuse_to_set, _refuse_to_delete
    return cls


def _first(cls: Any, *, frozen: bool) -> Callable[..., None]:
    """Stands in for ``__init__`` until that is called for the first time."""

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        made = _init(cls, frozen=frozen)
        cls.__init__ = made
        made(self, *args, **kwargs)

    return __init__


def _init(cls: Any, *, frozen: bool) -> Callable[..., None]:
    """Write ``__init__``. A frozen object is filled past its own guard."""
    known: dict[str, Any] = {"_UNSET": MISSING}
    heads, lines = ["self"], ["_own = self.__dict__"] if frozen else []
    for one in fields(cls):
        value = name = one.name
        if one.default_factory is not MISSING:
            known[f"_make_{name}"] = one.default_factory
            value = f"_make_{name}()" + (f" if {name} is _UNSET else {name}" if one.init else "")
        elif one.default is not MISSING:
            known[f"_default_{name}"] = one.default
        if one.init:
            optional = one.default is not MISSING or one.default_factory is not MISSING
            default = "_UNSET" if one.default_factory is not MISSING else f"_default_{name}"
            heads.append(f"{name}={default}" if optional else name)
        elif one.default_factory is MISSING:
            continue  # its default stands in the class, or __post_init__ sets it
        lines.append(f"_own[{name!r}] = {value}" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    exec(f"def __init__({', '.join(heads)}):\n " + "\n ".join(lines or ["pass"]), known)  # noqa: S102
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


@cache
def _compared(cls: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what takes out of an object the values by which it is compared."""
    names = [one.name for one in fields(cls) if one.compare]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda made: tuple(getattr(made, name) for name in names)


@cache
def _hashed(cls: Any) -> Callable[[Any], tuple[Any, ...]]:
    """The same for its hash."""
    names = [one.name for one in fields(cls) if (one.compare if one.hash is None else one.hash)]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda made: tuple(getattr(made, name) for name in names)


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = _compared(self.__class__)
    return values(self) == values(other)


def _hash(self: Any) -> int:
    return hash(_hashed(self.__class__)(self))


@recursive_repr()
def _repr(self: Any) -> str:
    told = [f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr]
    return f"{self.__class__.__qualname__}({', '.join(told)})"


def _refuse_to_set(_self: object, name: str, _value: object) -> None:
    msg = f"cannot assign to field {name!r}"
    raise FrozenInstanceError(msg)


def _refuse_to_delete(_self: object, name: str) -> None:
    msg = f"cannot delete field {name!r}"
    raise FrozenInstanceError(msg)
