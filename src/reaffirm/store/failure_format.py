"""Reads what a failure page says of itself: its front matter as a failure mode, or what is wrong with it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from reaffirm.model.failure import (
    EngineRange,
    Example,
    FailureMode,
    FailureStatus,
    LinePattern,
    OriginKind,
    Signature,
    Silence,
)
from reaffirm.model.finding import Finding
from reaffirm.model.node import Engine
from reaffirm.store.frontmatter import Page
from reaffirm.store.pattern_grammar import PatternError
from reaffirm.store.patterns import read_pattern

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
_REQUIRED = ("id", "title", "status", "stage", "engines", "signatures")
_OPTIONAL = (
    "rivals", "deciding-check", "told-apart", "mistaken-for", "also-called", "decisions",
    "serves-nevertheless",
)  # fmt: skip
_KEYS = (*_REQUIRED, *_OPTIONAL)
_SIGNATURE_KEYS = ("engine", "versions", "all", "any", "none", "silence", "ended")
_HINT = "docs/failures/README.md tells what each key means"
_PATTERN_HINT = "docs/reference/lint/failure-pattern.md tells what a pattern may be made of"


def read_mode(page: Page, stem: str) -> tuple[FailureMode, tuple[Finding, ...]]:
    """Return what a page says, and everything that is wrong with it; with a finding the mode is not whole.

    Args:
        page: the page.
        stem: the name of its file without the ending, which is its id.
    """
    reader = _Reader(page)
    mode = reader.mode(stem)
    return mode, tuple(sorted(reader.findings))


@dataclass
class _Reader:
    page: Page
    findings: list[Finding] = field(default_factory=list)

    def wrong(self, message: str, *at: str | int, hint: str = _HINT, code: str = "failure-page") -> None:
        self.findings.append(Finding(self.page.path, self.page.at(*at), code, message, hint))

    def mode(self, stem: str) -> FailureMode:
        data = self.page.data
        self.known(data, _KEYS)
        for key in _REQUIRED:
            if key not in data:
                self.wrong(f"the key {key!r} is missing")
        mode_id = self.text("id")
        if mode_id and not _ID.match(mode_id):
            self.wrong(f"an id is lower case words joined by '-', got {mode_id!r}", "id")
        elif mode_id and mode_id != stem:
            self.wrong(f"the id {mode_id!r} must be that of the file, {stem!r}", "id")
        engines = self.engines()
        from reaffirm.store.failure_examples import read_examples  # with it the parser of Markdown

        examples, wrong = read_examples(self.page, engines)
        self.findings += wrong
        status = self.status(examples)
        serves = data.get("serves-nevertheless", False)
        if not isinstance(serves, bool):
            self.wrong(f"serves-nevertheless is true or false, got {serves!r}", "serves-nevertheless")
        rivals = self.texts("rivals")
        check = self.text("deciding-check")
        if rivals and not check and "deciding-check" not in data:
            self.wrong("a page with rivals needs the key 'deciding-check'", "rivals")
        return FailureMode(
            id=mode_id,
            title=self.text("title"),
            status=status,
            stage=self.text("stage"),
            engines=engines,
            signatures=tuple(self.signatures()),
            rivals=rivals,
            deciding_check=check,
            told_apart=self.text("told-apart"),
            mistaken_for=self.texts("mistaken-for"),
            also_called=self.texts("also-called"),
            decisions=self.texts("decisions"),
            serves=serves is True,
            examples=tuple(examples),
            path=self.page.path,
            lines=dict(self.page.lines),
        )

    def status(self, examples: list[Example]) -> FailureStatus:
        value = self.page.data.get("status")
        if value not in list(FailureStatus):
            if value is not None:
                self.wrong(f"status is {' or '.join(FailureStatus)}, got {value!r}", "status")
            return FailureStatus.DRAFT
        if value == FailureStatus.PROVEN:
            for hit, word in ((True, "hit (.match)"), (False, "near-miss (.near-miss)")):
                if not any(e.hit is hit and e.origin.kind is not OriginKind.MADE_UP for e in examples):
                    hint = "add one from a run, a thread or a package, or say 'status: draft'"
                    self.wrong(f"status proven needs a {word} that is not made-up", "status", hint=hint)
        return FailureStatus(value)

    def known(self, data: Mapping[str, Any], keys: tuple[str, ...], *under: str | int) -> None:
        for key in data:
            if key not in keys:
                close = get_close_matches(key, keys, n=1)
                meant = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(keys)}"
                self.wrong(f"unknown key {key!r}; {meant}", *under, key)

    def text(self, key: str) -> str:
        value = self.page.data.get(key)
        if value is None and key not in self.page.data:
            return ""
        if not isinstance(value, str) or not value.strip():
            self.wrong(f"{key} must be text, got {value!r}", key)
            return ""
        return " ".join(value.split())

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.page.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.wrong(f"{key} must be a list of texts, got {value!r}; quote numbers such as '0002'", key)
            return ()
        return tuple(" ".join(item.split()) for item in value)

    def engines(self) -> tuple[EngineRange, ...]:
        value = self.page.data.get("engines", {})
        if not isinstance(value, dict) or (not value and "engines" in self.page.data):
            self.wrong(f"engines must be lines such as \"sglang: '>=0.5.3'\", got {value!r}", "engines")
            return ()
        found = [self.range(name, versions, "engines", name) for name, versions in value.items()]
        return tuple(entry for entry in found if entry is not None)

    def range(self, name: Any, versions: Any, *at: str | int) -> EngineRange | None:
        if name not in list(Engine):
            close = get_close_matches(str(name), list(Engine), n=1)
            meant = f"; did you mean {str(close[0])!r}?" if close else f"; known: {', '.join(Engine)}"
            self.wrong(f"unknown engine {name!r}{meant}", *at)
            return None
        if versions in (None, "any"):
            return EngineRange(Engine(name))
        text = versions if isinstance(versions, str) and "===" not in versions else "?"
        try:
            return EngineRange(Engine(name), SpecifierSet(text))
        except InvalidSpecifier:
            message = f"versions must be 'any' or a range such as '>=0.17,<0.30', got {versions!r}"
            self.wrong(message, *at)
            return None

    def signatures(self) -> Iterable[Signature]:
        value = self.page.data.get("signatures", [])
        if not isinstance(value, list) or (not value and "signatures" in self.page.data):
            self.wrong(f"signatures must be a list with at least one entry, got {value!r}", "signatures")
            return
        for index, entry in enumerate(value):
            at = ("signatures", index)
            if not isinstance(entry, dict):
                self.wrong(f"a signature has keys such as all, none, silence; got {entry!r}", *at)
                continue
            self.known(entry, _SIGNATURE_KEYS, *at)
            engines: tuple[EngineRange, ...] = ()
            if "engine" in entry:
                one = self.range(entry["engine"], entry.get("versions"), *at, "engine")
                engines = (one,) if one else ()
            elif "versions" in entry:
                self.wrong("versions need the engine that they are of", *at, "versions")
            yield self.signature(entry, engines, *at)

    def signature(
        self, entry: Mapping[str, Any], engines: tuple[EngineRange, ...], *at: str | int
    ) -> Signature:
        found = Signature(
            line=self.page.at(*at),
            engines=engines,
            all=self.patterns(entry, "all", *at),
            any=self.patterns(entry, "any", *at),
            none=self.patterns(entry, "none", *at),
            silence=self.silence(entry, *at),
            ended=self.statuses(entry, *at),
        )
        if not {"all", "any", "silence", "ended"} & set(entry):
            self.wrong("a signature needs at least one of all, any, silence, ended", *at)
        return found

    def patterns(self, entry: Mapping[str, Any], key: str, *at: str | int) -> tuple[LinePattern, ...]:
        value = entry.get(key, [])
        if not isinstance(value, list):
            self.wrong(f"{key} must be a list of patterns in single quotes, got {value!r}", *at, key)
            return ()
        found = []
        for index, text in enumerate(value):
            if not isinstance(text, str):
                self.wrong(f"a pattern is text in single quotes, got {text!r}", *at, key, index)
                continue
            try:
                found.append(read_pattern(text))
            except PatternError as error:
                message = f"the pattern {text!r} cannot be used: {error}"
                self.wrong(message, *at, key, index, hint=_PATTERN_HINT, code="failure-pattern")
        return tuple(found)

    def silence(self, entry: Mapping[str, Any], *at: str | int) -> Silence | None:
        if "silence" not in entry:
            return None
        value = entry["silence"]
        if isinstance(value, dict):
            self.known(value, ("stage", "seconds"), *at, "silence")
            stage, seconds = value.get("stage"), value.get("seconds")
            if isinstance(stage, str) and type(seconds) in (int, float) and float(seconds or 0) > 0:
                return Silence(stage, float(seconds or 0))
        self.wrong(f"silence is {{stage: group-created, seconds: 60}}, got {value!r}", *at, "silence")
        return None

    def statuses(self, entry: Mapping[str, Any], *at: str | int) -> tuple[int, ...]:
        value = entry.get("ended", [])
        if not isinstance(value, list) or not all(type(item) is int and 0 <= item <= 255 for item in value):
            self.wrong(f"ended is a list of exit statuses such as [137], got {value!r}", *at, "ended")
            return ()
        return tuple(value)
