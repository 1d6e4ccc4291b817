"""A long decision in brief: its first paragraph, the options considered, what its claims rest on."""

import re
from collections.abc import Sequence
from itertools import takewhile
from types import MappingProxyType

from markdown_it import MarkdownIt
from markdown_it.token import Token

from reaffirm.model.record import Dialect, Record
from reaffirm.site.evidence_words import evidence_sentence
from reaffirm.site.links import Resolve
from reaffirm.site.prose import rebuild
from reaffirm.site.prose_words import words
from reaffirm.site.record_claims import Standings
from reaffirm.site.record_findings import Told
from reaffirm.site.run_places import Places
from reaffirm.site.text import admonition

# The heading of the decision itself, and how far down a text it is no longer seen at once (lines).
_OUTCOME = re.compile(r"##\s+(?:decision(?:\s+outcome)?|outcome)\s*#*\s*\Z", re.IGNORECASE)
_FAR = 20
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
# No heading, list, table, quotation, comment or code.
_PROSE = re.compile(r"(?![#>|<]|[-*+]\s|\d+[.)]\s|```|~~~| {4})\S")
_OPTIONS = re.compile(
    r"(?:considered\s+(?:options|alternatives)|(?:options|alternatives)\s+considered|options|alternatives)\Z",
    re.IGNORECASE,
)
_CHOSEN = re.compile(r"chosen option:?\s*[\"“„'‘«](.+?)[\"”“'’»](?=[\s,.;:]|\Z)", re.IGNORECASE)
# Fewer are no choice; a longer list, or one of long texts, is no brief.
_OPTIONS_FROM, _OPTIONS_TO, _OPTION_LENGTH = 2, 12, 220
_PARSER = MarkdownIt("commonmark").enable("table")


def gist(
    record: Record,
    standings: Standings,
    resolve: Resolve,
    told: Told | None,
    at_home: Places = MappingProxyType({}),
) -> str:
    """Return a box with the decision, the options and the sum of the evidence.

    The decision and its options stand there only where a reader would have to scroll for them. A short record
    has the sum alone, if it has claims.
    """
    summed = evidence_sentence([standings[record.key, claim.id] for claim in record.claims], at_home)
    paragraph = _decided(record) if record.dialect is Dialect.MARKDOWN else ""
    if not paragraph:
        return summed
    gone = told.gone if told else None
    parts = [rebuild(paragraph, resolve, gone=gone)]
    if options := considered(record.body):
        chosen = _chosen(options, paragraph)
        lines = [
            f"-   <strong>{shown}</strong> (chosen)" if option == chosen else f"-   {shown}"
            for option in options
            if (shown := rebuild(option, resolve, gone=gone))
        ]
        parts += ["<strong>Considered</strong>", "\n".join(lines)]
    if summed:
        parts.append(f"<strong>Evidence</strong><br>{summed}")
    return admonition("abstract", "What was decided", "\n\n".join(parts))


def considered(body: str) -> list[str]:
    """Return the options that a record lists, each as a line of Markdown; none where it is no plain list.

    Args:
        body: Markdown.
    """
    tokens = _PARSER.parse(body)
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0:
            depth = int(token.tag[1:])
            title = words(tokens[place + 1].content).strip()
            if depth > 1 and _OPTIONS.match(title):
                inside = takewhile(lambda one: one.type != "heading_open", tokens[place + 3 :])
                return _items(list(inside))
    return []


def _items(tokens: Sequence[Token]) -> list[str]:
    """The first line of each item of the only list; several lists are more than a list of options."""
    lists = ("bullet_list_open", "ordered_list_open")
    opened = [one for one in tokens if one.type in lists and one.level == 0]
    if len(opened) != 1:
        return []
    found = []
    for place, token in enumerate(tokens):
        if token.type == "list_item_open" and token.level == 1:
            following = tokens[place + 2 : place + 3]
            if tokens[place + 1].type != "paragraph_open" or not following:
                return []
            found.append(" ".join(following[0].content.split()))
    brief = all(len(words(one)) <= _OPTION_LENGTH for one in found)
    return found if brief and _OPTIONS_FROM <= len(found) <= _OPTIONS_TO else []


def _chosen(options: Sequence[str], paragraph: str) -> str:
    """The one option that the decision names; empty where it names none of them, or more than one."""
    match = _CHOSEN.search(" ".join(words(paragraph).split()))
    if match is None:
        return ""
    name = _plain(match[1])
    same = [one for one in options if _plain(one) == name]
    named = same or [one for one in options if name in _plain(one)]
    return named[0] if name and len(named) == 1 else ""


def _plain(markdown: str) -> str:
    return " ".join(words(markdown).casefold().replace("’", "'").split()).strip(" .[]")


def _decided(record: Record) -> str:
    """The first paragraph of the decision, where it is far down."""
    lines = record.body.split("\n")
    inside = False
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            inside = not inside
        if inside or not _OUTCOME.match(line):
            continue
        paragraph = "\n".join(lines[number + 1 :]).strip("\n").split("\n\n", 1)[0]
        return paragraph if number >= _FAR and _PROSE.match(paragraph) else ""
    return ""
