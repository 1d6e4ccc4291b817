"""People, tags and ids as front matter and prose list them."""

import re
from collections.abc import Iterable
from typing import Any

from reaffirm.store.reading.outline import Line
from reaffirm.store.reading.targets import number_of, record_of, targets

NOTHING = re.compile(
    r"\W*(?:n/?a|none|nobody|no one|null|nil|tbd|-+|–|—|keine?|aucun|ninguno|nenhum|なし)?\W*\Z",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"[\[{<]\s*(?:list|everyone|names?|who|the|liste|your)\b.*|\{.*\}|list everyone\b.*", re.IGNORECASE
)
_SEPARATOR = re.compile(r"\s*(?:[,;、，]|\n)\s*(?![^()\[\]]*[)\]])")


def texts(value: Any) -> tuple[str, ...]:
    """Return the names in a list, or in a text with commas; a mapping gives its names or keys."""
    if value is None or isinstance(value, bool):
        return ()
    if isinstance(value, dict):
        if isinstance(value.get("name"), str):
            return (value["name"],)
        return tuple(str(key) for key in value if not is_placeholder(str(key)))
    if isinstance(value, list):
        return tuple(one for item in value for one in (texts(item) if isinstance(item, dict) else _one(item)))
    return tuple(part for part in _SEPARATOR.split(str(value).strip()) if not is_nothing(part))


def _one(item: Any) -> tuple[str, ...]:
    text = "" if item is None else str(item).strip()
    return () if is_nothing(text) else (text,)


def people(blocks: Iterable[Iterable[Line]]) -> tuple[str, ...]:
    """Return the names on lines, without bullets and remarks."""
    found: list[str] = []
    for block in blocks:
        for line in block:
            found += [name for name in texts(line.text) if name not in found]
    return tuple(found)


def is_nothing(text: str) -> bool:
    """Whether a text says that there is none: ``N/A``, ``-``, or the template's words."""
    return bool(NOTHING.match(text)) or is_placeholder(text)


def is_placeholder(text: str) -> bool:
    """Whether a text is the template's: ``{list everyone involved}``."""
    return bool(_PLACEHOLDER.match(text.strip()))


def ids(value: Any) -> tuple[str, ...]:
    """Return the ids in a value of front matter: a number, a file, ``ADR-12``, or a list of them."""
    if value is None or isinstance(value, bool):
        return ()
    if isinstance(value, list):
        return tuple(dict.fromkeys(one for item in value for one in ids(item)))
    if isinstance(value, dict):
        for key in ("id", "adr", "record", "number", "path", "file", "link", "href"):
            if key in value:
                return ids(value[key])
        return ids(list(value))
    text = str(value).strip()
    if is_nothing(text):
        return ()
    if re.fullmatch(r"#?(?:M?ADR|RFC)?[-_ #]*\d+[a-z]?", text, re.IGNORECASE):
        return (re.sub(r"\A\D+", "", text),)
    found = targets(text)
    if found:
        return found
    if re.fullmatch(r"[\w./-]+", text):  # a slug
        return (record_of(text if "." in text else f"{text}.md") or text,)
    return ()


def same(one: str, other: str) -> bool:
    """Whether two ids name the same record, however many zeros they have."""
    a, b = number_of(one), number_of(other)
    return one == other if a is None or b is None else a == b
