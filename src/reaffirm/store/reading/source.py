"""Takes the bytes of a file as text, or says why they are none."""

import re
from pathlib import Path

#: A record is prose; what is larger is not one (bytes).
MAX_BYTES = 2_000_000
_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class SourceProblemError(ValueError):
    """Why a file cannot be read as text."""

    def __init__(self, message: str, hint: str, line: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.line = line


def read_source(path: Path) -> bytes:
    """Return the bytes of a file that is not too large.

    Raises:
        SourceProblemError: it cannot be opened, is no plain file, or has more than :data:`MAX_BYTES`.
    """
    try:
        if not path.is_file():
            msg = "cannot be read: no plain file"
            raise SourceProblemError(msg, "check the path")
        size = path.stat().st_size
        if size > MAX_BYTES:
            msg = f"{size} bytes is more than a page may have ({MAX_BYTES})"
            raise SourceProblemError(
                msg,
                "put long logs into a file of their own and link it",
            )
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        msg = f"cannot be read: {error.strerror}"
        raise SourceProblemError(msg, "check the path and its permissions") from error
    if len(raw) > MAX_BYTES:
        msg = f"more bytes than a page may have ({MAX_BYTES})"
        raise SourceProblemError(msg, "put long logs into a file of their own")
    return raw


def text_of(raw: bytes) -> str:
    """Return the text with line ends as ``\\n`` and without a byte order mark.

    Raises:
        SourceProblemError: not UTF-8, or not text at all.
    """
    if raw[:2] in _BOMS:
        msg = f"not UTF-8: this is {_BOMS[raw[:2]]}"
        raise SourceProblemError(msg, "save the file as UTF-8")
    if b"\x00" in raw:
        msg = "not text: it holds zero bytes"
        raise SourceProblemError(msg, "move what is no record elsewhere")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        msg = f"not UTF-8: byte {raw[error.start]:#04x} at offset {error.start}"
        raise SourceProblemError(msg, "save the file as UTF-8", line) from error
    return text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n")
