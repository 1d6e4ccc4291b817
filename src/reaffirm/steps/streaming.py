"""Reads a streamed chat completion (server-sent events) and measures it. Pure: chunks in, numbers out.

A number is given only for a stream that ended as it should; for any other it says why there is none.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reaffirm.model.exchange import Chunk, HttpAnswer
from reaffirm.steps.foreign_json import foreign_json

# No completion is that long: a count above it is no count.
_MOST_TOKENS = 100_000_000


@dataclass(frozen=True)
class Event:
    """One ``data:`` event with the time at which the chunk came that completed it (seconds)."""

    data: str
    at: float


@dataclass(frozen=True)
class Completion:
    """One streamed answer. Times are seconds, rates 1/s; ``None`` is what could not be measured.

    ``problem`` is empty for a stream that ended as it should.
    """

    reasoning: str = ""
    content: str = ""
    finish: str = ""
    tokens: int | None = None
    time_to_first_token: float | None = None
    inter_token_latency: float | None = None
    tokens_per_second: float | None = None
    problem: str = ""
    remarks: tuple[str, ...] = field(default=())


def events(chunks: Iterable[Chunk]) -> tuple[list[Event], str]:
    """Put chunks together into events; return them with what was left unfinished at the end.

    An event ends with an empty line; its bytes may be split anywhere, also inside of a line break.
    """
    found: list[Event] = []
    data: list[str] = []
    begun: list[str] = []  # the pieces of a line that has no end yet
    for chunk in chunks:
        first, *more = chunk.data.split("\n")
        begun.append(first)
        if not more:
            continue
        lines = ["".join(begun), *more[:-1]]
        begun = [more[-1]]
        for line in (line.removesuffix("\r") for line in lines):
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif not line and data:
                found.append(Event("\n".join(data), chunk.at))
                data = []
    return found, "\n".join([*data, "".join(begun)]).strip()


def completion(answer: HttpAnswer) -> Completion:
    """Read and measure one streamed chat completion."""
    if problem := _refusal(answer):
        return Completion(problem=problem)
    told, rest = events(answer.chunks)
    pieces: list[tuple[str, str]] = []
    times: list[float] = []
    finish, usage, done = "", None, False
    for event in told:
        if event.data.strip() == "[DONE]":
            done = True
            continue
        try:
            entry = foreign_json(event.data)
        except ValueError:
            return Completion(problem=f"an event that is not JSON: {event.data[:80]!r}")
        if not isinstance(entry, dict):
            return Completion(problem=f"an event that is not an object: {event.data[:80]!r}")
        if entry.get("error"):
            return Completion(problem=f"the server says: {_words(entry['error'])}")
        usage = entry.get("usage") or usage
        for reasoning, content, reason in _deltas(entry):
            finish = reason or finish
            if reasoning or content:
                pieces.append((reasoning, content))
                times.append(event.at)
    read = Completion(
        reasoning="".join(piece for piece, _ in pieces),
        content="".join(piece for _, piece in pieces),
        finish=finish,
    )
    problem = _break(answer, rest, told, done=done, finish=finish, any_text=bool(pieces))
    return _measured(read, answer.started, times, usage, problem)


def _refusal(answer: HttpAnswer) -> str:
    if answer.status == 0:
        return f"nobody answers: {answer.error or 'no connection'}"
    if answer.status != 200:
        return f"HTTP {answer.status}: {' '.join(answer.body.split())[:120]}"
    kind = next((v for k, v in answer.headers.items() if k.lower() == "content-type"), "")
    if kind and "text/event-stream" not in kind:
        return f"not a stream of events but {kind}: {' '.join(answer.body.split())[:80]!r}"
    return ""


def _break(
    answer: HttpAnswer, rest: str, told: Sequence[Event], *, done: bool, finish: str, any_text: bool
) -> str:
    """Return why the stream did not end as it should, or nothing."""
    if answer.error:
        return f"cut: {answer.error}"
    if not told:
        return f"no event in the answer: {answer.body[:80]!r}"
    if rest:
        return f"cut in the middle of an event: {rest[:60]!r}"
    if not done and not finish:
        return "ended without a finish reason and without [DONE]"
    return "" if any_text else "no text in any event"


def _deltas(entry: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return (reasoning, content, finish reason) of each choice. Older servers say ``reasoning_content``."""
    found = []
    choices = entry.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if not isinstance(choice, dict):
            continue
        delta = choice.get("delta")
        delta = delta if isinstance(delta, dict) else {}
        reasoning = delta.get("reasoning") or delta.get("reasoning_content") or ""
        content = delta.get("content") or ""
        found.append((str(reasoning), str(content), str(choice.get("finish_reason") or "")))
    return found


def _measured(
    read: Completion, started: float, times: Sequence[float], usage: object, problem: str
) -> Completion:
    if problem:
        return Completion(read.reasoning, read.content, read.finish, problem=problem)
    remarks = []
    arrivals = list(dict.fromkeys(times))
    if any(later < earlier for earlier, later in zip([started, *arrivals], arrivals, strict=False)):
        problem = "the times of arrival run backwards"
        return Completion(read.reasoning, read.content, read.finish, problem=problem)
    tokens = _tokens(usage)
    span = arrivals[-1] - arrivals[0]
    rate = None
    if tokens is None:
        remarks.append("no usage in the stream: tokens per second cannot be told")
    elif tokens < len(times):
        remarks.append(f"usage says {tokens} token(s) but {len(times)} pieces of text came: not counted")
    elif span <= 0:
        remarks.append("all text came at once: no rate can be measured")
    else:
        # The first token arrives at the beginning of the span, so that one fewer is made within it.
        rate = (tokens - 1) / span
    return Completion(
        read.reasoning,
        read.content,
        read.finish,
        tokens,
        arrivals[0] - started,
        # The mean: where the network delivers in bursts, most gaps are next to nothing and a median lies.
        span / (len(arrivals) - 1) if span > 0 else None,
        rate,
        "",
        tuple(remarks),
    )


def _tokens(usage: object) -> int | None:
    count = usage.get("completion_tokens") if isinstance(usage, dict) else None
    if not isinstance(count, int) or isinstance(count, bool):
        return None
    return count if 0 < count <= _MOST_TOKENS else None


def _words(error: object) -> str:
    told = error.get("message") if isinstance(error, dict) else error
    return " ".join(str(told).split())[:120]
