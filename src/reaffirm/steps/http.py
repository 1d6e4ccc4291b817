"""http: one request to a service, as often as asked, and how long the answers took."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reaffirm.errors import NodeError, UsageError
from reaffirm.model.changes import Change
from reaffirm.model.exchange import HttpAnswer, HttpRequest
from reaffirm.model.extract import Recipe
from reaffirm.model.fact import FactValue
from reaffirm.model.report import Outcome, Table
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.declared import working
from reaffirm.nodes.http_request import check_request
from reaffirm.nodes.transport import Transport
from reaffirm.steps.asking import Asker
from reaffirm.steps.authored import AuthoredResult, checked_name, excerpt, named_facts, take
from reaffirm.steps.command import checked_seconds
from reaffirm.steps.declaring import Changes, written
from reaffirm.steps.extracting import extracts
from reaffirm.steps.result import tell

#: How often one step asks at most, and how long it may wait for one answer (seconds).
MOST_REQUESTS, _LONGEST = 1_000, 600.0
#: A percentile, and the fewest answers of which it says anything: of 19, the 95th percentile is the worst.
PERCENTILES: Mapping[str, tuple[int, int]] = {"p50": (50, 1), "p95": (95, 20), "p99": (99, 100)}
_OWN = ("passed", "status", "requests", *PERCENTILES)
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@dataclass(frozen=True)
class HttpResult(AuthoredResult):
    """What a service answered. ``latencies`` are milliseconds, one for each request that was answered."""

    status: int | None = None
    body: str = ""
    latencies: tuple[float, ...] = ()


def http(
    cluster: Cluster,
    url: str,
    *,
    node: str = "",
    name: str = "http",
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: str | None = None,
    expect_status: int = 200,
    repeat: int = 1,
    timeout: float = 30.0,
    facts: Mapping[str, Recipe] | None = None,
    changes: Changes | None = None,
) -> HttpResult:
    """Send one request from a node, ``repeat`` times one after the other, each on a connection of its own.

    A latency is the time from the start of a request, before it connects, to the end of its answer, on the
    node's clock; over SSH the way through that connection is in it. Nothing is left out as a warm-up.
    Percentiles are by nearest rank, and unknown where there are too few answers (20 for ``p95``, 100 for
    ``p99``) or where one request was not answered as expected: the others would speak for it. After a request
    that nobody answers no more are sent.

    Args:
        cluster: the nodes of the run.
        url: ``http://HOST:PORT/…``; ``127.0.0.1`` is the node itself.
        node: the node's name (default: the head, or the only node).
        name: what stands before the facts: ``<name>.passed``, ``.status``, ``.requests``, ``.p50``, ``.p95``,
            ``.p99`` (ms).
        method: GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.
        headers: headers of the request. Those that carry secrets are masked wherever they are written.
        body: the body of the request.
        expect_status: the HTTP status with which a request passes.
        repeat: how many requests, from 1 to 1000.
        timeout: seconds for one answer.
        facts: more facts and how each is found in the body of the last answer; see :func:`command`.
        changes: what the request changes; without it GET, HEAD and OPTIONS change nothing, the others
            something. On a node that is ``read-only`` only what changes nothing is sent.

    Raises:
        UsageError: a value that cannot be used. Nothing was sent.
    """
    checked_name(name)
    recipes = extracts(facts or {}, _OWN)
    limit = checked_seconds(timeout, _LONGEST)
    request = _request(url, method, headers or {}, body)
    _check(expect_status, repeat)
    where = cluster.one(node)
    asker = Asker()
    looks = method in ("GET", "HEAD", "OPTIONS")
    with working(written(name, changes or (Change.NOTHING if looks else Change.RUNS).value)):
        answers, lost = _ask(asker, where, request, repeat, limit)
    good = [a for a in answers if a.status == expect_status and not a.error]
    wrong = [a for a in answers if a.status and a not in good]
    # A service that nobody answers for has failed; of one whose node was lost nothing is known.
    passed = None if lost else len(good) == len(answers)
    latencies = tuple(round((a.ended - a.started) * 1000, 3) for a in good)
    figures = _percentiles(latencies, whole=bool(passed))
    statuses = Counter(a.status for a in answers)
    last = answers[-1] if answers else None
    reason = lost or _reason(answers, good, wrong, expect_status)
    taken = take(recipes, last.body if last else "", "" if passed else f"the request did not pass: {reason}")
    status = last.status if last and last.status and len(statuses) == 1 else None
    values: dict[str, tuple[FactValue, str]] = {
        "passed": (passed, ""),
        "status": (status, ""),
        "requests": (len(good), ""),
        **{key: (value, "ms") for key, value in figures.items()},
        **taken.facts,
    }
    outcome = Outcome.PASS if passed else Outcome.FAIL if passed is False else Outcome.UNKNOWN
    if passed and taken.unknown:
        outcome, reason = Outcome.UNKNOWN, f"{reason}; unknown: {taken.unknown[0]}"
    report = tell(
        cluster,
        asker,
        name,
        outcome,
        f"{method} {url} from {where.node.name}: {reason}",
        blocks=(
            _table(cluster.kind.value, figures, len(good), repeat),
            *taken.tables,
            *excerpt("Body of the last answer", last.body if last else ""),
        ),
        facts=named_facts(name, values),
    )
    plain = {key: value for key, (value, _) in values.items()}
    return HttpResult(report, name, plain, status, last.body if last else "", latencies)


def _request(url: str, method: str, headers: Mapping[str, str], body: str | None) -> HttpRequest:
    if method not in _METHODS:
        msg = f"no HTTP method {method!r}"
        raise UsageError(msg, hint=f"one of: {', '.join(_METHODS)}")
    if not isinstance(url, str) or not url.isascii() or any(c <= " " for c in url):
        msg = f"not an address: {url!r}"
        raise UsageError(msg, hint="write blanks and letters like ü as %20 and %C3%BC")
    for key, value in headers.items():
        if (
            not (isinstance(key, str) and isinstance(value, str))
            or not (key + value).isprintable()
            or not (key + value).isascii()
        ):
            msg = f"a header is one line of ASCII text, got {key!r}"
            raise UsageError(msg, hint='headers={"Accept": "application/json"}')
    request = HttpRequest(method, url, dict(headers), body)
    check_request(request)
    return request


def _check(expect_status: int, repeat: int) -> None:
    if (
        isinstance(expect_status, bool)
        or not isinstance(expect_status, int)
        or not 100 <= expect_status < 600
    ):
        msg = f"expect_status is an HTTP status, got {expect_status!r}"
        raise UsageError(msg, hint="such as 200 or 404")
    if isinstance(repeat, bool) or not isinstance(repeat, int) or not 1 <= repeat <= MOST_REQUESTS:
        msg = f"repeat is a whole number from 1 to {MOST_REQUESTS}, got {repeat!r}"
        raise UsageError(msg, hint="this step looks; a load test is a command of its own")


def _ask(
    asker: Asker, where: Transport, request: HttpRequest, repeat: int, timeout: float
) -> tuple[list[HttpAnswer], str]:
    answers: list[HttpAnswer] = []
    for _ in range(repeat):
        try:
            answers.append(asker.http(where, request, timeout=timeout))
        except NodeError as error:
            return answers, error.message.splitlines()[0]
        if not answers[-1].status:
            break
    return answers, ""


def _percentiles(latencies: Sequence[float], *, whole: bool) -> dict[str, float | None]:
    ranked = sorted(latencies)
    sound = whole and bool(ranked) and ranked[0] >= 0  # a clock that was set back measures nothing
    return {
        key: ranked[-(-percent * len(ranked) // 100) - 1] if sound and len(ranked) >= fewest else None
        for key, (percent, fewest) in PERCENTILES.items()
    }


def _reason(
    answers: Sequence[HttpAnswer], good: Sequence[HttpAnswer], wrong: Sequence[HttpAnswer], expected: int
) -> str:
    if wrong:
        first = wrong[0]
        seen = f"HTTP {first.status}, expected {expected}" if first.status != expected else first.error
        return f"{len(good)} of {len(answers)} answered as expected; the first other: {seen}"
    if len(good) < len(answers):
        return f"nobody answers: {answers[-1].error or 'no connection'}"
    return f"{len(good)} of {len(answers)} answered with HTTP {expected}"


def _table(kind: str, figures: Mapping[str, float | None], good: int, repeat: int) -> Table:
    rows = []
    for key, value in figures.items():
        fewest = PERCENTILES[key][1]
        why = (
            f"needs {fewest} answer{'' if fewest == 1 else 's'}"
            if good < fewest
            else "not all were answered as expected"
        )
        rows.append((key, "unknown" if value is None else f"{value:g} ms", "" if value is not None else why))
    title = f"Latency of {good} requests of {repeat} (figures of kind {kind})"
    return Table(title, ("percentile", "value", "why not"), tuple(rows))
