"""Chooses a record's status among the places that state one, and says where they contradict each other."""

from dataclasses import replace

from reaffirm.model.record import Status
from reaffirm.store.reading.draft import Draft, begins, front_values
from reaffirm.store.reading.fields import Place, Where
from reaffirm.store.reading.labels import Field, field_of
from reaffirm.store.reading.outline import Line
from reaffirm.store.reading.status import StatusFound, read_status
from reaffirm.store.reading.status_words import status_at
from reaffirm.store.reading.values import texts

_HINT = "write the one that holds"


def find_status(draft: Draft, in_title: str) -> StatusFound:
    """Return the record's status; what cannot be decided is null and reported.

    Metadata, the top of the record and a section of its own must agree. A badge, the title, a tag and the
    folder count only where those say nothing.
    """
    twice = next((key for key in draft.front.twice if field_of(key) is Field.STATUS), None)
    if twice is not None:
        line, raw = draft.front.twice[twice]
        draft.lines["status"] = line
        return StatusFound(raw=raw, line=line)
    found = [pair for place in draft.of(Field.STATUS) if (pair := _read(draft, place)) is not None]
    explicit = [one for where, one in found if where <= Where.SECTION]
    if in_title:
        line = draft.title.line if draft.title else 1
        found.append((Where.TITLE, read_status([[Line(in_title, line, in_title)]])))
    found.sort(key=lambda pair: pair[0])
    stated = [one for _, one in found if one.status is not None]
    if _foreign(found) and len(stated) > 1:
        stated = stated[1:]
        explicit = [one for one in explicit if one is not found[0][1]]
    if not stated:
        return _unstated(draft, [one for _, one in found])
    chosen = _shared(stated)
    draft.lines["status"] = chosen.line
    first = explicit[0] if explicit else None
    for where, one in found:
        if one.status in (None, Status.OTHER, chosen.status) or one is stated[0] or one not in stated:
            continue  # a sentence under "Status" contradicts no word
        message = f"the status is {chosen.status} in line {chosen.line} and {one.status} here"
        if where <= Where.SECTION and stated[0] is first:
            draft.wrong(one.line, "status-contradiction", message, _HINT)
            return StatusFound(raw=chosen.raw, line=chosen.line)
        if where <= Where.TITLE:
            draft.wrong(one.line, "status-contradiction", message, "say it in one place")
    return chosen


def _read(draft: Draft, place: Place) -> tuple[Where, StatusFound] | None:
    value = place.value
    line = place.line
    if isinstance(value, dict) and not (len(value) == 1 and next(iter(value.values())) is None):
        template = read_status(place.blocks)
        if not template.template:
            draft.wrong(
                place.at or line, "status-shape", "the status is a mapping, no word", "write one word"
            )
            return None
    if isinstance(value, bool | int | float) or (isinstance(value, list) and len(value) != 1):
        shown = place.lines[0].source if place.lines else str(value)
        draft.wrong(line, "status-shape", f"the status is {shown!r}, no word", "write one word")
        return (place.where, StatusFound(raw=shown, line=line, wordless=True))
    one = read_status(place.blocks)
    if one.undecided:
        draft.wrong(one.undecided, "status-template", one.why, "tick the one that holds")
        return None
    if isinstance(value, dict | list) and one.status is not None:
        draft.wrong(
            line, "status-shape", f"the status is {one.raw!r}, read as its word", "write the word alone"
        )
        one.raw = one.raw.strip("{}[] '\"")
    if place.where is Where.TOP and one.status is Status.OTHER and len(one.raw.split()) > 6:
        return None  # a sentence about some status
    return (place.where, one) if one.status is not None or one.template or one.wordless else None


def _unstated(draft: Draft, found: list[StatusFound]) -> StatusFound:
    """What stands where a status should be, and is none."""
    template = next((one for one in found if one.template or one.wordless), None)
    if template is not None:
        draft.lines["status"] = template.line
        if template.template:
            message = f"nobody has chosen a status: {template.raw!r}"
            draft.wrong(template.line, "status-template", message, _HINT)
        elif not any(problem.line == template.line for problem in draft.problems):
            message = f"a sign without a word: {template.raw!r}"
            draft.wrong(template.line, "status-sign", message, "write the word that it stands for")
        return StatusFound(raw=template.raw, line=template.line)
    return _in_tags(draft) or _of_folder(draft) or StatusFound()


def _shared(stated: list[StatusFound]) -> StatusFound:
    """The first, with what the others know of relations."""
    chosen = replace(stated[0])
    for one in stated[1:]:
        if not chosen.superseded_by:
            chosen.superseded_by, chosen.by_line = one.superseded_by, one.by_line
        if not chosen.supersedes:
            chosen.supersedes, chosen.supersedes_line = one.supersedes, one.supersedes_line
        chosen.day = chosen.day or one.day
        chosen.relations = [*chosen.relations, *one.relations]
    return chosen


def _foreign(found: list[tuple[Where, StatusFound]]) -> bool:
    """Whether the front matter's status is a site generator's word (``status: new``)."""
    return bool(found) and found[0][0] is Where.FRONT and found[0][1].status is Status.OTHER


def _in_tags(draft: Draft) -> StatusFound | None:
    """A site generator's tags may be the only place: ``tags: [Draft]``."""
    for (key, *rest), value in front_values(draft.front):
        if rest or field_of(str(key)) is not Field.TAGS:
            continue
        words = [word for word in texts(value) if status_at(word)[0] and not status_at(word)[1].strip()]
        if len(words) == 1:
            items = value if isinstance(value, list) else []
            index = next((n for n, item in enumerate(items) if str(item).strip() == words[0]), None)
            line = draft.front.marks.get((key, index)) if index is not None else None
            line = line or begins(draft.front, (key,))
            draft.lines["status"] = line
            return StatusFound(status_at(words[0])[0], words[0], line)
    return None


def _of_folder(draft: Draft) -> StatusFound | None:
    """Some keep records in a folder for each state: ``rejected/0003-x.md``."""
    parts = draft.path.split("/")
    word = parts[-2] if len(parts) > 1 else ""
    if word.lower() in {status.value for status in Status} - {"other"}:
        return StatusFound(Status(word.lower()), word)
    return None
