"""The title of a record: which heading it is, and the words in it that are not its number or status."""

import re

from reaffirm.model.record import Status
from reaffirm.store.reading.labels import Field, field_of, is_about, plain_label
from reaffirm.store.reading.outline import Block, Line, Outline
from reaffirm.store.reading.status_words import status_at

SECTIONS = frozenset(
    [
        "context",
        "context and problem statement",
        "problem",
        "problem statement",
        "background",
        "motivation",
        "introduction",
        "decision",
        "decision outcome",
        "decisions",
        "the decision",
        "consequences",
        "considered options",
        "options",
        "options considered",
        "alternatives",
        "alternatives considered",
        "considered alternatives",
        "decision drivers",
        "drivers",
        "pros and cons of the options",
        "rationale",
        "implications",
        "links",
        "more information",
        "references",
        "related",
        "related decisions",
        "notes",
        "outcome",
        "assumptions",
        "constraints",
        "argument",
        "positions",
        "issue",
        "requirements",
        "goals",
        "validation",
        "confirmation",
        "compliance",
        "positive consequences",
        "negative consequences",
        "abstract",
        "proposal",
        "summary",
        "discussion",
        "future work",
        "table of contents",
        "contents",
        "toc",
        "kontext",
        "entscheidung",
        "konsequenzen",
        "folgen",
        "alternativen",
        "contexte",
        "décision",
        "conséquences",
        "contexto",
        "decisión",
        "decisão",
        "consecuencias",
        "consequências",
        "opções consideradas",
        "opciones consideradas",
        "options envisagées",
        "betrachtete optionen",
        "コンテキスト",
        "背景",
        "文脈",
        "決定",
        "決定事項",
        "結果",
        "影響",
        "帰結",
        "検討した選択肢",
        "選択肢",
        "代替案",
    ]
)
_GENERIC = frozenset(
    [
        "architecture decision record",
        "architectural decision record",
        "decision record",
        "adr",
        "architecture decision",
        "madr",
        "architecture decision records",
        "rfc",
        "decision",
    ]
)
_NUMBER = re.compile(
    r"\A\W{0,2}(?:(?:M?ADR|AD|RFC|RFD|PEP|KEP|D|DR|Y|EDR|TDR|Decision(?: Record)?"
    r"|Architectur(?:e|al) Decision(?: Record)?)"
    r"[\s_#-]*(?P<kind>\d+[a-z]?|X+|N+|\?+)(?!\w)(?:\]\s*|\s*[:.)–—|-]+\s*|\s+)"
    r"|(?P<dot>\d+[a-z]?)[.:)](?!\d)\s*|(?P<dash>\d+[a-z]?)\s*[-–—|]+\s+|(?P<bare>0\d+[a-z]?)\s+"
    r"|(?:M?ADR|RFC|Architectur(?:e|al) Decision Record|Decision Record)\s*[:–—-]\s+)",
    re.IGNORECASE,
)
_LAST = re.compile(r"\s*[\[(](?P<words>[^\[\]()]{2,80}(?:\([^)]*\))?)[\])]\s*\Z")
_FIRST = re.compile(r"\A[\[(](?P<words>[^\[\]()]{2,40})[\])]\s*")
_PLACEHOLDER = re.compile(
    r"\A\s*(?:\{[^{}]*\}|\[(?:short|title|your|insert|name)[^\]]*\]|<[^>]*>"
    r"|short title.*|NUMBER\.? TITLE|"
    r"(?:ADR[- ]?)?(?:N{2,}|X{2,}|\?+)\b.*(?:title|template).*|\[?short title of solved problem.*|"
    r"decision record template.*|(?:architecture |architectural )?decision (?:record )?template.*"
    r"|(?:m?adr )?template)\s*\Z",
    re.IGNORECASE,
)


def find_title(outline: Outline) -> Block | None:
    """Return the heading that is the record's title; None when it has none."""
    headings = [block for block in outline.headings() if block.text]
    every = [block for block in headings if block.level == 1]
    if len(every) > 1 and _is_section(every[0]):
        return None  # each section is a heading of level 1
    ones = [block for block in every if not _is_section(block)]
    if ones and not _generic(ones[0]):
        return ones[0]
    for block in headings[: 2 + bool(ones)]:
        if (
            block.level <= 2
            and not _is_section(block)
            and not _generic(block)
            and block is _first(headings, ones)
        ):
            return block
    return ones[0] if ones else None


def _first(headings: list[Block], ones: list[Block]) -> Block | None:
    """The heading that could stand for a title: the first, or the one below a generic title."""
    after = headings.index(ones[0]) + 1 if ones else 0
    if after >= len(headings):
        return None
    block = headings[after]
    # Below "# ADR", or with no heading of level 1 at all, a numbered heading of level 2 is the title.
    return block if _NUMBER.match(block.text) or (not ones and block is headings[0]) else None


def _is_section(block: Block) -> bool:
    words = plain_label(block.text)
    named = field_of(block.text)
    if named is Field.TITLE and block.level == 1:
        return False  # "# Title" is a poor title, and one nevertheless
    return words in SECTIONS or named is not None or (is_about(block.text) and not _generic(block))


def is_section_name(text: str) -> bool:
    """Whether a heading is one that records have: context, decision, consequences."""
    return plain_label(text) in SECTIONS


def _generic(block: Block) -> bool:
    return plain_label(block.text) in _GENERIC


def clean_title(text: str, number: int | None = None, ident: str = "") -> tuple[str, str]:
    """Return a title without its number or id and its status, and the status that stands in it."""
    status = ""
    text = text.strip()
    if (match := _FIRST.match(text)) and _is_status(match["words"]):
        status, text = match["words"], text[match.end() :]
    behind = text[len(ident) :]
    if ident and text[: len(ident)].lower() == ident.lower() and not behind[:1].isalnum():
        text = behind.lstrip(" ]:.)|–—-") or text
    text = strip_number(text, number)
    if (match := _FIRST.match(text)) and _is_status(match["words"]):
        status, text = match["words"], text[match.end() :]
    if (match := _LAST.search(text)) and _is_status(match["words"]):
        status, text = match["words"], text[: match.start()]
    return text.strip(), status.strip()


def strip_number(text: str, number: int | None) -> str:
    """Remove ``ADR-0012:`` or ``12.`` from a title; a bare number only when it is the record's own."""
    match = _NUMBER.match(text)
    if match and match.end() < len(text):
        return text[match.end() :].lstrip(" ]:–—-")
    bare = re.match(r"(\d+)\s+(?=\S)", text)
    if bare and number is not None and int(bare[1]) == number:
        return text[bare.end() :]
    return text


def number_of_title(text: str) -> str:
    """Return the number in a title (``ADR-0012: X``, ``12. X``); empty when there is none."""
    match = _NUMBER.match(text)
    found = match and (match["kind"] or match["dot"] or match["dash"] or match["bare"])
    return found if found and found[0].isdigit() else ""


def is_placeholder(text: str) -> bool:
    """Whether a title is the template's."""
    return bool(_PLACEHOLDER.match(text))


def written(line: Line) -> str:
    """The words of a heading; where all of it is struck through, what is struck."""
    return line.text or re.sub(r"[~*_`]+", "", line.source).strip()


def _is_status(words: str) -> bool:
    status, rest = status_at(words.strip(" ~*_"))
    if status is None:
        return False
    return status is Status.SUPERSEDED or len(rest.split()) <= 3
