"""What a status says: a word, who superseded the record, and what else stands among its lines.

The first unit (a paragraph, an item, a line that begins anew) says the status. A later one counts when it
is nothing but a status, as in the history that adr-tools writes; prose that begins with the word
"superseded" does not.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from reaffirm.model.record import Link, Status
from reaffirm.store.reading.dates import dates_in
from reaffirm.store.reading.outline import Line
from reaffirm.store.reading.status_words import status_at, statuses_in
from reaffirm.store.reading.targets import pull_requests, targets

# No status is longer (characters); what follows is prose.
_LONGEST = 2_000
_BOX = re.compile(r"\[[ xX]\]")
_FRONT = re.compile(r"\A(?:\[[ xX]\]|:[a-z][\w+-]*:|[^\w{\[<]|[\[{<(](?=\s*\w)|_)*")
_DAY = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{4}|[A-Z]\w+ \d{1,2},? \d{4}"
    r"|\d{1,2} [A-Z]\w+ \d{4})"
)
_DATED = re.compile(rf"\A\W*{_DAY}\W*")
_DATED_SOURCE = re.compile(rf"\A[*_\s]*{_DAY}[*_]*\s*[:–—-]?\s*")
_FORWARD = r"supersedes|supercedes|superseeds|replaces|obsoletes"
_OTHER_RELATION = (
    r"amends|amended by|clarifies|clarified by|extends|extended by|refines|refined by|relates to|related to"
    r"|depends on|updates|updated by|complements|complemented by"
)
_PART = r"partially|partly|in part"
_BACK = r"superseded|superceded|superseeded|replaced|overridden|obsoleted"
_RELATION = re.compile(
    rf"(?P<what>(?:(?:{_PART}) )?(?:{_FORWARD})(?: (?:{_PART}))?|{_OTHER_RELATION}"
    rf"|(?:{_PART}) (?:{_BACK}) by|(?:{_BACK}) (?:{_PART}) by|(?:{_BACK}) by(?= .{{0,20}}\b(?:{_PART})\b))"
    r"(?![\w-])(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_BY = re.compile(
    rf"(?P<part>\b(?:{_PART}|parts?)\b[^,;.()]*?)?\b(?:{_BACK})(?P<part2> (?:{_PART}))?"
    r" (?:and replaced )?by\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_SUPERSEDES = re.compile(rf"\b(?P<what>{_FORWARD})\b(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_JOINED = re.compile(
    r"\A[\s.,;:(\[]*(?:but |and |then |now |later |since |→|->|=>|/|&|\+)*\s*\Z", re.IGNORECASE
)
_ARROW = re.compile(r"\s*(?:→|->|=>|⟶|➜|⇒)\s*")
_ENUMERATION = re.compile(r"\s*(?:\||/|,| or | oder | ou | o )\s*")
_NOT_SURE = re.compile(r"\A\s*\?")
_TOGETHER = re.compile(
    r"\b(?:together with|along with|see|because|which|while|instead of|and not)\b", re.IGNORECASE
)
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
    """A status as read. ``template`` is true while nobody has chosen among the template's words.

    ``wordless`` is true when there are signs but no word, such as an emoji alone; ``undecided`` is the line
    of boxes of which not exactly one is ticked, ``why`` says what is wrong with them.
    """

    status: Status | None = None
    raw: str = ""
    line: int = 0
    superseded_by: tuple[str, ...] = ()
    by_line: int = 0
    supersedes: tuple[str, ...] = ()
    supersedes_line: int = 0
    relations: list[Link] = field(default_factory=list)
    template: bool = False
    wordless: bool = False
    undecided: int = 0
    why: str = ""
    day: date | None = None


@dataclass
class _Entry:
    status: Status
    line: Line
    by: tuple[str, ...] = ()
    day: date | None = None


def read_status(blocks: Sequence[Sequence[Line]]) -> StatusFound:
    """Read the lines of a status, block by block. No words give no status."""
    found = StatusFound()
    boxes = [line for block in blocks for line in block if _BOX.match(line.text)]
    if boxes:
        ticked = [_unboxed(line) for line in boxes if line.text[1] in "xX"]
        if len({status_at(_body(line.text))[0] for line in ticked}) > 1:
            return StatusFound(undecided=ticked[1].line, why="two boxes are ticked")
        if not ticked:
            return StatusFound(undecided=boxes[0].line, why="no box is ticked")
        blocks = [[line] for line in ticked]
    blocks = [[_marked(line) for line in block] for block in blocks]
    entries: list[_Entry] = []
    for block in blocks:
        for unit in _units(block):
            text = unit.text.strip()
            if not entries and not found.template and is_template(text):
                found.template, found.raw, found.line = True, unit.source or text, unit.line
                break
            if not re.search(r"\w", re.sub(r":[a-z][\w+-]*:", "", text)):
                if not entries and not found.line:
                    raw = unit.source or text
                    return StatusFound(raw=raw, line=unit.line, wordless=True)
                continue
            entry, alone = _entry(unit, found, first=not entries)
            if entry is not None and (alone or not entries):
                entries.append(entry)
            if not alone:
                break  # the rest of a paragraph of prose
    if entries:
        _choose(entries, found)
    elif not found.template and not found.wordless:
        _only_relations(blocks, found)
    return found


def _unboxed(line: Line) -> Line:
    return replace(line, text=line.text[3:].strip(), source=_BOX.sub("", line.source, count=1).strip())


def _marked(line: Line) -> Line:
    """Of a choice in which one word is bold, or all others are struck, that word."""
    pieces = re.split(r"\s*[|/]\s*", line.source) if len(line.source) < 200 else []
    if len(pieces) < 2 or not all(status_at(piece.strip(" *_~"))[0] for piece in pieces):
        return line
    bold = [piece for piece in pieces if re.fullmatch(r"(\*\*|__)[^*_]+\1", piece)]
    left = [piece for piece in pieces if not piece.startswith("~~")]
    chosen = bold if len(bold) == 1 else left if len(left) == 1 < len(pieces) else []
    if not chosen:
        return line
    word = chosen[0].strip(" *_")
    return replace(line, text=word, source=word)


def _units(block: Sequence[Line]) -> Iterator[Line]:
    """The lines of a block; a line that goes on with a sentence belongs to the one before it."""
    unit: Line | None = None
    for whole in (one for line in block for one in _broken(line)):
        if not whole.text.strip():
            continue
        line = replace(whole, text=whole.text[:_LONGEST])
        body = _body(line.text)
        begins = status_at(body)[0] is not None or _RELATION.match(body) is not None
        dated = _DATED.match(line.text) is not None and begins
        if unit is None:
            unit = line
        elif dated or (begins and _complete(unit)):
            yield unit
            unit = line
        else:
            unit = replace(
                unit,
                text=f"{unit.text} {line.text}",
                source=f"{unit.source or unit.text} {line.source or line.text}",
                links=(*unit.links, *line.links),
            )
    if unit is not None:
        yield unit


def _broken(line: Line) -> Iterator[Line]:
    """A ``<br>`` in a cell begins a line."""
    if "\n" not in line.text:
        yield line
        return
    for text in line.text.split("\n"):
        links = tuple(link for link in line.links if link.text in text)
        yield replace(line, text=text.strip(), source=text.strip(), links=links)


def _complete(unit: Line) -> bool:
    """Whether a unit can stand alone, so that the next line is no continuation of its sentence."""
    body = _body(unit.text)
    if unit.text.rstrip().endswith((".", ")", "]", ":", ";", "!")) or _RELATION.match(body):
        return True
    status, rest = status_at(body)
    return status is not None and _alone(rest, unit)


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
    """Return the status that a unit says, and whether it says nothing else."""
    days = dates_in(line.text)[0]
    day = days[0] if days else None
    body = _body(line.text)
    if match := _RELATION.match(body):
        return _relation(match, line, found, first=first)
    pieces = _ARROW.split(body)
    if len(pieces) > 1 and status_at(_clean(pieces[-1]))[0] is not None:
        body = _clean(pieces[-1])
    status, rest = status_at(body)
    if status is None or _NOT_SURE.match(rest):
        return (_Entry(Status.OTHER, line), False) if first else (None, False)
    if status is Status.SUPERSEDED:
        by = _named(rest, line)
        found.by_line = found.by_line or (line.line if by else 0)
        # "Superseded ideas live on": a later line needs more than the word.
        enough = bool(by) or not re.search(r"[^\W\d_]", rest)
        return _Entry(status, line, by, day), first or (enough and _alone(rest, line))
    match = _BY.search(rest)
    if match and (first or _alone(rest, line)):
        before = rest[: match.start()]
        names = _named(match["rest"], line)
        found.by_line = found.by_line or (line.line if names else 0)
        if match["part"] or match["part2"]:
            _relate("superseded in part by", line, match["rest"], found)
            return _Entry(status, line, names, day), True
        if _JOINED.match(before) or before.rstrip().endswith(("(", ",", ";", ".")):
            return _Entry(Status.SUPERSEDED, line, names, day), True
    elif match := _SUPERSEDES.search(rest):
        _supersedes(match["what"], line, match["rest"], found)
    return _Entry(status, line, (), day), _alone(rest, line)


def _relation(
    match: re.Match[str], line: Line, found: StatusFound, *, first: bool
) -> tuple[_Entry | None, bool]:
    what = " ".join(match["what"].lower().split())
    if re.search(rf"\b(?:{_FORWARD})\b", what):
        _supersedes(what, line, match["rest"], found)
        return None, True
    if re.search(rf"\b(?:{_BACK})\b", what):
        names = _named(match["rest"], line)
        found.by_line = found.by_line or (line.line if names else 0)
        _relate("superseded in part by", line, match["rest"], found)
        if first:
            return _Entry(Status.OTHER, line, names), True
        found.superseded_by = tuple(dict.fromkeys((*found.superseded_by, *names)))
        return None, True
    _relate(what, line, match["rest"], found)
    return None, True


def _supersedes(what: str, line: Line, rest: str, found: StatusFound) -> None:
    names = _named(_TOGETHER.split(rest)[0], line)
    found.supersedes_line = found.supersedes_line or (line.line if names else 0)
    found.supersedes = tuple(dict.fromkeys((*found.supersedes, *names)))
    _relate(what.replace("supercedes", "supersedes"), line, rest, found)


def _named(rest: str, line: Line) -> tuple[str, ...]:
    """The records named behind "by", in its sentence; a pull request stays as it is written."""
    sentence = re.split(r"(?<=[a-z)])\.\s+(?=[A-Z])", rest, maxsplit=1)[0]
    links = tuple(link for link in line.links if not link.text or link.text in sentence)
    return targets(f"by {sentence}", links) or pull_requests(sentence, links)


def _relate(what: str, line: Line, rest: str, found: StatusFound) -> None:
    found.relations += [replace(link, relation=what) for link in line.links if link.text in rest]


def _alone(rest: str, line: Line) -> bool:
    """Whether what stands behind a status is a reference, a date or a remark, and no sentence."""
    for link in line.links:
        if link.text:
            rest = rest.replace(link.text, " ", 1)
    rest = re.sub(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>", " ", rest)
    rest = re.sub(r"\b(?:M?ADR|RFC)?[-_ #]*\d[\w./-]*", " ", rest)
    return len(re.findall(r"[^\W\d_]+", rest)) <= 4


def _body(text: str) -> str:
    """A text from its first word on: without signs, a date, or the label once more."""
    text = unicodedata.normalize("NFKC", text)
    body = _FRONT.sub("", text, count=1)
    if dated := _DATED.match(body):
        body = body[dated.end() :]
    body = re.sub(r"\Astatus\s*[:=]\s*", "", body, flags=re.IGNORECASE)
    return _clean(body)


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
    source = chosen.line.source or chosen.line.text
    undated = _DATED_SOURCE.sub("", source, count=1)
    found.raw = (undated if undated.strip() else source).strip()
    found.template = found.wordless = False
    found.day = chosen.day
    by = [name for one in entries for name in one.by]
    found.superseded_by = tuple(dict.fromkeys((*by, *found.superseded_by)))


def _only_relations(blocks: Sequence[Sequence[Line]], found: StatusFound) -> None:
    """A status of nothing but "Supersedes …" is one that we do not know."""
    for block in blocks:
        for line in block:
            if line.text.strip():
                found.status, found.line = Status.OTHER, line.line
                found.raw = line.source or line.text
                return
