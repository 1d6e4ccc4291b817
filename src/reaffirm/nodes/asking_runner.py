"""A question to the person who runs the runbook: asked by whoever started this process, if it can ask."""

from collections.abc import Callable

Asker = Callable[[str], str | None]


class _Runner:
    """Who asks in this process."""

    asker: Asker | None = None


def answers_by(asker: Asker | None) -> None:
    """Let ``asker`` put questions to the person. It returns what was typed, or ``None``."""
    _Runner.asker = asker


def ask(question: str) -> str | None:
    """Put a question, of several lines, and return what was typed; ``None`` where there is nobody to ask."""
    return _Runner.asker(question) if _Runner.asker is not None else None
