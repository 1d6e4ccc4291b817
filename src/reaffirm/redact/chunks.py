"""Redacts the chunks of one HTTP answer as the one text that they are.

A model that streams cuts its text up into events, each a JSON object of its own; a secret may begin in
one and end in another. So what the events say is looked at as one text, too.
"""

from collections.abc import Sequence

from reaffirm.redact.lazy import lazily
from reaffirm.redact.masking import find, redact_pieces, secrets_of
from reaffirm.redact.views import view_of

# What servers call the piece of text in an event: OpenAI's interfaces, vLLM, SGLang, Anthropic, Ollama, TGI.
_SAID = lazily(
    r'"(?P<key>content|reasoning|reasoning_content|text|arguments|delta|partial_json|thinking|response|token_str)"'
    r'[ ]?:[ ]?"(?P<said>(?:\\.|[^"\\]){0,65536})"'
)


def redact_chunks(chunks: Sequence[str]) -> list[str]:
    """Return the chunks, redacted; each keeps what is its own, and a secret is masked where it begins."""
    whole = "".join(chunks)
    secrets = secrets_of(whole)
    for parts in _spoken(whole).values():
        if len(parts) > 1:
            view = view_of(whole, parts)
            secrets += [view.places(one.start, one.end) for one in find(view.text)]
    return redact_pieces(chunks, secrets)


def _spoken(whole: str) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for match in _SAID.finditer(whole):
        found.setdefault(match["key"], []).append(match.span("said"))
    return found
