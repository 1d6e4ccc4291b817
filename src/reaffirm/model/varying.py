"""What in the outputs of a step is another in every run, so that a comparison of two runs passes over it."""

import re
from collections.abc import Mapping
from typing import NamedTuple


class _Varying(NamedTuple):
    pattern: re.Pattern[str]
    word: str


_KINDS: Mapping[str, _Varying] = {
    "time": _Varying(
        re.compile(
            r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?|\b\d\d:\d\d:\d\d\b"
        ),
        "<time>",
    ),
    "duration": _Varying(re.compile(r"\b\d+(?:\.\d+)?\s?(?:ms|s|min|h)\b"), "<duration>"),
    "process": _Varying(re.compile(r"\bpid[= ]\d+\b"), "<process>"),
}
#: By step: what of its text says when and how long, and not what.
VARIES: Mapping[str, tuple[str, ...]] = {
    "cleanup": ("time",),
    "copy_image": ("time", "duration"),
    "experiment": ("time", "duration", "process"),
    "launch": ("time", "duration", "process"),
    "preflight": ("process",),
    "verify": ("time", "duration"),
}


def without_varying(text: str, step: str) -> str:
    """Return a line of a step's output with words in the place of what varies."""
    for kind in VARIES.get(step, ()):
        text = _KINDS[kind].pattern.sub(_KINDS[kind].word, text)
    return text
