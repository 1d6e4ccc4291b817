"""The first error of all ranks in time, and what followed from it. Pure.

In a start on two nodes the error that people see is as a rule not the first one: a rank dies, and the
other reports a lost connection minutes later. So the errors of all ranks are put in order of time.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reaffirm.diagnose.stages import StageBook, message, plain, stage_book

_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Timeout)(?:\([^)]*\))?(?::.*)?$")
_TRACEBACK = "Traceback (most recent call last)"
_CHAINED = ("During handling of the above exception", "The above exception was the direct cause")
#: Lines of a traceback that are kept at most.
_DETAIL_LIMIT = 40


@dataclass(frozen=True)
class Said:
    """One line of a rank's log. ``at`` is in seconds since the launch began."""

    node: str
    at: float
    text: str


@dataclass(frozen=True)
class Died:
    """A container that ended. ``oom`` is what the container runtime says about memory."""

    node: str
    at: float
    exit: int
    oom: bool = False
    words: str = ""


@dataclass(frozen=True)
class ErrorSeen:
    """An error of one rank. ``text`` says it in one line; ``lines`` are as they came."""

    node: str
    at: float
    text: str
    lines: tuple[str, ...] = ()
    typical_consequence: bool = False


@dataclass(frozen=True)
class ErrorOrder:
    """The first error, and those that came after it and are taken to follow from it."""

    first: ErrorSeen | None
    later: tuple[ErrorSeen, ...] = ()


def first_error(lines: Iterable[Said], deaths: Iterable[Died] = ()) -> ErrorOrder:
    """Put the errors of all ranks in order of time.

    An error that as a rule follows from another is never called first when there is another one,
    whichever came first by the clock: nodes' clocks and log buffers are not that exact.
    """
    per_node: dict[str, list[Said]] = {}
    for line in lines:
        per_node.setdefault(line.node, []).append(line)
    book = stage_book()
    seen = [error for said in per_node.values() for error in _errors_of(said, book)]
    spoke = {error.node for error in seen}
    for death in deaths:
        # A container that ended after telling why adds nothing but its exit status.
        seen.append(_death(death, consequence=death.node in spoke))
    seen.sort(key=lambda error: (error.typical_consequence, error.at))
    if not seen:
        return ErrorOrder(None)
    first = seen[0]
    return ErrorOrder(first, tuple(sorted(seen[1:], key=lambda error: error.at)))


def _death(death: Died, *, consequence: bool) -> ErrorSeen:
    if death.words:
        return ErrorSeen(death.node, death.at, death.words)
    told = f"the container ended with status {death.exit}"
    if death.oom:
        told += ", killed for want of memory"
    elif death.exit in (137, 247):
        told += " (killed: by hand, a watchdog, or for want of memory)"
    return ErrorSeen(death.node, death.at, told, typical_consequence=consequence or death.exit == 0)


def _errors_of(lines: Sequence[Said], book: StageBook) -> list[ErrorSeen]:
    found: list[ErrorSeen] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        if not is_error(line.text, book):
            index += 1
            continue
        end = _block_end(lines, index, book)
        block = tuple(plain(said.text) for said in lines[index:end])
        text = _told(block)
        late = any(pattern.search(text) for pattern in book.secondary)
        found.append(ErrorSeen(line.node, line.at, text, block[:_DETAIL_LIMIT], late))
        index = end
    return found


def is_error(text: str, book: StageBook | None = None) -> bool:
    """Whether a line tells of an error: a traceback, an error level, a known failure; benign ones not."""
    book = book or stage_book()
    text = plain(text)
    bare = message(text)
    if any(pattern.search(text) for pattern in book.benign):
        return False
    return any(pattern.search(text) or pattern.search(bare) for pattern in book.errors)


def _block_end(lines: Sequence[Said], start: int, book: StageBook) -> int:
    """Return the index after the lines of the error at ``start``: its traceback, and chained ones."""
    end = start + 1
    inside = _TRACEBACK in lines[start].text
    raised = bool(_RAISED.match(message(lines[start].text)))
    while end < len(lines):
        bare = message(lines[end].text)
        if bare.startswith(_CHAINED):
            raised = False
        elif _TRACEBACK in bare and not raised:
            inside = True
        elif inside and bare.strip() and not bare.startswith((" ", "\t")):
            # A traceback ends with the first line that is not indented: the exception.
            inside, raised = False, True
        elif not (
            bare.startswith(("  ", "\t"))
            or not bare.strip()
            or (not raised and is_error(lines[end].text, book))
        ):
            break
        end += 1
    return end


def _told(block: Sequence[str]) -> str:
    """Return the line of an error block that says what went wrong: the first exception raised in it."""
    bare = [message(line) for line in block]
    raised = next((line for line in bare if _RAISED.match(line)), "")
    if raised or _TRACEBACK not in bare[0]:
        return (raised or bare[0]).strip()
    flush = [line for line in bare[1:] if line.strip() and not line.startswith((" ", "\t"))]
    return (flush[0] if flush else bare[0]).strip()
