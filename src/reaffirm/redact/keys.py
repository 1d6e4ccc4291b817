"""Private keys, over all their lines: PEM, OpenSSH, PGP, PuTTY; also with their line ends escaped."""

from collections.abc import Iterator

from reaffirm.redact.found import Found
from reaffirm.redact.lazy import lazily

_BEGIN = lazily(r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_END = lazily(r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
# A line of a key whose end is not there: nothing but base64 after what a log or a list puts before it.
_LINE = lazily(
    r"(?:\\r\\n|\\n|\\\\n|\r?\n|,[ \n]{0,20}\"|\",?\n?[ ]{0,20}\"?)[ \t|>'\"]{0,20}"
    r"(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{0,200}|[A-Za-z0-9+/=]{0,2000}(?=\\|\r|\n|\"|'|\Z))"
)
_PUTTY = lazily(r"Private-Lines: [0-9]{1,4}\r?\n")
_LONGEST = 65_536


def find_keys(text: str) -> Iterator[Found]:
    """Find private keys: what stands between their first line and their last one."""
    if "PRIVATE KEY" in text:
        at = 0
        while begin := _BEGIN.search(text, at):
            end = _END.search(text, begin.end(), begin.end() + _LONGEST)
            again = _BEGIN.search(text, begin.end(), end.start()) if end else None
            stop = end.start() if end and not again else _as_far_as_key(text, begin.end())
            if text[begin.end() : stop].strip("\\nr \t\r\n"):
                yield Found(begin.end(), stop, "private-key")
            at = stop
    if "Private-Lines: " in text:
        for match in _PUTTY.finditer(text):
            yield Found(match.end(), _as_far_as_key(text, match.end() - 1), "private-key")


def _as_far_as_key(text: str, at: int) -> int:
    while (line := _LINE.match(text, at)) and line.end() > at:
        at = line.end()
    return at


_BODY = lazily(r"[A-Za-z0-9+/]{1,200}={0,2}\Z")


def opens_key(line: str) -> bool:
    """Whether a private key begins in this line and does not end in it."""
    begins = list(_BEGIN.finditer(line))
    return bool(begins) and _END.search(line, begins[-1].end()) is None


def is_of_key(line: str) -> bool:
    """Whether a line that comes after the first one of a key may be one of it."""
    words = line.strip(" \t\r\n\"',|>│").rsplit(None, 1)
    if not words:
        return True
    if not _BODY.match(words[-1]):
        return line.lstrip().startswith(("Proc-Type:", "DEK-Info:"))
    return len(words) == 1 or len(words[-1]) >= 40


def closes_key(line: str) -> bool:
    """Whether the last line of a key stands in this line."""
    return "-----END" in line
