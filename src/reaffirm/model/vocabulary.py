"""Which facts a runbook can find: what a claim's check may name."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_PLACEHOLDER = re.compile(r"<[a-z]+>")
#: What stands for ``<image>`` in a documented name.
ANY_WORD = r"[A-Za-z0-9][A-Za-z0-9_-]*"


@dataclass(frozen=True)
class DocumentedFact:
    """A fact of ``docs/reference/facts.md``: its step, its name, maybe with ``<image>``, and its unit."""

    step: str
    name: str
    unit: str = ""

    @property
    def head(self) -> str:
        """The first word, which a step's ``facts="…"`` replaces."""
        return self.name.partition(".")[0]

    @property
    def tail(self) -> str:
        """What follows the first word."""
        return self.name.partition(".")[2]

    def pattern(self, head: str = "") -> re.Pattern[str]:
        """Return what the name matches as a whole, with another first word where one is given."""
        name = f"{head}.{self.tail}" if head else self.name
        parts = [re.escape(part) for part in _PLACEHOLDER.split(name)]
        return re.compile(ANY_WORD.join(parts))


@dataclass(frozen=True)
class RunbookWords:
    """What the source of a runbook tells about its facts, without running it.

    ``prefixes`` are the first words that it gives to steps, by the step's name. ``names`` are facts that it
    notes itself, ``patterns`` those of which only a part stands in the source. ``heads`` are first words of
    steps of its own, whose facts nobody can read from the outside. ``open`` says that a name is computed:
    then no name can be called wrong. ``texts`` are its text constants, such as names of images. ``units``
    are those of the facts that it notes itself, by name, where they stand in the source.
    """

    prefixes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()
    heads: frozenset[str] = frozenset()
    open: bool = False
    texts: frozenset[str] = frozenset()
    units: Mapping[str, str] = field(default_factory=dict)
