"""Whether the failure pages keep what they promise: every hit matches, no near-miss does. Pure.

The examples of a page are its tests. A hit that another page matches too must be declared: such pages are
rivals, and a launch shows both.
"""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from reaffirm.diagnose.match import Symptoms, match
from reaffirm.diagnose.paste import logs_of, symptoms
from reaffirm.diagnose.rank import rank
from reaffirm.diagnose.stages import stage_book
from reaffirm.model.failure import Example, FailureMode
from reaffirm.model.finding import Finding


def prove(modes: Sequence[FailureMode]) -> Iterator[Finding]:
    """Yield what is wrong with pages that can be read: unknown stages, examples that do not hold."""
    for mode in modes:
        yield from _stages(mode)
        for number, example in enumerate(mode.examples, 1):
            yield from _example(mode, example, number, modes)


def symptoms_of(example: Example) -> Symptoms:
    """Return an example as the symptoms of a launch."""
    logs = logs_of(example.text.split("\n"))
    return symptoms(logs, example.engine, example.version, silent=example.silent, ended=example.ended)


def _example(
    mode: FailureMode, example: Example, number: int, modes: Sequence[FailureMode]
) -> Iterator[Finding]:
    shown = symptoms_of(example)
    fits = bool(match([mode], shown))
    name = f"example {number}" + (f" ({example.title})" if example.title else "")
    if example.hit and not fits:
        seen = f"stage {shown.stage}, silent {shown.silent:g} s, version {shown.version or 'unknown'}"
        hint = "no signature of the page fits it; change the signature, or make it a near-miss"
        yield Finding(mode.path, example.line, "failure-hit", f"{name} does not match ({seen})", hint)
    if not example.hit and fits:
        hint = "a signature of the page fits it; add a 'none' or a narrower pattern"
        yield Finding(mode.path, example.line, "failure-near-miss", f"{name} matches", hint)
    if example.hit and fits:
        others = [one.mode.id for one in rank(match(modes, shown)).matches if one.mode.id != mode.id]
        strangers = [other for other in others if other not in mode.rivals]
        if strangers:
            hint = "narrow one of the signatures, or name each other as rivals"
            message = f"{name} matches {', '.join(strangers)} as well"
            yield Finding(mode.path, example.line, "failure-also", message, hint)


def _stages(mode: FailureMode) -> Iterator[Finding]:
    named = [(mode.lines.get("stage", 1), mode.stage)]
    named += [(one.line, one.silence.stage) for one in mode.signatures if one.silence is not None]
    for line, stage in named:
        if stage not in stage_book().ids:
            close = get_close_matches(stage, stage_book().ids, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(stage_book().ids)}"
            yield Finding(mode.path, line, "failure-stage", f"unknown stage {stage!r}", hint)
