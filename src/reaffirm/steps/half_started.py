"""What a launch does about its own containers when it breaks off: save, remove, say what is left where."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from reaffirm.errors import ReaffirmError
from reaffirm.model.changes import Change, Declaration
from reaffirm.model.report import Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.declared import working
from reaffirm.steps.asking import Asker, why_not
from reaffirm.steps.containers import Container, inspect, remove
from reaffirm.steps.following import Rank

#: How long all of it may take, and one request of it (seconds of the head's time): whoever stopped the run
#: waits, and after a grace the process is killed.
BUDGET, _REQUEST = 25.0, 12.0
_LAUNCH = Declaration("launch", frozenset({Change.STARTS, Change.REMOVES}))


@dataclass
class Tidied:
    """What became of each container: ``removed`` and ``left`` are ``node/container``, ``saved`` are files."""

    removed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    saved: list[str] = field(default_factory=list)
    rows: list[tuple[str, str, str, str]] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)

    @property
    def table(self) -> Table:
        """For the report."""
        return Table("What this launch had started", ("node", "container", "", "seen"), tuple(self.rows))

    @property
    def words(self) -> str:
        """What was done, and what is left to do, in one sentence."""
        parts = []
        if self.removed:
            parts.append(
                f"it saved the logs of what it had started, and removed it: {', '.join(self.removed)}"
            )
        if self.left:
            orders = "; ".join(self.orders)
            parts.append(f"NOT removed: {', '.join(self.left)}; when you have looked at it: {orders}")
        return "; ".join(parts) or "nothing of it is left"


def tidy(
    cluster: Cluster, asker: Asker, ranks: Sequence[Rank], facts: str, *, budget: float = BUDGET
) -> Tidied:
    """Save logs and ``docker inspect`` of the containers that this launch started, then remove them.

    Only those, by id; one whose logs cannot be saved stays. It is part of the consent to launch. Nothing is
    raised but what stops the process: what cannot be done is told. ``budget`` limits the whole (seconds).
    """
    done = Tidied()
    began: float | None = None
    with suppress(ReaffirmError):
        began = cluster.head.clock.now()
    with working(_LAUNCH):
        for rank in ranks:
            if not (rank.started or rank.suspect) or rank.removed:
                continue
            try:
                now = cluster.head.clock.now()
                if began is not None and now - began > budget:
                    _left(done, rank, f"no time left after {budget:g} s")
                else:
                    _one(cluster, asker, rank, facts, done)
            except ReaffirmError as error:
                _left(done, rank, error.message.splitlines()[0])
    return done


def _one(cluster: Cluster, asker: Asker, rank: Rank, facts: str, done: Tidied) -> None:
    name = rank.plan.container
    held = inspect(asker, rank.node, rank.id or name)
    if held is None or (not rank.id and not _ours(cluster, held)):
        # Where the answer to docker run was lost, or was no, the name may be somebody else's.
        seen = "nothing to do" if held is None else "the container of that name is not of this launch"
        done.rows.append((rank.name, name, "absent" if held is None else "left alone", seen))
        rank.started = False
        return
    logs = asker.look(rank.node, ["docker", "logs", "--timestamps", held.id], timeout=_REQUEST)
    if not logs.ok:
        _left(done, rank, f"its logs are not readable: {why_not(logs)}")
        return
    stem = f"logs/{rank.name}/{facts}-{name}"
    try:
        saved = [
            cluster.context.save(f"{stem}.log", logs.stdout + logs.stderr),
            cluster.context.save(f"{stem}.inspect.json", held.raw),
        ]
    except OSError as error:
        _left(done, rank, f"{stem} could not be saved: {error}")
        return
    done.saved += saved
    cluster.agreed.owns(rank.name, held.id)
    if why := remove(asker, rank.node, held.id, timeout=_REQUEST, look=True):
        _left(done, rank, f"still there after docker rm -f: {why}")
        return
    rank.removed = True
    done.removed.append(f"{rank.name}/{name}")
    done.rows.append((rank.name, name, "removed", f"was {held.status}; saved: {', '.join(saved)}"))


def _ours(cluster: Cluster, held: Container) -> bool:
    """Whether a container whose id is not known carries the labels of this run."""
    if cluster.run:
        return held.run == cluster.run
    return held.runbook == (cluster.runbook or "-")


def _left(done: Tidied, rank: Rank, why: str) -> None:
    name = rank.plan.container
    done.left.append(f"{rank.name}/{name}")
    done.orders.append(f"docker rm -f {rank.id or name} on {rank.name}")
    done.rows.append((rank.name, name, "LEFT THERE", f"{why}; remove it with {done.orders[-1]}"))
