"""Takes out of a whole site what was found to be a secret in the files that it is made of.

A finding alone stops only a build that is strict. The values are looked for in every page and text, not only
in those of their own file: a record's title stands on many pages.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reaffirm.model.finding import Finding
from reaffirm.redact import MASK, secrets_of
from reaffirm.redact.known import all_forms
from reaffirm.site.secrets_told import shown_path

if TYPE_CHECKING:
    from reaffirm.site.tree import TreePage


class Masks:
    """Masks the secrets of some findings wherever they stand.

    Args:
        root: the folder of the repository.
        findings: what was found, by path and line, and is not allowed.
    """

    def __init__(self, root: Path, findings: Sequence[Finding]) -> None:
        lines: dict[str, set[int]] = {}
        for one in findings:
            lines.setdefault(one.path, set()).add(one.line)
        self.paths = frozenset(lines)
        values = {value for path, known in lines.items() for value in _values(root / path, known)}
        self._secrets = _pattern(values) if values else None

    def text(self, text: str) -> str:
        """Return a text without the secrets."""
        return self._secrets.sub(MASK, text) if self._secrets else text

    def pages(self, pages: Mapping[str, "TreePage"]) -> dict[str, "TreePage"]:
        """Return the pages without them; the address of a page is not changed."""
        return {uri: replace(page, markdown=self.text(page.markdown)) for uri, page in pages.items()}

    def texts(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Return the texts without them."""
        return {uri: self.text(text) for uri, text in texts.items()}

    def copies(self, root: Path, files: Mapping[str, Path]) -> dict[str, str]:
        """Return the files in which one was found as masked texts, by their address."""
        found = {uri: path for uri, path in files.items() if shown_path(root, path) in self.paths}
        return {
            uri: self.text(path.read_text(encoding="utf-8", errors="replace")) for uri, path in found.items()
        }


def _values(path: Path, lines: set[int]) -> Iterator[str]:
    """What stands on these lines of a file and is a secret."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for places in secrets_of(text):
        if text.count("\n", 0, places[0][0]) + 1 in lines:
            yield "".join(text[start:end] for start, end in places)


def _pattern(values: Iterable[str]) -> re.Pattern[str]:
    """Find the values in whatever form a page has them: signs of Markdown and of HTML may stand escaped."""
    forms = all_forms(tuple(sorted(values)))
    return re.compile("|".join("".join(map(_sign, form)) for form in forms))


def _sign(sign: str) -> str:
    if sign.isalnum():
        return sign
    return rf"(?:\\?{re.escape(sign)}|&#{ord(sign)};|&#x{ord(sign):x};)"
