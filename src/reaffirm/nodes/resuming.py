"""A run that takes an earlier one up again: recorded answers for its finished steps, then live.

Every request before the first unfinished cell must be the recorded one, as in a replay, and gets the recorded
answer with the recorded times. From that cell on requests go to the nodes. All of it is written into the
recording of the new run, which can then be replayed like any other.

A simulated world does not outlive its run. There the requests of the finished steps are executed again on the
new world, and each answer must be the recorded one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from reaffirm.clock import Clock
from reaffirm.errors import ReaffirmError, RecordingError
from reaffirm.model.evidence import Via
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest, Line
from reaffirm.nodes import marks
from reaffirm.nodes.earlier import Earlier
from reaffirm.nodes.recorder import Recorder
from reaffirm.nodes.recording import clean_answer, clean_http, recording
from reaffirm.nodes.recording_start import Start
from reaffirm.nodes.replay import Replay
from reaffirm.nodes.transport import LineStream, Transport
from reaffirm.nodes.wrapping import Wrapping
from reaffirm.redact import LineRedactor

_T = TypeVar("_T")


class Resuming:
    """Both sides of a resumed run: what was recorded, and the nodes.

    ``again`` executes the requests of the finished steps once more and compares, for simulated nodes.
    """

    def __init__(
        self,
        earlier: Earlier,
        start: Start,
        live: Mapping[str, Transport],
        recorder: Recorder,
        *,
        again: bool = False,
    ) -> None:
        self.earlier = earlier
        self.start = start
        self.again = again
        self.replay = Replay.of(start.tape)
        self.recorder = recorder
        #: Called when the first unfinished cell begins.
        self.when_live: Callable[[], None] = lambda: None
        self._live = False
        marks.joins(self)
        recorded = self.replay.transports
        self.transports: Mapping[str, Transport] = {
            name: recording(_Resumed(self, recorded[name], transport), recorder)
            for name, transport in live.items()
        }

    def mark(self, mark: marks.Mark) -> None:
        """Hear of a cell that begins; see :mod:`reaffirm.nodes.marks`."""
        if mark.cell >= self.earlier.here:
            marks.leaves(self)
            self.when_live()

    def cell_ends(self) -> None:
        """Nothing is kept back here."""

    def cell_waits(self) -> None:
        """Nothing is kept back here."""

    @property
    def consented(self) -> tuple[str, ...]:
        """What a person agreed to in the finished steps; it counts for them alone."""
        return self.start.tape.consented

    @property
    def is_live(self) -> bool:
        """Whether requests go to the nodes by now; the first time, whether nothing was left out.

        Raises:
            RecordingError: the finished steps have asked for less than was recorded.
        """
        if not self._live and self.earlier.is_over:
            if self.replay.left:
                left = f"{self.replay.next_shown()} was asked in the step {self.step!r}"
                msg = f"{left} and is not asked any more"
                raise RecordingError(msg, hint=_changed(self.earlier.run))
            self._live = True
            self.recorder.write("live", {"cell": self.earlier.here, "step": self.earlier.step})
        return self._live

    @property
    def step(self) -> str:
        """The id of the finished step that is being replayed."""
        return self.start.step_of(self.replay.at) or "?"

    def both(self, recorded: Callable[[], _T], live: Callable[[], _T], clean: Callable[[_T], _T]) -> _T:
        """Return the recorded outcome of a request of a finished step, compared with that of the new world.

        Raises:
            RecordingError: the request or its outcome differs; the message names the step.
            ReaffirmError: the error that was recorded.
        """
        step = self.step
        told = _outcome(recorded)
        if isinstance(told, RecordingError):
            msg = f"the step {step!r} of {self.earlier.run} cannot be replayed: {told.message}"
            raise RecordingError(msg, hint=_changed(self.earlier.run)) from told
        if self.again:
            got = _outcome(lambda: clean(live()))
            if _plain(got) != _plain(told):
                msg = (
                    f"in the step {step!r} the simulated nodes answered otherwise than in {self.earlier.run}"
                )
                msg += f"\n  recorded: {_short(told)}\n  now:      {_short(got)}"
                hint = "the world, its durations or the simulator changed since; run it from the beginning"
                raise RecordingError(msg, hint=hint)
        if isinstance(told, ReaffirmError):
            raise told
        return told


class _Resumed(Wrapping):
    """One node of a resumed run; see :class:`reaffirm.nodes.transport.Transport`."""

    via = Via.LIVE

    def __init__(self, resuming: Resuming, recorded: Transport, live: Transport) -> None:
        super().__init__(live)
        self._resuming = resuming
        self._recorded = recorded
        self._clock = _ResumedClock(resuming, recorded, live)

    @property
    def clock(self) -> Clock:
        return self._clock

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        if self._resuming.is_live:
            return super().run(argv, stdin=stdin, timeout=timeout)
        return self._resuming.both(
            lambda: self._recorded.run(argv, stdin=stdin, timeout=timeout),
            lambda: self._inner.run(argv, stdin=stdin, timeout=timeout),
            clean_answer,
        )

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> LineStream:
        if self._resuming.is_live:
            return self._inner.follow(argv, timeout=timeout)
        started: list[LineStream] = []

        def live() -> None:
            started.append(self._inner.follow(argv, timeout=timeout))

        recorded: list[LineStream] = []

        def told() -> None:
            recorded.append(self._recorded.follow(argv, timeout=timeout))

        self._resuming.both(told, live, lambda nothing: nothing)
        return _ResumedStream(self._resuming, recorded[0], started[0] if started else None)

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        if self._resuming.is_live:
            return self._inner.http(request, timeout=timeout)
        return self._resuming.both(
            lambda: self._recorded.http(request, timeout=timeout),
            lambda: self._inner.http(request, timeout=timeout),
            clean_http,
        )

    def close(self) -> None:
        marks.leaves(self._resuming)
        super().close()


class _ResumedClock:
    def __init__(self, resuming: Resuming, recorded: Transport, live: Transport) -> None:
        self._resuming = resuming
        self._recorded = recorded
        self._inner = live

    def now(self) -> float:
        if self._resuming.is_live:
            return self._inner.clock.now()
        return self._resuming.both(self._recorded.clock.now, self._inner.clock.now, lambda at: at)

    def sleep(self, seconds: float) -> None:
        if self._resuming.is_live:
            self._inner.clock.sleep(seconds)
            return
        # Nobody waits for what was waited for then.
        self._resuming.both(
            lambda: self._recorded.clock.sleep(seconds),
            lambda: self._inner.clock.sleep(seconds),
            lambda nothing: nothing,
        )


class _ResumedStream:
    def __init__(self, resuming: Resuming, recorded: LineStream, live: LineStream | None) -> None:
        self._resuming = resuming
        self._recorded = recorded
        self._inner = live
        self._clean = LineRedactor()
        self._went_on = False

    @property
    def exit(self) -> int | None:
        return self._inner.exit if self._went_on and self._inner else self._recorded.exit

    def read(self, seconds: float) -> list[Line]:
        if not self._resuming.is_live:
            return self._resuming.both(
                lambda: self._recorded.read(seconds), lambda: self._live(seconds), self._cleaned
            )
        if self._inner is None:
            earlier = self._resuming.earlier
            msg = (
                f"the step {earlier.step!r} reads on in what a finished step of {earlier.run} began to follow"
            )
            hint = "nobody can follow that any more: run it from the beginning"
            raise RecordingError(msg, hint=hint)
        self._went_on = True
        return self._inner.read(seconds)

    def close(self) -> None:
        if self._inner is not None:
            self._inner.close()
        if not self._resuming.is_live:
            self._recorded.close()

    def _live(self, seconds: float) -> list[Line]:
        return self._inner.read(seconds) if self._inner else []

    def _cleaned(self, lines: list[Line]) -> list[Line]:
        return [Line(self._clean(line.text), line.at) for line in lines]


def _outcome(ask: Callable[[], _T]) -> "_T | ReaffirmError":
    try:
        return ask()
    except ReaffirmError as error:
        return error


def _plain(outcome: object) -> object:
    if isinstance(outcome, ReaffirmError):
        return type(outcome).__name__, str(outcome)
    return outcome


def _short(outcome: object) -> str:
    text = str(outcome) if isinstance(outcome, ReaffirmError) else repr(outcome)
    return text if len(text) <= 300 else f"{text[:300]} …"


def _changed(run: str) -> str:
    return (
        f"a step, a node program or a parameter changed since {run}; "
        "run it from the beginning, or put back what was changed"
    )
