"""verify: does the service answer, with reasoning and content apart, and how fast?"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from reaffirm.errors import UsageError
from reaffirm.images.engines import SETTINGS
from reaffirm.images.names import model_name
from reaffirm.model.changes import Change
from reaffirm.model.exchange import HttpAnswer, HttpRequest
from reaffirm.model.fact import Fact
from reaffirm.model.node import LaunchHere, ModelHere
from reaffirm.model.report import Block, Log, Outcome, Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.steps.asking import Asker
from reaffirm.steps.declaring import declares
from reaffirm.steps.foreign_json import foreign_json
from reaffirm.steps.named import model_on
from reaffirm.steps.result import StepResult, expect_outcome, tell
from reaffirm.steps.streaming import Completion, completion

_PROMPT = "A train leaves at 9:40 and arrives at 11:05. How long is the journey? Answer in one sentence."
#: Limits of one request in seconds.
_QUICK, _LONG = 15.0, 600.0
#: Characters of an answer that the report shows.
_EXCERPT = 600


@dataclass(frozen=True)
class VerifyResult(StepResult):
    """What the service answered, one :class:`Completion` per request."""

    completions: tuple[Completion, ...] = ()
    cluster: Cluster | None = None

    def expect(self, outcome: str) -> Self:
        """Return this result when it ended that way (``pass``: all was answered and measured).

        Raises:
            UsageError: there is no outcome of that name.
            StepFailedError: it ended otherwise; the report was shown before.
        """
        expect_outcome(self, self.cluster, outcome, hint="the table above says which answer was missing")
        return self


@declares(Change.NOTHING, note="asks the model a few questions")
def verify(
    cluster: Cluster, *, model: str, requests: int = 3, prompt: str = "", max_tokens: int = 256
) -> VerifyResult:
    """Ask the service on the head: ``/health``, ``/v1/models``, then streamed chat completions.

    Times are the head's, measured on the head: time to first token from the start of the request to the
    first text, inter-token latency (mean) between arrivals, tokens per second from the server's count between
    first and last text. Each figure is the median over the requests; what could not be measured is unknown.
    The machine file's prompt, limit and extra fields for this model are used where it has some.

    Raises:
        UsageError: a model name that is not plain, or no request to send.
        NodeError: the head could not be asked.
    """
    here = model_on(cluster, model_name(model))
    if requests < 1:
        msg = f"verify needs at least one request, got {requests}; nothing was sent"
        raise UsageError(msg, hint="give requests=3")
    asker = Asker()
    base, health = _service(asker, cluster)
    served, models_problem = _models(asker, cluster, base) if health.status == 200 else ([], "not asked")
    name = model if model in served or not served else served[0]
    body = _body(name, here, prompt, max_tokens)
    count = requests if health.status == 200 else 0
    answers = [_chat(asker, cluster, base, body) for _ in range(count)]
    return _result(cluster, asker, model, here, health, served, models_problem, answers)


def _service(asker: Asker, cluster: Cluster) -> tuple[str, HttpAnswer]:
    """Return (address, answer to /health) of the first engine's port on the head where somebody answers."""
    tried: list[tuple[str, HttpAnswer]] = []
    for engine, settings in SETTINGS.items():
        port = cluster.machines.launch.get(engine.value, LaunchHere()).port or settings.port
        base = f"http://127.0.0.1:{port}"
        answer = asker.http(cluster.head, HttpRequest("GET", f"{base}/health"), timeout=_QUICK)
        if answer.status:
            return base, answer
        tried.append((base, answer))
    return tried[0]


def _models(asker: Asker, cluster: Cluster, base: str) -> tuple[list[str], str]:
    answer = asker.http(cluster.head, HttpRequest("GET", f"{base}/v1/models"), timeout=_QUICK)
    if answer.status != 200:
        return [], f"HTTP {answer.status} {answer.error}".strip()
    try:
        names = [str(entry["id"]) for entry in foreign_json(answer.body)["data"]]
    except (ValueError, KeyError, TypeError):
        return [], f"not a list of models: {' '.join(answer.body.split())[:80]!r}"
    return names, "" if names else "an empty list"


def _body(name: str, here: ModelHere, prompt: str, max_tokens: int) -> str:
    asked = {
        "model": name,
        "messages": [{"role": "user", "content": prompt or here.prompt or _PROMPT}],
        "max_tokens": here.max_tokens or max_tokens,
        "temperature": 0,
        "seed": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    return json.dumps(asked | dict(here.extra_body))


def _chat(asker: Asker, cluster: Cluster, base: str, body: str) -> Completion:
    headers = {"Content-Type": "application/json"}
    request = HttpRequest("POST", f"{base}/v1/chat/completions", headers, body)
    return completion(asker.http(cluster.head, request, timeout=_LONG))


def _median(
    good: Sequence[Completion], value: Callable[[Completion], float | None], digits: int
) -> float | None:
    found = [v for v in map(value, good) if v is not None]
    if not found or len(found) < len(good):
        return None  # a figure that some requests could not give would speak for the others only
    from statistics import median

    return round(median(found), digits)


def _result(
    cluster: Cluster,
    asker: Asker,
    model: str,
    here: ModelHere,
    health: HttpAnswer,
    served: Sequence[str],
    models_problem: str,
    answers: Sequence[Completion],
) -> VerifyResult:
    healthy = health.status == 200
    good = [answer for answer in answers if not answer.problem]
    bad = len(answers) - len(good)
    rate = _median(good, lambda c: c.tokens_per_second, 1)
    first = _median(good, lambda c: c.time_to_first_token, 3)
    gap = _median(good, lambda c: c.inter_token_latency, 4)
    reasoning = all(answer.reasoning for answer in good) if good and not bad else None
    content = all(answer.content for answer in good) if good and not bad else None
    rows = [
        ("GET /health", _health_words(health), "pass" if healthy else "FAIL"),
        ("GET /v1/models", models_problem or ", ".join(served), "pass" if model in served else "FAIL"),
        (
            "reasoning and content apart",
            _apart(reasoning, content),
            "pass" if reasoning and content else "unknown",
        ),
    ]
    if model not in served and served:
        rows[1] = ("GET /v1/models", f"{', '.join(served)}: not {model}", "FAIL")
    outcome = Outcome.PASS
    if not healthy or model not in served or bad or content is False:
        outcome = Outcome.FAIL
    elif None in (rate, first, content):
        outcome = Outcome.UNKNOWN
    facts = (
        Fact("verify.healthy", healthy),
        Fact("verify.model", model if model in served else (served[0] if served else None)),
        Fact("verify.reasoning", reasoning),
        Fact("verify.content", content),
        Fact("verify.tokens_per_second", rate, "1/s"),
        Fact("verify.time_to_first_token", first, "s"),
        Fact("verify.inter_token_latency", gap, "s"),
        Fact("verify.requests", len(good)),
    )
    blocks: list[Block] = [Table("Service", ("asked", "answered", ""), tuple(rows))]
    if answers:
        blocks.append(_requests(cluster.kind.value, answers))
    if good:
        blocks.append(_excerpt(good[0], here))
    missing = "" if model in served else f"/v1/models: {rows[1][1]}"
    summary = _summary(cluster.kind.value, health, missing, answers, good, rate)
    report = tell(cluster, asker, "verify", outcome, summary, blocks=tuple(blocks), facts=facts)
    return VerifyResult(report, tuple(answers), cluster)


def _health_words(health: HttpAnswer) -> str:
    if health.status == 0:
        return f"nobody answers: {health.error or 'no connection'}"
    return f"HTTP {health.status}"


def _apart(reasoning: bool | None, content: bool | None) -> str:
    words = {True: "there", False: "empty", None: "unknown"}
    return f"reasoning {words[reasoning]}, content {words[content]}"


def _summary(
    kind: str,
    health: HttpAnswer,
    missing: str,
    answers: Sequence[Completion],
    good: Sequence[Completion],
    rate: float | None,
) -> str:
    if health.status != 200:
        return f"the service is not healthy: {_health_words(health)}"
    if missing:
        return missing
    if len(good) < len(answers):
        problem = next(answer.problem for answer in answers if answer.problem)
        return (
            f"{len(good)} of {len(answers)} requests were answered as they should; first problem: {problem}"
        )
    speed = f"{rate:g} tokens/s" if rate is not None else "speed unknown"
    return f"{len(good)} of {len(answers)} requests answered; {speed} (median, {kind})"


def _requests(kind: str, answers: Sequence[Completion]) -> Table:
    def shown(value: float | None) -> str:
        return "unknown" if value is None else f"{float(f'{value:.3g}'):g}"  # three digits are known, if that

    rows = tuple(
        (
            str(number),
            shown(answer.time_to_first_token),
            shown(answer.inter_token_latency),
            shown(answer.tokens_per_second),
            "unknown" if answer.tokens is None else str(answer.tokens),
            answer.finish or "unknown",
            answer.problem or "; ".join(answer.remarks),
        )
        for number, answer in enumerate(answers, 1)
    )
    columns = ("request", "first token (s)", "between tokens (s)", "tokens/s", "tokens", "ended", "remark")
    return Table(f"Requests (figures of kind {kind})", columns, rows)


def _excerpt(answer: Completion, here: ModelHere) -> Log:
    title = "First answer"
    if here.stand_in:
        title = f"First answer: noise, not speech, since the model here is a stand-in ({here.stand_in})"
    lines = []
    for name, text in (("reasoning", answer.reasoning), ("content", answer.content)):
        cut = f"{text[:_EXCERPT]}…" if len(text) > _EXCERPT else text
        lines.append(f"[{name}] {cut.strip() or '(empty)'}")
    return Log(title, tuple(lines))
