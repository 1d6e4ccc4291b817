"""What a machine file forbids: containers nobody may touch, names that may be used, nodes only to look at."""

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class NameRule:
    """A list of names and patterns (``vllm-*``), and where it is written: ``path:line``."""

    key: str
    patterns: tuple[str, ...]
    at: str

    def match(self, name: str) -> str:
        """Return the first pattern that the name matches, upper and lower case apart; else nothing."""
        return next((pattern for pattern in self.patterns if fnmatchcase(name, pattern)), "")


@dataclass(frozen=True)
class Rules:
    """The rules that hold on one node: its own and those of the whole file.

    ``protected``: no request removes, stops or replaces such a container, consent or not. ``names``: a
    container that is started or removed must match each of these lists. ``read_only``: where it is written
    that nothing on this node is changed; empty where nobody says so.
    """

    protected: tuple[NameRule, ...] = ()
    names: tuple[NameRule, ...] = ()
    read_only: str = ""

    def __or__(self, other: "Rules") -> "Rules":
        """Return what forbids all that either forbids."""
        return Rules(
            self.protected + other.protected, self.names + other.names, self.read_only or other.read_only
        )

    def __bool__(self) -> bool:
        """Whether anything is forbidden."""
        return bool(self.protected or self.names or self.read_only)
