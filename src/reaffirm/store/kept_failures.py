"""A failure page, read once for as long as it stays the same, in whatever process.

A launch asks all pages, and most of them fit nothing that was said. Loading the parser of Markdown, parsing
the examples and proving that no pattern can take for ever takes longer than a launch on simulated nodes.
"""

import re
from collections.abc import Iterable
from dataclasses import fields
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from packaging.specifiers import SpecifierSet

from reaffirm.model.failure import (
    EngineRange,
    Example,
    FailureMode,
    FailureStatus,
    LinePattern,
    Origin,
    OriginKind,
    Signature,
    Silence,
)
from reaffirm.model.node import Engine
from reaffirm.redact.lazy import later
from reaffirm.store.installed import version_of
from reaffirm.store.kept import keep, kept

_SORT = "failures"
#: What reads a page: with other code, another mode.
_CODE = (
    "failures.py",
    "failure_format.py",
    "failure_examples.py",
    "kept_failures.py",
    "patterns.py",
    "pattern_grammar.py",
)


def kept_mode(text: str, shown: str, stem: str) -> FailureMode | None:
    """Return the mode that a page of this text is known to be of; ``None`` where it was not read before."""
    said = kept(_SORT, f"{shown}\0{stem}\0{text}", _maker())
    try:
        return None if said is None else _mode(said)
    except (KeyError, TypeError, ValueError):  # of another form
        return None


def keep_mode(text: str, shown: str, stem: str, mode: FailureMode) -> None:
    """Keep what a page without findings says."""
    keep(_SORT, f"{shown}\0{stem}\0{text}", _maker(), _plain_mode(mode))


def _plain_mode(mode: FailureMode) -> dict[str, Any]:
    return _own(mode) | {
        "status": str(mode.status),
        "engines": _plain_ranges(mode.engines),
        "signatures": [
            _own(one)
            | {"engines": _plain_ranges(one.engines), "silence": one.silence and _own(one.silence)}
            | {name: [(p.text, p.literal) for p in getattr(one, name)] for name in ("all", "any", "none")}
            for one in mode.signatures
        ],
        "examples": [
            _own(one) | {"origin": (str(one.origin.kind), one.origin.text), "engine": str(one.engine)}
            for one in mode.examples
        ],
    }


def _mode(said: dict[str, Any]) -> FailureMode:
    return FailureMode(
        **said
        | {
            "status": FailureStatus(said["status"]),
            "engines": _ranges(said["engines"]),
            "signatures": tuple(_signature(one) for one in said["signatures"]),
            "examples": tuple(_example(one) for one in said["examples"]),
        }
    )


def _signature(said: dict[str, Any]) -> Signature:
    patterns = {name: tuple(_pattern(*one) for one in said[name]) for name in ("all", "any", "none")}
    silence = said["silence"] and Silence(**said["silence"])
    return Signature(**said | patterns | {"engines": _ranges(said["engines"]), "silence": silence})


def _pattern(text: str, literal: str) -> LinePattern:
    """A pattern that was found good before; few of them come to be searched for."""
    return LinePattern(text, later(text, re.ASCII), literal)


def _example(said: dict[str, Any]) -> Example:
    kind, told = said["origin"]
    return Example(**said | {"origin": Origin(OriginKind(kind), told), "engine": Engine(said["engine"])})


def _plain_ranges(ranges: Iterable[EngineRange]) -> list[tuple[str, str]]:
    return [(str(one.engine), str(one.versions)) for one in ranges]


def _ranges(said: Iterable[tuple[str, str]]) -> tuple[EngineRange, ...]:
    return tuple(EngineRange(Engine(engine), SpecifierSet(versions)) for engine, versions in said)


def _own(one: Any) -> dict[str, Any]:
    return {each.name: getattr(one, each.name) for each in fields(one)}


@cache
def _maker() -> str:
    here = resources.files(__package__)
    texts = [here.joinpath(name).read_text("utf-8") for name in _CODE]
    model = resources.files("reaffirm.model").joinpath("failure.py").read_text("utf-8")
    return sha256("\0".join([version_of("markdown-it-py"), model, *texts]).encode()).hexdigest()
