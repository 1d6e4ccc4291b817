"""Makes a record of a file's name, front matter and outline. What contradicts itself is reported."""

import re

from reaffirm.model.record import Record
from reaffirm.store.claim_format import read_claims
from reaffirm.store.frontmatter import Page
from reaffirm.store.reading.days import find_date
from reaffirm.store.reading.draft import Draft, begins, front_values
from reaffirm.store.reading.fields import Where
from reaffirm.store.reading.labels import Field, field_of
from reaffirm.store.reading.relations import find_links, find_supersession
from reaffirm.store.reading.statuses import find_status
from reaffirm.store.reading.titles import (
    clean_title,
    is_placeholder,
    number_of_title,
    written,
)
from reaffirm.store.reading.values import ids, people, texts
from reaffirm.store.review import read_date_of, read_review

# Comments that MADR's template has in its front matter.
_TEMPLATE_COMMENT = re.compile(
    r"these are optional|feel free to remove|this is an optional|\.\Z", re.IGNORECASE
)


def compose(draft: Draft) -> Record:
    """Return the record that a draft describes; what is wrong is left in the draft's ``problems``."""
    draft.look()
    title, title_status = _title(draft)
    status = find_status(draft, title_status)
    day, day_raw = find_date(draft, status)
    by, supersedes = find_supersession(draft, status)
    tops = {str(path[0]): line for path, line in draft.front.marks.items() if len(path) == 1}
    page = Page(draft.path, draft.front.data, "", 1, tops, draft.front.marks)
    claims, wrong = read_claims(page)
    review_by, reopen_when, wrong_review = read_review(page)
    date_of, wrong_date = read_date_of(page)
    draft.problems += [*wrong, *wrong_review, *wrong_date]
    body = draft.title.line if draft.title else draft.line - 1
    return Record(
        path=draft.path,
        id=_id(draft),
        title=title,
        status=status.status,
        status_raw=status.raw,
        date=day,
        date_raw=day_raw,
        date_of=date_of,
        deciders=_people(draft, Field.DECIDERS, "deciders"),
        consulted=_people(draft, Field.CONSULTED, "consulted"),
        informed=_people(draft, Field.INFORMED, "informed"),
        supersedes=supersedes,
        superseded_by=by,
        tags=_people(draft, Field.TAGS, "tags"),
        links=find_links(draft, status),
        claims=claims,
        review_by=review_by,
        reopen_when=reopen_when,
        lines=draft.lines,
        dialect=draft.dialect,
        line=draft.line,
        body_line=body + 1,
    )


def _title(draft: Draft) -> tuple[str, str]:
    """Return the title and the status that stands in it."""
    name = draft.name
    block = draft.title
    if block is not None:
        words = written(block.lines[0])
        text, status = clean_title(words, name.number, name.id)
        if is_placeholder(text):
            message = f"the title is the template's: {text!r}"
            draft.wrong(block.line, "template-text", message, "write a title")
            return "", status
        draft.lines["title"] = block.line
        number = re.match(r"\d+", number_of_title(words))
        if number and name.number is not None and int(number[0]) != name.number:
            message = f"the title says {number[0]}, the file's name {name.id}"
            draft.wrong(block.line, "title-number", message, "the file's name counts; mend the title")
        return text, status
    for place in draft.of(Field.TITLE):
        if place.lines and not is_placeholder(place.lines[0].text):
            draft.lines["title"] = place.lines[0].line
            return clean_title(place.lines[0].text, name.number, name.id)
    for line, comment in draft.front.comments:
        if not _TEMPLATE_COMMENT.search(comment) and (line <= 2 or number_of_title(comment)):
            draft.lines["title"] = line
            return clean_title(comment, name.number, name.id)
    return "", ""


def _id(draft: Draft) -> str:
    """The id in the file's name; where that has no number, the one that the record gives itself."""
    if draft.name.number is None and not draft.name.placeholder and draft.name.day is None:
        for place in draft.of(Field.ID):
            if place.where <= Where.LABEL and place.lines:
                found = ids(place.lines[0].text)
                if found and re.search(r"\d", found[0]):
                    draft.lines["id"] = place.line
                    return found[0]
    return draft.name.id


def _people(draft: Draft, wanted: Field, key: str) -> tuple[str, ...]:
    for path, value in front_values(draft.front):
        if field_of(str(path[-1])) is wanted and (names := texts(value)):
            draft.lines[key] = begins(draft.front, path)
            return names
    for place in draft.of(wanted):
        if place.where is not Where.FRONT and (names := people(place.blocks)):
            first = next((line.line for line in place.lines if texts(line.text)), place.line)
            draft.lines[key] = first
            return names
    return ()
