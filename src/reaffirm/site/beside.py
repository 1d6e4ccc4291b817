"""Which runs are held against which, and what each such pair differs in, as `reaffirm diff` has it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from reaffirm.claims.comparison import compare
from reaffirm.model.evidence import Kind
from reaffirm.model.fact import Fact
from reaffirm.model.run_view import Difference
from reaffirm.site.run_material import RunMaterial
from reaffirm.store.published import PublishedRun

#: Comparisons that were made in this process, by what was compared.
_MADE: dict[str, tuple[Difference, ...]] = {}
_MOST_KEPT = 2000
#: So many runs of a kind have a page beside the run before.
_NEWEST = 3


@dataclass(frozen=True)
class Pair:
    """Two runs of one runbook, the older first. ``uri`` is the page that holds them against each other."""

    old: PublishedRun
    new: PublishedRun

    @property
    def uri(self) -> str:
        """The address: below that of the newer run."""
        return f"runs/{self.new.runbook}/{self.new.run}/beside-{self.old.run}.md"


def pairs_of(runs: Sequence[PublishedRun]) -> tuple[Pair, ...]:
    """Return the pairs of one runbook's runs that have a page.

    The newest runs of each kind are each held against the one before it, and the newest of each kind against
    those of the other kinds: a runbook has at most twelve such pages, however often it ran.

    Args:
        runs: newest first.
    """
    by_kind = {kind: [run for run in runs if run.kind is kind] for kind in Kind}
    pairs = [pair for found in by_kind.values() for pair in pairwise(found[: _NEWEST + 1])]
    pairs += combinations([found[0] for found in by_kind.values() if found], 2)
    ordered = (sorted(pair, key=lambda run: (run.when, run.run)) for pair in pairs)
    return tuple(Pair(old, new) for old, new in ordered)


def differences(old: RunMaterial, new: RunMaterial) -> tuple[Difference, ...]:
    """Return in what ``new`` differs from ``old``; of a pair that was compared before, the same again."""
    key = f"{_digest(old)} {_digest(new)}"
    if key not in _MADE:
        if len(_MADE) >= _MOST_KEPT:
            _MADE.clear()
        _MADE[key] = compare(old.view, new.view)
    return _MADE[key]


def _digest(material: RunMaterial) -> str:
    about = json.dumps(material.run.provenance, sort_keys=True, default=str)
    return hashlib.sha256(f"{material.digest} {material.run.path} {about}".encode()).hexdigest()


@dataclass(frozen=True)
class Disagreement:
    """A fact that runs of different kinds found otherwise; ``values`` has no entry where it was not found."""

    name: str
    values: Mapping[Kind, Fact]


def disagreements(runs: Mapping[Kind, PublishedRun]) -> tuple[Disagreement, ...]:
    """Return the facts in which runs of different kinds disagree; what only one of them found is none.

    Args:
        runs: the newest run of each kind.
    """
    names = dict.fromkeys(fact.name for run in runs.values() for fact in run.facts)
    known = {kind: {fact.name: fact for fact in run.facts} for kind, run in runs.items()}
    found = []
    for name in names:
        values = {kind: facts[name] for kind, facts in known.items() if name in facts}
        if len(values) > 1 and len({repr((fact.value, fact.unit)) for fact in values.values()}) > 1:
            found.append(Disagreement(name, values))
    return tuple(found)
