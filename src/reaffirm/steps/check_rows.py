"""The rows of a report of checks: verdict, node, what was checked, what was seen, what to do."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from reaffirm.model.report import Table

PASS, FAIL, UNKNOWN, WARNING = "pass", "FAIL", "unknown", "WARNING"
_ORDER = (FAIL, WARNING, UNKNOWN, PASS)


@dataclass
class Checks:
    """Checks as they are made; a warning is not a failure, and what could not be judged is unknown."""

    rows: list[tuple[str, str, str, str, str]] = field(default_factory=list)

    def add(self, node: str, check: str, verdict: str, seen: str, then: str = "") -> None:
        """Note one check; ``then`` is what to do next, empty when it passed."""
        self.rows.append((verdict, node, check, seen, then))

    def has(self, verdict: str) -> bool:
        """Whether a check ended that way."""
        return any(row[0] == verdict for row in self.rows)

    def count(self) -> dict[str, int]:
        """Return how many checks ended in each way."""
        return {verdict: sum(row[0] == verdict for row in self.rows) for verdict in _ORDER}

    def table(self) -> Table:
        """Return all checks, the failed ones first."""
        rows = tuple(sorted(self.rows, key=lambda row: _ORDER.index(row[0])))
        return Table("Checks", ("", "node", "check", "seen", "what to do"), rows)


def all_of(verdicts: Sequence[bool | None]) -> bool | None:
    """False when one is false, else unknown when one is unknown, else true."""
    if any(verdict is False for verdict in verdicts):
        return False
    return None if any(verdict is None for verdict in verdicts) or not verdicts else True
