"""A part of a runbook that decides a claim: the steps that find the facts of its check, and no others.

What such a part asks of machines may be less than the whole does. It is read from the text of the runbook and
never guessed: where it cannot be told which step finds a fact, there is no part.
"""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from reaffirm.errors import ReaffirmError
from reaffirm.model.claim import Claim
from reaffirm.run.runbook import runbook_from_text
from reaffirm.run.selection import select
from reaffirm.site.runbook_text import BookStep, RunbookText, read_runbook_text

# The first word of the facts of a step, where that is not its name.
_WORDS = {"probe_image": "probe"}
_FACTS = "facts"


@dataclass(frozen=True)
class PartRun:
    """A part of a runbook, by the names of its first and its last step, and the images that it asks for."""

    first: str
    last: str
    images: tuple[str, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """What chooses it on a command line."""
        if self.first == self.last:
            return ("--only", self.first)
        return ("--from", self.first, "--until", self.last)


@dataclass(frozen=True)
class _Finds:
    """A step of a runbook: the first words of the facts that it finds, and the images that it names."""

    step: BookStep
    words: frozenset[str]
    images: tuple[str, ...]

    def may_find(self, fact: str, images: Collection[str]) -> bool:
        word, _, rest = fact.partition(".")
        about = rest.partition(".")[0]
        return word in self.words and (about not in images or about in self.images)


def part_run(
    claim: Claim, source: str, values: Mapping[str, object], images: Collection[str]
) -> PartRun | None:
    """Return the part that decides a claim; None where that is not known, or is the whole.

    Args:
        claim: the claim.
        source: the text of the runbook that its check names.
        values: of the parameters of that runbook, as the check gives them.
        images: the images that somebody can ask for.
    """
    if claim.check is None:
        return None
    steps = [_read(one, values, images) for one in text_of(source).steps]
    needed: set[int] = set()
    for condition in claim.check.named:
        found = [number for number, one in enumerate(steps) if one.may_find(condition.fact, images)]
        if len(found) != 1:
            return None
        needed |= {*found}
    if not needed:
        return None
    inside = steps[min(needed) : max(needed) + 1]
    first, last = inside[0].step.id, inside[-1].step.id
    if not _can_be_run(source, first, last):
        return None
    return PartRun(first, last, tuple(dict.fromkeys(name for one in inside for name in one.images)))


# A preview reads the same few runbooks again for each claim that they decide.
@lru_cache(maxsize=64)
def text_of(source: str) -> RunbookText:
    """Return what the text of a runbook tells, without its name and its place."""
    return read_runbook_text("", source, "", {})


@lru_cache(maxsize=256)
def _can_be_run(source: str, first: str, last: str) -> bool:
    """Whether a part stands alone; else a step of it needs what a step before it sets."""
    try:
        select(runbook_from_text(source, "").notebook["cells"], first=first, last=last)
    except ReaffirmError:
        return False
    return True


def _read(step: BookStep, values: Mapping[str, object], images: Collection[str]) -> _Finds:
    try:
        tree = ast.parse(step.source)
    except (SyntaxError, ValueError):
        return _Finds(step, frozenset(), ())
    words = frozenset(_words(tree))
    named = dict.fromkeys(name for name in _texts(tree, values) if name in images)
    return _Finds(step, words, tuple(named))


def _words(tree: ast.Module) -> Iterator[str]:
    """The first word of what each call of a shipped step finds; of a computed word nothing is known."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if not isinstance(node.func.value, ast.Name) or node.func.value.id != "steps":
            continue
        given = next((one.value for one in node.keywords if one.arg == _FACTS), None)
        if given is None:
            yield _WORDS.get(node.func.attr, node.func.attr)
        elif isinstance(given, ast.Constant) and isinstance(given.value, str):
            yield given.value


def _texts(tree: ast.Module, values: Mapping[str, object]) -> Iterator[str]:
    """The texts that a cell names: written out, or as the value of a parameter."""
    for node in ast.walk(tree):
        value: object = None
        if isinstance(node, ast.Constant):
            value = node.value
        elif isinstance(node, ast.Name):
            value = values.get(node.id)
        yield from names_in(value)


def names_in(value: object) -> list[str]:
    """Return the names in a value; several in one text are parted by commas, as on a command line."""
    if isinstance(value, str):
        return [one.strip() for one in value.split(",")]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []
