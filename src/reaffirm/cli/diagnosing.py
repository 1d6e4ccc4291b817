"""The command that holds a log against the pages of failure modes."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from reaffirm.diagnose.known_lines import Foreign
from reaffirm.diagnose.match import Evidence, Match
from reaffirm.diagnose.near import MANY_AFTER, Near, Stop, Want
from reaffirm.diagnose.paste import ENDED_SOMEHOW, SILENT_SOMEHOW, Paste, PasteReading, read_paste
from reaffirm.diagnose.stages import stage_book
from reaffirm.errors import UsageError
from reaffirm.model.failure import FailureMode, FailureStatus
from reaffirm.model.node import Engine
from reaffirm.run.command import say
from reaffirm.site.pattern_words import as_line
from reaffirm.store.failures import read_failures
from reaffirm.store.project import failure_folders, find_project

#: Lines shown for one page, characters of each, and bytes that are read of a file: its end.
_MOST_LINES, _MOST_SIGNS, _MOST_BYTES = 4, 200, 30_000_000
#: Lines that would do, of which those are named.
_MOST_WANTED = 3


def diagnose(
    logs: Annotated[
        list[str], typer.Argument(metavar="LOG…", help="Logs, one file for each rank; - is standard input.")
    ],
    engine: Annotated[
        Engine | None, typer.Option("--engine", help="vllm or sglang (default: as the lines tell).")
    ] = None,
    version: Annotated[str, typer.Option("--engine-version", help="Such as 0.17.0.")] = "",
    silent: Annotated[
        float | None,
        typer.Option(
            "--silent",
            min=SILENT_SOMEHOW,
            metavar="SECONDS",
            help="How long nothing new came; -1: for a time that you do not know.",
        ),
    ] = None,
    ended: Annotated[
        int | None,
        typer.Option(
            "--ended",
            min=ENDED_SOMEHOW,
            max=255,
            metavar="STATUS",
            help="How the last log's container ended; -1: with a status that you do not know.",
        ),
    ] = None,
) -> None:
    """Say which failure pages a log looks like, and by which lines. A page that fits is not yet a cause."""
    project = find_project()
    own = (project.docs / "failures").resolve() if project else None
    found = read_failures(
        *((f, "docs/failures" if f == own else "reaffirm:docs/failures") for f in failure_folders(project))
    )
    for finding in found.findings:
        say(f"reaffirm: left out: {finding}")
    if silent is not None and silent < 0:
        silent = SILENT_SOMEHOW
    paste = Paste(_joined(logs), engine, version, silent, ended)
    reading = read_paste(found.modes, paste)
    _tell(reading, found.modes)
    if not (reading.fits.pages or reading.perhaps.pages):
        raise typer.Exit(2)


def _joined(logs: Sequence[str]) -> str:
    """Return the text of one log, or of several with the name of its rank before each line."""
    texts = [_text(name) for name in logs]
    if len(texts) == 1:
        return texts[0]
    names: list[str] = []
    for log in logs:
        name = "-".join(Path(log).stem.split()) or "rank"
        names.append(name if name not in names else f"{name}-{len(names) + 1}")
    return "\n".join(
        f"{name} | {line}"
        for name, text in zip(names, texts, strict=True)
        for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    )


def _text(name: str) -> str:
    if name == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        with Path(name).open("rb") as file:
            file.seek(max(file.seek(0, 2) - _MOST_BYTES, 0))
            return file.read().decode("utf-8", "replace")
    except OSError as error:
        msg = f"{name}: {error.strerror}"
        raise UsageError(msg, hint="name a file with the last lines of a log") from error


def _tell(reading: PasteReading, modes: Sequence[FailureMode]) -> None:
    read_as = " or ".join(f"{one.engine} {one.version}".rstrip() for one in reading.symptoms)
    for text in reading.joined[:_MOST_LINES]:
        typer.echo(f"read as one line: {_short(text)}")
    if len(reading.joined) > _MOST_LINES:
        typer.echo(f"  and {len(reading.joined) - _MOST_LINES} more")
    for other in reading.foreign:
        _foreign(other, reading)
    for word, matches in (
        ("fits", reading.fits.matches),
        ("follows from another error as a rule", reading.fits.later),
        ("fits if nothing new came", (*reading.perhaps.matches, *reading.perhaps.later)),
    ):
        for one in matches:
            _page(one, word, reading.left_out)
            _rivals(one, reading, modes)
    for one in reading.before.matches:
        lines = tuple(line for line in one.evidence if line.number)
        word = "look here too, it may have been silent before it was killed"
        _page(replace(one, evidence=lines), word, reading.left_out)
    for a, b in reading.contested:
        typer.echo(f"not decided: {a.mode.id} and {b.mode.id} look the same in these lines")
        if told := a.mode.told_apart or b.mode.told_apart:
            typer.echo(f"  {told}")
        else:
            typer.echo(f"  cheapest check: {a.mode.deciding_check or b.mode.deciding_check}")
    if reading.stop is not None:
        _stop(reading.stop, reading.left_out)
    for near in reading.near:
        _near(near, reading.left_out)
    for line in reading.unknown[:_MOST_LINES]:
        told = "the last line is known to no page and no stage, so nothing above rests on it"
        typer.echo(f"{told}\n{_line(line, reading.left_out)}")
    left = f"; left out before them: {reading.left_out} lines" if reading.left_out else ""
    say(f"reaffirm: {_verdict(reading, len(modes))}, read as {read_as}{left}")
    if reading.symptoms[0].alone:
        say("reaffirm: the lines of one rank only; whether the other one says the same is not known")


def _verdict(reading: PasteReading, pages: int) -> str:
    """What was found; the box on the site says it in the same words."""
    fits, perhaps = len(reading.fits.pages), len(reading.perhaps.pages)
    if not fits and not perhaps:
        if before := len(reading.before.pages):
            would = f"{before} would if it was silent before it was killed"
            return f"none of {pages} pages fits; {would}"
        close = sum(near.close for near in reading.near)
        number, word = (close, "near") if close else (len(reading.near), "about this stage")
        near = f"; {number} {'is' if number == 1 else 'are'} {word}" if reading.near else ""
        return f"none of {pages} pages fits{near}"
    found = fits or perhaps
    told = f"{found} of {pages} pages {'fits' if found == 1 else 'fit'}"
    if fits and perhaps:
        told += f", and {perhaps} more"
    return f"{told} if nothing new came after the last line" if perhaps else told


def _page(one: Match, word: str, left_out: int) -> None:
    draft = f" ({one.mode.tested})" if one.mode.status is FailureStatus.DRAFT else ""
    typer.echo(f"{one.mode.path}: {word}: {one.mode.title}{draft}")
    _lines(one.evidence, left_out)


def _lines(found: Sequence[Evidence], left_out: int) -> None:
    for line in found[:_MOST_LINES]:
        typer.echo(_line(line, left_out))
    if len(found) > _MOST_LINES:
        typer.echo(f"  and {len(found) - _MOST_LINES} more")


def _line(line: Evidence, left_out: int) -> str:
    counted = f"line {line.number}{' of those read' if left_out else ''}"
    where = f"{line.node}, {counted}" if line.number else line.node
    return f"  {where}: {_short(line.text)}"


def _short(text: str) -> str:
    return text if len(text) <= _MOST_SIGNS else f"{text[:_MOST_SIGNS]} […]"


def _foreign(other: Foreign, reading: PasteReading) -> None:
    """Lines of another engine than the one that was told."""
    chosen = reading.symptoms[0].engine
    typer.echo(f"written so by {other.engine}, and you chose {chosen}: try --engine {other.engine}, or none")
    _lines(other.lines, reading.left_out)


def _rivals(one: Match, reading: PasteReading, modes: Sequence[FailureMode]) -> None:
    """Name the pages that can look the same and are not among those that fit, with what tells them apart."""
    fits = {*reading.fits.pages, *reading.perhaps.pages, *reading.before.pages}
    titles = {mode.id: mode.title for mode in modes}
    others = [rival for rival in one.mode.rivals if rival not in fits]
    for rival in others:
        title = f" ({titles[rival]})" if rival in titles else ""
        typer.echo(f"  can look the same, and does not fit these lines: {rival}{title}")
    if others and (told := one.mode.told_apart or one.mode.deciding_check):
        typer.echo(f"  what tells them apart: {told}")


def _stop(stop: Stop, left_out: int) -> None:
    title = stage_book().stage(stop.stage).title
    who = "these lines stop" if stop.all_ranks else "one rank's lines stop"
    typer.echo(f"{who} at the stage “{title}”, by")
    _lines(stop.lines, left_out)
    if not stop.all_ranks:
        typer.echo("  the lines of another rank show no stage at all")
    if stop.went_on:
        typer.echo(f"  more than {MANY_AFTER} lines follow, so it was not silent after that")
    for note in stop.notes:
        typer.echo(f"  {note}")


def _near(near: Near, left_out: int) -> None:
    """A page that does not fit, and what it still wants."""
    word = "near, does not fit" if near.close else "about this stage, does not fit"
    typer.echo(f"{near.mode.path}: {word}: {near.mode.title}")
    _lines(near.evidence, left_out)
    for want in near.wants:
        typer.echo(f"  wants {_wanted(want)}")


def _wanted(want: Want) -> str:
    shown = [f"“{as_line(pattern.text)}”" for pattern in want.patterns[:_MOST_WANTED]]
    more = len(want.patterns) - len(shown)
    words = " ".join(part for part in (want.words, " or ".join(shown)) if part)
    words += f" or {more} more" if more else ""
    return f"{words}; yours begins “{want.alike}” and goes on otherwise" if want.alike else words
