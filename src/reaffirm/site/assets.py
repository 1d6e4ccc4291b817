"""Pictures that records show and that lie outside of the documentation: published beside the records."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg")
_LARGEST = 10_000_000
# A picture that could run something when somebody opens it alone.
_RUNS = re.compile(rb"<script|<foreignobject|\son[a-z]+\s*=|javascript:|<!entity", re.IGNORECASE)


class Assets:
    """Gives such a picture its address on the site when a record points at it.

    ``asked`` is what was asked for since somebody last cleared it, by path, with its address.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._uris: dict[str, str] = {}
        self._taken: set[str] = set()
        self.asked: dict[str, str] = {}

    def get(self, path: str) -> str:
        """Return where a picture will be; empty for what is none, is too large, or is not harmless.

        Args:
            path: from the root of the repository.
        """
        if path not in self._uris:
            self._uris[path] = self._uri(path)
        self.asked[path] = self._uris[path]
        return self._uris[path]

    def found(self) -> Iterator[tuple[str, Path]]:
        """Yield address and file of each picture that somebody asked for."""
        return ((uri, self._root / path) for path, uri in self._uris.items() if uri)

    def _uri(self, path: str) -> str:
        if PurePosixPath(path).suffix.lower() not in _PICTURES:
            return ""
        try:
            file = (self._root / path).resolve()
            if not file.is_relative_to(self._root) or not file.is_file() or file.stat().st_size > _LARGEST:
                return ""
            if file.suffix.lower() == ".svg" and _RUNS.search(file.read_bytes()):
                return ""
        except (OSError, ValueError, RuntimeError):
            return ""
        safe = re.sub(r"[^A-Za-z0-9._/-]+", "-", path)
        number, uri = 0, f"decisions/files/{safe}"
        while uri.casefold() in self._taken:
            number += 1
            uri = f"decisions/files/{number}-{safe}"
        self._taken.add(uri.casefold())
        return uri
