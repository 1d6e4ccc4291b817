"""``fact()``: a value that a notebook's own code worked out becomes a fact of the run."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from reaffirm.errors import UsageError
from reaffirm.model.evidence import Kind, lowest
from reaffirm.model.fact import BY_NOTEBOOK, STEP_WORDS, Fact, FactValue
from reaffirm.nodes.cluster import Cluster, RunContext
from reaffirm.redact import redact

#: A longer text is no fact (characters, over all items of a list).
MOST_VALUE = 10_000


@dataclass
class _Run:
    """What this process has connected to: one process is one run."""

    clusters: list[Cluster] = field(default_factory=list)
    alone: RunContext = field(default_factory=lambda: RunContext(None))


_run = _Run()


def joined(cluster: Cluster) -> None:
    """Remember that this run connected to these nodes: its facts are worth what all its nodes are."""
    _run.clusters.append(cluster)


def fact(name: str, value: FactValue, unit: str = "") -> None:
    """Record a fact of this run whose value the notebook's own code worked out.

    It is marked ``by: notebook`` wherever it goes. Its kind is the lowest of all nodes that the run
    connected to. A run that connected to none looked at nothing but this machine: its kind is ``real``, but
    without a recording it cannot be published; ``reaffirm.connect("local")`` is enough for one.

    Args:
        name: dotted words, such as ``search.recall``.
        value: a number, truth value, text, list of texts, or ``None`` for what could not be told.
        unit: the unit of a number, such as ``ms``.

    Raises:
        UsageError: a name that belongs to a step, or a value that is no fact.
    """
    context = _run.clusters[-1].context if _run.clusters else _run.alone
    found = Fact(_name(name, _contexts()), _value(name, value), _unit(name, value, unit), by=BY_NOTEBOOK)
    kind = lowest(cluster.kind for cluster in _run.clusters) if _run.clusters else Kind.REAL
    context.emit("fact", kind, (found,))


def _contexts() -> Iterable[RunContext]:
    return (*(cluster.context for cluster in _run.clusters), _run.alone)


def _name(name: str, contexts: Iterable[RunContext]) -> str:
    try:
        Fact(name, None)
    except (TypeError, ValueError) as error:
        msg = f"a fact's name is dotted words such as search.recall, got {name!r}"
        raise UsageError(msg, hint="begin with a lower-case letter; at least one dot") from error
    if name.split(".")[0] in STEP_WORDS:
        msg = f"facts that begin with {name.split('.')[0]!r} are found by the step of that name, got {name!r}"
        raise UsageError(msg, hint=f"choose another name; taken are {', '.join(sorted(STEP_WORDS))}")
    if any(name in context.facts and not context.facts[name].by for context in contexts):
        msg = f"a step of this run found {name!r}, and no fact is filled in by hand"
        raise UsageError(msg, hint="record what you worked out from it under a name of its own")
    return name


def _value(name: str, value: FactValue) -> FactValue:
    if isinstance(value, float) and not math.isfinite(value):
        msg = f"{name}: {value} is not a number"
        raise UsageError(msg, hint="record None for what could not be told")
    if isinstance(value, str):
        clean: FactValue = redact(value)
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        clean = [redact(item) for item in value]
    elif value is None or type(value) in (bool, int, float):
        clean = value
    else:
        what = "a number, truth value, text, list of texts or None"
        msg = f"{name}: a fact is {what}, got {type(value).__name__}"
        raise UsageError(msg, hint="make it one, such as with float()")
    size = sum(map(len, clean)) if isinstance(clean, str | list) else 0
    if size > MOST_VALUE:
        msg = f"{name}: a fact has at most {MOST_VALUE} characters, got {size}"
        raise UsageError(msg, hint="record its length or a hash, and save the text beside the run")
    return clean


def _unit(name: str, value: FactValue, unit: str) -> str:
    if not isinstance(unit, str) or "\n" in unit:
        msg = f"{name}: a unit is a word such as ms, got {unit!r}"
        raise UsageError(msg, hint='reaffirm.fact("search.p95", 12.5, "ms")')
    if unit and (isinstance(value, bool) or not isinstance(value, int | float | None)):
        msg = f"{name}: only numbers have a unit, got {value!r} {unit}"
        raise UsageError(msg, hint="leave out the unit")
    return unit
