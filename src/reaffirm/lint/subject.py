"""What a lint run looks at: the records as they were read, the repository around them, and the settings."""

import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote

from reaffirm.model.claim import Evidence
from reaffirm.model.record import Document, Link, Record
from reaffirm.store.reading.collection import Collection
from reaffirm.store.reading.targets import number_of

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:")


@dataclass(frozen=True)
class Settings:
    """What a project may set in ``[tool.reaffirm.lint]``. ``proposed_days``: how long a proposal may wait."""

    proposed_days: int = 180
    ignore: tuple[str, ...] = ()
    against: str = ""


@dataclass(frozen=True)
class Subject:
    """Everything that rules may ask. Paths are relative to ``here``; ``root`` is the repository's folder.

    ``evidence`` is that of the published runs where somebody has read it already; else a rule reads it.
    """

    collection: Collection
    here: Path
    root: Path
    today: date
    settings: Settings = field(default_factory=Settings)
    evidence: tuple[Evidence, ...] | None = None

    @property
    def documents(self) -> tuple[Document, ...]:
        """All files of records."""
        return self.collection.documents

    @cached_property
    def records(self) -> tuple[tuple[Document, Record], ...]:
        """All records with their files."""
        return tuple((document, record) for document in self.documents for record in document.records)

    @cached_property
    def by_path(self) -> Mapping[str, Document]:
        """The files of records by their path."""
        return {document.path: document for document in self.documents}

    @cached_property
    def _by_number(self) -> Mapping[tuple[str, object], list[Record]]:
        found: dict[tuple[str, object], list[Record]] = {}
        for _, record in self.records:
            number = number_of(record.id)
            for key in {record.id, number} - {None}:
                found.setdefault((folder_of(record.path), key), []).append(record)
        return found

    def named(self, record: Record, ident: str) -> list[Record]:
        """Return the records that an id means: those a link leads to, else those of the folder."""
        number = number_of(ident)
        lines = (record.lines.get("superseded_by"), record.lines.get("supersedes"))
        for link in record.links:
            path = self.target(record.path, link)
            document = self.by_path.get(path) if path else None
            near = link.line in lines or link.relation or folder_of(path) == folder_of(record.path)
            for other in document.records if document and near else ():
                if other.id == ident or (number is not None and number_of(other.id) == number):
                    return [other]
        folder = folder_of(record.path)
        return self._by_number.get((folder, ident)) or self._by_number.get((folder, number), [])

    def target(self, path: str, link: Link) -> str:
        """Return the path that a link in a file leads to; empty when it leads out of the files."""
        to = unquote(link.target).split("#", 1)[0].split("?", 1)[0]
        if not to or _SCHEME.match(link.target) or link.target.startswith("//"):
            return ""
        if to.startswith("/"):
            return posixpath.normpath(posixpath.join(self.prefix, to.lstrip("/")))
        return posixpath.normpath(posixpath.join(folder_of(path), to))

    @cached_property
    def prefix(self) -> str:
        """The way from ``here`` to the repository's folder."""
        return Path(os.path.relpath(self.root, self.here)).as_posix()

    @cached_property
    def _known(self) -> dict[str, bool]:
        return {}

    def exists(self, path: str) -> bool:
        """Whether a file or folder is there; asked once."""
        known = self._known.get(path)
        if known is None:
            try:
                known = (self.here / path).exists()
            except (OSError, ValueError):
                known = False
            self._known[path] = known
        return known

    def inside(self, path: str) -> bool:
        """Whether a path is in the repository; what is outside is not judged."""
        whole = os.path.normpath(self.here.absolute() / path)
        root = os.path.normpath(self.root.absolute())
        return whole == root or whole.startswith(root + os.sep)

    def neighbours(self) -> Iterator[tuple[str, Path]]:
        """Yield the indexes and READMEs that stand in folders of records."""
        folders = {folder_of(path) for path in self.by_path}
        for one in self.collection.skipped:
            if folder_of(one.path) in folders and one.why in ("a README", "an index"):
                yield one.path, self.here / one.path


def folder_of(path: str) -> str:
    """Return the folder of a path; empty for the current one."""
    return path.rpartition("/")[0]
