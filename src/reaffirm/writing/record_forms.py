"""What a new record begins as: the template that its folder has, else a short one like its neighbours."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from reaffirm.errors import UsageError
from reaffirm.model.record import Dialect, Document
from reaffirm.store.reading.collection import Collection
from reaffirm.store.reading.front import split
from reaffirm.store.reading.naming import SUFFIXES, neighbour
from reaffirm.store.reading.source import SourceProblemError, read_source, text_of
from reaffirm.store.template import TEMPLATE, template_file

_FOLDERS = ("", "templates", "template", "_templates")
_FIRST = ("template", "adr-template", "_template")
_PROBLEMS = ("template-text", "status-template", "date-template")
_NYGARD = """\
# TITLE

Date: YYYY-MM-DD

## Status

Proposed

## Context

## Decision

## Consequences
"""
_MADR = """\
# TITLE

## Context and Problem Statement

## Considered Options

## Decision Outcome

### Consequences
"""
_FRONT = "---\nstatus: proposed\ndate: YYYY-MM-DD\n---\n\n"
_LIST = "# TITLE\n\n* Status: proposed\n* Date: YYYY-MM-DD\n"


@dataclass(frozen=True)
class Form:
    """The text and the file's ending that a new record gets. ``counts``: its title has the number."""

    text: str
    suffix: str = ".md"
    counts: bool = False


def form_for(folder: Path, found: Collection) -> Form:
    """Return the form of a new record in a folder.

    Raises:
        UsageError: the records are not in Markdown and there is no template, or it cannot be read.
    """
    inside = [
        one
        for one in found.documents
        if one.records and found.files[one.path].parent.resolve() == folder.resolve()
    ]
    written = [one for one in inside if not _is_template(one.path, found)]
    suffixes = Counter(Path(one.path).suffix.lower() for one in written)
    if own := _own_template(folder, found, suffixes):
        return Form(_text(own), own.suffix)
    if written and all(one.dialect is not Dialect.MARKDOWN for one in written):
        suffix = suffixes.most_common(1)[0][0]
        msg = f"the records in {folder} are {suffix}, and there is no template in that language"
        raise UsageError(msg, hint=f"write one once: {folder / ('template' + suffix)}")
    if not written or any(record.claims for one in written for record in one.records):
        return Form(_text(template_file(folder)))
    return _like(written, found)


def filled(form: Form, title: str, number: str, today: date) -> str:
    """Return the form's text with title, number and date, and proposed where a status is to be chosen."""
    front = re.match(r"---\n.*?\n---\n", form.text, re.DOTALL)
    head = re.sub(r"(?m)^# Copy this file.*\n", "", front[0]) if front else ""
    head = re.sub(r"(?m)^date:[ \t]*\d{4}-\d\d-\d\d", f"date: {today}", head)
    body = form.text[front.end() :] if front else form.text
    text = head + _titled(body, f"{int(number)}. {title}" if form.counts and number else title, number)
    text = _DATE.sub(lambda found: f"{found[1]}{today}", text)
    text = _STATUS.sub(lambda found: f"{found[1]}proposed", text)
    return _SECTION.sub(lambda found: f"{found[1]}Proposed", text)


# {…}, […] or <…> to be replaced, in quotes or not.
_BRACED = r"(?:([\"'`]?)(?:\{[^{}\n]*\}|\[[^\[\]\n]*\](?!\()|<[^<>!\n]*>)\2)"
_LABEL = r"[ \t]*(?:[*+-][ \t]+|:)?[*_]{0,2}"
_AFTER = r"[*_]{0,2}:[*_]{0,2}[ \t]+"
_DATE = re.compile(rf"(?mi)^({_LABEL}date{_AFTER})(?:{_BRACED}|[\"']?(?:YYYY-MM-DD|DATE\b)[\"']?)")
_STATUS = re.compile(
    rf"(?mi)^({_LABEL}status{_AFTER})(?:{_BRACED}|STATUS\b|[\"']?[\w ]+(?:[ \t]*[|/][ \t]*[\w ]+)+[\"']?)"
)
_SECTION = re.compile(
    rf"(?mi)^((?:##+|==+)[ \t]+status[ \t]*#*\n\s*|status\n[-=~^]{{4,}}\n\s*)"
    rf"(?:{_BRACED}|STATUS\b|\w+(?:[ \t]*[|/][ \t]*\w+)+|what is the status[^\n]*)"
)
_COUNTED = re.compile(
    r"((?:ADR|RFC)?[-_ #]*)(?:NUMBER|\{number\}|\[number\]|[NX]{1,6}|\d{1,6})([.:][ \t]|[ \t][-–—][ \t])",
    re.I,
)
_ATX = re.compile(r"(?m)^(?P<mark>#|=)[ \t]+(?P<words>\S.*)$")
_UNDERLINED = re.compile(
    r"(?m)^(?:(?P<over>[=\-#*~^])(?P=over){2,}\n)?[ \t]?(?P<words>\S.*)\n(?P<under>[=\-#*~^])(?P=under){2,}$"
)


def _titled(body: str, title: str, number: str) -> str:
    """The text with its first title replaced; numbered where the template's is."""
    plain = re.sub(r"(?s)<!--.*?-->", lambda found: re.sub(r"[^\n]", " ", found[0]), body)
    match = min(
        filter(None, (_ATX.search(plain), _UNDERLINED.search(plain))), key=lambda m: m.start(), default=None
    )
    if match is None:
        return f"# {title}\n\n{body}"
    counted = _COUNTED.match(match["words"])
    if counted and number:
        title = f"{counted[1]}{number if counted[1] else int(number)}{counted[2]}{title}"
    if match.re is _ATX:
        new = f"{match['mark']} {title}"
    else:
        over = match["over"] * len(title) + "\n" if match["over"] else ""
        new = f"{over}{title}\n{match['under'] * len(title)}"
    return body[: match.start()] + new + body[match.end() :]


def _own_template(folder: Path, found: Collection, suffixes: Counter[str]) -> Path | None:
    """The template of a folder: beside its records or in a folder of templates, and in their language."""
    known: list[tuple[int, int, str, Path]] = []
    for depth, name in enumerate(_FOLDERS):
        below = folder / name
        for path in sorted(below.iterdir()) if below.is_dir() else ():
            suffix = path.suffix.lower()
            if suffix not in SUFFIXES or not path.is_file() or (suffixes and suffix not in suffixes):
                continue
            stem = path.stem.lower()
            if path.name == TEMPLATE or stem in _FIRST:
                rank = -1 if path.name == TEMPLATE else _FIRST.index(stem)
            elif neighbour(f"{name or folder.name}/{path.name}") == "a template" or (
                stem.startswith("0000-") and _is_blank(path, found)
            ):
                rank = len(_FIRST)
            else:
                continue
            known.append((rank + depth * 10, -suffixes[suffix], path.name, path))
    return min(known)[-1] if known else None


def _is_blank(path: Path, found: Collection) -> bool:
    """Whether a file with the number 0 is to be copied, and not the first record."""
    named = [name for name, file in found.files.items() if file.resolve() == path.resolve()]
    read = {one.path for one in found.documents if one.records}
    return not any(name in read and not _is_template(name, found) for name in named)


def _is_template(path: str, found: Collection) -> bool:
    return Path(path).name.startswith("0000-") and any(
        one.path == path and one.code in _PROBLEMS for one in found.problems
    )


def _like(written: Sequence[Document], found: Collection) -> Form:
    """A short form in the style that most records have."""
    styles: Counter[str] = Counter()
    for one in written:
        try:
            front = bool(split(text_of(read_source(found.files[one.path]))).data)
        except SourceProblemError:
            continue
        section = any(heading.text.strip().lower() == "status" for heading in one.headings)
        styles["front" if front else "section" if section else "list"] += 1
    style = styles.most_common(1)[0][0] if styles else "front"
    if style == "section":
        return Form(_NYGARD, counts=True)
    if style == "front":
        return Form(_FRONT + _MADR)
    return Form(_LIST + _MADR.removeprefix("# TITLE\n"))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path}: cannot be read: {error}"
        raise UsageError(msg, hint="mend the template, or write the record by hand") from error
