"""launch: starts an engine on head and workers, follows both logs, and says how it ends."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Self

from reaffirm.diagnose.stages import StageTracker, stage_book
from reaffirm.errors import ReaffirmError, StepFailedError, UsageError
from reaffirm.images.plan import LaunchPlan, Place, container_names, engine_of, launch_plan
from reaffirm.model.changes import Change
from reaffirm.model.exchange import HttpRequest
from reaffirm.model.node import LaunchHere
from reaffirm.model.report import Outcome
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.transport import Transport
from reaffirm.steps.asking import Asker, json_line, why_not
from reaffirm.steps.containers import inspect
from reaffirm.steps.declaring import declares
from reaffirm.steps.fabric import find_fabric
from reaffirm.steps.following import Follower, Rank
from reaffirm.steps.half_started import Tidied, tidy
from reaffirm.steps.launch_report import launch_report
from reaffirm.steps.named import model_on, reference_of
from reaffirm.steps.result import StepResult, bundle, expect_outcome
from reaffirm.steps.survey import survey_network
from reaffirm.store.node_programs import node_program

_SAVED = (Outcome.FAILED, Outcome.STUCK, Outcome.TIMEOUT, Outcome.UNKNOWN)


@dataclass(frozen=True)
class LaunchResult(StepResult):
    """How a launch ended. ``containers`` are ``node/container``, left as they are.

    ``keep`` leaves them also when they are not as expected; ``tidy`` saves and removes them.
    """

    cluster: Cluster | None = None
    containers: tuple[str, ...] = ()
    logs_saved: tuple[str, ...] = ()
    keep: bool = False
    tidy: Callable[[], Tidied] | None = None

    def expect(self, outcome: str) -> Self:
        """Return this result when the launch ended that way.

        When it did not, nothing is left half-started: logs and ``docker inspect`` of the containers that this
        launch started are saved, and they are removed, unless it was told to ``keep`` them.

        Raises:
            UsageError: there is no outcome of that name.
            StepFailedError: it ended otherwise; the report was shown before.
        """
        names = ", ".join(dict.fromkeys(repr(name.partition("/")[2]) for name in self.containers))
        hint = f"they are still there; steps.cleanup(cluster, {names}) saves their logs, then removes them"
        if outcome in tuple(Outcome) and outcome != self.outcome and self.tidy is not None and not self.keep:
            hint = f"{self.tidy().words}; launch(…, keep=True) leaves it as it is"
        if not names:
            hint = "mend what it says, then run again; launch(…, keep=True) leaves everything as it is"
        expect_outcome(self, self.cluster, outcome, hint=hint)
        return self


@declares(
    Change.STARTS, Change.REMOVES, note="removes only what it started itself, when it breaks off half-way"
)
def launch(
    cluster: Cluster,
    engine: str,
    *,
    image: str,
    model: str,
    tensor_parallel_size: int = 2,
    host_address: bool = True,
    limits: Mapping[str, float | None] | None = None,
    timeout: float = 3600,
    facts: str = "launch",
    name_prefix: str = "",
    until: str = "ready",
    keep: bool = False,
) -> LaunchResult:
    """Start ``engine`` (``vllm`` or ``sglang``) on all nodes and follow it until it is clear how it ends.

    It ends *ready* (the head answers ``/health``), *reached* (every rank is at the stage ``until``, or at
    the last stage of a program that runs in place of a server), *failed* (with the first error of all
    nodes), *stuck* (silent on all ranks longer than the limit of the stage) or *timeout*. Containers are
    left as they are then, for the next cell; their logs are saved unless all went well.

    A launch that *breaks off* leaves nothing half-started: when a rank cannot be started, a node is lost, or
    the run is stopped, logs and ``docker inspect`` of what it started itself are saved and it is removed
    again, by id; so it is when :meth:`LaunchResult.expect` is disappointed. ``keep`` leaves it as it is. What
    cannot be removed is named, with the command that does it. On real machines this is part of launching and
    needs no consent of its own.

    ``host_address=False`` leaves the variable unset that tells the engine its own address. ``limits``
    overrides silence limits by stage (seconds; ``None`` leaves a limit as it is), ``timeout`` limits the
    whole (seconds); ``facts`` is the first word of the names of the facts; ``name_prefix`` replaces the
    engine in the containers' names; ``until`` is the stage after which the launch is not followed any more.

    Raises:
        UsageError: a name or stage that cannot be used; nothing was sent.
        StepFailedError: a container of that name is there, somebody answers on the port already, or there
            is no fabric; nothing was started.
        NodeError: a node could not be asked before anything was started.
    """
    kind = engine_of(engine)
    reference = reference_of(cluster, image)
    model_on(cluster, model)
    names = container_names(kind, len(cluster.all), name_prefix)
    cluster.agreed.allow("start", [f"{t.node.name}/{n}" for t, n in zip(cluster.all, names, strict=True)])
    try:
        given = {stage: limit for stage, limit in (limits or {}).items() if limit is not None}
        allowed = stage_book().limits(cluster.machines.limits, given)
        stage_book().stage(until)
    except KeyError as error:
        raise UsageError(str(error.args[0])) from None
    here = cluster.machines.launch.get(kind.value, LaunchHere())
    text = node_program(here.program) if here.program else ""
    if not timeout > 0:  # also where it is no number at all (nan)
        msg = f"the limit of a launch is a number of seconds above 0, got {timeout!r}; nothing was started"
        raise UsageError(msg, hint="leave it out, or give it an hour: 3600")
    asker = Asker()
    _refuse_taken(asker, cluster, names)
    plan = launch_plan(
        engine,
        image=reference,
        model=model,
        machines=cluster.machines,
        places=_places(asker, cluster, model),
        tensor_parallel_size=tensor_parallel_size,
        host_address=host_address,
        name_prefix=name_prefix,
        runbook=cluster.runbook,
        run=cluster.run,
        program_text=text,
    )
    _refuse_served(asker, cluster, plan)
    if until != "ready" and plan.goal == "ready":
        plan = replace(plan, goal=until)
    version = _known_version(cluster, image, kind.value)
    ranks = [
        Rank(node, rank, StageTracker(kind, version), node.clock.now())
        for node, rank in zip(cluster.all, plan.ranks, strict=True)
    ]
    follower = Follower(asker, plan, ranks, allowed, timeout)
    try:
        follower.run()
    except BaseException:
        done = None if keep else tidy(cluster, asker, ranks, facts)
        with suppress(ReaffirmError):
            report = launch_report(
                cluster, follower, facts, [], host_address=host_address, tidied=done, keep=keep
            )
            cluster.context.display(bundle(report))
        raise
    done = tidy(cluster, asker, ranks, facts) if follower.broken and not keep else None
    saved = list(done.saved) if done else []
    if done is None and follower.outcome in _SAVED:
        saved = _save(cluster, asker, ranks, facts)
    report = launch_report(cluster, follower, facts, saved, host_address=host_address, tidied=done, keep=keep)
    left = tuple(f"{rank.name}/{rank.plan.container}" for rank in ranks if rank.started and not rank.removed)

    def later() -> Tidied:
        return tidy(cluster, asker, [rank for rank in ranks if not rank.removed], facts)

    return LaunchResult(report, cluster, left, tuple(saved), keep, None if done else later)


def _refuse_taken(asker: Asker, cluster: Cluster, names: Sequence[str]) -> None:
    taken = []
    for node, name in zip(cluster.all, names, strict=True):
        held = inspect(asker, node, name)
        if held is not None:
            whose = "not started by us" if held.runbook is None else f"ours, of runbook {held.runbook}"
            taken.append(f"{node.node.name}/{name} ({held.status}, {whose}, image {held.image})")
    if taken:
        msg = f"there is a container of that name already: {'; '.join(taken)}; nothing was started"
        words = ", ".join(map(repr, names))
        hint = (
            f"look at it; steps.cleanup(cluster, {words}) saves its logs and removes it, or pass name_prefix"
        )
        raise StepFailedError(msg, hint=hint)


def _refuse_served(asker: Asker, cluster: Cluster, plan: LaunchPlan) -> None:
    """Stop when somebody answers on the port already: their health would pass for that of this launch."""
    if plan.goal != "ready":
        return
    url = f"http://127.0.0.1:{plan.port}/health"
    answer = asker.http(cluster.head, HttpRequest("GET", url), timeout=5)
    if answer.status:
        msg = (
            f"somebody answers on port {plan.port} of {cluster.head.node.name} already (HTTP {answer.status})"
        )
        hint = "stop that service (ss -ltnp tells which), or give launch another port in the machine file"
        raise StepFailedError(msg, hint=hint)


def _places(asker: Asker, cluster: Cluster, model: str) -> list[Place]:
    facts = [survey_network(asker, node) for node in cluster.all]
    fabric = find_fabric(asker, cluster, facts)
    if not fabric.ends:
        gaps = [f"{node.node}: {gap}" for node in facts for gap in node.gaps]
        tried = (
            "; ".join((*fabric.tried, *gaps)) or "no subnet that all nodes share on an interface that is up"
        )
        msg = f"no network on which the nodes reach each other: {tried}; nothing was started"
        raise StepFailedError(msg, hint="run preflight: it says for each interface what is missing")
    return [
        Place(node, end, _cache(asker, cluster, transport, model))
        for transport, node, end in zip(cluster.all, facts, fabric.ends, strict=True)
    ]


def _cache(asker: Asker, cluster: Cluster, node: Transport, model: str) -> str:
    """Return the Hugging Face cache of a node as an absolute path: Docker mounts no other."""
    if model_on(cluster, model).path:
        return ""
    given = cluster.machines.hf_cache
    if given.startswith("/"):
        return given
    answer = asker.look(node, ["python3", "-", model, given], program="check_weights.py", timeout=120)
    told = json_line(answer) or {}
    # …/hub/models--Owner--Name/snapshots/abc: the cache is what stands before.
    cache = str(told.get("cache") or str(told.get("path") or "").partition("/hub/models--")[0])
    if not cache.startswith("/"):
        msg = f"{node.node.name}: where {given} is cannot be told: {why_not(answer)}; nothing was started"
        raise StepFailedError(msg, hint="give hf_cache in the machine file as an absolute path")
    return cache


def _known_version(cluster: Cluster, image: str, engine: str) -> str:
    """Return the engine's version when this run has probed the image, else nothing."""
    fact = cluster.context.facts.get(f"probe.{image}.{engine}_version")
    return fact.value if fact is not None and isinstance(fact.value, str) else ""


def _save(cluster: Cluster, asker: Asker, ranks: Sequence[Rank], facts: str) -> list[str]:
    saved = []
    for rank in ranks:
        if not rank.started:
            continue
        answer = asker.look(rank.node, ["docker", "logs", "--timestamps", rank.plan.container], timeout=300)
        if answer.ok:
            name = f"logs/{rank.name}/{facts}-{rank.plan.container}.log"
            # Nothing is destroyed here, so a full disk does not hide how the launch ended.
            with suppress(OSError):
                saved.append(cluster.context.save(name, answer.stdout + answer.stderr))
    return saved
