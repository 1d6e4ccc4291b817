"""cleanup: saves logs and state of named containers, then removes them, and says what it left alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from reaffirm.errors import StepFailedError, UsageError
from reaffirm.images.names import container_name
from reaffirm.model.changes import Change
from reaffirm.model.fact import Fact
from reaffirm.model.report import Outcome, Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.transport import Transport
from reaffirm.steps import reading
from reaffirm.steps.asking import Asker, why_not
from reaffirm.steps.containers import Container, inspect, names_on, remove
from reaffirm.steps.declaring import declares
from reaffirm.steps.result import StepResult, tell

#: How long (seconds of the node's time) ports may take to come free, and how often we look.
_WAIT, _LOOK = 30.0, 2.0


@dataclass(frozen=True)
class CleanupResult(StepResult):
    """What was removed (``node/container``), and the files of the run that hold the logs."""

    removed: tuple[str, ...] = ()
    logs_saved: tuple[str, ...] = ()


@dataclass
class _Found:
    node: Transport
    held: list[Container] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    ours: list[str] = field(default_factory=list)
    others: int = 0
    listening: frozenset[int] = frozenset()
    memory: int | None = None

    @property
    def name(self) -> str:
        return self.node.node.name


@declares(
    Change.REMOVES, destructive=[Change.REMOVES], note="those that are named; their logs are saved first"
)
def cleanup(cluster: Cluster, *names: str, facts: str = "cleanup") -> CleanupResult:
    """Remove the named containers from every node, after saving their logs and ``docker inspect``.

    Nothing is removed before all logs are saved, and on real machines not without consent for each. What is
    removed is the container that was looked at, by its id, whoever has its name by then.
    Running it again finds nothing to do. Containers that are not named stay, also those of ours.
    ``facts`` is the first word of its facts' names, for a runbook that cleans up more than once.

    Raises:
        UsageError: no name, or one that is not plain; nothing was sent.
        StepFailedError: consent is missing, logs could not be saved (nothing was removed), or a removal
            failed.
        NodeError: a node could not be asked.
    """
    if not names:
        msg = "cleanup needs the names of the containers to remove"
        raise UsageError(msg, hint="for example steps.cleanup(cluster, 'sglang-head', 'sglang-worker')")
    wanted = tuple(dict.fromkeys(container_name(name) for name in names))
    asker = Asker()
    found = [_look(asker, node, wanted) for node in cluster.all]
    targets = [f"{place.name}/{held.name}" for place in found for held in place.held]
    if targets:
        cluster.need_consent("remove", targets, rows=_rows_of(found))
    saved = _save_all(cluster, asker, found)
    for place in found:
        for held in place.held:
            _remove(asker, place, held)
    free = [_wait_free(asker, place) for place in found]
    return _result(cluster, asker, found, saved, free, facts)


def _look(asker: Asker, node: Transport, wanted: Sequence[str]) -> _Found:
    place = _Found(node)
    there = names_on(asker, node)
    for name in wanted:
        held = inspect(asker, node, name)
        if held is None:
            place.absent.append(name)
        else:
            place.held.append(held)
    for name in there:
        if name in wanted:
            continue
        other = inspect(asker, node, name)
        if other is not None and other.runbook is not None:
            place.ours.append(name)
        else:
            place.others += 1
    if place.held:
        place.listening = _listening(asker, node)
        place.memory = _available(asker, node)
    return place


def _rows_of(found: Sequence[_Found]) -> list[tuple[str, ...]]:
    """Describe what would go, for the person who is asked: image, state, age, label."""
    return [
        (
            f"{place.name}/{held.name}",
            held.image,
            held.status,
            f"created {held.created[:19]}Z" if held.created else "",
            f"ours, of runbook {held.runbook}" if held.runbook is not None else "not started by us",
        )
        for place in found
        for held in place.held
    ]


def _save_all(cluster: Cluster, asker: Asker, found: Sequence[_Found]) -> list[str]:
    saved: list[str] = []
    for place in found:
        for held in place.held:
            logs = asker.ask(place.node, ["docker", "logs", "--timestamps", held.id], timeout=300)
            if not logs.ok:
                msg = (
                    f"the logs of {place.name}/{held.name} are not readable: {why_not(logs)}; nothing removed"
                )
                raise StepFailedError(msg, hint="read them by hand, then remove the container by hand")
            stem = _unused(cluster, f"logs/{place.name}/{held.name}")
            try:
                saved.append(cluster.context.save(f"{stem}.log", logs.stdout + logs.stderr))
                saved.append(cluster.context.save(f"{stem}.inspect.json", held.raw))
            except OSError as error:
                msg = f"{stem} could not be saved: {error}; nothing was removed"
                raise StepFailedError(msg, hint="make room, or allow writing beside the notebook") from error
    return saved


def _unused(cluster: Cluster, stem: str) -> str:
    """Return a name that this run has not used: a second container of that name must not hide the first."""
    number, name = 1, stem
    while f"{name}.log" in cluster.context.saved:
        number += 1
        name = f"{stem}-{number}"
    return name


def _remove(asker: Asker, place: _Found, held: Container) -> None:
    # By its id: between the look and now the name may have come to somebody else's container.
    if why := remove(asker, place.node, held.id, timeout=120):
        msg = f"{place.name}/{held.name} is still there after docker rm -f: {why}"
        raise StepFailedError(msg, hint="its logs are saved; try docker rm -f by hand on that node")


def _wait_free(asker: Asker, place: _Found) -> bool | None:
    """Wait until the ports that the removed containers held are free; ``None`` when that cannot be told."""
    ports = {port for held in place.held for port in held.ports} & place.listening
    clock = place.node.clock
    end = clock.now() + _WAIT
    while ports:
        answer = asker.look(place.node, ["ss", "-H", "-ltnp"])
        if not answer.ok:
            return None
        ports &= {listener.port for listener in reading.listeners(answer.stdout)}
        if not ports or clock.now() >= end:
            break
        clock.sleep(_LOOK)
    return not ports


def _meant(found: Sequence[_Found]) -> str:
    """Name containers of ours for which names that no node has look misspelt; empty where none does."""
    nowhere = set.intersection(*(set(place.absent) for place in found))
    ours = {name: place.name for place in reversed(found) for name in place.ours}
    near = [(name, get_close_matches(name, ours, n=1, cutoff=0.8)) for name in sorted(nowhere)]
    told = [
        f"{name} is on no node: did you mean {like[0]} on {ours[like[0]]}?" for name, like in near if like
    ]
    return "".join(f"; {one}" for one in told)


def _listening(asker: Asker, node: Transport) -> frozenset[int]:
    answer = asker.look(node, ["ss", "-H", "-ltnp"])
    return (
        frozenset(listener.port for listener in reading.listeners(answer.stdout))
        if answer.ok
        else frozenset()
    )


def _available(asker: Asker, node: Transport) -> int | None:
    answer = asker.look(node, ["cat", "/proc/meminfo"])
    return reading.memory(answer.stdout)[1] if answer.ok else None


def _result(
    cluster: Cluster,
    asker: Asker,
    found: Sequence[_Found],
    saved: list[str],
    free: Sequence[bool | None],
    prefix: str,
) -> CleanupResult:
    rows: list[tuple[str, str, str, str]] = []
    removed, absent, left = [], [], []
    for place, freed in zip(found, free, strict=True):
        for held in place.held:
            removed.append(f"{place.name}/{held.name}")
            whose = "ours" if held.runbook is not None else "not started by us; removed because it was named"
            rows.append((place.name, held.name, "removed", f"was {held.status}, image {held.image}; {whose}"))
        for name in place.absent:
            absent.append(f"{place.name}/{name}")
            rows.append((place.name, name, "absent", "nothing to do"))
        for name in place.ours:
            left.append(f"{place.name}/{name}")
            rows.append((place.name, name, "left alone", "carries our label, but was not named"))
        if place.others:
            rows.append((place.name, f"{place.others} other(s)", "left alone", "not ours, not named"))
        if place.held:
            ports = sorted({port for held in place.held for port in held.ports} & place.listening)
            told = {True: "free", False: f"still taken after {_WAIT:g} s", None: "unknown"}[freed]
            rows.append((place.name, "ports", told, ", ".join(map(str, ports)) or "none were held"))
            now = _available(asker, place.node)
            before, after = reading.gib(place.memory), reading.gib(now)
            seen = "unknown" if before is None or after is None else f"{before} GiB before, {after} GiB now"
            rows.append((place.name, "memory available", "", seen))
    ports_free = False if False in free else None if None in free else True
    outcome = {True: Outcome.PASS, False: Outcome.FAIL, None: Outcome.UNKNOWN}[ports_free]
    counts = f"{len(removed)} removed, {len(absent)} absent, {len(left)} of ours left alone{_meant(found)}"
    table = Table("Containers", ("node", "what", "", "seen"), tuple(rows))
    files = Table("Saved before anything was removed", ("file",), tuple((name,) for name in saved))
    facts = (
        Fact(f"{prefix}.removed", removed),
        Fact(f"{prefix}.absent", absent),
        Fact(f"{prefix}.left_alone", left),
        Fact(f"{prefix}.logs_saved", saved),
        Fact(f"{prefix}.ports_free", ports_free),
    )
    blocks = (table, files) if saved else (table,)
    report = tell(cluster, asker, "cleanup", outcome, counts, blocks=blocks, facts=facts)
    return CleanupResult(report, tuple(removed), tuple(saved))
