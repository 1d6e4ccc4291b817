"""verify: what it asks, what it concludes, and what it never makes up."""

import json

import pytest
from scripted_node import MODEL, ScriptedNode, pair

from reaffirm.errors import UsageError
from reaffirm.model.exchange import Chunk, HttpAnswer, HttpRequest
from reaffirm.model.node import ModelHere
from reaffirm.model.report import Outcome, Table
from reaffirm.steps import verify

FIGURES = ("tokens_per_second", "time_to_first_token", "inter_token_latency")


def _serve(
    node: ScriptedNode, *, names: tuple[str, ...] = (MODEL,), slow: float = 1.0, broken: int = -1
) -> list[dict]:
    """Serve a model on port 8000; the request numbered ``broken`` is cut. Returns the bodies asked."""
    asked: list[dict] = []

    def answer(request: HttpRequest, now: float) -> HttpAnswer:
        if ":8000" not in request.url:
            return HttpAnswer(0, {}, (), now, now, "connection refused")
        if request.url.endswith("/health"):
            return HttpAnswer(200, {}, (), now, now)
        if request.url.endswith("/v1/models"):
            body = json.dumps({"data": [{"id": name} for name in names]})
            return HttpAnswer(200, {"content-type": "application/json"}, (Chunk(body, now),), now, now)
        assert request.body is not None
        asked.append(json.loads(request.body))
        deltas = [{"reasoning": "So"}, {"reasoning": " it"}, {"content": "Yes"}]
        chunks = [
            Chunk(f"data: {json.dumps({'choices': [{'delta': delta}]})}\n\n", now + slow * (0.4 + 0.1 * n))
            for n, delta in enumerate(deltas)
        ]
        usage = {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {"completion_tokens": 3}}
        if len(asked) - 1 != broken:
            chunks.append(Chunk(f"data: {json.dumps(usage)}\n\ndata: [DONE]\n\n", now + slow))
        return HttpAnswer(200, {"content-type": "text/event-stream"}, tuple(chunks), now, now + slow)

    node.answer_http = answer
    return asked


def test_healthy_service_is_measured() -> None:
    """The figures of a good service would be wrong or missing."""
    cluster, head, _, _ = pair()
    asked = _serve(head)
    result = verify(cluster, model=MODEL)
    facts = {fact.name.removeprefix("verify."): fact.value for fact in result.facts}
    assert result.outcome is Outcome.PASS
    assert facts["reasoning"] is True
    assert facts["content"] is True
    assert facts["requests"] == 3
    assert facts["tokens_per_second"] == pytest.approx(10.0)
    assert facts["time_to_first_token"] == pytest.approx(0.4)
    assert facts["inter_token_latency"] == pytest.approx(0.1)
    assert all(body["stream"] and body["stream_options"] == {"include_usage": True} for body in asked)
    assert "simulated" in result.report.summary
    (table,) = (b for b in result.report.blocks if b.title == "Requests (figures of kind simulated)")
    assert isinstance(table, Table)
    assert table.rows[0][1:4] == ("0.4", "0.1", "10"), (
        "units stand in the columns, digits no more than are known"
    )


def test_one_broken_answer_of_three_gives_no_median_of_the_others_as_a_pass() -> None:
    """A service that drops every third answer would look healthy."""
    cluster, head, _, _ = pair()
    _serve(head, broken=1)
    result = verify(cluster, model=MODEL)
    assert result.outcome is Outcome.FAIL
    assert "2 of 3" in result.report.summary


@pytest.mark.parametrize("status", [0, 404, 503])
def test_unhealthy_service_gives_no_figures(status: int) -> None:
    """Numbers would be shown for a service that does not serve."""
    cluster, head, _, _ = pair()
    head.answer_http = lambda request, now: HttpAnswer(status, {}, (), now, now, "" if status else "refused")
    result = verify(cluster, model=MODEL)
    facts = {fact.name.removeprefix("verify."): fact.value for fact in result.facts}
    assert result.outcome is Outcome.FAIL
    assert facts["healthy"] is False
    assert facts["requests"] == 0
    assert all(facts[name] is None for name in (*FIGURES, "reasoning", "content"))


def test_another_model_is_not_the_one_asked_for() -> None:
    """A claim about one model would be affirmed by another."""
    cluster, head, _, _ = pair()
    _serve(head, names=("some/other",))
    result = verify(cluster, model=MODEL)
    assert result.outcome is Outcome.FAIL
    assert "some/other: not Qwen" in result._repr_mimebundle_()["text/plain"]


def test_stand_in_uses_its_prompt_and_is_called_noise() -> None:
    """Random characters would be read as the model's answer."""
    here = ModelHere(stand_in="random weights", prompt="seed 7", max_tokens=40, extra_body={"seed": 7})
    cluster, head, _, _ = pair(models={MODEL: here})
    asked = _serve(head)
    result = verify(cluster, model=MODEL, requests=1)
    assert asked[0]["messages"][0]["content"] == "seed 7"
    assert asked[0]["max_tokens"] == 40
    assert asked[0]["seed"] == 7
    assert "noise" in result._repr_mimebundle_()["text/plain"]


def test_figures_that_nobody_could_measure_are_unknown() -> None:
    """A buffered stream would give a speed of a million tokens per second."""
    cluster, head, _, _ = pair()
    _serve(head, slow=0.0)
    result = verify(cluster, model=MODEL)
    assert result.outcome is Outcome.UNKNOWN
    facts = {fact.name: fact.value for fact in result.facts}
    assert facts["verify.tokens_per_second"] is None


def test_no_request_is_no_verification() -> None:
    """A run that was told to measure nothing would pass, with a measurement nobody asked for."""
    cluster, head, _, _ = pair()
    with pytest.raises(UsageError, match="at least one request, got 0"):
        verify(cluster, model=MODEL, requests=0)
    assert head.asked == []
