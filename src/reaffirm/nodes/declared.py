"""The declaration of the step that is at work: what it says that it changes on nodes."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from reaffirm.model.changes import Declaration

_AT_WORK: ContextVar[Declaration | None] = ContextVar("reaffirm_step_at_work", default=None)


def at_work() -> Declaration | None:
    """Return the declaration of the innermost step at work; ``None`` where a cell asks a node by itself."""
    return _AT_WORK.get()


@contextmanager
def working(declaration: Declaration) -> Iterator[None]:
    """Let the requests of a step be judged by its declaration."""
    token = _AT_WORK.set(declaration)
    try:
        yield
    finally:
        _AT_WORK.reset(token)
