"""The table of faults: one specimen (TOML) per fault, read and checked."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SPECIMENS = HERE / "specimens"
RESULTS = HERE / "results"
#: Where a fault can be brought about, and in which order the table names them.
PLACES = ("simulated", "loopback", "process", "lab")
#: The chapters of the table, in their order.
CHAPTERS = (
    "The way to a machine",
    "Docker and containers",
    "The machine itself",
    "The service that answers",
    "This machine and the run itself",
)
_TOP = {"id", "title", "chapter", "done", "runbook", "step", "do", *PLACES}
_PLACE = {
    "nodes", "mishaps", "earlier", "parameters", "how", "after", "steps", "next", "expected-to-fail", "done",
    "runbook",
}  # fmt: skip
_AFTER = {"exit", "ends", "says", "facts", "files", "left", "outcome", "how"}


@dataclass(frozen=True)
class After:
    """What must be true when a fault has hit.

    ``exit`` is the status of ``reaffirm run``, ``ends`` the heading of the cell at which the run ended
    (empty: it went through), ``says`` words of the message, ``facts`` what was found, ``files`` what must
    lie in the folder of the run, ``left`` our containers that are left on the nodes, ``outcome`` that of
    the last report.
    """

    exit: int
    ends: str = ""
    says: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    outcome: str = ""
    how: str = ""


@dataclass(frozen=True)
class Fault:
    """One fault in one place. ``next`` is how the next run is made: ``cleanup``, runbooks, ``again``
    (empty where another fault makes the same one)."""

    id: str
    title: str
    chapter: str
    done: str
    runbook: str
    step: str
    do: str
    place: str
    after: After
    nodes: str = ""
    mishaps: tuple[Mapping[str, Any], ...] = ()
    earlier: tuple[Mapping[str, Any], ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    how: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[str, ...] = ()
    next: tuple[str, ...] = ("cleanup", "again")
    expected_to_fail: str = ""

    @property
    def key(self) -> str:
        """How results name it."""
        return self.id


def read_faults() -> list[Fault]:
    """Read every specimen, one entry for each place.

    Raises:
        ValueError: a specimen has an unknown key, or lacks one; the message names the file.
    """
    found = []
    for path in sorted(SPECIMENS.glob("*.toml")):
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        if data.get("id") != path.stem or set(data) - _TOP or data.get("chapter") not in CHAPTERS:
            msg = f"{path.name}: id, chapter or a key is not one that is known: {sorted(set(data) - _TOP)}"
            raise ValueError(msg)
        places = [place for place in PLACES if place in data]
        if not places:
            msg = f"{path.name}: no place where it is brought about"
            raise ValueError(msg)
        found += [_fault(path, data, place) for place in places]
    return found


def _fault(path: Path, data: Mapping[str, Any], place: str) -> Fault:
    here = data[place]
    after = here.get("after", {})
    if unknown := (set(here) - _PLACE) | (set(after) - _AFTER):
        msg = f"{path.name}: [{place}]: unknown keys {sorted(unknown)}"
        raise ValueError(msg)
    if "exit" not in after:
        msg = f"{path.name}: [{place}.after] says no exit status"
        raise ValueError(msg)
    lists = {key: tuple(after[key]) for key in ("says", "files", "left") if key in after}
    return Fault(
        **{key: data[key] for key in ("id", "title", "chapter", "step", "do")},
        done=here.get("done", data["done"]),
        runbook=here.get("runbook", data["runbook"]),
        place=place,
        after=After(**{**after, **lists}),
        nodes=here.get("nodes", ""),
        mishaps=tuple(here.get("mishaps", ())),
        earlier=tuple(here.get("earlier", ())),
        parameters=here.get("parameters", {}),
        how=here.get("how", {}),
        steps=tuple(here.get("steps", ())),
        next=tuple(here.get("next", ("cleanup", "again"))),
        expected_to_fail=here.get("expected-to-fail", ""),
    )
