"""Redacts the chunks of one HTTP answer as the one text that they are.

A model that streams cuts its text up into events, each a JSON object of its own; a secret may begin in
one and end in another. So what the events say is looked at as one text, too.
"""

from collections.abc import Sequence

from reaffirm.redact.known import MASK
from reaffirm.redact.lazy import lazily
from reaffirm.redact.masking import find, secrets_of
from reaffirm.redact.views import cut_out, view_of

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
    if not secrets:
        return list(chunks)
    masked: list[str] = []
    at = 0
    for chunk in chunks:
        end = at + len(chunk)
        inside = []
        for places in secrets:
            kept = [(max(s, at) - at, min(e, end) - at) for s, e in places if s < end and e > at]
            begins = places[0][0] >= at
            # an empty first place bears the mask where the secret began; here it only goes on
            inside.append((begins, kept))
        masked.append(_cut(chunk, inside))
        at = end
    return masked


def _cut(chunk: str, inside: list[tuple[bool, list[tuple[int, int]]]]) -> str:
    goes_on = [kept for begins, kept in inside if kept and not begins]
    begins_here = [kept for begins, kept in inside if kept and begins]
    if not goes_on:
        return cut_out(chunk, begins_here, MASK) if begins_here else chunk
    taken = {at for kept in goes_on for start, end in kept for at in range(start, end)}
    sign = "\ue000"  # stands for what was taken out while the rest is masked
    held = "".join(sign if at in taken else char for at, char in enumerate(chunk))
    return cut_out(held, begins_here, MASK).replace(sign, "") if begins_here else held.replace(sign, "")


def _spoken(whole: str) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for match in _SAID.finditer(whole):
        found.setdefault(match["key"], []).append(match.span("said"))
    return found
