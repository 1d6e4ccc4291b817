"""What the name of a file says: the record's id, or that it is none."""

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from pathlib import PurePosixPath

#: Languages by the ending of a file; ``.toml`` holds a whole record.
SUFFIXES = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdown": "markdown",
    ".mdx": "markdown",
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
    ".asc": "asciidoc",
    ".rst": "restructuredtext",
    ".rest": "restructuredtext",
    ".toml": "toml",
}
_INDEX = re.compile(r"_?index|readme", re.IGNORECASE)
_ULID = r"[0-7][0-9A-HJKMNP-TV-Z]{25}"
#: Words for a record in general; they are no part of an id. The prefix of a team's series is.
GENERAL = "madr|adr|ad|rfc|rfd|pep|kep|dr|edr|tdr|pdr|ard|d|y|decision|record|proposal"
_KIND = rf"(?:(?i:{GENERAL})(?![a-zA-Z])[-_ .]*){{0,3}}"
_NUMBER = re.compile(
    rf"{_KIND}#?(?P<id>(?:(?P<series>[A-Z][A-Z0-9]{{1,9}})[-_])?\d+(?:[a-zA-Z](?![a-zA-Z0-9])|[-_]{_ULID})?)"
    r"(?:[-_ .:–—]+(?P<slug>.*)|\Z)"
)
_DATED = re.compile(
    r"(?P<y>\d{4})(?P<s>[-_.]?)(?P<m>\d\d)(?P=s)(?P<d>\d\d)(?:(?P<join>[-_ ]+)(?P<rest>.*)|\Z)"
)
_BEHIND_DATE = re.compile(r"(?P<id>\d{2,5}[a-z]?)(?:[-_ ]+(?P<slug>.*)|\Z)")
_ULID_FIRST = re.compile(rf"(?P<id>{_ULID})(?:[-_ ]+(?P<slug>.*)|\Z)", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    rf"{_KIND}(?:x{{1,6}}|n{{2,6}}|\?+|#+|tbd|number|draft)(?:[-_ .](?P<slug>.*)|\Z)", re.IGNORECASE
)

_OTHER_NAMES = {
    "readme": "a README",
    "index": "an index",
    "_index": "an index",
    "toc": "a table of contents",
    "summary": "a table of contents",
    "overview": "an overview",
    "glossary": "a glossary",
    "glossar": "a glossary",
    "contributing": "a page about contributing",
    "changelog": "a change log",
    "license": "a licence",
    "code_of_conduct": "a code of conduct",
    "security": "a security policy",
    "codeowners": "a list of owners",
    "process": "a page about the process",
    "adr-process": "a page about the process",
    "_sidebar": "a navigation",
    "_navbar": "a navigation",
    "_coverpage": "a cover",
    "_category_": "a navigation",
    "_config": "settings",
    "adr-index": "an index",
    "adr-list": "an index",
}
_TEMPLATE_WORD = re.compile(
    r"(?:adr)?"
    r"(?:template|vorlage|plantilla|modelo|mod[eè]le|boilerplate|skeleton|テンプレート)s?",
    re.IGNORECASE,
)
# What may stand beside that word; more, and it is a record about templates.
_BESIDE = re.compile(
    r"adr|madr|rfc|decision|record|architecture|architectural|design|nygard|short|long|full|minimal|bare|simple"
    r"|lite|light|basic|extended|default|new|en|de|fr|ja|es|pt|v?\d|the|of|a|log|x+|n+|0+",
    re.IGNORECASE,
)
_SLIDES = re.compile(
    r"(?:.*[\W_])?(?:slides?|slide-?deck|deck|pitch|presentation|handout)(?:[\W_].*)?\Z", re.IGNORECASE
)


@dataclass(frozen=True)
class Name:
    """An id as text, the number in it when there is one, the words behind it, and a day at the front."""

    id: str
    number: int | None
    slug: str
    placeholder: bool = False
    day: date | None = None


@lru_cache(maxsize=20_000)
def name_of(path: str) -> Name:
    """Return what the path of a record says of its id.

    A number at the front is the id, with its zeros and the letter behind it. A date at the front is no
    number: the whole name is the id, as several records can be of one day. A file such as ``index.md``
    has the name of its folder.
    """
    pure = PurePosixPath(path)
    stem = pure.name
    for suffix in SUFFIXES:
        if stem.lower().endswith(suffix):
            stem = stem[: -len(suffix)]
            break
    if _INDEX.fullmatch(stem) and pure.parent.name:
        stem = pure.parent.name
    if (match := _DATED.match(stem)) and _day(match):
        inner = _BEHIND_DATE.match(match["rest"] or "")
        if inner and ("_" in match["join"] or len(inner["id"]) >= 3):
            return replace(_numbered(inner["id"], inner["slug"] or ""), day=_day(match))
        return Name(stem, None, match["rest"] or "", day=_day(match))
    if (match := _ULID_FIRST.match(stem)) and not stem[:26].isdigit():
        return Name(match["id"], None, match["slug"] or "")
    if match := _NUMBER.match(stem):
        return _numbered(match["id"], match["slug"] or "")
    if match := _PLACEHOLDER.match(stem):
        return Name(stem, None, match["slug"] or "", placeholder=True)
    return Name(stem, None, stem)


def number_in(text: str) -> int | None:
    """Return the number that an id begins with: 12 for ``0012a``."""
    match = re.match(r"(?:adr|rfc)?[-_ ]*(\d{1,9})(?!\d)", text, re.IGNORECASE)
    return int(match[1]) if match else None


def neighbour(path: str) -> str:
    """Return why a file is no record, going by its name alone; empty when it may be one."""
    pure = PurePosixPath(path)
    stem = pure.name.rsplit(".", 1)[0]
    low = re.sub(r"\A0+[-_ ]+", "", stem.lower().replace(" ", "-"))
    if _INDEX.fullmatch(stem) and pure.parent.name and name_of(path).number is not None:
        return ""  # a folder per record
    if low in _OTHER_NAMES:
        return _OTHER_NAMES[low]
    if _is_template(stem):
        return "a template"
    if any(_TEMPLATE_WORD.fullmatch(part.lstrip("_")) for part in pure.parts[:-1][-2:]):
        return "a template"
    name = name_of(path)
    if _SLIDES.match(name.slug or stem) and name.number is None:
        return "slides"
    return ""


def _is_template(stem: str) -> bool:
    words = [word for word in re.split(r"[\W_]+", stem[:100]) if word]
    named = [word for word in words if _TEMPLATE_WORD.fullmatch(word)]
    others = [word for word in words if word not in named]
    return bool(named) and all(_BESIDE.fullmatch(word) for word in others) and not _own_number(words)


def _own_number(words: list[str]) -> bool:
    """Whether a name begins with a number that is not all zeros: ``0012-template``."""
    return words[0].isdigit() and int(words[0]) > 0 if len(words[0]) < 10 else False


def _numbered(text: str, slug: str) -> Name:
    match = re.search(r"(?:\A|[-_])(\d+)", text)
    return Name(text, int(match[1]) if match and len(match[1]) < 10 else None, slug)


def _day(match: re.Match[str]) -> date | None:
    try:
        day = date(int(match["y"]), int(match["m"]), int(match["d"]))
    except ValueError:
        return None
    return day if 1990 <= day.year <= 2100 else None
