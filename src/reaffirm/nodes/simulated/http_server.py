"""HTTP from a simulated node: who answers at an address and port, and when each chunk arrives."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from reaffirm.model.exchange import Chunk, HttpAnswer, HttpRequest
from reaffirm.model.node import Engine
from reaffirm.nodes.simulated import example_server
from reaffirm.nodes.simulated.completions import Completion, complete
from reaffirm.nodes.simulated.lies import lied
from reaffirm.nodes.simulated.machine import SimulatedNode
from reaffirm.nodes.simulated.network import Way
from reaffirm.nodes.simulated.rank import Rank

if TYPE_CHECKING:
    from reaffirm.nodes.simulated.world import World

_JSON = {"content-type": "application/json"}
_STREAM = {"content-type": "text/event-stream; charset=utf-8"}
_ROUND_TRIP = 0.0004


@dataclass(frozen=True)
class _Reply:
    """A whole answer: status, body, and the type of the body."""

    status: int
    body: str = ""
    headers: Mapping[str, str] | None = None


def request(world: "World", node: SimulatedNode, asked: HttpRequest, timeout: float) -> HttpAnswer:
    """Send a request from ``node`` and return the answer; time passes as it arrives."""
    started = world.clock.now()
    url = urlsplit(asked.url)
    address, port = _address(node, url.hostname or ""), url.port or 80
    if not address:
        return _nobody(world, started, f"[Errno -2] Name or service not known: {url.hostname}")
    way, host = world.way(node, address)
    if host is None:
        world.advance(timeout if way is Way.TIMEOUT else min(3.1, timeout))
        why = "timed out" if way is Way.TIMEOUT else "[Errno 113] No route to host"
        return _nobody(world, started, why)
    world.advance(_ROUND_TRIP)
    there = world.node_of(host)
    listener = next((entry for entry in there.listeners if entry.clashes(address, port)), None)
    if listener is None:
        return _nobody(world, started, "[Errno 111] Connection refused")
    if listener.pid in there.example_servers:
        return _example(world, there, listener.pid, asked, url.path, started)
    rank = next(
        (r for r in world.ranks.values() if r.node is there and r.container.pid == listener.pid), None
    )
    if rank is None or port != rank.command.port:
        return _nobody(world, started, "Server disconnected without sending a response.")
    return _served(world, rank, asked, url.path, started, timeout)


def _address(node: SimulatedNode, host: str) -> str:
    if host in ("localhost", node.hostname):
        return "127.0.0.1"
    try:
        return str(IPv4Address(host))
    except AddressValueError:
        return ""


def _nobody(world: "World", started: float, why: str) -> HttpAnswer:
    return HttpAnswer(0, {}, (), started, world.clock.now(), why)


def _example(
    world: "World", node: SimulatedNode, pid: int, asked: HttpRequest, path: str, started: float
) -> HttpAnswer:
    """Answer as ``scripts/node/example_server.py`` does."""
    world.advance(world.durations["example-answer"])
    now = world.clock.now()
    if asked.method.upper() != "GET":  # http.server of Python answers so where a class has no do_POST
        return HttpAnswer(501, {"content-type": "text/html;charset=utf-8"}, (), started, now)
    if path == "/stop":
        example_server.stop(node, pid)
    body = example_server.BODY
    headers = {**_JSON, "content-length": str(len(body.encode()))}
    return HttpAnswer(200, headers, (Chunk(body, now),), started, now)


def _served(
    world: "World", rank: Rank, asked: HttpRequest, path: str, started: float, timeout: float
) -> HttpAnswer:
    reply = _reply(rank, asked, path)
    if lie := rank.node.troubles.lies.get(path):
        reply = lied(lie, reply if isinstance(reply, Completion) else None)
    if isinstance(reply, _Reply):
        world.advance(0.002)
        now = world.clock.now()
        chunks = (Chunk(reply.body, now),) if reply.body else ()
        headers = {**(reply.headers or _JSON), "content-length": str(len(reply.body.encode()))}
        return HttpAnswer(reply.status, headers, chunks, started, now)
    chunks_so_far: list[Chunk] = []
    for pause, data in reply.chunks:
        left = started + timeout - world.clock.now()
        world.advance(max(min(pause, left), 0.0))
        now = world.clock.now()
        if not rank.alive:
            why = "peer closed connection without sending complete message body (incomplete chunked read)"
            return HttpAnswer(200 if chunks_so_far else 0, _STREAM, tuple(chunks_so_far), started, now, why)
        if pause > left:
            return HttpAnswer(
                200 if chunks_so_far else 0,
                _STREAM,
                tuple(chunks_so_far),
                started,
                now,
                f"no end within {timeout:g} s" if chunks_so_far else f"no answer within {timeout:g} s",
            )
        if data:
            chunks_so_far.append(Chunk(data, now))
    headers = {"content-type": reply.kind} if reply.kind else _STREAM if reply.streamed else _JSON
    return HttpAnswer(reply.status, headers, tuple(chunks_so_far), started, world.clock.now(), reply.cut)


def _reply(rank: Rank, asked: HttpRequest, path: str) -> _Reply | Completion:
    """Route a request as the engine's server does."""
    sglang = rank.command.engine is Engine.SGLANG
    if path in ("/health", "/ping") or (sglang and path == "/health_generate"):
        return _Reply(200 if rank.ready else 503, "")
    if rank.command.rank != 0:
        return _Reply(404, '{"detail":"Not Found"}')  # SGLang's other nodes answer /health and nothing else
    known = {"/v1/models": "GET", "/v1/chat/completions": "POST", "/version": "GET"}
    if sglang:
        known = {**known, "/get_model_info": "GET"}
    if path not in known:
        return _Reply(404, '{"detail":"Not Found"}')
    if asked.method.upper() != known[path]:
        return _Reply(405, '{"detail":"Method Not Allowed"}')
    match path:
        case "/v1/models":
            return _Reply(200, _compact(_models(rank)))
        case "/version":
            return _Reply(200, _compact({"version": rank.container.image.engine_version}))
        case "/get_model_info":
            return _Reply(200, _compact({"model_path": rank.command.model, "is_generation": True}))
    try:
        body = json.loads(asked.body or "")
    except ValueError:
        body = None
    if not isinstance(body, dict):
        return _Reply(400, _error("the body is not a JSON object", "BadRequestError", 400))
    if not isinstance(body.get("messages"), list) or not body["messages"]:
        return _Reply(
            400, _error("messages must be a list with at least one message", "BadRequestError", 400)
        )
    if body.get("model", rank.command.served_name) != rank.command.served_name and not sglang:
        return _Reply(404, _error(f"The model `{body['model']}` does not exist.", "NotFoundError", 404))
    return complete(rank, body)


def _models(rank: Rank) -> dict[str, Any]:
    owner = "vllm" if rank.command.engine is Engine.VLLM else "sglang"
    context = int(rank.command.number("max-model-len", "context-length", default=rank.weights().context))
    card = {
        "id": rank.command.served_name,
        "object": "model",
        "created": int(rank.began),
        "owned_by": owner,
        "root": rank.command.model,
        "parent": None,
        "max_model_len": context,
    }
    return {"object": "list", "data": [card]}


def _error(message: str, kind: str, code: int) -> str:
    return _compact({"error": {"message": message, "type": kind, "param": None, "code": code}})


def _compact(data: Mapping[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)
