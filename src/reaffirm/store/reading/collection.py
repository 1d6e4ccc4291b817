"""Reads many files: from the cache where nothing changed, else on all processors where that pays."""

import gc
import os
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path

from reaffirm.model.finding import Finding
from reaffirm.model.record import Document, Record, Skipped
from reaffirm.store.reading.cache import Cache, stamp_of
from reaffirm.store.reading.files import Found, find_files
from reaffirm.store.reading.targets import number_of

#: From so many bytes on, a second process is worth its start.
_POOL_BYTES = 700_000
_CHUNK = 40


@dataclass(frozen=True)
class Collection:
    """What was found below some paths: documents in a stable order, what is no record, what is wrong."""

    documents: tuple[Document, ...]
    skipped: tuple[Skipped, ...]
    problems: tuple[Finding, ...]
    files: dict[str, Path]

    @property
    def records(self) -> tuple[Record, ...]:
        """All records; in each folder by number."""
        return tuple(record for document in self.documents for record in document.records)


def read_collection(
    paths: list[Path], *, root: Path, cache: Cache | None = None, keep_body: bool = False, workers: int = 0
) -> Collection:
    """Find and read all records below some paths.

    Args:
        paths: files and folders.
        root: the folder that names are given from.
        cache: what was read before; None reads everything.
        keep_body: keep the text of each record; such documents are not cached.
        workers: how many processes; 0 for as many as pay.
    """
    found = find_files(paths, root)
    known: dict[str, Document] = {}
    if cache is not None and not keep_body:
        for name, path in found.files.items():
            if (document := cache.get(name, path)) is not None:
                known[name] = document
    wanted = [(name, path) for name, path in found.files.items() if name not in known]
    stamps = {name: stamp_of(path) for name, path in wanted} if cache is not None else {}
    for name, document in zip((n for n, _ in wanted), _read(wanted, keep_body, workers), strict=True):
        known[name] = document
        if cache is not None and not keep_body:
            cache.put(name, found.files[name], document, stamps[name])
    if cache is not None and not keep_body:
        if paths == [root]:  # of a part of it nobody can say what is gone
            cache.keep_only(set(found.files))
        cache.save()
    return _collection(found, [known[name] for name in found.files])


def _collection(found: Found, documents: list[Document]) -> Collection:
    skipped = [*found.skipped, *(Skipped(one.path, one.skipped) for one in documents if one.skipped)]
    kept = [one for one in documents if not one.skipped]
    problems = [*found.problems, *(problem for one in kept for problem in one.problems)]
    return Collection(tuple(_named(kept)), tuple(sorted(skipped)), tuple(sorted(problems)), found.files)


def _named(documents: list[Document]) -> Iterator[Document]:
    """Give each id that a record names the form that the record named has in its own folder."""
    folders: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for document in documents:
        for record in document.records:
            number = number_of(record.id)
            if number is not None:
                folders[document.path.rpartition("/")[0]][number].add(record.id)
    for document in documents:
        here = folders[document.path.rpartition("/")[0]]

        def form(ident: str, here: dict[int, set[str]] = here) -> str:
            number = number_of(ident)
            ids = here.get(number, set()) if number is not None else set()
            return next(iter(ids)) if len(ids) == 1 else ident

        if any(record.supersedes or record.superseded_by for record in document.records):
            records = tuple(
                replace(
                    record,
                    supersedes=tuple(dict.fromkeys(form(one) for one in record.supersedes)),
                    superseded_by=tuple(dict.fromkeys(form(one) for one in record.superseded_by)),
                )
                for record in document.records
            )
            yield replace(document, records=records)
        else:
            yield document


def _read(wanted: list[tuple[str, Path]], keep_body: bool, workers: int) -> Iterator[Document]:
    processors = workers or _processors()
    if processors > 1 and len(wanted) > 2 * _CHUNK and (workers or _size(wanted) > _POOL_BYTES):
        yield from _read_together(wanted, keep_body, processors)
        return
    for name, path in wanted:
        yield _one(name, path, keep_body)


def _read_together(wanted: list[tuple[str, Path]], keep_body: bool, processors: int) -> Iterator[Document]:
    import reaffirm.store.reading.document  # noqa: F401  once, before the processes part

    chunks = [(wanted[n : n + _CHUNK], keep_body) for n in range(0, len(wanted), _CHUNK)]
    done = 0
    try:
        context = get_context(_start())
        with ProcessPoolExecutor(processors, mp_context=context, initializer=gc.disable) as pool:
            for documents in pool.map(_chunk, chunks):
                yield from documents
                done += len(documents)
    except (BrokenProcessPool, OSError):
        for name, path in wanted[done:]:
            yield _one(name, path, keep_body)


def _chunk(work: tuple[list[tuple[str, Path]], bool]) -> list[Document]:
    files, keep_body = work
    return [_one(name, path, keep_body) for name, path in files]


def _one(name: str, path: Path, keep_body: bool) -> Document:
    # The parsers take long to load, and nobody needs them when nothing changed.
    from reaffirm.store.reading.document import read_document

    return read_document(path, shown=name, keep_body=keep_body)


def _start() -> str:
    """Forking is the quickest start, and safe where no thread runs; elsewhere a new process is begun."""
    import threading

    return "fork" if hasattr(os, "fork") and threading.active_count() == 1 else "spawn"


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _size(wanted: list[tuple[str, Path]]) -> int:
    total = 0
    for _, path in wanted:
        try:
            total += min(path.stat().st_size, 100_000)
        except OSError:
            continue
    return total
