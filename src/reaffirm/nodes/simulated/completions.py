"""Chat completions of a simulated engine: reasoning and content apart, as a stream or in one piece."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from packaging.version import Version

from reaffirm.model.node import Engine
from reaffirm.nodes.simulated.rank import Rank

#: vLLM named the field ``reasoning`` in 0.12.0 and kept ``reasoning_content`` beside it until 0.16.0.
#: Inferred from the dates of vllm PRs 27752 and 33402; that 0.17.1 has only ``reasoning`` is reported.
_NEW_NAME = Version("0.12.0")
_OLD_NAME_GONE = Version("0.16.0")

_DEFAULT_TOKENS = 512


@dataclass(frozen=True)
class Completion:
    """The parts of an answer, each with the seconds that pass before it arrives.

    ``cut`` is how the connection broke after them, ``kind`` the type of a body that is neither a stream
    nor JSON.
    """

    chunks: tuple[tuple[float, str], ...]
    streamed: bool
    status: int = 200
    cut: str = ""
    kind: str = ""


@dataclass(frozen=True)
class _Text:
    reasoning: tuple[str, ...]
    content: tuple[str, ...]
    finish: str

    @property
    def length(self) -> int:
        return len(self.reasoning) + len(self.content)


def complete(rank: Rank, body: Mapping[str, Any]) -> Completion:
    """Answer one request for a chat completion."""
    text = _answer(rank, body)
    prompt = sum(len(_tokens(_message(m))) for m in body["messages"]) + 11
    usage = {
        "prompt_tokens": prompt,
        "total_tokens": prompt + text.length,
        "completion_tokens": text.length,
        "prompt_tokens_details": None,
    }
    key = json.dumps(dict(body), sort_keys=True, default=str) + f"{rank.world.clock.now():.6f}"
    head = {
        "id": "chatcmpl-" + hashlib.sha256(key.encode()).hexdigest()[:32],
        "created": int(rank.world.clock.now()),
        "model": rank.command.served_name,
    }
    first, pace = rank.took("first-token"), rank.took("token")
    if not body.get("stream"):
        message: dict[str, Any] = {
            "role": "assistant",
            "content": "".join(text.content) or None,
            "tool_calls": [],
        }
        message |= _reasoning(rank, "".join(text.reasoning) or None)
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": text.finish}
        whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        return Completion(((first + pace * max(text.length - 1, 0), _compact(whole)),), streamed=False)

    def event(delta: Mapping[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _event({**head, "object": "chat.completion.chunk", "choices": [choice]})

    # Both engines open the stream with the role when the first token is there.
    chunks: list[tuple[float, str]] = [(first, event({"role": "assistant", "content": ""}))]
    pause = 0.0
    for token in text.reasoning:
        chunks.append((pause, event(_reasoning(rank, token))))
        pause = pace
    for token in text.content:
        chunks.append((pause, event({"content": token})))
        pause = pace
    chunks.append((0.0, event({}, text.finish)))
    if (body.get("stream_options") or {}).get("include_usage"):
        last = {**head, "object": "chat.completion.chunk", "choices": [], "usage": usage}
        chunks.append((0.0, _event(last)))
    chunks.append((0.0, "data: [DONE]\n\n"))
    return Completion(tuple(chunks), streamed=True)


def _reasoning(rank: Rank, text: str | None) -> dict[str, str | None]:
    """Return the field or fields in which this version of the engine sends reasoning."""
    if rank.command.engine is Engine.SGLANG:
        return {"reasoning_content": text}
    version = Version(rank.container.image.engine_version)
    if version < _NEW_NAME:
        return {"reasoning_content": text}
    if version < _OLD_NAME_GONE:
        return {"reasoning": text, "reasoning_content": text}
    return {"reasoning": text}


def _answer(rank: Rank, body: Mapping[str, Any]) -> _Text:
    """Write the answer: a simulated engine has no weights, and says so."""
    question = _message(body["messages"][-1]).strip()
    words = len(question.split())
    thought = (
        f"The request has {words} words. There is no model here that could think about them: this is a "
        "simulated node. So the answer says just that, in a few sentences, and stops."
    )
    said = (
        "This is the answer of a simulated node. It came through the same requests, streams and parsers as "
        "a real one would. Nothing in it was computed by a model."
    )
    thinking = (body.get("chat_template_kwargs") or {}).get("enable_thinking", True)
    reasoning, content = (_tokens(thought), _tokens(said)) if thinking else ([], _tokens(said))
    if thinking and not rank.command.options.get("reasoning-parser"):
        # Without a parser nobody takes the thoughts out of the text.
        reasoning, content = [], [*reasoning, "\n</think>\n\n", *content]
    given = body.get("max_tokens") or body.get("max_completion_tokens")
    limit = int(given) if isinstance(given, int) and given > 0 else _DEFAULT_TOKENS
    finish = "length" if len(reasoning) + len(content) > limit else "stop"
    kept = reasoning[:limit]
    return _Text(tuple(kept), tuple(content[: limit - len(kept)]), finish)


def _message(message: Any) -> str:
    content = message.get("content") if isinstance(message, dict) else message
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def _tokens(text: str) -> list[str]:
    """Split into pieces of about a word, each with the space before it."""
    return re.findall(r"\s*[^\s]+", text)


def _event(data: Mapping[str, Any]) -> str:
    return f"data: {_compact(data)}\n\n"


def _compact(data: Mapping[str, Any] | Sequence[Any]) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)
