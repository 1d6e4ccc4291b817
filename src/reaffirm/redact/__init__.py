"""Takes secrets out of everything before it is written, in whatever form they stand there."""

from reaffirm.redact.chunks import redact_chunks
from reaffirm.redact.data import redact_data
from reaffirm.redact.found import Found
from reaffirm.redact.known import (
    MASK,
    SHORTEST,
    is_secret,
    known,
    mark,
    on_learning,
    remember,
    remembering,
    secrets_in,
)
from reaffirm.redact.lazy import warming
from reaffirm.redact.masking import find, hidden, redact, redact_header, redact_words, secrets_of
from reaffirm.redact.names import is_secret_name
from reaffirm.redact.streams import LineRedactor, StreamRedactor

__all__ = [
    "MASK",
    "SHORTEST",
    "Found",
    "LineRedactor",
    "StreamRedactor",
    "find",
    "hidden",
    "is_secret",
    "is_secret_name",
    "known",
    "mark",
    "on_learning",
    "redact",
    "redact_chunks",
    "redact_data",
    "redact_header",
    "redact_words",
    "remember",
    "remembering",
    "secrets_in",
    "secrets_of",
    "warming",
]
