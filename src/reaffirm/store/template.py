"""Finds in a record what its author copied from the template and never wrote anew."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path

from reaffirm.errors import DocumentError
from reaffirm.model.finding import Finding
from reaffirm.store.frontmatter import read_page
from reaffirm.store.reading.front import split
from reaffirm.store.reading.source import SourceProblemError, read_source, text_of

TEMPLATE = "0000-template.md"
_HEADING = re.compile(r"#{2,}\s")
# Lines that a written record may well have too: without a word, a status by itself, a field with its value.
_STAYS = re.compile(
    r"[\W_]*(?:(?:(?:status|date)\b[\W_]*)?(?:draft|proposed|accepted|rejected|deprecated|superseded)?"
    r"|(?:date\b[\W_]*)?\d{4}-\d\d-\d\d)[\W_]*\Z",
    re.IGNORECASE,
)
# MADR 4: "<!-- This is an optional element. Feel free to remove. -->". Nobody sees it; many keep it.
_COMMENT = re.compile(r"\s*<!--(?:(?!-->).)*-->\s*\Z")
_HINT = "write what holds for this decision, or remove the line"


def leftovers(path: str, body: str, first: int, placeholders: frozenset[str]) -> Iterator[Finding]:
    """Yield each line of a record that is word for word the template's; headings are meant to stay.

    ``first`` is the line in the file of the body's first.
    """
    for number, line in enumerate(body.split("\n"), first):
        if line.strip() in placeholders:
            message = f"still the template's words: {line.strip()!r}"
            yield Finding(path, number, "template-text", message, _HINT)


def leftovers_in(path: Path, shown: str) -> tuple[Finding, ...]:
    """Return what a file has left over from the template of its folder; findings name it as ``shown``."""
    wanted = placeholders(path.parent)
    try:
        text = text_of(read_source(path))
    except SourceProblemError:
        return ()
    if wanted.isdisjoint(line.strip() for line in text.split("\n")):
        return ()
    front = split(text)
    return tuple(leftovers(shown, front.body, front.body_line, wanted))


def placeholders(folder: Path) -> frozenset[str]:
    """Return the lines to be replaced of the folder's template and of the one that comes with the package."""
    found: set[str] = set()
    for path in (folder / TEMPLATE, _bundled()):
        if path.is_file():
            state = path.stat()
            found |= _lines(path, state.st_mtime_ns, state.st_size)
    return frozenset(found)


@cache
def _lines(path: Path, _mtime_ns: int, _size: int) -> frozenset[str]:
    try:
        return frozenset(_wanted(read_page(path).body.split("\n")))
    except DocumentError:
        return frozenset()


def _wanted(lines: Iterable[str]) -> Iterator[str]:
    stay = (_HEADING, _STAYS, _COMMENT)
    return (line.strip() for line in lines if not any(one.match(line) for one in stay))


def template_file(folder: Path) -> Path:
    """Return the folder's own template of a record, by its usual names, else the one of the package."""
    named = [folder / name for name in (TEMPLATE, "template.md", "adr-template.md", "_template.md")]
    return next((path for path in named if path.is_file()), _bundled())


def runbook_template(folder: Path) -> Path:
    """Return the folder's own template of a runbook, else the one of the package."""
    own = folder / "_template.py"
    return own if own.is_file() else _of_package("runbook.py", "runbooks/_template.py")


def failure_template(folder: Path) -> Path:
    """Return the folder's own template of a failure mode's page, else the one of the package."""
    own = folder / "_template.md"
    return own if own.is_file() else _of_package("failures/_template.md", "docs/failures/_template.md")


def machine_template(name: str) -> Path:
    """Return a machine file that works everywhere: ``local.toml`` or ``simulated.toml``."""
    return _of_package(f"nodes/{name}", f"runbooks/nodes/{name}")


def _bundled() -> Path:
    return _of_package("template.md", f"adrs/{TEMPLATE}")


def _of_package(in_wheel: str, in_checkout: str) -> Path:
    package = Path(str(resources.files("reaffirm")))
    path = package / "_catalogue" / in_wheel
    return path if path.is_file() else package.parent.parent / in_checkout
