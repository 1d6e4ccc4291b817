"""Redaction of text that arrives in pieces: a secret that is cut by two reads is still one."""

from reaffirm.redact import LineRedactor, redact
from reaffirm.run.secrets import Redactor

#: A line that is longer is not waited for.
_LINE = 1 << 16


class StreamText:
    """Takes pieces of one stream and gives them back in whole lines, without secrets."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._lines = LineRedactor()
        self._in_key = False
        self._rest = ""

    def feed(self, text: str) -> str:
        """Return the lines that are now whole."""
        self._rest += text
        end = max(self._rest.rfind("\n"), self._rest.rfind("\r")) + 1
        if not end and len(self._rest) > _LINE:
            end = self._rest.rfind(" ", _LINE // 2) + 1 or len(self._rest)
        whole, self._rest = self._rest[:end], self._rest[end:]
        return self._masked(whole)

    def close(self) -> str:
        """Return the rest, which is no whole line."""
        rest, self._rest = self._rest, ""
        return self._masked(rest)

    def _masked(self, text: str) -> str:
        if not text:
            return ""
        text = self._redactor.without_values(text)
        if not self._in_key and "PRIVATE KEY-----" not in text:
            return redact(text)
        masked = []
        for line in text.splitlines(keepends=True):
            body = line.rstrip("\r\n")
            masked.append(self._lines(body) + line[len(body) :])
            if self._in_key:
                self._in_key = "-----END" not in line
            else:
                self._in_key = "PRIVATE KEY-----" in line and "-----END" not in line
        return "".join(masked)
