"""Which page each record has. Ids are unique in a folder, not in a monorepo."""

import re
from collections.abc import Iterable, Mapping

from reaffirm.model.record import Dialect, Record


def record_pages(records: Iterable[Record], folder: str) -> dict[str, str]:
    """Return the page of each record by its id (the first of that id), and by its place.

    Args:
        records: all records.
        folder: their folder, from the root of the repository; ``.`` for the whole of it.
    """
    pages: dict[str, str] = {}
    counts: dict[str, int] = {}
    records = tuple(records)
    for record in records:
        counts[record.path] = counts.get(record.path, 0) + 1
    for record in records:
        inside = record.path if folder == "." else record.path.removeprefix(f"{folder}/")
        name = inside if record.dialect is Dialect.MARKDOWN else f"{inside}.md"
        if counts[record.path] > 1:  # several records in one file
            ident = re.sub(r"[^\w-]+", "-", record.id)
            name = f"{name.removesuffix('.md')}-{ident}.md"
        uri = f"decisions/{re.sub(r'[.](markdown|mdown|mdx|MD)$', '.md', name)}"
        pages.setdefault(record.id, uri)
        pages[_place(record)] = uri
    return pages


def page_of(record: Record, pages: Mapping[str, str]) -> str:
    """Return a record's own page."""
    return pages.get(_place(record)) or pages[record.id]


def seen_from(record: Record, records: Iterable[Record], pages: Mapping[str, str]) -> dict[str, str]:
    """Return the pages by id as a record means them: those of its own folder first."""
    folder = record.path.rpartition("/")[0]
    near = {one.id: page_of(one, pages) for one in records if one.path.rpartition("/")[0] == folder}
    return {**pages, **near}


def _place(record: Record) -> str:
    return f"{record.path}:{record.line}"
