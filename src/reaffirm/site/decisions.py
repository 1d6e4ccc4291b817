"""What the pages of records need to know of each other, and the findings about them where those are shown."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from reaffirm.lint.run import lint
from reaffirm.lint.settings import read_lint_settings
from reaffirm.lint.subject import Subject
from reaffirm.model.claim import Claim, Evidence
from reaffirm.model.finding import Finding
from reaffirm.model.record import Dialect, Record
from reaffirm.site.links import PageAnchors, SiteMap
from reaffirm.site.page import anchor
from reaffirm.site.page_map import INDEX_URI
from reaffirm.site.page_names import folder_of, places
from reaffirm.site.prose import rebuild
from reaffirm.site.prose_words import first_heading, heading_ids
from reaffirm.site.record_findings import Told, finding_line
from reaffirm.site.record_head import Others
from reaffirm.site.record_label import label
from reaffirm.site.record_page import reserved
from reaffirm.site.text import admonition, code
from reaffirm.store.reading.front import split
from reaffirm.store.reading.source import SourceProblemError, read_source, text_of
from reaffirm.store.records import Records

# Told better by a rule of lint.
_SAID_TWICE = ("record-duplicate",)
_TEMPLATE = "a template"
_MARKDOWN = (".md", ".markdown")


@dataclass(frozen=True)
class Shelf:
    """The records of a repository as its site shows them.

    ``uris`` are their pages by key, ``evidence`` is that of the published runs.
    """

    root: Path
    found: Records
    uris: Mapping[str, str]
    today: date
    evidence: tuple[Evidence, ...] = ()

    @cached_property
    def subject(self) -> Subject:
        """The records as lint sees them."""
        settings = read_lint_settings(self.root)
        return Subject(self.found.collection, self.root, self.root, self.today, settings, self.evidence)

    @cached_property
    def called(self) -> dict[str, str]:
        """What each folder of records is called."""
        return places(self.found.records)

    @cached_property
    def titles(self) -> dict[str, str]:
        """What each record is called, by its page."""
        return {self.uris[record.key]: label(record) for record in self.found.records}

    @cached_property
    def named(self) -> dict[tuple[str, str], str]:
        """The page that a record means by an id: by ``(record key, id)``."""
        found = {}
        for record in self.found.records:
            for ident in (*record.supersedes, *record.superseded_by):
                meant = self.subject.named(record, ident)
                if meant and meant[0].key in self.uris:
                    found[record.key, ident] = self.uris[meant[0].key]
        return found

    def seen_from(self, record: Record) -> Mapping[str, str]:
        """Return the pages of records by key, and by the ids that this record names."""
        idents = (*record.supersedes, *record.superseded_by)
        own = {one: self.named[record.key, one] for one in idents if (record.key, one) in self.named}
        return {**self.uris, **own}

    @cached_property
    def others(self) -> dict[str, Others]:
        """What other records say of one that says nothing of it: by the key of that one."""
        at = {page: key for key, page in self.uris.items()}
        by_key = {record.key: record for record in self.found.records}
        before: dict[str, dict[str, Record]] = {}
        after: dict[str, dict[str, Record]] = {}
        for record in self.found.records:
            for ident in record.superseded_by:
                self._note(record, ident, at, before)
            for ident in record.supersedes:
                self._note(record, ident, at, after)
        found = {}
        for key in {**before, **after}:
            known = {self.named.get((key, one)) for one in by_key[key].supersedes + by_key[key].superseded_by}
            found[key] = Others(
                *(
                    [one for one in side.get(key, {}).values() if self.uris[one.key] not in known]
                    for side in (before, after)
                )
            )
        return found

    def _note(
        self, record: Record, ident: str, at: Mapping[str, str], side: dict[str, dict[str, Record]]
    ) -> None:
        page = self.named.get((record.key, ident))
        if page is not None and at[page] != record.key:
            side.setdefault(at[page], {})[record.key] = record

    @cached_property
    def elsewhere(self) -> dict[str, list[tuple[Record, Claim]]]:
        """The claims of other records that the text of each links to, by its key."""
        at = {
            (record.path, anchor(claim)): (record, claim)
            for record in self.found.records
            for claim in record.claims
        }
        found: dict[str, list[tuple[Record, Claim]]] = {}
        for record in self.found.records:
            named: dict[tuple[str, str], None] = {}
            for link in record.links:
                path, _, part = link.target.partition("#")
                where = posixpath.normpath(posixpath.join(posixpath.dirname(record.path), path))
                if where != record.path and (where, part) in at:
                    named[where, part] = None
            if named:
                found[record.key] = [at[one] for one in named]
        return found

    def around(self, index: int) -> tuple[Record | None, Record | None]:
        """Return the records before and after one in its folder."""
        records = self.found.records
        here = folder_of(records[index])
        before = records[index - 1] if index and folder_of(records[index - 1]) == here else None
        after = records[index + 1] if index + 1 < len(records) else None
        return before, after if after is not None and folder_of(after) == here else None

    # What follows is for sites that show records as they are, faults and all.

    @cached_property
    def readmes(self) -> dict[str, Path]:
        """READMEs and indexes that stand in folders of records, by their path from the root."""
        return dict(self.subject.neighbours())

    def not_again(self) -> frozenset[str]:
        """Return the files that are no pages of their own: records, and what stands in for their index.

        What was looked at and is no record stays a page like any other, also beside records.
        """
        collection = self.found.collection
        templates = (one.path for one in collection.skipped if one.why == _TEMPLATE)
        records = collection.files.keys() - {one.path for one in collection.skipped}
        return frozenset((*records, *self.readmes, *templates))

    def findings(self, more: Sequence[Finding]) -> dict[str, list[Finding]]:
        """Return what lint says, and what is wrong besides, by file."""
        seen: set[tuple[str, int, str]] = set()
        by_file: dict[str, list[Finding]] = {}
        for one in (*lint(self.subject), *more):
            key = (one.path, one.line, one.code)
            if one.code in _SAID_TWICE or (key in seen and one in more):
                continue
            seen.add(key)
            by_file.setdefault(one.path, []).append(one)
        return {path: sorted(found) for path, found in by_file.items()}

    def told(
        self,
        record: Record,
        findings: Mapping[str, Sequence[Finding]],
        rules: Mapping[str, str],
        site: SiteMap,
    ) -> Told:
        """Return what the page of a record says besides; of several records in a file, each its own."""
        mine = [one for one in findings.get(record.path, ()) if self._of(record, one)]
        source = code(record.path)
        if site.forge:
            source = f"[{source}]({site.forged(record.path)})"
        return Told(mine, rules, source, site.misser(record.path))

    def _of(self, record: Record, finding: Finding) -> bool:
        beside = [one.line for one in self.found.records if one.path == record.path]
        if len(beside) < 2:
            return True
        start = max((line for line in beside if line <= finding.line), default=min(beside))
        return start == record.line

    def notes(
        self, findings: Mapping[str, Sequence[Finding]], rules: Mapping[str, str], site: SiteMap
    ) -> str:
        """Return what the index says behind its tables: READMEs, and findings that are about no record."""
        parts = [text for path, file in self.readmes.items() if (text := self._readme(path, file, site))]
        pages = {record.path for record in self.found.records}
        others = [one for path, found in findings.items() if path not in pages for one in found]
        if others:
            lines = [f"-   {finding_line(one, rules, INDEX_URI, path=True)}" for one in sorted(others)]
            parts.append(admonition("quote", "Findings beside the records", "\n".join(lines), folded=True))
        count = sum(len(found) for path, found in findings.items() if path in pages)
        faulty = sum(path in findings for path in pages)
        if count:
            parts.append(
                f"`reaffirm lint` finds {count} thing{'' if count == 1 else 's'} to look at in {faulty} "
                f"file{'' if faulty == 1 else 's'}; each page shows its own, folded."
            )
        return "\n\n".join(parts)

    def _readme(self, path: str, file: Path, site: SiteMap) -> str:
        heading, body = _page_of(file)
        if not body.strip():
            return ""
        text = rebuild(body, site.resolver(path, INDEX_URI), deeper=2, gone=site.misser(path), reserved=None)
        return admonition("note", f"{path}: {heading}" if heading else path, text, folded=True)

    def anchors(self) -> "RecordAnchors":
        """Return the anchors of the pages of records."""
        return RecordAnchors(self)


class RecordAnchors(Mapping[str, PageAnchors]):
    """The anchors of pages of records by page; a text is parsed for them when somebody asks."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._records = {shelf.uris[record.key]: record for record in shelf.found.records}
        self._known: dict[str, PageAnchors] = {}

    def __getitem__(self, page: str) -> PageAnchors:
        """Return the anchors of a page; KeyError where it is no record's, nor their index."""
        if page not in self._known:
            self._known[page] = self._index() if page == INDEX_URI else self._of(self._records[page])
        return self._known[page]

    def __iter__(self) -> Iterator[str]:
        """Go through the pages."""
        return iter((*self._records, INDEX_URI))

    def __len__(self) -> int:
        """Count the pages."""
        return len(self._records) + 1

    def _of(self, record: Record) -> PageAnchors:
        document = self._shelf.subject.by_path.get(record.path)
        spelled = document.anchors if document else ()
        if record.dialect is not Dialect.MARKDOWN:
            return PageAnchors((), spelled)
        return PageAnchors(heading_ids(record.body, reserved(record)), spelled)

    def _index(self) -> PageAnchors:
        texts = (_page_of(file)[1] for file in self._shelf.readmes.values())
        return PageAnchors((), tuple(one for text in texts for one in heading_ids(text, ())))


def _page_of(file: Path) -> tuple[str, str]:
    """The heading and the text of a README in Markdown; empty for what cannot be shown."""
    if posixpath.splitext(file.name)[1].lower() not in _MARKDOWN:
        return "", ""
    try:
        return first_heading(split(text_of(read_source(file))).body)
    except SourceProblemError:
        return "", ""
