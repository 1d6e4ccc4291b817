"""A record while it is put together: where its fields were found, and what is wrong with them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from reaffirm.model.finding import Finding
from reaffirm.model.record import Dialect
from reaffirm.store.reading.fields import Place, Where, places
from reaffirm.store.reading.front import Front
from reaffirm.store.reading.inline import line_of
from reaffirm.store.reading.labels import Field, field_of
from reaffirm.store.reading.naming import Name
from reaffirm.store.reading.outline import Block, Line, Outline
from reaffirm.store.reading.titles import find_title

_NESTED = ("adr", "extra", "params", "metadata", "meta", "record", "govctl", "decision")


@dataclass
class Draft:
    """The pieces of one record. ``conflict`` are the lines between the marks of an unfinished merge."""

    path: str
    dialect: Dialect
    name: Name
    front: Front
    outline: Outline
    line: int = 1
    conflict: tuple[range, ...] = ()
    problems: list[Finding] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    title: Block | None = None
    found: list[Place] = field(default_factory=list)

    def look(self) -> None:
        """Find the title and all fields."""
        self.title = find_title(self.outline)
        found = [*_front_places(self.front), *places(self.outline, self.title)]
        self.found = [one for one in found if not any(one.line in lines for lines in self.conflict)]

    def of(self, wanted: Field) -> list[Place]:
        """Return the places of a field, the weightiest first."""
        return sorted((one for one in self.found if one.field is wanted), key=lambda p: (p.where, p.line))

    def wrong(self, line: int, code: str, message: str, hint: str = "") -> None:
        """Note what could not be read."""
        self.problems.append(Finding(self.path, line, code, message, hint))


def _front_places(front: Front) -> Iterator[Place]:
    for path, value in front_values(front):
        name = str(path[-1])
        found = field_of(name) or (Field.STATUS if name.lower() == "state" else None)
        if found is None or found is Field.TAGS:
            continue
        line = begins(front, path)
        raw = front.raw.get(name, "") if len(path) == 1 else plain(value)
        yield Place(
            found, [[_front_line(raw, value, line)]], line, Where.FRONT, value, front.marks.get(path, 1)
        )


def front_values(front: Front) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield the keys of front matter, those in a table for records included."""
    for key, value in front.data.items():
        if key.lower() in _NESTED and isinstance(value, dict):
            for inner, item in value.items():
                yield (key, inner), item
        else:
            yield (key,), value


def begins(front: Front, path: tuple[str | int, ...]) -> int:
    """Return the line on which a value begins; of a list, its first entry."""
    if (*path, 0) in front.marks:
        return front.marks[(*path, 0)]
    if len(path) == 1 and str(path[0]) in front.begins:
        return front.begins[str(path[0])]
    return front.marks.get(path, 1)


def _front_line(raw: str, value: Any, line: int) -> Line:
    text = plain(value) if not isinstance(value, str) else raw or value
    one = line_of(text, line)
    one.source = raw or text
    return one


def plain(value: Any) -> str:
    """Return a value of front matter as words; ``{accepted}`` is a mapping in YAML."""
    if isinstance(value, dict):
        return " ".join(str(key) if item is None else f"{key} {plain(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(plain(item) for item in value)
    return "" if value is None else str(value).strip()
