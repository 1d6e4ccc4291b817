"""What the text of a record mentions: places in code, and measured numbers that nothing stands behind."""

import re
from collections.abc import Iterator

from reaffirm.model.record import CodePlace
from reaffirm.store.reading.outline import Block, Kind, Outline

_CODE = (
    "py|pyi|go|rs|ts|tsx|js|jsx|mjs|java|kt|kts|c|h|cc|hh|cpp|hpp|cs|rb|php|swift|scala|clj|ex|exs|erl|hs|ml|lua|pl"
    "|r|jl|zig|sh|bash|ps1|sql|proto|tf|hcl|yaml|yml|toml|json|xml|ini|cfg|md|adoc|rst|html|css|scss|vue|svelte|cmake"
)
_PLACE = re.compile(
    rf"(?<![\w/.:@-])(?P<path>(?:\.{{0,2}}/)?(?:[\w@.+-]+/)*[\w@+-][\w@.+-]*\.(?:{_CODE})|(?:[\w.-]+/)*(?:Makefile|Dockerfile))"
    r"(?::|#L)(?P<first>\d{1,6})(?:(?:-L?|–|:)(?P<last>\d{1,6}))?(?![\w])"
)
_DIGIT = re.compile(r"\d\D{0,9}(?:[%×/]|[a-zμµ])", re.IGNORECASE)
_SILENCE = re.compile(
    r"(?:<!--|//|\.\.|#)\s*lint:\s*ignore(?P<file>-file)?\s+(?P<codes>[a-z][a-z-]*(?:[\s,]+[a-z][a-z-]*)*)"
)
_FIGURE = re.compile(
    r"(?<![\w.,-])\d[\d.,]*\s?(?:ms|µs|μs|us|ns|s|%|percent|[KMGT]i?B(?:/s|ps)?|[KMG]b(?:/s|ps|it/s)"
    r"|tok(?:ens?)?/s|tokens per second|req(?:uests?)?/s|requests per second|rps|qps|tps|iops|ops/s|MHz|GHz"
    r"|(?:x|×|times) (?:faster|slower|less|more|cheaper|smaller))(?![\w/])",
    re.IGNORECASE,
)


def code_places(outline: Outline) -> Iterator[CodePlace]:
    """Yield each ``src/a.py:12`` and ``src/a.py#L12-L20`` of a text, links included."""
    seen: set[tuple[str, int, int]] = set()
    for block in outline.blocks:
        for line in block.lines:
            # The words of a link and its target name the same place.
            for text in (line.text, *(link.target for link in line.links if "://" not in link.target)):
                for match in _PLACE.finditer(text) if ":" in text or "#L" in text else ():
                    key = (match["path"], int(match["first"]), line.line)
                    if key not in seen:
                        seen.add(key)
                        first = int(match["first"])
                        yield CodePlace(match["path"], first, int(match["last"] or first), line.line)


def figures(outline: Outline) -> Iterator[tuple[int, str]]:
    """Yield the measured numbers of a text in whose block there is no link to follow."""
    for block in _prose(outline):
        if any(line.links for line in block.lines):
            continue
        for line in block.lines:
            if _DIGIT.search(line.text) and (match := _FIGURE.search(line.text)):
                yield line.line, match[0]


def silenced(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, code) for each ``lint: ignore CODE``: its own line and the next, or 0 for the file."""
    if "lint:" not in text:
        return
    for number, line in enumerate(text.split("\n"), 1):
        if match := _SILENCE.search(line):
            for code in match["codes"].replace(",", " ").split():
                yield (0 if match["file"] else number, code)


def _prose(outline: Outline) -> Iterator[Block]:
    return (block for block in outline.blocks if block.kind in (Kind.PARAGRAPH, Kind.ITEM, Kind.ROW))
