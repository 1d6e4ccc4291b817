"""Makes a record of a file's name, front matter and outline. What contradicts itself is reported."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from reaffirm.model.finding import Finding
from reaffirm.model.record import Dialect, Link, Record, Status
from reaffirm.store.claim_format import read_claims
from reaffirm.store.frontmatter import Page
from reaffirm.store.reading import dates
from reaffirm.store.reading.fields import Place, Where, places
from reaffirm.store.reading.front import Front
from reaffirm.store.reading.inline import line_of
from reaffirm.store.reading.labels import Field, field_of
from reaffirm.store.reading.naming import Name
from reaffirm.store.reading.outline import Block, Line, Outline
from reaffirm.store.reading.status import StatusFound, read_status
from reaffirm.store.reading.status_words import status_at
from reaffirm.store.reading.targets import targets
from reaffirm.store.reading.titles import clean_title, find_title, is_placeholder, number_of_title, written
from reaffirm.store.reading.values import ids, is_nothing, people, texts
from reaffirm.store.review import read_review

_DATE_TEMPLATE = re.compile(r"YYYY|\{.*\}|\[.*(?:date|last updated).*\]|<date>", re.IGNORECASE)
# Keys that only site generators have.
_SITE_KEYS = frozenset(
    (
        *("weight", "nav_order", "layout", "parent", "slug", "sidebar_position", "sidebar_label", "menu"),
        *("permalink", "aliases", "categories", "template", "linktitle", "hide_title", "draft", "taxonomies"),
        "has_children",
    )
)
_NESTED = ("adr", "extra", "params", "metadata", "meta", "record", "govctl", "decision")


@dataclass
class Draft:
    """A record while it is put together."""

    path: str
    dialect: Dialect
    name: Name
    front: Front
    outline: Outline
    line: int = 1
    problems: list[Finding] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    title: Block | None = None
    found: list[Place] = field(default_factory=list)

    def wrong(self, line: int, code: str, message: str, hint: str = "") -> None:
        """Note what could not be read."""
        self.problems.append(Finding(self.path, line, code, message, hint))


def compose(draft: Draft) -> Record:
    """Return the record that a draft describes; what is wrong is left in the draft's ``problems``."""
    draft.title = find_title(draft.outline)
    draft.found = [*_front_places(draft), *places(draft.outline, draft.title)]
    title, title_status = _title(draft)
    status = _status(draft, title_status)
    day, day_raw = _date(draft)
    by, supersedes = _supersession(draft, status)
    tops = {str(path[0]): line for path, line in draft.front.marks.items() if len(path) == 1}
    page = Page(draft.path, draft.front.data, "", 1, tops, draft.front.marks)
    claims, wrong = read_claims(page)
    review_by, reopen_when, wrong_review = read_review(page)
    draft.problems += [*wrong, *wrong_review]
    body = draft.title.line if draft.title else draft.line - 1
    return Record(
        path=draft.path,
        id=_id(draft),
        title=title,
        status=status.status,
        status_raw=status.raw,
        date=day,
        date_raw=day_raw,
        deciders=_people(draft, Field.DECIDERS, "deciders"),
        consulted=_people(draft, Field.CONSULTED, "consulted"),
        informed=_people(draft, Field.INFORMED, "informed"),
        supersedes=supersedes,
        superseded_by=by,
        tags=_people(draft, Field.TAGS, "tags"),
        links=_links(draft, status),
        claims=claims,
        review_by=review_by,
        reopen_when=reopen_when,
        lines=draft.lines,
        dialect=draft.dialect,
        line=draft.line,
        body_line=body + 1,
    )


def _front_places(draft: Draft) -> Iterable[Place]:
    for path, value in _front_values(draft.front):
        name = str(path[-1])
        found = field_of(name) or (Field.STATUS if name.lower() == "state" else None)
        if found is None or found in (Field.TAGS,):
            continue
        line = draft.front.marks.get(path, 1)
        raw = draft.front.raw.get(name, "") if len(path) == 1 else _text(value)
        yield Place(found, [[_front_line(raw, value, line)]], line, Where.FRONT)


def _front_values(front: Front) -> Iterable[tuple[tuple[str | int, ...], Any]]:
    for key, value in front.data.items():
        if key.lower() in _NESTED and isinstance(value, dict):
            for inner, item in value.items():
                yield (key, inner), item
        else:
            yield (key,), value


def _front_line(raw: str, value: Any, line: int) -> Line:
    text = _text(value) if not isinstance(value, str) else raw or value
    one = line_of(text, line)
    one.source = raw or text
    return one


def _text(value: Any) -> str:
    if isinstance(value, dict):  # status: {accepted} is a mapping in YAML
        return " ".join(str(key) if item is None else f"{key} {_text(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value)
    return "" if value is None else str(value).strip()


def _title(draft: Draft) -> tuple[str, str]:
    """Return the title and the status that stands in it."""
    block = draft.title
    if block is not None:
        text, status = clean_title(written(block.lines[0]), draft.name.number)
        if is_placeholder(text):
            draft.wrong(
                block.line, "template-text", f"the title is the template's: {text!r}", "write a title"
            )
            return "", status
        draft.lines["title"] = block.line
        return text, status
    for place in draft.found:
        if place.field is Field.TITLE and place.lines and not is_placeholder(place.lines[0].text):
            draft.lines["title"] = place.lines[0].line
            return clean_title(place.lines[0].text, draft.name.number)
    for line, comment in draft.front.comments:
        number = number_of_title(comment)
        if number and draft.name.number is not None and int(re.sub(r"\D", "", number)) == draft.name.number:
            draft.lines["title"] = line
            draft.wrong(
                line,
                "title-comment",
                "the title is a comment in the front matter",
                "write '# Title' below it",
            )
            return clean_title(comment, draft.name.number)
    return "", ""


def _id(draft: Draft) -> str:
    """The id in the file's name; where that has no number, the one that the record gives itself."""
    if draft.name.number is None and not draft.name.placeholder:
        for place in draft.found:
            if place.field is Field.ID and place.where <= Where.LABEL and place.lines:
                draft.lines["id"] = place.line
                found = ids(place.lines[0].text)
                if found and (found[0][0].isdigit()):
                    return found[0]
    return draft.name.id


def _status(draft: Draft, in_title: str) -> StatusFound:
    found: list[tuple[Where, StatusFound]] = []
    for place in sorted((p for p in draft.found if p.field is Field.STATUS), key=lambda p: (p.where, p.line)):
        one = read_status(place.blocks)
        if one.status is not None or one.template:
            found.append((place.where, one))
    if in_title:
        line = draft.title.line if draft.title else 1
        found.append((Where.TITLE, read_status([[Line(in_title, line, in_title)]])))
    found.sort(key=lambda pair: pair[0])
    tagged = _status_in_tags(draft)
    if tagged is not None and not any(one.status for _, one in found):
        found.append((Where.TAGS, tagged))
    known = [one for _, one in found if one.status not in (None, Status.OTHER)]
    stated = [one for _, one in found if one.status is not None]
    chosen = known[0] if known and _of_generator(draft, found) else stated[0] if stated else None
    if chosen is None:
        template = next((one for _, one in found if one.template), None)
        if template is None:
            return StatusFound()
        hint = "write the one that holds"
        draft.wrong(template.line, "status-template", f"nobody has chosen a status: {template.raw!r}", hint)
        return StatusFound(raw=template.raw, line=template.line)
    draft.lines["status"] = chosen.line
    for one in known:
        if one.status is not chosen.status:
            message = f"the status is {chosen.status} in line {chosen.line} and {one.status} here"
            draft.wrong(one.line, "status-contradiction", message, "say it in one place")
    for one in stated:
        if one is not chosen:
            chosen.superseded_by = chosen.superseded_by or one.superseded_by
            chosen.by_line = chosen.by_line or one.by_line
            chosen.supersedes = chosen.supersedes or one.supersedes
            chosen.relations += one.relations
    return chosen


def _of_generator(draft: Draft, found: list[tuple[Where, StatusFound]]) -> bool:
    """Whether the front matter's status is a site generator's word (``status: new``)."""
    return bool(found) and found[0][0] is Where.FRONT and found[0][1].status is Status.OTHER


def _status_in_tags(draft: Draft) -> StatusFound | None:
    """A site generator's tags may be the only place: ``tags: [Draft]``."""
    for (key, *rest), value in _front_values(draft.front):
        if rest or field_of(str(key)) is not Field.TAGS:
            continue
        words = [
            word for word in texts(value) if status_at(word)[0] is not None and not status_at(word)[1].strip()
        ]
        if len(words) == 1:
            line = draft.front.marks.get((key,), 1)
            return StatusFound(status_at(words[0])[0], words[0], line)
    return None


def _date(draft: Draft) -> tuple[date | None, str]:
    """The day of the decision; else of the last change that the record tells of."""
    for wanted in (Field.DATE, Field.UPDATED, Field.CHANGELOG):
        mine = sorted((p for p in draft.found if p.field is wanted), key=lambda p: _date_rank(draft, p))
        days: list[tuple[date, Line]] = []
        for place in mine:
            for line in place.lines:
                if is_nothing(line.text) or _DATE_TEMPLATE.search(line.text):
                    continue
                found, wrong = dates.dates_in(line.text)
                if found:
                    days.append((found[0], line))
                elif wanted is Field.DATE and re.search(r"\d", line.text):
                    message = wrong or f"{line.text[:60]!r} is no whole day"
                    draft.wrong(line.line, "date-form", message, "write YYYY-MM-DD, a day that there is")
                    if not days:
                        draft.lines["date"] = line.line
                        return None, line.source or line.text
                if wanted is not Field.CHANGELOG:
                    break
        if days:
            day, line = days[0] if wanted is not Field.CHANGELOG else max(days, key=lambda one: one[0])
            draft.lines["date"] = line.line
            others = sorted({str(other) for other, _ in days if other != day})
            if others and wanted is Field.DATE and not _generated(draft):
                message = f"the date is {day} here and {', '.join(others)} elsewhere"
                draft.wrong(line.line, "date-contradiction", message)
            return day, line.source or line.text
    return None, ""


def _generated(draft: Draft) -> bool:
    """Whether the front matter is a site generator's: its date is the page's, not the decision's."""
    keys = {key.lower() for key in draft.front.data}
    ours = {"status", "deciders", "decision-makers", "decision_makers", "consulted", "informed"}
    return bool(keys & _SITE_KEYS) and not keys & ours


def _date_rank(draft: Draft, place: Place) -> tuple[int, int]:
    late = place.where is Where.FRONT and _generated(draft)
    return (9 if late else int(place.where), place.line)


def _supersession(draft: Draft, status: StatusFound) -> tuple[tuple[str, ...], tuple[str, ...]]:
    by, supersedes = list(status.superseded_by), list(status.supersedes)
    if by:
        draft.lines["superseded_by"] = status.by_line or status.line
    for place in draft.found:
        if place.field not in (Field.SUPERSEDES, Field.SUPERSEDED_BY):
            continue
        key = "supersedes" if place.field is Field.SUPERSEDES else "superseded_by"
        names: list[str] = []
        if place.where is Where.FRONT:
            names = list(_front_ids(draft, place))
        for line in place.lines:
            if place.where is not Where.FRONT and not is_nothing(line.text):
                names += targets(line.text, line.links) or ids(line.text)
        into = by if place.field is Field.SUPERSEDED_BY else supersedes
        new = [name for name in names if name not in into]
        if new:
            draft.lines.setdefault(key, place.line)
            into += new
    if supersedes:
        draft.lines.setdefault("supersedes", status.line)
    return tuple(dict.fromkeys(by)), tuple(dict.fromkeys(supersedes))


def _front_ids(draft: Draft, place: Place) -> tuple[str, ...]:
    for path, value in _front_values(draft.front):
        if draft.front.marks.get(path, 1) == place.line and field_of(str(path[-1])) is place.field:
            found = ids(value)
            line = place.lines[0] if place.lines else None
            return found or (targets(line.text, line.links) if line else ())
    return ()


def _people(draft: Draft, wanted: Field, key: str) -> tuple[str, ...]:
    for path, value in _front_values(draft.front):
        if field_of(str(path[-1])) is wanted and (names := texts(value)):
            draft.lines[key] = draft.front.marks.get(path, 1)
            return names
    for place in draft.found:
        if place.field is wanted and place.where is not Where.FRONT and (names := people(place.blocks)):
            draft.lines[key] = place.line
            return names
    return ()


def _links(draft: Draft, status: StatusFound) -> tuple[Link, ...]:
    """All links, each once; those with a relation carry it."""
    related = {(link.target, link.line): link for link in status.relations}
    links = [related.pop((link.target, link.line), link) for link in draft.outline.links]
    front = [
        link
        for place in draft.found
        if place.where is Where.FRONT
        for line in place.lines
        for link in line.links
        if (link.target, link.line) not in {(one.target, one.line) for one in links}
    ]
    return tuple(sorted((*links, *front, *related.values()), key=lambda link: link.line))
