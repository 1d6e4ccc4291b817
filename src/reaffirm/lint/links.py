"""Links between files, anchors in them, and places in code that records name."""

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from reaffirm.lint.subject import Subject, folder_of
from reaffirm.model.finding import Finding
from reaffirm.model.record import Dialect, Document, Link
from reaffirm.store.reading.anchors import loose
from reaffirm.store.reading.naming import SUFFIXES

# Folders in which repositories keep their code; a path that begins so is meant to be here.
_SOURCES = ("src", "cmd", "pkg", "lib", "internal", "app", "apps", "services", "packages")
_TEMPLATED = re.compile(r"[{}<>$]|\s")


def links(subject: Subject) -> Iterator[Finding]:
    """Yield links to files that are not there, and to anchors that their file has not."""
    for document in subject.documents:
        seen: set[tuple[str, int]] = set()
        for record in document.records:
            for link in record.links:
                if (link.target, link.line) not in seen:
                    seen.add((link.target, link.line))
                    yield from _link(subject, document.path, link, document)
    for path, file in subject.neighbours():
        for link in _links_of(file):
            yield from _link(subject, path, link, None)


def _link(subject: Subject, path: str, link: Link, document: Document | None) -> Iterator[Finding]:
    target = link.target
    if target.startswith("#"):
        if document is not None and not _has(own := _own(document), target[1:]):
            message = f"there is no {target} in this file"
            yield Finding(path, link.line, "link-anchor", message, _near(own, target[1:]))
        return
    to = subject.target(path, link)
    if not to or _TEMPLATED.search(target) or not subject.inside(to):
        return
    found = _resolve(subject, path, to, document, rooted=target.startswith("/"))
    if found is None:
        return
    if not found:
        markdown = re.sub(r"\.html?\Z", ".md", to)
        if markdown != to and subject.exists(markdown):
            if document is not None:  # spelling.py has it, with what mends it
                return
            message = f"{target} is a page of a site; the file is {posixpath.basename(markdown)}"
            yield Finding(path, link.line, "link-extension", message, "link the file, also for the forge")
        else:
            hint = "mend the path, or remove the link"
            yield Finding(path, link.line, "link-dead", f"{target} is not there", hint)
        return
    anchor = unquote(target.partition("#")[2])
    if anchor and not re.fullmatch(r"L\d+(?:-L?\d+)?", anchor):
        known = _anchors(subject, found)
        if known is not None and not _has(known, anchor):
            message = f"{found} has no #{anchor}"
            yield Finding(path, link.line, "link-anchor", message, _near(known, anchor))


def _resolve(subject: Subject, path: str, to: str, document: Document | None, *, rooted: bool) -> str | None:
    """The file that a link leads to; empty when there is none, None when nobody can know."""
    if subject.exists(to):
        return to
    if rooted:  # where a site has its root is not known here
        return None
    bare = not posixpath.splitext(to)[1]
    if document is not None and document.dialect is Dialect.RESTRUCTUREDTEXT and bare:
        return f"{to}.rst" if subject.exists(f"{to}.rst") else ""
    if bare:  # a page of a site: ../0012-x or ../0012-x/
        return next((f"{to}{end}" for end in SUFFIXES if subject.exists(f"{to}{end}")), "")
    return ""


def _anchors(subject: Subject, path: str) -> tuple[str, ...] | None:
    document = subject.by_path.get(path)
    if document is not None:
        return _own(document)
    if not path.lower().endswith((".md", ".markdown")):
        return None
    return _anchors_of(subject.here / path)


def _own(document: Document) -> tuple[str, ...]:
    """The anchors of a file, and those that its claims have on the page of the record."""
    claims = [f"claim-{claim.id}" for record in document.records for claim in record.claims]
    return (*document.anchors, *claims)


@lru_cache(maxsize=2_000)
def _anchors_of(file: Path) -> tuple[str, ...] | None:
    from reaffirm.store.reading.markdown import read_markdown
    from reaffirm.store.reading.source import SourceProblemError, read_source, text_of

    try:
        return tuple(read_markdown(text_of(read_source(file))).anchors)
    except (SourceProblemError, RecursionError):
        return None


def _links_of(file: Path) -> list[Link]:
    from reaffirm.store.reading.markdown import read_markdown
    from reaffirm.store.reading.source import SourceProblemError, read_source, text_of

    if file.suffix.lower() not in (".md", ".markdown"):
        return []
    try:
        return read_markdown(text_of(read_source(file))).links
    except (SourceProblemError, RecursionError):
        return []


def _has(anchors: tuple[str, ...], wanted: str) -> bool:
    wanted = unquote(wanted)
    if not wanted or wanted == "top" or wanted in anchors:
        return True
    return loose(wanted) in {loose(one) for one in anchors}


def _near(anchors: tuple[str, ...], wanted: str) -> str:
    import difflib

    near = difflib.get_close_matches(wanted.lower(), anchors, n=1)
    return f"did you mean #{near[0]}?" if near else "mend the anchor, or remove it"


def code_places(subject: Subject) -> Iterator[Finding]:
    """Yield ``src/a.py:12`` where the file is gone, or has fewer lines. A path of elsewhere is not judged."""
    for document in subject.documents:
        for place in document.places:
            if "/" not in place.path:
                continue
            tries = [
                posixpath.normpath(posixpath.join(folder, place.path))
                for folder in _above(subject, document.path)
            ]
            found = next((one for one in tries if subject.exists(one)), "")
            shown = f"{place.path}:{place.first}"
            if not found:
                if _ours(subject, place.path, tries):
                    message = f"{shown} is not there any more"
                    hint = "name the code that does it now"
                    yield Finding(document.path, place.line, "code-place-dead", message, hint)
                continue
            lines = _length(subject.here / found)
            if lines is not None and place.last > lines:
                message = f"{place.path}:{place.last} is not there: the file has {lines} lines"
                yield Finding(
                    document.path, place.line, "code-place-dead", message, "name a function, not a line"
                )


def _above(subject: Subject, path: str) -> Iterator[str]:
    """The folder of a record and those around it, up to the repository's: where a path may begin."""
    folder = folder_of(path)
    while folder:
        yield folder
        folder = folder_of(folder)
    yield from ("", subject.prefix)


def _ours(subject: Subject, path: str, tries: list[str]) -> bool:
    """Whether a path would be one of this repository: others' code is cited as well."""
    if path.startswith(("./", "../")):
        return subject.inside(tries[0])
    first = path.split("/")[0]
    top = posixpath.normpath(posixpath.join(subject.prefix, first))
    return subject.exists(top) or first in _SOURCES


@lru_cache(maxsize=5_000)
def _length(file: Path) -> int | None:
    try:
        if not file.is_file() or file.stat().st_size > 20_000_000:
            return None
        raw = file.read_bytes()
    except OSError:
        return None
    return raw.count(b"\n") + (not raw.endswith(b"\n") and bool(raw))
