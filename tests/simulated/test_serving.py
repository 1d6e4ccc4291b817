"""The HTTP endpoint of a simulated engine."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from launches import FABRIC, MODEL, launch, make_world

from reaffirm.model.exchange import HttpAnswer, HttpRequest
from reaffirm.nodes.simulated import World

PORT = {"vllm": 8000, "sglang": 30000}


def serving(engine: str, **changes: Any) -> World:
    """Return a world in which that engine serves; ``changes`` are to its image."""
    world = make_world()
    name = {"sglang": "sglang", "vllm": "vllm-qwen35"}[engine]
    if changes:
        world.put_image(replace(world.node("spark-1").images[name], **changes))
    launch(world, engine, host_address=True)
    world.advance(900)
    return world


def get(world: World, path: str, engine: str = "vllm", node: str = "spark-1") -> HttpAnswer:
    """Ask for a path on the head's loopback."""
    return world.transport(node).http(HttpRequest("GET", f"http://127.0.0.1:{PORT[engine]}{path}"))


def chat(world: World, engine: str = "vllm", timeout: float = 60.0, **body: Any) -> HttpAnswer:
    """Ask for a completion."""
    asked = {"model": MODEL, "messages": [{"role": "user", "content": "Why is the sky blue?"}], **body}
    url = f"http://127.0.0.1:{PORT[engine]}/v1/chat/completions"
    return world.transport("spark-1").http(HttpRequest("POST", url, {}, json.dumps(asked)), timeout=timeout)


def deltas(answer: HttpAnswer) -> list[dict[str, Any]]:
    """Return the deltas of a stream."""
    events = [chunk.data.removeprefix("data: ").strip() for chunk in answer.chunks]
    assert events[-1] == "[DONE]"
    choices = [json.loads(event)["choices"] for event in events[:-1]]
    return [choice[0]["delta"] for choice in choices if choice]


def test_nobody_answers_before_the_engine_is_ready() -> None:
    """Verify would pass while weights still load."""
    world = make_world()
    launch(world, "vllm", host_address=True)
    world.advance(100)
    answer = get(world, "/health")
    assert (answer.status, answer.error) == (0, "[Errno 111] Connection refused")
    world.advance(900)
    answer = get(world, "/health")
    assert (answer.status, answer.body) == (200, "")


def test_models_and_unknown_paths() -> None:
    """A wrong path or a wrong model would be answered with something."""
    world = serving("vllm")
    (card,) = json.loads(get(world, "/v1/models").body)["data"]
    assert (card["id"], card["owned_by"]) == (MODEL, "vllm")
    assert get(world, "/no/such").status == 404
    assert get(world, "/v1/chat/completions").status == 405
    assert "The model `x` does not exist." in chat(world, model="x").body
    assert chat(world, messages=[]).status == 400


def test_one_piece_has_reasoning_and_content_apart() -> None:
    """Reasoning and content could not be told apart, or usage would be missing."""
    answer = chat(serving("vllm"), max_tokens=256)
    data = json.loads(answer.body)
    message = data["choices"][0]["message"]
    assert message["reasoning"].startswith("The request has 5 words.")
    assert "simulated" in message["content"]
    usage = data["usage"]
    assert usage["completion_tokens"] + usage["prompt_tokens"] == usage["total_tokens"]


@pytest.mark.parametrize(
    ("engine", "version", "fields"),
    [
        ("vllm", "0.11.0", {"reasoning_content"}),
        ("vllm", "0.14.1", {"reasoning", "reasoning_content"}),
        ("vllm", "0.32.0", {"reasoning"}),
        ("sglang", "0.5.10", {"reasoning_content"}),
    ],
)
def test_the_field_of_the_reasoning_follows_the_version(engine: str, version: str, fields: set[str]) -> None:
    """A client that knows one name only would lose the reasoning."""
    answer = chat(serving(engine, engine_version=version), engine, stream=True)
    seen = {key for delta in deltas(answer) for key in delta} - {"role", "content"}
    assert seen == fields


def test_a_stream_arrives_in_virtual_time() -> None:
    """Time to first token and tokens per second could not be computed."""
    world = serving("vllm")
    answer = chat(world, stream=True, max_tokens=30, stream_options={"include_usage": True})
    times = [chunk.at for chunk in answer.chunks if '"reasoning":"' in chunk.data]
    assert len(times) == 30
    assert times[0] - answer.started == pytest.approx(world.durations["first-token"], abs=0.01)
    assert {round(later - earlier, 6) for earlier, later in pairwise(times)} == {world.durations["token"]}
    usage = json.loads(answer.chunks[-2].data.removeprefix("data: "))["usage"]
    assert usage["completion_tokens"] == 30
    assert '"finish_reason":"length"' in answer.chunks[-3].data


def test_without_a_parser_the_thoughts_stay_in_the_content() -> None:
    """A launch that forgets the reasoning parser would pass."""
    world = make_world()
    launch(world, "vllm", host_address=True, arguments=["--reasoning-parser="])
    world.advance(900)
    message = json.loads(chat(world).body)["choices"][0]["message"]
    assert message["reasoning"] is None
    assert "</think>" in message["content"]


def test_an_engine_that_dies_cuts_the_stream() -> None:
    """Half an answer would look like a whole one."""
    world = serving("vllm")
    world.schedule.after(1.0, lambda: world.node("spark-1").kill("vllm-head"))
    answer = chat(world, stream=True)
    assert answer.error.startswith("peer closed connection")
    assert answer.chunks
    assert "[DONE]" not in answer.body


def test_an_answer_slower_than_its_limit_is_cut() -> None:
    """A request would wait longer than it was told."""
    world = serving("vllm")
    answer = chat(world, stream=True, timeout=1.0)
    assert answer.error == "no end within 1 s"
    assert answer.ended - answer.started == pytest.approx(1.0)


def test_the_address_matters() -> None:
    """The endpoint would answer wherever it is asked for."""
    world = serving("vllm")

    def ask(node: str, host: str) -> HttpAnswer:
        return world.transport(node).http(HttpRequest("GET", f"http://{host}:8000/health"), timeout=5)

    assert ask("spark-2", FABRIC["spark-1"]).status == 200
    assert ask("spark-2", "127.0.0.1").error == "[Errno 111] Connection refused"
    assert ask("spark-2", "192.0.2.21").error == "timed out"
    assert "not known" in ask("spark-2", "no-such-host").error
