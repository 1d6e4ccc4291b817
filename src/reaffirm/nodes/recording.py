"""Recording: every request, answer and time of a run goes through here on its way to a node."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from reaffirm.clock import Clock
from reaffirm.errors import ReaffirmError
from reaffirm.model.exchange import Answer, Chunk, HttpAnswer, HttpRequest, Line
from reaffirm.nodes.exchange_json import answer_to_json, error_to_json, http_to_json, request_to_json
from reaffirm.nodes.recorder import Recorder
from reaffirm.nodes.secret_variables import learn
from reaffirm.nodes.transport import LineStream, Transport
from reaffirm.nodes.wrapping import Wrapping
from reaffirm.redact import LineRedactor, redact, redact_chunks, redact_header, redact_words

_T = TypeVar("_T")


def recording(transport: Transport, recorder: Recorder) -> Transport:
    """Return ``transport`` with everything that goes through it written to ``recorder``.

    Answers come back redacted, exactly as they are written: a live run and its replay see the same.
    """
    recorder.add(transport)
    return _Recorded(transport, recorder)


class _Recorded(Wrapping):
    def __init__(self, inner: Transport, recorder: Recorder) -> None:
        super().__init__(inner)
        self._recorder = recorder
        self._clock = _RecordedClock(inner, recorder)

    @property
    def clock(self) -> Clock:
        return self._clock

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        learn(quick=True)
        asked = {"argv": redact_words(argv), "stdin": self._recorder.text(stdin), "timeout": timeout}
        answer = self._ask(
            "run", asked, lambda: self._inner.run(argv, stdin=stdin, timeout=timeout), clean_answer
        )
        self._recorder.write("run", {"node": self.node.name, **asked, "answer": answer_to_json(answer)})
        return answer

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> LineStream:
        learn(quick=True)
        asked = {"argv": redact_words(argv), "timeout": timeout}
        stream = self._ask("follow", asked, lambda: self._inner.follow(argv, timeout=timeout), lambda x: x)
        name = self._recorder.stream()
        self._recorder.write("follow", {"node": self.node.name, **asked, "stream": name})
        return _RecordedStream(stream, self._recorder, self.node.name, name)

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        learn(quick=True)
        asked = {**request_to_json(request), "timeout": timeout}
        answer = self._ask("http", asked, lambda: self._inner.http(request, timeout=timeout), clean_http)
        self._recorder.write("http", {"node": self.node.name, **asked, "answer": http_to_json(answer)})
        return answer

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._recorder.release(self.node.name)

    def _ask(
        self, op: str, asked: Mapping[str, Any], call: Callable[[], _T], clean: Callable[[_T], _T]
    ) -> _T:
        self._recorder.settle()
        try:
            return clean(call())
        except ReaffirmError as error:
            self._recorder.write(op, {"node": self.node.name, **asked, "error": error_to_json(error)})
            raise
        except BaseException as stop:  # Ctrl-C: the request went out and nobody knows its answer
            self._recorder.write(op, {"node": self.node.name, **asked, "interrupted": type(stop).__name__})
            raise


class _RecordedClock:
    def __init__(self, inner: Transport, recorder: Recorder) -> None:
        self._inner = inner
        self._recorder = recorder

    def now(self) -> float:
        at = self._inner.clock.now()
        self._recorder.seconds("now", self._inner.node.name, "at", at)
        return at

    def sleep(self, seconds: float) -> None:
        self._recorder.settle()
        try:
            self._inner.clock.sleep(seconds)
        except BaseException as stop:
            asked = {"node": self._inner.node.name, "seconds": seconds}
            self._recorder.write("sleep", {**asked, "interrupted": type(stop).__name__})
            raise
        self._recorder.seconds("sleep", self._inner.node.name, "seconds", seconds)


class _RecordedStream:
    """Writes only reads that brought something: a quiet hour costs nothing."""

    def __init__(self, inner: LineStream, recorder: Recorder, node: str, name: str) -> None:
        self._inner = inner
        self._recorder = recorder
        self._node = node
        self._name = name
        self._said: int | None = None
        self._clean = LineRedactor()
        self._closed = False

    @property
    def exit(self) -> int | None:
        # What a replay can know: the exit as of the last read that was written.
        return self._said

    def read(self, seconds: float) -> list[Line]:
        call = self._recorder.count(self._name)
        where = {"node": self._node, "stream": self._name, "call": call}
        self._recorder.settle()
        try:
            lines = [Line(self._clean(line.text), line.at) for line in self._inner.read(seconds)]
        except ReaffirmError as error:
            self._recorder.write("read", {**where, "error": error_to_json(error)})
            raise
        except BaseException as stop:
            self._recorder.write("read", {**where, "interrupted": type(stop).__name__})
            raise
        ended = self._inner.exit
        if lines or ended != self._said:
            self._said = ended
            texts = [[line.text, line.at] for line in lines]
            self._recorder.write("read", {**where, "lines": texts, "exit": ended})
        return lines

    def close(self) -> None:
        self._inner.close()
        if not self._closed:
            self._closed = True
            call = self._recorder.count(self._name)
            self._recorder.write("close", {"node": self._node, "stream": self._name, "call": call})


def clean_answer(answer: Answer) -> Answer:
    """Return an answer as it is recorded: redacted."""
    return Answer(answer.exit, redact(answer.stdout), redact(answer.stderr), answer.started, answer.ended)


def clean_http(answer: HttpAnswer) -> HttpAnswer:
    """Return an HTTP answer as it is recorded: redacted."""
    data = redact_chunks([chunk.data for chunk in answer.chunks])
    chunks = tuple(Chunk(text, chunk.at) for text, chunk in zip(data, answer.chunks, strict=True))
    headers = {name: redact_header(name, value) for name, value in answer.headers.items()}
    return HttpAnswer(answer.status, headers, chunks, answer.started, answer.ended, redact(answer.error))
