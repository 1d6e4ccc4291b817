"""What a repository sets for lint: the table ``lint`` of its settings."""

from collections.abc import Sequence
from pathlib import Path

from reaffirm.errors import UsageError
from reaffirm.lint.subject import Settings
from reaffirm.store.settings import read_settings


def read_lint_settings(
    root: Path, ignore: Sequence[str] = (), days: int | None = None, against: str = ""
) -> Settings:
    """Return the settings of a repository; what is given here goes first, or is added.

    Raises:
        UsageError: a setting is of the wrong type.
    """
    table = read_settings(root).get("lint", {})
    table = table if isinstance(table, dict) else {}
    named = table.get("ignore", [])
    if not isinstance(named, list) or not all(isinstance(one, str) for one in named):
        msg = f"[tool.reaffirm.lint] ignore must be a list of codes, got {named!r}"
        raise UsageError(msg, hint='such as ignore = ["date-missing"]')
    limit = days if days is not None else table.get("proposed-days", Settings().proposed_days)
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        msg = f"[tool.reaffirm.lint] proposed-days must be a number of days, got {limit!r}"
        raise UsageError(msg, hint="such as proposed-days = 180")
    return Settings(proposed_days=limit, ignore=(*named, *ignore), against=against)
