"""Strict replay: a run again from its recording, without any node."""

import difflib
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reaffirm.clock import Clock
from reaffirm.errors import RecordingError
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.exchange import Answer, HttpAnswer, HttpRequest, Line
from reaffirm.model.node import NodeSpec
from reaffirm.nodes.exchange_json import answer_from_json, error_from_json, http_from_json, request_to_json
from reaffirm.nodes.recording_format import Event, Header, Tape, read_tape
from reaffirm.nodes.transport import LineStream, Transport
from reaffirm.redact import redact, redact_words
from reaffirm.store.code_hash import file_hash
from reaffirm.store.node_programs import digest

# A loop that reads and does nothing else would never end on a recording that breaks off.
_MOST_EMPTY_READS = 100_000


class Replay:
    """Plays a recording back. Every request must be the recorded one, in the recorded order.

    Raises:
        RecordingError: the recording is damaged; the message carries ``path:line``.
    """

    def __init__(self, path: Path, *, shown: str = "") -> None:
        self._begin(read_tape(path, shown=shown))

    @classmethod
    def of(cls, tape: Tape) -> "Replay":
        """Play back a tape that was read already."""
        replay = cls.__new__(cls)
        replay._begin(tape)
        return replay

    def _begin(self, tape: Tape) -> None:
        self._tape = tape
        self._at = 0
        self._opened: dict[str, _ReplayedStream] = {}
        self._nodes = {node.name: _Replayed(self, node) for node in self.header.nodes}

    @property
    def header(self) -> Header:
        """What the recording says about its run."""
        return self._tape.header

    @property
    def transports(self) -> Mapping[str, Transport]:
        """One transport per recorded node, in the recorded order."""
        return dict(self._nodes)

    @property
    def consented(self) -> tuple[str, ...]:
        """What a person agreed to in the recorded run."""
        return self._tape.consented

    @property
    def at(self) -> int:
        """The number of the recorded line that comes next, or of the last one."""
        events = self._tape.events
        return events[min(self._at, len(events) - 1)].seq if events else 0

    def next_shown(self) -> str:
        """Say the recorded request that comes next in one line; empty at the end."""
        left = self._tape.events[self._at :]
        return f"{self._where(left[0])}: {_shown(left[0].fields)}" if left else ""

    @property
    def left(self) -> int:
        """How many recorded requests were not asked for yet."""
        return len(self._tape.events) - self._at

    def take(self, op: str, node: str, asked: Mapping[str, Any], stdin: str | None = None) -> Event:
        """Return the next event, which must be this request; see :class:`Replay`."""
        now = {"op": op, "node": node, **asked}
        if self._at >= len(self._tape.events):
            self._past_the_end(now)
        event = self._tape.events[self._at]
        then = {key: event.fields.get(key) for key in now}
        if then != now and not self._same_program(then, now, stdin):
            self._differs(event, now, stdin)
        self._at += 1
        if stopped := event.fields.get("interrupted"):
            msg = (
                f"{self._where(event)}: the recorded run was stopped here ({stopped}): {_shown(event.fields)}"
            )
            raise RecordingError(msg, hint="its recording goes no further; run it again live")
        if error := event.fields.get("error"):
            raise error_from_json(error)
        return event

    def _same_program(self, then: Mapping[str, Any], now: Mapping[str, Any], stdin: str | None) -> bool:
        """Whether only the program on standard input has other words, and does the same."""
        text = self._tape.texts.get(then.get("stdin") or "")
        if text is None or stdin is None or {**then, "stdin": ""} != {**now, "stdin": ""}:
            return False
        return file_hash(text) == file_hash(redact(stdin))

    def next_of_stream(self, stream: str) -> Event | None:
        """Return the next event of a stream that is still to come."""
        for event in self._tape.events[self._at :]:
            if event.op in ("read", "close") and event.fields["stream"] == stream:
                return event
        return None

    def last_call(self, stream: str) -> int:
        """Return how often a stream was read in all, as far as the recording knows."""
        return self._tape.streams.get(stream, _MOST_EMPTY_READS)

    def more_reads(self, stream: str, node: str) -> None:
        """Stop a run that reads a stream more often than the recorded one did."""
        now = {"op": "read", "node": node, "stream": stream}
        if self._at >= len(self._tape.events):
            self._past_the_end(now)
        self._differs(self._tape.events[self._at], now, None)

    @property
    def exhausted(self) -> bool:
        """Whether a recording that breaks off has been played to its end."""
        return not self._tape.ended and self._at >= len(self._tape.events)

    def _where(self, event: Event) -> str:
        return f"{self._tape.path}:{event.line}"

    def _past_the_end(self, now: Mapping[str, Any]) -> None:
        if self._tape.ended:
            msg = f"{self._tape.path}: the recorded run asked nothing more, got {_shown(now)}"
            raise RecordingError(msg, hint=self._changed())
        msg = f"{self._tape.path}: the recording breaks off here, before {_shown(now)}"
        raise RecordingError(msg, hint="the run that wrote it died; run it again to get further")

    def _differs(self, event: Event, now: Mapping[str, Any], stdin: str | None) -> None:
        lines = [
            f"{self._where(event)}: request {event.seq} differs from the recorded one",
            f"  recorded: {_shown(event.fields)}",
            f"  got:      {_shown(now)}",
        ]
        for key in ("headers", "body"):
            if key in now and event.fields.get(key) != now[key]:
                lines += [f"  recorded {key}: {event.fields.get(key)}", f"  got {key}:      {now[key]}"]
        then = self._tape.texts.get(event.fields.get("stdin") or "", "")
        clean = redact(stdin or "")
        if then != clean and event.op == "run":
            diff = difflib.unified_diff(
                then.splitlines(),
                clean.splitlines(),
                "recorded standard input",
                "standard input now",
                lineterm="",
                n=1,
            )
            lines += [f"  {line}" for line in list(diff)[:40]]
        raise RecordingError("\n".join(lines), hint=self._changed())

    def _changed(self) -> str:
        wrote = self.header.versions.get("reaffirm", "unknown")
        since = f"the runbook, a step or a node program changed since (reaffirm {wrote})"
        return f"{since}; run it again live and publish that"


class _Replayed:
    def __init__(self, replay: Replay, node: NodeSpec) -> None:
        self._replay = replay
        self._node = node
        self._clock = _ReplayedClock(replay, node.name)

    @property
    def node(self) -> NodeSpec:
        return self._node

    @property
    def kind(self) -> Kind:
        return self._replay.header.kinds[self._node.name]

    @property
    def via(self) -> Via:
        return Via.REPLAY

    @property
    def clock(self) -> Clock:
        return self._clock

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        name = None if stdin is None else digest(redact(stdin))
        asked = {"argv": redact_words(argv), "stdin": name}
        answer = self._replay.take("run", self._node.name, asked, stdin).fields["answer"]
        return answer_from_json(answer)

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> LineStream:
        event = self._replay.take("follow", self._node.name, {"argv": redact_words(argv)})
        return _ReplayedStream(self._replay, self._node.name, event.fields["stream"])

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        said = self._replay.take("http", self._node.name, request_to_json(request)).fields["answer"]
        return http_from_json(said)

    def close(self) -> None:
        """There is nothing to let go of."""


class _ReplayedClock:
    def __init__(self, replay: Replay, node: str) -> None:
        self._replay = replay
        self._node = node

    def now(self) -> float:
        return float(self._replay.take("now", self._node, {}).fields["at"])

    def sleep(self, seconds: float) -> None:
        self._replay.take("sleep", self._node, {"seconds": seconds})


class _ReplayedStream:
    def __init__(self, replay: Replay, node: str, name: str) -> None:
        self._replay = replay
        self._node = node
        self._name = name
        self._calls = 0
        self._exit: int | None = None
        self._closed = False

    @property
    def exit(self) -> int | None:
        return self._exit

    def read(self, seconds: float) -> list[Line]:
        self._calls += 1
        event = self._replay.next_of_stream(self._name)
        if event is None:
            if self._replay.exhausted or self._calls > self._replay.last_call(self._name):
                self._replay.more_reads(self._name, self._node)
            return []
        if self._calls < event.fields["call"]:
            return []
        asked = {"stream": self._name, "call": self._calls}
        fields = self._replay.take("read", self._node, asked).fields
        self._exit = fields["exit"]
        return [Line(text, at) for text, at in fields["lines"]]

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._calls += 1
            self._replay.take("close", self._node, {"stream": self._name, "call": self._calls})


def _shown(fields: Mapping[str, Any]) -> str:
    """Say a request in one line, as a person would."""
    op, node = fields["op"], fields.get("node", "")
    if op in ("run", "follow"):
        stdin = f" < {str(fields['stdin'])[:12]}…" if fields.get("stdin") else ""
        return f"{node}: {op} {shlex.join(fields.get('argv', ()))}{stdin}"
    if op == "http":
        return f"{node}: {fields['method']} {fields['url']}"
    rest = {key: fields[key] for key in ("seconds", "stream", "call") if key in fields}
    return f"{node}: {op} {json.dumps(rest)}" if rest else f"{node}: {op}"
