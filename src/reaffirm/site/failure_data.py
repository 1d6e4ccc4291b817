"""The signatures of all failure pages as data, for the box on the site that a log is pasted into. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reaffirm.diagnose.paste import PASTE_LINES
from reaffirm.diagnose.rank import times_seen
from reaffirm.diagnose.stages import Pattern, StageBook, stage_book
from reaffirm.model.failure import LINE_LIMIT, EngineRange, FailureMode, LinePattern, Signature
from reaffirm.model.node import Engine
from reaffirm.site.browser_patterns import browser_pattern
from reaffirm.site.pattern_words import as_line
from reaffirm.store.patterns import read_pattern

#: Where the box finds them on the site.
DATA = "assets/failures.json"
_SCHEMA = 2


#: A text in pieces, each with whether it is code.
Pieces = Sequence[tuple[str, bool]]


def failure_data(modes: Sequence[FailureMode], remedies: Mapping[str, Pieces]) -> str:
    """Return the text of :data:`DATA`.

    Args:
        modes: the pages.
        remedies: what to do, in one sentence, by the id of a page.
    """
    data = {
        "schema": _SCHEMA,
        "lineLimit": LINE_LIMIT,
        "lines": PASTE_LINES,
        "engines": [str(engine) for engine in Engine],
        **_book(stage_book()),
        "pages": [_page(mode, remedies.get(mode.id, ())) for mode in modes],
    }
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    # YAML takes an emoji that is escaped as in JSON for two halves, for which UTF-8 has no place.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _book(book: StageBook) -> dict[str, Any]:
    return {
        "stages": [
            {"id": stage.id, "title": stage.title, "lines": [_stage_line(line) for line in stage.lines]}
            for stage in book.stages
        ],
        "versions": [_stage_line(line) for line in book.versions],
        "noise": [_pattern(read_pattern(one.pattern)) for one in book.noise],
        "secondary": [_pattern(read_pattern(one.pattern)) for one in book.secondary],
    }


def _stage_line(line: Pattern) -> dict[str, Any]:
    return {
        "engine": line.engine,
        "pattern": _pattern(read_pattern(line.pattern.pattern)),
        "since": str(line.since or ""),
        "until": str(line.until or ""),
        "note": line.note,
    }


def _page(mode: FailureMode, remedy: Pieces) -> dict[str, Any]:
    return {
        "id": mode.id,
        "title": mode.title,
        "status": str(mode.status),
        "stage": mode.stage,
        "tested": mode.tested,
        "seen": times_seen(mode),
        "engines": _engines(mode.engines),
        "rivals": list(mode.rivals),
        "check": mode.deciding_check,
        "toldApart": mode.told_apart,
        "mistakenFor": list(mode.mistaken_for),
        "remedy": [list(piece) for piece in remedy],
        "signatures": [_signature(one) for one in mode.signatures],
    }


def _signature(one: Signature) -> dict[str, Any]:
    return {
        "engines": _engines(one.engines),
        "all": [_pattern(pattern) for pattern in one.all],
        "any": [_pattern(pattern) for pattern in one.any],
        "none": [_pattern(pattern) for pattern in one.none],
        "ended": list(one.ended),
        "silence": {"stage": one.silence.stage, "seconds": one.silence.seconds} if one.silence else None,
    }


def _engines(entries: Iterable[EngineRange]) -> list[dict[str, Any]]:
    return [
        {
            "engine": str(entry.engine),
            "text": str(entry),
            "versions": sorted([one.operator, one.version] for one in entry.versions),
        }
        for entry in entries
    ]


def _pattern(pattern: LinePattern) -> dict[str, str]:
    """Return a pattern for the box.

    ``text`` is Python's, ``js`` the browser's; ``literal`` stands in every line that it can match, and
    ``line`` is what such a line looks like.
    """
    js, line = browser_pattern(pattern.text), as_line(pattern.text)
    return {"text": pattern.text, "js": js, "literal": pattern.literal, "line": line}
