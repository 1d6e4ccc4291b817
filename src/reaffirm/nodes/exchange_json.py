"""Answers, requests and errors as the plain data of a recording, and back."""

from collections.abc import Mapping
from typing import Any

from reaffirm import errors
from reaffirm.errors import NodeError, ReaffirmError
from reaffirm.model.exchange import Answer, Chunk, HttpAnswer, HttpRequest
from reaffirm.redact import redact, redact_header


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """Return an answer as plain data."""
    return {
        "exit": answer.exit,
        "stdout": answer.stdout,
        "stderr": answer.stderr,
        "started": answer.started,
        "ended": answer.ended,
    }


def request_to_json(request: HttpRequest) -> dict[str, Any]:
    """Return an HTTP request as plain data, redacted."""
    return {
        "method": request.method,
        "url": redact(request.url),
        "headers": {name: redact_header(name, value) for name, value in request.headers.items()},
        "body": None if request.body is None else redact(request.body),
    }


def http_to_json(answer: HttpAnswer) -> dict[str, Any]:
    """Return an HTTP answer as plain data."""
    return {
        "status": answer.status,
        "headers": dict(answer.headers),
        "chunks": [[chunk.data, chunk.at] for chunk in answer.chunks],
        "started": answer.started,
        "ended": answer.ended,
        "error": answer.error,
    }


def error_to_json(error: ReaffirmError) -> dict[str, str]:
    """Return an error as plain data, redacted."""
    return {
        "type": type(error).__name__,
        "message": redact(error.message),
        "hint": redact(error.hint),
        "page": error.page,
        "node": getattr(error, "node", ""),
    }


def answer_from_json(said: Mapping[str, Any]) -> Answer:
    """Return the recorded answer."""
    return Answer(said["exit"], said["stdout"], said["stderr"], said["started"], said["ended"])


def http_from_json(said: Mapping[str, Any]) -> HttpAnswer:
    """Return the recorded HTTP answer."""
    chunks = tuple(Chunk(data, at) for data, at in said["chunks"])
    return HttpAnswer(said["status"], said["headers"], chunks, said["started"], said["ended"], said["error"])


def error_from_json(said: Mapping[str, str]) -> ReaffirmError:
    """Return the recorded error again."""
    kind = getattr(errors, said["type"], None)
    if isinstance(kind, type) and issubclass(kind, NodeError):
        return kind(said["message"], node=said["node"], hint=said["hint"], page=said["page"])
    if isinstance(kind, type) and issubclass(kind, ReaffirmError):
        return kind(said["message"], hint=said["hint"], page=said["page"])
    return ReaffirmError(said["message"], hint=said["hint"], page=said["page"])
