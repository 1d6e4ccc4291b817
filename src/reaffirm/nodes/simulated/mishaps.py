"""Mishaps: what goes wrong in a simulated world, when, and for how long, as data of the machine file.

::

    [[world.mishaps]]
    what = "unreachable"     # one of DEEDS
    node = "spark-2"
    when = "docker run -d"   # as soon as a command with these words is asked anywhere; or, without it,
    seconds = 30             # so many seconds after that (after the beginning of the run)
    lasts = 120              # for so long; without it, until somebody mends it
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from reaffirm.nodes.simulated.deeds import DEEDS, Deed, Mend
from reaffirm.nodes.simulated.world_reading import Reader

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.machine import SimulatedNode
    from reaffirm.nodes.simulated.world import World

#: Keys that every mishap may have; the others belong to what happens.
COMMON = ("what", "node", "when", "on", "nth", "seconds", "lasts")


@dataclass(frozen=True)
class Mishap:
    """One mishap. ``node`` empty: every node. ``on`` is the node whose commands ``when`` looks at
    (empty: any), ``nth`` the how manyeth of them counts.
    """

    what: str
    node: str = ""
    when: str = ""
    on: str = ""
    nth: int = 1
    seconds: float = 0.0
    lasts: float | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def deed(self) -> Deed:
        """What it does."""
        return DEEDS[self.what]


@dataclass
class Mishaps:
    """All mishaps of a world, and which of them have happened."""

    coming: list[Mishap] = field(default_factory=list)
    happened: list[Mishap] = field(default_factory=list)
    _seen: dict[int, int] = field(default_factory=dict)
    _mends: list[Mend] = field(default_factory=list)

    def begin(self, world: "World") -> None:
        """Begin the run: what needs no command to be asked happens by the clock."""
        for mishap in [mishap for mishap in self.coming if not mishap.when]:
            self.coming.remove(mishap)
            self._due(world, mishap)

    def asked(self, world: "World", node: str, words: Sequence[str]) -> None:
        """Let happen what waits for this command."""
        if not self.coming:
            return
        line = " ".join(words)
        for mishap in list(self.coming):
            if not mishap.when or mishap.when not in line or mishap.on not in ("", node):
                continue
            count = self._seen[id(mishap)] = self._seen.get(id(mishap), 0) + 1
            if count == mishap.nth:
                self.coming.remove(mishap)
                self._due(world, mishap)

    def mend(self) -> None:
        """Undo what is still wrong, and let nothing more happen."""
        self.coming.clear()
        while self._mends:
            self._mends.pop()()

    def _due(self, world: "World", mishap: Mishap) -> None:
        if mishap.seconds > 0:
            world.schedule.after(mishap.seconds, partial(self._happen, world, mishap))
        else:
            self._happen(world, mishap)

    def _happen(self, world: "World", mishap: Mishap) -> None:
        self.happened.append(mishap)
        nodes: list[SimulatedNode] = [world.node(mishap.node)] if mishap.node else list(world.nodes.values())
        for node in nodes:
            mend = mishap.deed.do(world, node, mishap.more, mishap.when)
            if mend is None:
                continue
            if mishap.lasts is not None:
                world.schedule.after(mishap.lasts, mend)
            self._mends.append(mend)


def read_mishaps(reader: Reader, given: Any, nodes: Mapping[str, object]) -> list[Mishap]:
    """Read the tables ``[[world.mishaps]]``.

    Raises:
        MachineFileError: an unknown mishap, node or key, or a value of another type.
    """
    if not isinstance(given, list):
        where = "world.mishaps"
        raise reader.wrong(where, f"a list of tables is needed, got {given!r}")
    return [_mishap(reader, f"world.mishaps, number {n}", one, nodes) for n, one in enumerate(given, 1)]


def _mishap(reader: Reader, where: str, given: Any, nodes: Mapping[str, object]) -> Mishap:
    entry = reader.table(given, where)
    what = reader.text(entry.get("what", ""), where)
    if what not in DEEDS:
        raise reader.wrong(where, f"no mishap {what!r}; known: {', '.join(DEEDS)}")
    deed = DEEDS[what]
    own = {**deed.keys, **deed.may}
    reader.keys(entry, (*COMMON, *own), where)
    for key in deed.keys:
        if key not in entry:
            raise reader.wrong(where, f"the key {key!r} is missing")
    for key, kind in own.items():
        fits = (int, float) if kind is float else kind
        if key in entry and (not isinstance(entry[key], fits) or isinstance(entry[key], bool)):
            raise reader.wrong(where, f"{key} is {kind.__name__}, got {entry[key]!r}")
    for key in ("node", "on"):
        if (name := reader.text(entry.get(key, ""), where)) and name not in nodes:
            raise reader.wrong(where, f"no node named {name!r}; known: {', '.join(nodes)}")
    lasts = entry.get("lasts")
    return Mishap(
        what,
        node=entry.get("node", ""),
        when=reader.text(entry.get("when", ""), where),
        on=entry.get("on", ""),
        nth=reader.whole(entry.get("nth", 1), where),
        seconds=reader.number(entry.get("seconds", 0), where),
        lasts=None if lasts is None else reader.number(lasts, where),
        more={key: entry[key] for key in own if key in entry},
    )
