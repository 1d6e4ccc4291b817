"""What a run sent to which node: read from its recording, by step, for people.

The recording itself is checked elsewhere (``reaffirm check``); here a damaged line is counted, no more.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reaffirm.model.exchange import Sent

_SHOWN = ("begin", "cell", "run", "http", "follow", "consent", "lock", "checked", "live")
_OP = b'"op":"'
_AT, _SECONDS = (re.compile(rb'"%b":([0-9.eE+-]+)' % key) for key in (b"at", b"seconds"))
#: A command of more characters is cut on a page.
_LONGEST = 1500
#: Clocks of two nodes that differ by no more are taken for one (seconds).
_APART = 5.0


@dataclass(frozen=True)
class Request:
    """One request, or several that are the same. Times are seconds, ``at`` since the first of the run.

    ``ended`` says how it went in words (``exit 0``, ``HTTP 200``); ``good`` whether as one would wish.
    ``took`` and ``starts`` hold the time of each that was answered.
    """

    node: str
    shell: str
    at: float
    took: tuple[float, ...] = ()
    starts: tuple[float, ...] = ()
    ended: str = ""
    good: bool = True
    times: int = 1


@dataclass(frozen=True)
class StepRequests:
    """What one cell sent. ``begins`` and ``ends`` (seconds) are None where it sent nothing."""

    cell: int
    step: str
    requests: tuple[Request, ...] = ()
    begins: float | None = None
    ends: float | None = None

    @property
    def count(self) -> int:
        """How many requests there were."""
        return sum(request.times for request in self.requests)


@dataclass(frozen=True)
class RequestLog:
    """A recording as people read it.

    ``nodes`` are (name, role) with the head first; ``seconds`` is from the first request to the end of the
    last, by the node's clock, None where nothing was sent; ``waited`` how much of that the run slept;
    ``whole`` whether the recording came to its end; ``damaged`` how many lines could not be read.
    """

    nodes: tuple[tuple[str, str], ...] = ()
    steps: tuple[StepRequests, ...] = ()
    seconds: float | None = None
    waited: float = 0.0
    whole: bool = False
    damaged: int = 0

    @property
    def count(self) -> int:
        """How many requests there were."""
        return sum(step.count for step in self.steps)

    def took(self, cell: int) -> float | None:
        """Seconds from a cell's first request to the end of its last."""
        found = next((one for one in self.steps if one.cell == cell), None)
        return (
            found.ends - found.begins
            if found and found.begins is not None and found.ends is not None
            else None
        )


def read_requests(recording: bytes, programs: Mapping[str, str]) -> RequestLog:
    """Read a recording.

    Args:
        recording: the content of ``recording.jsonl``.
        programs: the name of each program by the SHA-256 under which the recording has it.
    """
    reader = _Reader(programs)
    for line in recording.split(b"\n"):
        if line:
            reader.line(line)
    return reader.log()


class _Reader:
    def __init__(self, programs: Mapping[str, str]) -> None:
        self.programs = programs
        self.nodes: tuple[tuple[str, str], ...] = ()
        self.steps: list[StepRequests] = []
        self.found: dict[tuple[str, str, str], Request] = {}
        self.spans: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
        self.mark: tuple[int, str] | None = None
        self.first: float | None = None
        self.last: float | None = None
        self.spoke: list[float] = []
        self.apart: dict[str, float] = {}
        self.waited = 0.0
        self.damaged = 0
        self.whole = False

    def line(self, line: bytes) -> None:
        """Take one line; those that no page shows are not parsed."""
        start = line.find(_OP, 0, 40) + len(_OP)
        op = line[start : line.find(b'"', start)].decode("ascii", "replace")
        if op == "end":
            self.whole = True
        try:
            if op in ("now", "sleep"):
                self._clock(op, line)
            elif op in _SHOWN:
                self._shown(op, json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self.damaged += 1

    def _clock(self, op: str, line: bytes) -> None:
        """A glance at the clock, or a rest: tens of thousands of them, so only the number is looked for."""
        found = (_AT if op == "now" else _SECONDS).search(line)
        if found is None:
            raise ValueError(op)
        value = float(found[1])
        if op == "sleep":
            self.waited += value
        elif self.first is not None:
            start = line.index(b'"node":"') + 8
            node = line[start : line.index(b'"', start)].decode()
            self._seen(self._aligned(node, value), self._aligned(node, value))

    def _shown(self, op: str, fields: Mapping[str, Any]) -> None:
        match op:
            case "begin":
                self.nodes = tuple((str(one["name"]), str(one.get("role", ""))) for one in fields["nodes"])
            case "cell":
                self._close()
                self.mark = (int(fields["cell"]), str(fields["step"]))
            case "run" | "http" | "follow" | "checked":
                self._request(op, fields)

    def _request(self, op: str, fields: Mapping[str, Any]) -> None:
        answer = fields.get("answer")
        ended, good = _ended(op, fields, answer)
        node, shell = str(fields["node"]), self._shell(op, fields)
        begin, end = (None if one is None else self._aligned(node, one) for one in _times(answer))
        if begin is not None and end is not None:
            self._seen(begin, end)
        at = (begin if begin is not None else self.last or self.first or 0.0) - (self.first or 0.0)
        key = (node, shell, ended)
        if (same := self.found.get(key)) is not None:
            self.found[key] = replace(same, times=same.times + 1)
        else:
            self.found[key] = Request(node, shell, max(0.0, at), ended=ended, good=good)
            self.spans[key] = []
        if begin is not None and end is not None:
            self.spans[key].append((begin - (self.first or 0.0), end - begin))

    def _aligned(self, node: str, moment: float) -> float:
        """A node's time by the clock of the first that was asked, where theirs are seconds apart.

        One request follows the other, so a node's first begins when the last one of another has ended.
        """
        if node not in self.apart:
            gap = (self.last if self.last is not None else moment) - moment
            self.apart[node] = gap if abs(gap) > _APART else 0.0
        return moment + self.apart[node]

    def _seen(self, begin: float, end: float) -> None:
        self.first = begin if self.first is None else self.first
        self.last = max(end, self.last or end)
        self.spoke += (begin, end) if not self.spoke else (end,)

    def _shell(self, op: str, fields: Mapping[str, Any]) -> str:
        if op == "http":
            method = str(fields["method"])
            how = ["-I"] if method == "HEAD" else ["-N", "-X", method]
            words = ["curl", "-sS", *how, str(fields["url"])]
            for name, value in (fields.get("headers") or {}).items():
                words += ["-H", f"{name}: {value}"]
            if fields.get("body") is not None:
                words += ["-d", str(fields["body"])]
            text = Sent("", tuple(words)).shell
        else:
            program = self.programs.get(str(fields.get("stdin") or ""), "")
            text = Sent("", tuple(map(str, fields["argv"])), program).shell
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} … (cut)"

    def _close(self) -> None:
        """End the step that is open; before the first mark there is one without a name."""
        if self.mark is None and not self.found:
            return
        cell, step = self.mark or (0, "")
        begins = min(self.spoke) - self.first if self.spoke and self.first is not None else None
        ends = max(self.spoke) - self.first if self.spoke and self.first is not None else None
        requests = tuple(
            replace(
                one, starts=tuple(a for a, _ in self.spans[key]), took=tuple(b for _, b in self.spans[key])
            )
            for key, one in self.found.items()
        )
        self.steps.append(StepRequests(cell, step, requests, begins, ends))
        self.found, self.spans, self.spoke = {}, {}, []

    def log(self) -> RequestLog:
        """Return what was read."""
        self._close()
        seconds = self.last - self.first if self.first is not None and self.last is not None else None
        return RequestLog(self.nodes, tuple(self.steps), seconds, self.waited, self.whole, self.damaged)


def _times(answer: object) -> tuple[float | None, float | None]:
    if isinstance(answer, dict) and "started" in answer and "ended" in answer:
        return float(answer["started"]), float(answer["ended"])
    return None, None


def _ended(op: str, fields: Mapping[str, Any], answer: object) -> tuple[str, bool]:
    """How a request went, in words, and whether as one would wish."""
    if error := fields.get("error"):
        kind = error.get("type", "error") if isinstance(error, dict) else str(error)
        return f"no answer: {str(kind)[:80]}", False
    if fields.get("interrupted"):
        return "interrupted", False
    if op == "follow":
        return "followed", True
    if not isinstance(answer, dict):
        return "", True
    if "status" in answer:
        status = int(answer["status"])
        return (f"HTTP {status}", 200 <= status < 300) if status else ("no answer", False)
    return f"exit {answer.get('exit')}", answer.get("exit") == 0


def by_node(step: StepRequests) -> Iterator[tuple[str, tuple[Request, ...]]]:
    """Yield each node that a step asked, in the order in which it did, with the requests."""
    for node in dict.fromkeys(request.node for request in step.requests):
        yield node, tuple(request for request in step.requests if request.node == node)
