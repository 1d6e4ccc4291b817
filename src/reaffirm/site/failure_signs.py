"""A failure in a few words: where it shows itself, in which engines, by which lines, seen how often. Pure."""

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum

from reaffirm.diagnose.stages import stage_book
from reaffirm.model.failure import (
    EngineRange,
    Example,
    FailureMode,
    FailureStatus,
    LinePattern,
    OriginKind,
    Signature,
)
from reaffirm.model.node import Engine
from reaffirm.site.pattern_words import as_line
from reaffirm.site.text import attribute, cell, code, title_text

_STATUS = {
    FailureStatus.PROVEN: "a hit and a near-miss of its signatures come from a run, a thread or a package; "
    "whether the cause is what the page says is another question",
    FailureStatus.DRAFT: "its signatures, or what it says of the cause, rest on too little yet",
}
_NAMES = {Engine.VLLM: "vLLM", Engine.SGLANG: "SGLang"}
_ORIGINS = {
    OriginKind.RUN: ("from a run of ours", "from runs of ours"),
    OriginKind.THREAD: ("from a public thread", "from public threads"),
    OriginKind.PACKAGE: ("from a package", "from packages"),
    OriginKind.MADE_UP: ("made up", "made up"),
}


class Symptom(StrEnum):
    """What one sees of a failure. The values are headings."""

    SILENCE = "It falls silent: no error, and no end"
    REFUSAL = "It refuses to start, and says why"
    CRASH = "It crashes or is killed"
    DEGRADED = "It serves, and not as it should"


# What people who see it search for; a title or a log line seldom says so. A search finds words by how they
# begin and knows no forms of them: `hang` finds `hangs`, and not the other way round.
_ASKED = {
    Symptom.SILENCE: (
        "hangs",
        "hanging",
        "hung",
        "stalls",
        "stuck",
        "frozen",
        "freezes",
        "waits forever",
        "silence",
        "no output for minutes",
    ),
    Symptom.REFUSAL: ("does not start", "fails to start"),
    Symptom.CRASH: ("crashes", "crashed", "killed", "dies"),
    Symptom.DEGRADED: (),
}
_SEEN = {Symptom.SILENCE: " The launch hangs: no error, no end, no output for minutes."}


def asked_for(mode: FailureMode) -> list[str]:
    """Return the words that people search for who see it."""
    return [*map(title_text, mode.also_called), *_ASKED[symptom(mode)]]


def seen(mode: FailureMode) -> str:
    """Return in one paragraph of Markdown what one sees of it."""
    return f"Such a log shows, for instance, {in_one_line(mode)}.{_SEEN.get(symptom(mode), '')}"


def symptom(mode: FailureMode) -> Symptom:
    """Return what one sees, as far as the signatures and the stage tell."""
    if mode.serves:
        return Symptom.DEGRADED
    if any(one.silence for one in mode.signatures):
        return Symptom.SILENCE
    if mode.stage in stage_book().ids[:2]:
        return Symptom.REFUSAL
    return Symptom.CRASH


def status_badge(mode: FailureMode) -> str:
    """Return what the recogniser of a page was tested on, as a badge."""
    mark, means = f"rf-badge rf-wrap rf-page-{mode.status}", attribute(_STATUS[mode.status])
    return f'<span class="{mark}" title="{means}">{mode.tested}</span>'


def stage_title(stage: str) -> str:
    """Return a stage in the words of the report of a launch."""
    return next((one.title for one in stage_book().stages if one.id == stage), stage)


def engines(entries: Iterable[EngineRange], between: str = "<br>") -> str:
    """Return engines with their versions, such as ``vLLM ≥0.17, <0.30``."""
    return between.join(f'<span class="rf-nowrap">{cell(_engine(entry))}</span>' for entry in entries)


def _engine(entry: EngineRange) -> str:
    versions = str(entry).removeprefix(str(entry.engine)).strip()
    return f"{_NAMES.get(entry.engine, entry.engine)} {versions}".rstrip()


def rail(stage: str) -> str:
    """Return the stages of a launch in a row, with the one where a failure shows itself."""
    ids = stage_book().ids
    at = ids.index(stage) if stage in ids else -1
    parts = []
    for place, one in enumerate(stage_book().stages):
        mark = "rf-rail-here" if place == at else "rf-rail-passed" if place < at else "rf-rail-ahead"
        told = ' <span class="rf-rail-word">shows itself here</span>' if place == at else ""
        parts.append(f'<span class="{mark}">{cell(one.title)}{told}</span>')
    return f'<span class="rf-rail">{" ".join(parts)}</span>'


def in_one_line(mode: FailureMode) -> str:
    """Return the first thing that a log shows of it: a line, and the silence after it."""
    for one in mode.signatures:
        found = (*one.all, *one.any)[:1]
        told = [code(as_line(found[0].text))] if found else []
        if one.silence:
            told.append("then silence")
        if told:
            return ", ".join(told)
    return "a container that ended"


def signatures(mode: FailureMode) -> str:
    """Return the signatures as a list: when each fits, in words, with the patterns that are searched for."""
    lines = []
    for one in mode.signatures:
        head = f"In {engines(one.engines, ', ')}: " if one.engines else ""
        parts = [*_words(one)]
        lines += [f"-   {head}{parts[0]}" if len(parts) == 1 else f"-   {head}all of this holds:"]
        if len(parts) > 1:
            lines += [f"    -   {part}" for part in parts]
    return "\n".join(lines)


def _words(one: Signature) -> Iterable[str]:
    if one.all:
        yield "one rank prints " + _patterns(one.all, "and")
    if one.any:
        yield "a rank prints " + _patterns(one.any, "or")
    if one.ended:
        yield f"a container ended with status {' or '.join(map(str, one.ended))}"
    if one.silence:
        stage = cell(stage_title(one.silence.stage))
        yield (
            f"nothing new comes from any rank for {one.silence.seconds:g} s, none has ended, and the "
            f"furthest stage that every rank has reached is “{stage}” (one may be further)"
        )
    if one.none:
        yield "no rank prints " + _patterns(one.none, "or")


def _patterns(patterns: Sequence[LinePattern], word: str) -> str:
    shown = [_pattern(one) for one in patterns]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {word} {shown[-1]}"


def _pattern(one: LinePattern) -> str:
    """The line in words; where it is more than plain text, the pattern as well."""
    line = as_line(one.text)
    plain = re.sub(r"\\([^A-Za-z0-9])", r"\1", one.text).strip() == line
    return code(line) if plain else f"{code(line)} (as a pattern: {code(one.text)})"


def examples(found: Sequence[Example]) -> str:
    """Return how many examples there are of each origin, those that somebody saw first."""
    told = []
    for kind, (word, words) in _ORIGINS.items():
        number = sum(example.origin.kind is kind for example in found)
        if number:
            which = f" ({cell(what)})" if kind is OriginKind.RUN and (what := own_runs(found)) else ""
            told.append(f'<span class="rf-nowrap">{number} {word if number == 1 else words}{which}</span>')
    return ", ".join(told)


def own_runs(found: Sequence[Example], *, dated: bool = False) -> str:
    """Return which runs of ours examples are from, such as ``the lab``, with their days where asked for."""
    told = dict.fromkeys(
        example.origin.text.removeprefix("run ").removeprefix("of ")
        for example in found
        if example.origin.kind is OriginKind.RUN
    )
    return "; ".join(told if dated else dict.fromkeys(text.rpartition(",")[0] or text for text in told))
