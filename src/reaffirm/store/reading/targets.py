"""What other records a piece of text names."""

import re
from urllib.parse import urlsplit

from reaffirm.model.record import Link
from reaffirm.store.reading.naming import SUFFIXES, name_of

_PULL = re.compile(
    r"\b(?:PR|MR|pull request|merge request|issue|pull)s?\s*[#!]?\s*\d+|(?<!\w)[#!]\d+", re.IGNORECASE
)
_NO_RECORD = re.compile(r"/(pull|pulls|issues|merge_requests|commit|discussions)/")
_FILE = re.compile(r"<?((?:[\w.-]+/)*[\w.-]+\.(?:md|markdown|adoc|asciidoc|rst|toml|html?))>?", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?:M?ADR|RFC|DR|decision(?: record)?|record)s?[\s_#.:-]*(?P<id>\d{1,6}[a-z]?)(?![\w-]*\.\w|\d)",
    re.IGNORECASE,
)
_ALSO = re.compile(
    r"(?:,|&|and|und|et|y|e|/)\s*(?:ADR[-_ ]?)?#?(?P<id>\d{1,6}[a-z]?)(?![\w.-])", re.IGNORECASE
)
_BARE = re.compile(r"(?<![\w.-])(?P<id>\d{3,5}[a-z]?)(?![\w-]|\.\d)")
_SHORT = re.compile(r"\A\W*(?:\w+\s+){0,2}by\W*(?P<id>\d{1,5}[a-z]?)(?![\w.-])", re.IGNORECASE)
_DATE = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4}|\b20\d\d年"
    r"|\b(?:in|since|on|of|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?(?: \d{1,2})?,? 20\d\d\b"
)


def targets(text: str, links: tuple[Link, ...] = ()) -> tuple[str, ...]:
    """Return the ids that a text names: by a link to a file, by ``ADR-12``, or by a number.

    Pull requests, issues and years are no records.
    """
    found: list[str] = []
    rest = text
    for link in links:
        if record := record_of(link.target):
            found.append(record)
        if link.text:
            rest = rest.replace(link.text, " , ", 1)
    for match in _FILE.finditer(rest):
        if record := record_of(match[1]):
            found.append(record)
    linked = bool(found)
    rest = _PULL.sub(" ", _DATE.sub(" ", _FILE.sub(" ", rest)))
    named = list(_NAMED.finditer(rest))
    for match in named:
        found.append(match["id"])
        at = match.end()
        while more := _ALSO.match(rest[at:].lstrip()):
            found.append(more["id"])
            at += len(rest[at:]) - len(rest[at:].lstrip()) + more.end()
    if not named and not linked:
        found += [match["id"] for match in _BARE.finditer(rest)]
        if not found and (short := _SHORT.search(rest)):
            found.append(short["id"])
    return _once(found)


def pull_requests(text: str, links: tuple[Link, ...] = ()) -> tuple[str, ...]:
    """Return the pull requests and issues that a text names, as they are written."""
    found = [link.target for link in links if _NO_RECORD.search(f"/{link.target}")]
    if not found:
        found = [re.sub(r"\A[^#!\d]+", "", match[0]) for match in _PULL.finditer(text)]
    return tuple(dict.fromkeys(found))


def record_of(target: str) -> str:
    """Return the id of the record that a link leads to; empty when it leads elsewhere."""
    parts = urlsplit(target) if "://" in target else None
    path = parts.path if parts else target.split("#", 1)[0].split("?", 1)[0]
    path = path.strip("/ ")
    if _NO_RECORD.search(f"/{path}"):
        return ""
    low = path.lower()
    known = low.endswith((*SUFFIXES, ".html", ".htm"))
    if low.endswith((".html", ".htm")):
        path = path.rsplit(".", 1)[0]
    if not path or (not known and "." in path.rsplit("/", 1)[-1]):
        return ""
    name = name_of(path if known and not low.endswith((".html", ".htm")) else f"{path}.md")
    if name.number is None and not known:
        return ""
    return name.id


def number_of(text: str) -> int | None:
    """Return the number of an id as it is written: 12 for ``ADR-0012``, None for a slug."""
    match = re.fullmatch(r"(?:[A-Za-z]+[-_ #]*)?0*(\d{1,9})", text.strip())
    return int(match[1]) if match else None


def _once(found: list[str]) -> tuple[str, ...]:
    kept: dict[object, str] = {}
    for one in found:
        number = number_of(one)
        kept.setdefault(one if number is None else number, one)
    return tuple(kept.values())
