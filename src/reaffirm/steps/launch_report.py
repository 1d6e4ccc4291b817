"""The report of a launch: who reached what when, where it stopped, what is known and what is not."""

from collections.abc import Sequence
from itertools import pairwise

from reaffirm.diagnose.errors import ErrorOrder
from reaffirm.diagnose.stages import stage_book
from reaffirm.draw.lanes import Ending, Lane, duration, lanes_alt, lanes_svg
from reaffirm.images.engines import SETTINGS
from reaffirm.model.evidence import Kind
from reaffirm.model.fact import Fact
from reaffirm.model.report import Block, Log, Outcome, Picture, Report, Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.steps.failure_links import failure_blocks, failure_pages, read_launch
from reaffirm.steps.following import Follower, Rank
from reaffirm.steps.half_started import Tidied
from reaffirm.steps.result import tell

#: Lines of each rank's log that the report shows when the launch did not end well.
_LAST_LINES = 12


def launch_report(
    cluster: Cluster,
    follower: Follower,
    prefix: str,
    saved: Sequence[str],
    *,
    host_address: bool,
    tidied: Tidied | None = None,
    keep: bool = False,
) -> Report:
    """Make the report of a launch and hand its facts (named ``prefix.…``) to the run.

    ``tidied`` is what it did about its containers when it broke off; ``keep`` whether they stay in any case.
    """
    errors = follower.errors
    failures = failure_pages()
    reading = read_launch(follower, failures)
    blocks: list[Block] = [_ranks(follower, host_address=host_address)]
    if follower.plan.note:
        blocks.append(Log("What runs here and what does not", (follower.plan.note,)))
    blocks.append(_picture(follower, cluster.kind))
    blocks += _errors(follower.outcome, errors)
    blocks += failure_blocks(follower, reading, failures)
    if follower.outcome in (Outcome.STUCK, Outcome.TIMEOUT):
        blocks.append(_knowledge(follower))
    if follower.outcome not in (Outcome.READY, Outcome.REACHED):
        blocks += [_last_lines(rank) for rank in follower.ranks if rank.lines]
    if tidied is not None and tidied.rows:
        blocks.append(tidied.table)
    if saved:
        blocks.append(Table("Saved into the run", ("file",), tuple((name,) for name in saved)))
    return tell(
        cluster,
        follower.asker,
        "launch",
        follower.outcome,
        _summary(follower, tidied, keep=keep),
        blocks=tuple(blocks),
        facts=_facts(follower, prefix, errors, reading.pages),
    )


def _facts(follower: Follower, prefix: str, errors: ErrorOrder, pages: Sequence[str]) -> tuple[Fact, ...]:
    ready = follower.outcome is Outcome.READY
    # Where no server can run, or nobody waited for it, nothing was learned about one.
    known = follower.outcome not in (Outcome.UNKNOWN, Outcome.REACHED)
    first: str | None = "none"
    if follower.outcome is Outcome.FAILED:
        first = f"{errors.first.node}: {errors.first.text}" if errors.first else None
    elif follower.outcome is Outcome.UNKNOWN:
        first = None
    return (
        Fact(f"{prefix}.ready", ready if known else None),
        Fact(f"{prefix}.outcome", follower.outcome.value),
        Fact(f"{prefix}.seconds_to_ready", round(follower.ended, 1) if ready else None, "s"),
        Fact(f"{prefix}.last_stage", follower.stage or None),
        Fact(f"{prefix}.silent_seconds", round(follower.silent, 1), "s"),
        Fact(f"{prefix}.first_error", first),
        Fact(f"{prefix}.engine", follower.plan.engine.value),
        Fact(f"{prefix}.failure_pages", list(pages)),
    )


def _summary(follower: Follower, tidied: Tidied | None, *, keep: bool) -> str:
    engine = follower.plan.engine.value
    stage = stage_book().stage(follower.stage).title if follower.stage else "no stage"
    after = duration(follower.ended)
    match follower.outcome:
        case Outcome.READY:
            return f"{engine} serves after {after}: {follower.reason}"
        case Outcome.REACHED:
            rest = "no server runs here" if follower.plan.note else "it was not followed further"
            return f"{engine}: {follower.reason} after {after}; {rest}"
        case Outcome.STUCK:
            return f"{engine} is stuck after the stage “{stage}”: {follower.reason}"
        case Outcome.FAILED:
            done = f"; {tidied.words}" if tidied is not None else ""
            return (
                f"{engine} failed after {after} in the stage “{stage}”. First error: {follower.reason}{done}"
            )
        case _:
            if tidied is not None:
                return f"{engine}, last stage of all ranks “{stage}”: {follower.reason}; {tidied.words}"
            left = [r for r in follower.ranks if r.started]
            held = ", ".join(f"{r.plan.container} on {r.name}" for r in left)
            names = ", ".join(repr(r.plan.container) for r in left)
            # Unless they are kept, expect() removes them after this was written.
            hint = f"; its containers at that moment: {held}"
            if keep:
                then = f"steps.cleanup(cluster, {names}) saves their logs, then removes them"
                hint = f"; still there: {held} ({then})"
            hint = hint if left else ""
            return f"{engine}, last stage of all ranks “{stage}”: {follower.reason}{hint}"


def _ranks(follower: Follower, *, host_address: bool) -> Table:
    variable = SETTINGS[follower.plan.engine].address_variable
    rows = []
    for rank in follower.ranks:
        environment = dict(word.split("=", 1) for word in _after(rank.plan.argv, "-e") if "=" in word)
        told = environment.get(variable, "unset" if not host_address else "unknown")
        role = "head" if rank.plan.rank == 0 else "worker"
        state = (
            "not started"
            if not rank.started
            else "removed"
            if rank.removed
            else "ended"
            if rank.death
            else "running"
        )
        fabric = environment.get("GLOO_SOCKET_IFNAME", "")
        rows.append((str(rank.plan.rank), role, rank.name, rank.plan.container, fabric, told, state))
    columns = ("rank", "role", "node", "container", "interface", variable, "now")
    return Table(f"{follower.plan.engine.value} from {follower.plan.image}", columns, tuple(rows))


def _after(words: Sequence[str], flag: str) -> list[str]:
    return [value for word, value in pairwise(words) if word == flag]


def _picture(follower: Follower, kind: Kind) -> Picture:
    stages = [(stage.id, stage.title) for stage in stage_book().stages]
    if follower.plan.goal != "ready":
        stages = stages[: [name for name, _ in stages].index(follower.plan.goal) + 1]
    lanes = [_lane(follower, rank) for rank in follower.ranks]
    alt = lanes_alt(stages, lanes)
    return Picture(
        "Stages reached by each rank", lanes_svg(stages, lanes, label=f"{kind} run: {alt}", kind=kind), alt
    )


def _lane(follower: Follower, rank: Rank) -> Lane:
    ending, words = Ending.GOING, ""
    if rank.death is not None:
        ending = Ending.FAILED
        words = "not started" if not rank.started else f"ended with status {rank.death.exit}"
    elif follower.outcome in (Outcome.READY, Outcome.REACHED):
        ending, words = Ending.READY, "serves" if follower.outcome is Outcome.READY else "reached"
        if follower.outcome is Outcome.READY and rank.plan.rank:
            words = "runs for the head"
    elif follower.outcome is Outcome.STUCK:
        ending, words = Ending.SILENT, f"silent for {duration(rank.silent(follower.ended))}"
    else:
        ending, words = Ending.STOPPED, "still running" if rank.started else "not started"
    title = f"rank {rank.plan.rank}: {'head' if rank.plan.rank == 0 else 'worker'}"
    return Lane(title, rank.name, dict(rank.tracker.reached), ending, words)


def _errors(outcome: Outcome, errors: ErrorOrder) -> list[Block]:
    if errors.first is None:
        return []
    first = errors.first
    title = (
        "First error of all ranks" if outcome is Outcome.FAILED else "Looked like an error, without an end"
    )
    if outcome in (Outcome.READY, Outcome.REACHED):
        return []
    lines = (f"{first.node}, {duration(first.at)} after the start: {first.text}", *first.lines)
    blocks: list[Block] = [Log(title, lines)]
    if errors.later:
        rows = tuple((e.node, duration(e.at), e.text) for e in errors.later)
        blocks.append(Table("What followed (secondary as a rule)", ("node", "after", "error"), rows))
    return blocks


def _knowledge(follower: Follower) -> Table:
    stage = stage_book().stage(follower.stage) if follower.stage else None
    rows = [
        ("seen", f"{rank.name}: last line: {rank.tracker.last_line or 'none'}") for rank in follower.ranks
    ]
    rows += [("seen", "no rank ended and none printed an error")] if follower.errors.first is None else []
    rows += [("known", text) for text in (stage.known if stage else ())]
    rows += [("not known", text) for text in (stage.open if stage else ())]
    rows.append(("not known", "why it is silent: silence alone names no cause"))
    return Table("What is known and what is not", ("", ""), tuple(rows))


def _last_lines(rank: Rank) -> Log:
    lines = tuple(f"{duration(line.at):>9}  {line.text}" for line in rank.lines[-_LAST_LINES:])
    return Log(f"Last lines of rank {rank.plan.rank} on {rank.name}", lines)
