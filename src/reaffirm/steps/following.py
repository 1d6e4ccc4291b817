"""Follows the containers of a launch on all nodes at once, until it is clear how it ends."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from reaffirm.diagnose.errors import Died, ErrorOrder, Said, first_error
from reaffirm.diagnose.stages import StageTracker, stage_book
from reaffirm.errors import NodeError, ReaffirmError
from reaffirm.images.plan import LaunchPlan, RankPlan
from reaffirm.model.exchange import HttpRequest
from reaffirm.model.report import Outcome
from reaffirm.nodes.transport import LineStream, Transport
from reaffirm.steps.asking import Asker, why_not
from reaffirm.steps.containers import state

#: Seconds of the node's time: between looks at the logs, between looks at the containers' state, between
#: looks at /health while nothing says that it serves, and for the last words after a container died.
_TICK, _STATE_EVERY, _HEALTH_EVERY, _LAST_WORDS = 1.0, 15.0, 15.0, 5.0
_HEALTH_TIMEOUT = 5.0
_ID = re.compile(r"[0-9a-f]{12,64}\Z")


def container_id(stdout: str) -> str:
    """Return the id that ``docker run -d`` printed; empty where it is none."""
    lines = stdout.strip().splitlines()
    return lines[-1].strip() if lines and _ID.match(lines[-1].strip()) else ""


@dataclass
class Rank:
    """One rank while it is followed. Times are seconds since the launch began, by its own node's clock.

    ``started`` is true as soon as its container may be there; ``id`` is the container's, once it is known;
    ``suspect`` says that Docker refused to start it, and may have created it all the same; ``removed`` that
    the launch took it away again.
    """

    node: Transport
    plan: RankPlan
    tracker: StageTracker
    began: float
    stream: LineStream | None = None
    started: bool = False
    id: str = ""
    suspect: bool = False
    removed: bool = False
    lines: list[Said] = field(default_factory=list)
    death: Died | None = None
    lost: str = ""

    @property
    def name(self) -> str:
        """The node's name."""
        return self.node.node.name

    def now(self) -> float:
        """Seconds since the launch began."""
        return self.node.clock.now() - self.began

    def silent(self, now: float) -> float:
        """Seconds since the last line that was news."""
        return max(now - self.tracker.last_sign, 0.0)


@dataclass
class Follower:
    """A launch under way. :meth:`run` starts and follows it; the outcome is then in ``outcome``.

    ``broken`` says that it broke off: not all ranks were started, or a node could not be asked any more.
    """

    asker: Asker
    plan: LaunchPlan
    ranks: Sequence[Rank]
    limits: Mapping[str, float]
    timeout: float
    outcome: Outcome = Outcome.UNKNOWN
    ended: float = 0.0
    silent: float = 0.0
    reason: str = ""
    broken: bool = False
    _next_state: float = 0.0
    _next_health: float = 0.0

    def run(self) -> None:
        """Start head and workers, then follow them to the end.

        Whatever happens, the log streams are closed; containers are never removed.
        """
        try:
            if self._start():
                self._follow()
        except NodeError as error:
            self.broken = True
            self._finish(Outcome.UNKNOWN, error.message.splitlines()[0] if error.message else str(error))
        except BaseException as stop:
            self.broken = True
            interrupted = isinstance(stop, KeyboardInterrupt)
            self._finish(Outcome.UNKNOWN, "interrupted" if interrupted else f"stopped: {type(stop).__name__}")
            raise
        finally:
            for rank in self.ranks:
                if rank.stream is not None:
                    with suppress(NodeError):
                        rank.stream.close()

    @property
    def stage(self) -> str:
        """The furthest stage that every rank has reached; empty before the first."""
        if self.outcome is Outcome.READY:
            return "ready"
        return min(self.ranks, key=lambda rank: rank.tracker.position).tracker.stage

    @property
    def errors(self) -> ErrorOrder:
        """The first error of all ranks, and what followed."""
        return first_error(
            [line for rank in self.ranks for line in rank.lines],
            [rank.death for rank in self.ranks if rank.death is not None],
        )

    def _start(self) -> bool:
        for rank in self.ranks:
            # When the answer is lost on the way the container may run all the same.
            rank.started = True
            answer = self.asker.ask(rank.node, rank.plan.argv, inline=rank.plan.program, timeout=300)
            rank.id = container_id(answer.stdout) if answer.ok else ""
            if not answer.ok:
                # Docker refuses some containers only after it has created them.
                rank.started, rank.suspect, self.broken = False, True, True
                words = f"docker run: {why_not(answer)}"
                rank.death = Died(rank.name, rank.now(), answer.exit, words=words)
                self._finish(
                    Outcome.FAILED, f"{rank.plan.container} on {rank.name} could not be started: {words}"
                )
                return False
            rank.tracker.start(answer.ended - rank.began)
        for rank in self.ranks:
            argv = ["docker", "logs", "-f", rank.plan.container]
            rank.stream = self.asker.follow(rank.node, argv, timeout=self.timeout + 600)
        return True

    def _follow(self) -> None:
        head = self.ranks[0]
        self._next_state = self._next_health = head.now() + _STATE_EVERY
        while True:
            ended = [rank for rank in self.ranks if self._read(rank)]
            now = head.now()
            if ended or now >= self._next_state:
                for rank in ended or self.ranks:
                    self._look(rank)
                if not ended:
                    self._next_state = now + _STATE_EVERY
            if self._judge(now):
                return
            head.node.clock.sleep(_TICK)

    def _read(self, rank: Rank) -> bool:
        """Take the lines that have come; return whether the stream has ended just now."""
        if rank.stream is None:
            return False
        for line in rank.stream.read(0):
            at = line.at - rank.began
            rank.lines.append(Said(rank.name, at, line.text))
            rank.tracker.feed(line.text, at)
        if rank.stream.exit is None:
            return False
        rank.stream.close()
        rank.stream = None
        return True

    def _look(self, rank: Rank) -> None:
        """See whether the container still runs."""
        if rank.death is not None:
            return
        held = state(self.asker, rank.node, rank.plan.container)
        now = rank.now()
        if held is None:
            rank.death = Died(rank.name, now, -1, words="the container was removed by somebody else")
        elif held.ended:
            rank.death = Died(rank.name, now, held.exit, held.oom)

    def _judge(self, now: float) -> bool:
        """Decide whether the launch is over."""
        if self._goal(now):
            return True
        dead = [rank for rank in self.ranks if rank.death is not None]
        if dead:
            self._last_words()
            error = self.errors.first
            self._finish(Outcome.FAILED, f"{error.node}: {error.text}" if error else "a container ended")
            return True
        silent = min(rank.silent(now) for rank in self.ranks)
        limit = max(self.limits.get(rank.tracker.stage, 0.0) for rank in self.ranks)
        if silent > limit:
            self._finish(
                Outcome.STUCK,
                f"nothing new from any rank for {silent:.0f} s (limit of this stage: {limit:g} s)",
            )
            return True
        if now > self.timeout:
            self._finish(Outcome.TIMEOUT, f"not done after {self.timeout:g} s, the limit of the launch")
            return True
        return False

    def _goal(self, now: float) -> bool:
        if self.plan.goal != "ready":
            if all(self.plan.goal in rank.tracker.reached for rank in self.ranks):
                self._finish(
                    Outcome.REACHED, f"every rank reached {stage_book().stage(self.plan.goal).title!r}"
                )
                return True
            return False
        head = self.ranks[0]
        serves = "ready" in head.tracker.reached
        if not serves and (not head.tracker.has("memory") or now < self._next_health):
            return False
        self._next_health = now + _HEALTH_EVERY
        url = f"http://127.0.0.1:{self.plan.port}/health"
        if self.asker.http(head.node, HttpRequest("GET", url), timeout=_HEALTH_TIMEOUT).status != 200:
            return False
        # Somebody else's service on that port would answer too.
        for rank in self.ranks:
            self._look(rank)
        if any(rank.death is not None for rank in self.ranks):
            return False
        self._finish(Outcome.READY, "the head answers /health with 200")
        return True

    def _last_words(self) -> None:
        """Let the other ranks say what they have to say: the first error is often on the other node."""
        clock = self.ranks[0].node.clock
        end = clock.now() + _LAST_WORDS
        while clock.now() < end and any(rank.stream is not None for rank in self.ranks):
            clock.sleep(_TICK)
            for rank in self.ranks:
                if self._read(rank):
                    self._look(rank)

    def _finish(self, outcome: Outcome, reason: str) -> None:
        try:
            now = self.ranks[0].now()
        except ReaffirmError:  # a recording that ends here
            now = self.ended
        self.outcome, self.reason, self.ended = outcome, reason, now
        self.silent = min((rank.silent(now) for rank in self.ranks if rank.started), default=0.0)
