"""How a step says what it changes: one line above its function, for the guard, for people, for the docs."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, ParamSpec, TypeVar

from reaffirm.errors import UsageError
from reaffirm.model.changes import Change, Declaration
from reaffirm.nodes.declared import working

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")

#: What each shipped step changes, by its name.
_SHIPPED: dict[str, Declaration] = {}
#: What an author may write: one kind of change or several.
Changes = str | Iterable[str]


def declares(
    *changes: Change, destructive: Iterable[Change] = (), note: str = ""
) -> Callable[[Callable[_Given, _Result]], Callable[_Given, _Result]]:
    """Declare what a shipped step changes; while it works, its requests are judged by that.

    ``destructive`` are those of the changes that need consent on real machines; ``note`` is a sentence for
    the table of steps.
    """

    def wrap(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
        declaration = Declaration(function.__name__, frozenset(changes), frozenset(destructive), note)
        _SHIPPED[function.__name__] = declaration

        @functools.wraps(function)
        def call(*given: _Given.args, **named: _Given.kwargs) -> _Result:
            with working(declaration):
                return function(*given, **named)

        call.reaffirm_declaration = declaration  # type: ignore[attr-defined]
        return call

    return wrap


def declarations() -> Mapping[str, Declaration]:
    """Return what each shipped step declares, in alphabetical order."""
    import reaffirm.steps  # each step declares itself when it is imported

    assert reaffirm.steps is not None
    return {name: _SHIPPED[name] for name in sorted(_SHIPPED)}


def declaration_of(step: Callable[..., Any]) -> Declaration | None:
    """Return what a step declares, shipped or of one's own; ``None`` for a function that is no step."""
    found = getattr(inspect.unwrap(step, stop=_declares), "reaffirm_declaration", None)
    return found if isinstance(found, Declaration) else None


def written(step: str, changes: Changes | None, *, destructive: bool = False) -> Declaration:
    """Return the declaration that an author wrote; ``changes=None`` where they said nothing.

    Raises:
        UsageError: a word that is no kind of change, or nothing changed and yet something destroyed.
    """
    if changes is None:
        return Declaration(step, None, frozenset((Change.RUNS,)) if destructive else frozenset())
    words = (changes,) if isinstance(changes, str) else tuple(changes)
    kinds = [change.value for change in Change]
    for word in words:
        if word not in kinds:
            near = get_close_matches(str(word), kinds, n=1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            msg = f"{step}: changes= says what is changed, got {word!r}{meant}"
            raise UsageError(msg, hint=f"one or several of: {', '.join(kinds)}")
    found = frozenset(map(Change, words))
    if not found or (Change.NOTHING in found and (destructive or len(found) > 1)):
        more = " and destructive=True" if destructive else ""
        msg = f"{step}: it changes nothing, or something, got {', '.join(words) or 'no word'}{more}"
        raise UsageError(msg, hint='changes="nothing" stands alone')
    return Declaration(step, found, found if destructive else frozenset())


def _declares(function: Callable[..., Any]) -> bool:
    return hasattr(function, "reaffirm_declaration")
