"""What a status says: a word, who superseded the record, and what else stands among its lines.

The first line says the status. A later line counts when it is nothing but a status, as in the history
that adr-tools writes; prose that begins with the word "superseded" does not.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from reaffirm.model.record import Link, Status
from reaffirm.store.reading.dates import dates_in
from reaffirm.store.reading.outline import Line
from reaffirm.store.reading.status_words import status_at, statuses_in
from reaffirm.store.reading.targets import targets

_FRONT = re.compile(r"\A(?:\[[ xX]\])?[\W_]*")
_DATED = re.compile(
    r"\A\W*(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}"
    r"|\d{1,2}[./]\d{1,2}[./]\d{4}|\w+ \d{1,2},? \d{4}|\d{1,2} \w+ \d{4})"
    r"\W*"
)
_RELATION = re.compile(
    r"(?P<what>(?:partially |partly )?(?:supersedes|supercedes|superseeds|replaces|obsoletes|amends"
    r"|amended by"
    r"|clarifies|clarified by|extends|extended by|refines|refined by|relates to|related to|depends on|updates"
    r"|updated by|complements|complemented by|ersetzt ADR|replaced in part by)"
    r"|(?:partially|partly) (?:superseded|superceded|replaced) by"
    r"|(?:superseded|superceded|replaced) (?:in part|partially|partly) by)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_BY = re.compile(
    r"(?P<part>\b(?:partially|partly|in part|parts?)\b[^,;.()]*?)?\b(?:superseded|superceded|superseeded"
    r"|replaced|overridden|obsoleted)(?P<part2> in part| partially| partly)?"
    r" (?:and replaced )?by\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_JOINED = re.compile(
    r"\A[\s.,;:(\[]*(?:but |and |then |now |later |since |→|->|=>|/|&|\+)*\s*\Z", re.IGNORECASE
)
_ARROW = re.compile(r"\s*(?:→|->|=>|⟶|➜|⇒)\s*")
_ENUMERATION = re.compile(r"\s*(?:\||/|,| or | oder | ou | o )\s*")
_NOT_SURE = re.compile(r"\A\s*\?")
_ORDER = [
    Status.OTHER,
    Status.DRAFT,
    Status.PROPOSED,
    Status.ACCEPTED,
    Status.REJECTED,
    Status.DEPRECATED,
    Status.SUPERSEDED,
]


@dataclass
class StatusFound:
    """A status as read. ``template`` is true when nobody has chosen yet among the template's words."""

    status: Status | None = None
    raw: str = ""
    line: int = 0
    superseded_by: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    relations: list[Link] = field(default_factory=list)
    template: bool = False
    by_line: int = 0


@dataclass
class _Entry:
    status: Status
    line: Line
    by: tuple[str, ...] = ()
    day: date | None = None


def read_status(blocks: Sequence[Sequence[Line]]) -> StatusFound:
    """Read the lines of a status, block by block. No words give no status."""
    found = StatusFound()
    boxes = [line for block in blocks for line in block if re.match(r"\[[ xX]\]", line.text)]
    if boxes:
        chosen = [line for line in boxes if line.text[1] in "xX"]
        blocks = [[line] for line in chosen]
        if not chosen:
            return StatusFound(template=True, line=boxes[0].line, raw=boxes[0].source or boxes[0].text)
    entries: list[_Entry] = []
    for block in blocks:
        for line in block:
            text = line.text.strip()
            if not text:
                continue
            first = not entries
            if first and not found.template and is_template(text):
                found.template, found.raw, found.line = True, line.source or text, line.line
                break
            entry, alone = _entry(line, found, first=first)
            if entry is not None and (first or alone):
                entries.append(entry)
            if not alone:
                break  # the rest of a paragraph of prose
    if entries:
        _choose(entries, found)
    elif not found.template and not found.line:
        _only_relations(blocks, found)
    return found


def is_template(text: str) -> bool:
    """Whether a text is a choice that nobody made: ``proposed | accepted``, ``{status}``."""
    low = text.strip()
    if "|" in low:
        parts = [part.strip(" []{}<>()*_.") for part in low.split("|")]
        if sum(status_at(part)[0] is not None for part in parts) >= 2:
            return True
    if len(statuses_in(low)) >= 3 and ("," in low or "/" in low):
        words = _ENUMERATION.split(low)
        if sum(status_at(word.strip(" []{}<>()*_."))[0] is not None for word in words) >= 3:
            return True
    if re.match(r"[{<\[][^{}<>\[\]]*[}>\]]\Z", low):
        inner = low[1:-1].strip()
        return status_at(inner)[0] is None and not inner.isupper()
    return bool(re.match(r"what is the status\b", low, re.IGNORECASE))


def _entry(line: Line, found: StatusFound, *, first: bool) -> tuple[_Entry | None, bool]:
    """Return the status that a line says, and whether it says nothing else."""
    text = line.text.strip()
    days = dates_in(text)[0]
    body = _FRONT.sub("", text, count=1)
    if dated := _DATED.match(body):
        body = body[dated.end() :]
    body = re.sub(r"\Astatus\s*[:=]\s*", "", body, flags=re.IGNORECASE)
    if match := _RELATION.match(body):
        _relate(match["what"].lower(), line, match["rest"], found)
        if not first or re.match(
            r"(?:supersedes|supercedes|superseeds|replaces|amends|clarifies|extends|refines"
            r"|relates|related|depends|updates|amended|clarified|extended|refined"
            r"|complement|updated|obsoletes|ersetzt adr)",
            match["what"].lower(),
        ):
            return None, True
        return _Entry(Status.OTHER, line), True
    pieces = _ARROW.split(body)
    if len(pieces) > 1 and status_at(_clean(pieces[-1]))[0] is not None:
        body = pieces[-1]
    body = _clean(body)
    status, rest = status_at(body)
    if status is None or _NOT_SURE.match(rest):
        return (_Entry(Status.OTHER, line), False) if first else (None, False)
    by: tuple[str, ...] = ()
    day = max(days) if days else None
    if status is Status.SUPERSEDED:
        if re.match(r"[\s,(]*(?:in part|partially|partly)\b", rest, re.IGNORECASE):
            _relate("superseded in part by", line, rest, found)
            return _Entry(Status.OTHER, line), True
        by = _links_targets(rest, line)
        found.by_line = found.by_line or (line.line if by else 0)
        return _Entry(status, line, by, day), first or _alone(rest, line)
    match = _BY.search(rest)
    if match and (first or _alone(rest, line)):
        part = match["part"] or match["part2"]
        names = _links_targets(match["rest"], line)
        if part:
            _relate("superseded in part by", line, match["rest"], found)
        elif _JOINED.match(rest[: match.start()]) or rest[: match.start()].rstrip().endswith(
            ("(", ",", ";", ".")
        ):
            found.by_line = found.by_line or line.line
            return _Entry(Status.SUPERSEDED, line, names, day), True
    elif match := re.search(r"\b(supersedes|supercedes|replaces)\b(.*)", rest, re.IGNORECASE):
        _relate(match[1].lower(), line, match[2], found)
    return _Entry(status, line, (), day), _alone(rest, line)


def _links_targets(rest: str, line: Line) -> tuple[str, ...]:
    """The records named behind "by", in its sentence."""
    links = tuple(link for link in line.links if not link.text or link.text in rest)
    sentence = re.split(r"(?<=[a-z)])\.\s+(?=[A-Z])", rest, maxsplit=1)[0]
    return targets(f"by {sentence}", links)


def _relate(what: str, line: Line, rest: str, found: StatusFound) -> None:
    names = targets(rest, tuple(link for link in line.links if link.text in rest))
    if what in ("supersedes", "supercedes", "superseeds", "replaces", "obsoletes", "ersetzt adr"):
        found.supersedes = tuple(dict.fromkeys((*found.supersedes, *names)))
    relation = what.replace("superceded", "superseded")
    if "part" in what and "by" in what:
        relation = "superseded in part by"
    by_name = {link.text: link.target for link in line.links}
    links = [Link(target, text, line.line, relation) for text, target in by_name.items() if text in rest]
    found.relations += links or [Link(name, name, line.line, relation) for name in names]


def _alone(rest: str, line: Line) -> bool:
    """Whether what stands behind a status is a reference, a date or a remark in brackets, and no sentence."""
    for link in line.links:
        if link.text:
            rest = rest.replace(link.text, " ", 1)
    rest = re.sub(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>", " ", rest)
    rest = re.sub(r"\b(?:M?ADR|RFC)?[-_ #]*\d[\w./-]*", " ", rest)
    return len(re.findall(r"[^\W\d_]+", rest)) <= 4


def _clean(text: str) -> str:
    text = _FRONT.sub("", text, count=1)
    return re.sub(r"\A(?:currently|now)\s+", "", text, flags=re.IGNORECASE)


def _choose(entries: list[_Entry], found: StatusFound) -> None:
    chosen = entries[0]
    if len(entries) > 1:
        superseded = [one for one in entries if one.status is Status.SUPERSEDED]
        if superseded:
            chosen = superseded[-1]
        elif all(one.day for one in entries):
            chosen = max(entries, key=lambda one: one.day or date.min)
        else:
            chosen = max(entries, key=lambda one: _ORDER.index(one.status))
    found.status = chosen.status
    found.line = chosen.line.line
    found.raw = chosen.line.source or chosen.line.text
    found.template = False
    by = [name for one in entries if one.status is Status.SUPERSEDED for name in one.by]
    found.superseded_by = tuple(dict.fromkeys(by))


def _only_relations(blocks: Sequence[Sequence[Line]], found: StatusFound) -> None:
    """A status of nothing but "Supersedes …" is one that we do not know."""
    for block in blocks:
        for line in block:
            if line.text.strip():
                found.status, found.line = Status.OTHER, line.line
                found.raw = line.source or line.text
                return
