"""http: status, latency, and when a percentile says nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from alone import alone, values

from reaffirm.errors import UsageError
from reaffirm.model.evidence import Kind
from reaffirm.model.exchange import Chunk, HttpAnswer, HttpRequest
from reaffirm.model.report import Outcome
from reaffirm.steps import http

URL = "http://127.0.0.1:8080/search"


def _serve(node: Any, milliseconds: Callable[[int], float], status: Callable[[int], int]) -> None:
    count = 0

    def answer(request: HttpRequest, now: float) -> HttpAnswer:
        nonlocal count
        count += 1
        told = status(count)
        error = "" if told else "connection refused"
        chunks = (Chunk('{"hits": 7}', now),) if told else ()
        return HttpAnswer(told, {}, chunks, now, now + milliseconds(count) / 1000, error)

    node.answer_http = answer


def test_percentiles_are_by_nearest_rank_and_say_their_kind() -> None:
    """A claim on p95 would be judged by another figure."""
    cluster, node = alone()
    _serve(node, float, lambda n: 200)
    result = http(cluster, URL, name="search", repeat=100, facts={"hits": {"json": "hits"}})
    assert result.outcome is Outcome.PASS
    assert values(result) == {
        "search.passed": True,
        "search.status": 200,
        "search.requests": 100,
        "search.p50": 50.0,
        "search.p95": 95.0,
        "search.p99": 99.0,
        "search.hits": 7,
    }
    assert {fact.name: fact.unit for fact in result.facts}["search.p95"] == "ms"
    assert "figures of kind real" in result._repr_mimebundle_()["text/plain"]
    assert "simulated" in http(alone(Kind.SIMULATED)[0], URL)._repr_mimebundle_()["text/plain"].lower()


@pytest.mark.parametrize(
    ("repeat", "known"),
    [(1, {"p50"}), (19, {"p50"}), (20, {"p50", "p95"}), (99, {"p50", "p95"}), (100, {"p50", "p95", "p99"})],
)
def test_too_few_answers_have_no_percentile(repeat: int, known: set[str]) -> None:
    """The slowest of three answers would be called the 99th percentile."""
    cluster, node = alone()
    _serve(node, float, lambda n: 200)
    result = http(cluster, URL, repeat=repeat)
    assert {key for key in ("p50", "p95", "p99") if result[key] is not None} == known


def test_one_answer_of_another_status_takes_the_figures_with_it() -> None:
    """The quick errors of an overloaded service would make it look fast."""
    cluster, node = alone()
    _serve(node, float, lambda n: 503 if n == 7 else 200)
    result = http(cluster, URL, repeat=30)
    assert result.outcome is Outcome.FAIL
    assert (result["passed"], result["status"], result["requests"]) == (False, None, 29)
    assert result["p50"] is None
    assert "HTTP 503, expected 200" in result.report.summary


def test_nobody_listening_fails_at_the_first_request() -> None:
    """A thousand refused connections would be asked for."""
    cluster, node = alone()
    _serve(node, float, lambda n: 0)
    result = http(cluster, URL, repeat=1000)
    assert result.outcome is Outcome.FAIL
    assert (result["status"], result["requests"], result["p50"]) == (None, 0, None)
    assert "connection refused" in result.report.summary
    assert len(node.asked) == 1


def test_another_status_can_be_the_expected_one() -> None:
    """Nobody could check that a page is gone."""
    cluster, node = alone()
    _serve(node, float, lambda n: 404)
    assert http(cluster, URL, expect_status=404).outcome is Outcome.PASS


def test_a_clock_that_was_set_back_measures_nothing() -> None:
    """A negative latency would be the best ever seen."""
    cluster, node = alone()
    _serve(node, lambda n: -5.0, lambda n: 200)
    assert http(cluster, URL)["p50"] is None


@pytest.mark.parametrize(
    ("url", "more", "says"),
    [
        ("https://example.org/", {}, "http://HOST:PORT"),
        ("127.0.0.1:8080", {}, "http://HOST:PORT"),
        ("http://127.0.0.1:80x/", {}, "http://HOST:PORT"),
        ("http://127.0.0.1/a b", {}, "not an address"),
        (None, {}, "not an address"),
        (URL, {"method": "FETCH"}, "no HTTP method"),
        (URL, {"repeat": 0}, "repeat"),
        (URL, {"repeat": 1001}, "repeat"),
        (URL, {"expect_status": "200"}, "expect_status"),
        (URL, {"headers": {"A": "b\r\nC: d"}}, "one line"),
        (URL, {"facts": {"p95": {"text": "whole"}}}, "the step itself finds"),
        (URL, {"name": "verify"}, "found by the step of that name"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_refused(url: Any, more: Any, says: str) -> None:
    """A typo in an address would be a failed check of the service."""
    cluster, node = alone()
    with pytest.raises(UsageError) as caught:
        http(cluster, url, **more)
    assert says in caught.value.message
    assert node.asked == []


def test_a_secret_in_a_header_is_not_shown() -> None:
    """A key would be published with the notebook, as part of the curl line."""
    cluster, node = alone()
    _serve(node, float, lambda n: 200)
    result = http(cluster, URL, headers={"X-Api-Key": "sesame-4711", "Accept": "text/plain"})
    shown = str(result._repr_mimebundle_())
    assert "sesame-4711" not in shown
    assert "text/plain" in shown
