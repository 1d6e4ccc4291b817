"""experiment: the same launch in two arms that differ in one variable, the address each rank is told."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reaffirm.diagnose.stages import stage_book
from reaffirm.errors import StepFailedError, UsageError
from reaffirm.images.engines import SETTINGS
from reaffirm.images.plan import container_names, engine_of
from reaffirm.model.changes import Change
from reaffirm.model.fact import Fact
from reaffirm.model.report import Outcome, Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.steps.asking import Asker
from reaffirm.steps.cleanup import cleanup
from reaffirm.steps.declaring import declares
from reaffirm.steps.launch import launch
from reaffirm.steps.result import StepResult, bundle, tell

#: The arms in the order in which they take turns, and whether the host address is set in them.
ARMS = {"unset": False, "set": True}
#: Boots of each arm before anything is concluded.
ENOUGH = 3
#: The stage of the stall, and the one that a launch is past the stall with.
_STALL, _PAST = "group-created", "groups-joined"


@dataclass(frozen=True)
class Boot:
    """How one boot ended. ``stage`` is the furthest that every rank reached; ``silent`` is in seconds."""

    arm: str
    number: int
    outcome: Outcome
    stage: str
    silent: float

    @property
    def past(self) -> bool:
        """Whether every rank got past forming its groups, whatever came afterwards."""
        ids = stage_book().ids
        return self.stage in ids and ids.index(self.stage) >= ids.index(_PAST)

    @property
    def stuck(self) -> bool:
        """Whether all ranks fell silent where the stall of the story did: after group creation."""
        return self.outcome is Outcome.STUCK and self.stage == _STALL


@dataclass(frozen=True)
class ExperimentResult(StepResult):
    """All boots in their order. ``address_decides`` is ``None`` while it cannot be told."""

    boots: tuple[Boot, ...] = ()
    address_decides: bool | None = None


@declares(Change.STARTS, Change.REMOVES, destructive=[Change.REMOVES], note="the containers of its own boots")
def experiment(
    cluster: Cluster,
    engine: str,
    *,
    image: str,
    model: str,
    boots: int = 1,
    tensor_parallel_size: int = 2,
    limits: Mapping[str, float | None] | None = None,
    timeout: float = 3600,
    name_prefix: str = "experiment",
) -> ExperimentResult:
    """Launch ``engine`` without and with its host address, in turns, and compare how the groups form.

    Each of the two arms is booted ``boots`` times. A boot is followed until its groups have joined, or it is
    stuck, or it has failed; then its containers (``name_prefix``-head and -worker) are removed, logs saved.
    Nothing but the one variable differs. Below three boots an arm nothing is concluded.

    ``limits`` and ``timeout`` (seconds) hold for each boot.

    Raises:
        UsageError: an unknown engine, a name that is not plain, or no boot; nothing was sent.
        StepFailedError: on real machines, consent to remove those containers is missing and nothing was
            started; or a launch could not begin; or a boot could not be cleared away, so that the next
            would not have begun like the first.
        NodeError: a node could not be asked.
    """
    kind = engine_of(engine)
    if boots < 1:
        msg = f"an arm needs at least one boot, got {boots}"
        raise UsageError(msg, hint=f"-p boots {ENOUGH} is enough to conclude something")
    names = container_names(kind, len(cluster.all), name_prefix)
    targets = [f"{node.node.name}/{name}" for node, name in zip(cluster.all, names, strict=True)]
    cluster.need_consent("start, and after each boot remove,", targets)
    done: list[Boot] = []
    for arm, number in _turns(boots):
        result = launch(
            cluster,
            engine,
            image=image,
            model=model,
            tensor_parallel_size=tensor_parallel_size,
            host_address=ARMS[arm],
            limits=limits,
            timeout=timeout,
            facts=f"{arm}_{number}",
            name_prefix=name_prefix,
            until=_PAST,
        )
        cluster.context.display(bundle(result.report))
        found = {fact.name.rpartition(".")[2]: fact.value for fact in result.facts}
        silent = found["silent_seconds"]
        assert isinstance(silent, float | int)
        done.append(Boot(arm, number, result.outcome, str(found["last_stage"] or ""), silent))
        if cleanup(cluster, *names).outcome is Outcome.FAIL:
            msg = f"after boot {number} of the arm “{arm}” its ports did not come free"
            raise StepFailedError(msg, hint="ss -ltnp tells who holds them; then run the experiment again")
    return _result(cluster, engine, done, boots, SETTINGS[kind].address_variable)


def _turns(boots: int) -> Iterator[tuple[str, int]]:
    """In turns, so that what drifts with time (caches, heat, somebody else's load) meets both arms."""
    return ((arm, number) for number in range(1, boots + 1) for arm in ARMS)


def decides(boots: Sequence[Boot], each: int) -> bool | None:
    """Return whether the variable decides, from all boots of both arms, ``each`` of them an arm.

    ``None`` where it cannot be told: too few boots, or boots of one arm that ended differently, or in a
    third way.
    """
    without = [boot for boot in boots if boot.arm == "unset"]
    told = [boot for boot in boots if boot.arm == "set"]
    if each < ENOUGH:
        return None
    if all(boot.stuck for boot in without) and all(boot.past for boot in told):
        return True
    if all(boot.past for boot in boots) or all(boot.stuck for boot in boots):
        return False
    return None


def always(seen: Sequence[bool], opposite: Sequence[bool]) -> bool | None:
    """Return whether every boot of an arm ended one way: a single opposite ending says no.

    ``None`` below three boots, and when a boot ended in a third way.
    """
    if any(opposite):
        return False
    return True if len(seen) >= ENOUGH and all(seen) else None


def _result(
    cluster: Cluster, engine: str, done: Sequence[Boot], each: int, variable: str
) -> ExperimentResult:
    answer = decides(done, each)
    # The engine is in the names: a claim about one engine is then not judged by a run of the other.
    prefix = f"experiment.{engine}"
    facts = [Fact(f"{prefix}.boots", each)]
    arms = []
    for arm in ARMS:
        past = [boot.past for boot in done if boot.arm == arm]
        stuck = [boot.stuck for boot in done if boot.arm == arm]
        counts = sum(past), sum(stuck), each - sum(past) - sum(stuck)
        facts += [
            Fact(f"{prefix}.{arm}.past_groups", counts[0]),
            Fact(f"{prefix}.{arm}.stuck", counts[1]),
            Fact(f"{prefix}.{arm}.always_past_groups", always(past, stuck)),
            Fact(f"{prefix}.{arm}.always_stuck", always(stuck, past)),
        ]
        arms.append((f"{variable} {arm}", *(f"{count} of {each}" for count in counts)))
    facts.append(Fact(f"{prefix}.address_decides", answer))
    rows = tuple(
        (
            str(boot.number),
            f"{variable} {boot.arm}",
            boot.outcome.value,
            boot.stage or "none",
            f"{boot.silent:g} s",
        )
        for boot in done
    )
    report = tell(
        cluster,
        Asker(),
        "experiment",
        Outcome.UNKNOWN if answer is None else Outcome.PASS,
        f"{engine}: {_summary(answer, each, variable)}",
        blocks=(
            Table(
                "Arms", ("arm", "past their groups", "silent after group creation", "otherwise"), tuple(arms)
            ),
            Table(
                "Boots in their order",
                ("boot", "arm", "ended", "last stage of all ranks", "silent for"),
                rows,
            ),
            Table("What follows and what does not", ("", ""), _limits(cluster, answer, each, variable)),
        ),
        facts=tuple(facts),
    )
    return ExperimentResult(report, tuple(done), answer)


def _summary(answer: bool | None, each: int, variable: str) -> str:
    if answer:
        return f"every boot with {variable} got past its groups, every boot without it fell silent before"
    if answer is False:
        return f"{variable} makes no difference here"
    if each < ENOUGH:
        return f"{each} boot{'s' * (each != 1)} an arm: nothing is concluded below {ENOUGH}"
    return "the boots of an arm did not all end alike, or in another way; see the table of boots"


def _limits(cluster: Cluster, answer: bool | None, each: int, variable: str) -> tuple[tuple[str, str], ...]:
    here = f"these nodes ({cluster.kind})"
    if answer:
        rows = [("follows", f"on {here} the launch stands or falls with {variable}")]
    elif answer is False:
        rows = [("follows", f"on {here} {variable} is not what holds the launch up, or lets it through")]
    elif each < ENOUGH:
        rows = [("not known", "whether the same boot would end the same way again: boots of a race differ")]
    else:
        rows = [("not known", f"what {variable} does on {here}")]
    rows.append(
        ("not known", "whether other machines, or the same ones at another time, stall for this reason")
    )
    return tuple(rows)
