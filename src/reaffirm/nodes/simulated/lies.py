"""HTTP servers that lie: what a simulated engine answers when a machine file says that it does."""

import json
from dataclasses import replace
from itertools import islice, repeat

from reaffirm.nodes.simulated.completions import Completion

#: What a server may do instead of answering truly.
LIES = ("html", "other-model", "error", "garbled", "cut", "short", "endless", "empty")

_PAGE = "<!doctype html><html><head><title>Sign in</title></head><body>Sign in to go on.</body></html>"
_CUT = "peer closed connection without sending complete message body (incomplete chunked read)"
#: No request waits longer for its end than so many pieces take (ten minutes at ten a second).
_ENDLESS = 7_000


def lied(lie: str, honest: Completion | None) -> Completion:
    """Return what the server sends instead; ``honest`` is its true answer where that is a completion."""
    match lie:
        case "html":
            return _whole(_PAGE, kind="text/html; charset=utf-8")
        case "other-model":
            card = {"id": "somebody/else", "object": "model", "owned_by": "vllm", "max_model_len": 4096}
            return _whole(json.dumps({"object": "list", "data": [card]}))
        case "error":
            error = {
                "message": "EngineCore encountered an issue.",
                "type": "InternalServerError",
                "code": 500,
            }
            return replace(_whole(json.dumps({"error": error})), status=500)
        case "short":
            why = f"{_CUT.partition(' (')[0]} (received 16 bytes, expected 999)"
            return replace(_whole('{"object":"list"'), cut=why)
        case "empty":
            return _whole("")
    chunks = honest.chunks if honest is not None else ((0.1, "data: {}\n\n"),)
    if lie == "garbled":
        return Completion(((0.1, 'data: {"choices": [{"delta": {"content": "Hel\n\n'), *chunks[1:]), True)
    if lie == "cut":
        return Completion(chunks[: max(len(chunks) // 2, 1)], True, cut=_CUT)
    middle = max(chunks[len(chunks) // 2 - 1 : len(chunks) // 2 + 1], key=len)
    return Completion((*chunks[:-3], *islice(repeat((0.1, middle[1])), _ENDLESS)), True)


def _whole(body: str, kind: str = "application/json") -> Completion:
    return Completion(((0.002, body),), streamed=False, kind=kind)
