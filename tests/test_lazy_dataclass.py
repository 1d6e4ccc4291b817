"""Our dataclasses are the library's, made later: same fields, same text, same equality, as well guarded."""

import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import dataclass as of_library
from dataclasses import field
from typing import Any

import pytest

from reaffirm.lazy_dataclass import dataclass as ours

BOTH = pytest.mark.parametrize("dataclass", [of_library, ours], ids=["library", "ours"])


def frozen_of(dataclass: Callable[..., Any]) -> Any:
    """A frozen class with every sort of field that the package uses."""

    @dataclass(frozen=True)
    class Made:
        """A class."""

        name: str
        line: int = field(default=0, compare=False)
        tags: tuple[str, ...] = ()
        more: list[str] = field(default_factory=list, hash=False)
        hidden: int = field(default=7, repr=False)

    return Made


def filled_of(dataclass: Callable[..., Any]) -> Any:
    """A class whose objects may change, and are completed after they were made."""

    @dataclass
    class Filled:
        """A class."""

        parts: list[int] = field(default_factory=list)
        total: int = field(init=False)
        seen: dict[str, int] = field(default_factory=dict, init=False)

        def __post_init__(self) -> None:
            self.total = sum(self.parts)

    return Filled


@BOTH
def test_an_object_is_made_as_the_library_makes_it(dataclass: Callable[..., Any]) -> None:
    """A default that is shared between objects, or lost, would mix up the facts of two runs."""
    made = frozen_of(dataclass)
    one, other = made("a", 3, more=["x"]), made(name="b")
    assert (one.name, one.line, one.tags, one.more, one.hidden) == ("a", 3, (), ["x"], 7)
    assert (other.line, other.more) == (0, [])
    assert other.more is not made("b").more
    assert made.line == 0
    assert vars(one) == {"name": "a", "line": 3, "tags": (), "more": ["x"], "hidden": 7}


@BOTH
def test_objects_are_equal_when_what_counts_is(dataclass: Callable[..., Any]) -> None:
    """Facts of two runs are told apart by this."""
    made, other = frozen_of(dataclass), frozen_of(dataclass)
    assert made("a", 1) == made("a", 2)
    assert made("a") != made("b")
    assert made("a") != other("a")
    assert made("a") != ("a", (), [], 7)
    assert hash(made("a", 1, more=["x"])) == hash(made("a", 2)) == hash(("a", (), 7))
    assert len({made("a"), made("a"), made("b")}) == 2


@BOTH
def test_a_frozen_object_stays_as_it_is(dataclass: Callable[..., Any]) -> None:
    """What was recorded must not change under the hand of who reads it."""
    one = frozen_of(dataclass)("a")
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'name'"):
        one.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.hidden = 1
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'tags'"):
        del one.tags
    assert one.name == "a"


@BOTH
def test_the_tools_of_the_library_work(dataclass: Callable[..., Any]) -> None:
    """``replace``, ``asdict`` and ``match`` are used all over the package."""
    one = frozen_of(dataclass)("a", 3)
    assert dataclasses.is_dataclass(one)
    assert dataclasses.replace(one, name="b") == frozen_like(one, name="b")
    assert dataclasses.asdict(one)["line"] == 3
    match one:
        case object(name=name):
            assert name == "a"
    assert type(one).__match_args__ == ("name", "line", "tags", "more", "hidden")
    assert repr(one).endswith("Made(name='a', line=3, tags=(), more=[])")


def frozen_like(one: Any, **changes: Any) -> Any:
    """The same object with changes, made anew."""
    return type(one)(**{**vars(one), **changes})


@BOTH
def test_a_class_that_changes_is_completed_and_has_no_hash(dataclass: Callable[..., Any]) -> None:
    """An object that changes and has a hash gets lost in a set."""
    made = filled_of(dataclass)
    one = made([1, 2])
    assert (one.parts, one.total, one.seen) == ([1, 2], 3, {})
    assert one == made([1, 2])
    one.total = 4
    assert one != made([1, 2])
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


@BOTH
def test_a_wrong_call_names_the_class(dataclass: Callable[..., Any]) -> None:
    """A developer reads this message."""
    made = frozen_of(dataclass)
    for _ in range(2):  # the first call is the one that writes the function
        with pytest.raises(
            TypeError, match=r"Made\.__init__\(\) missing 1 required positional argument: 'name'"
        ):
            made()
    with pytest.raises(TypeError, match="unexpected keyword argument 'nmae'"):
        made(nmae="a")


@BOTH
def test_a_class_derived_without_decoration_is_made_first(dataclass: Callable[..., Any]) -> None:
    """The first object may be one of a derived class."""

    class Derived(frozen_of(dataclass)):  # type: ignore[misc]
        """A class."""

    assert Derived("a").tags == ()
    assert Derived("a") == Derived("a")


@ours(frozen=True)
class Kept:
    """A class at the top of a module."""

    name: str


def test_an_object_can_be_copied_and_kept() -> None:
    """Objects go through copies and caches."""
    assert pickle.loads(pickle.dumps(Kept("a"))) == Kept("a")


def test_other_options_are_the_library_s() -> None:
    """An option that is not heeded would make a class that is none."""

    @ours(frozen=True, order=True)
    class Ordered:
        """A class."""

        at: int

    assert sorted([Ordered(2), Ordered(1)]) == [Ordered(1), Ordered(2)]
