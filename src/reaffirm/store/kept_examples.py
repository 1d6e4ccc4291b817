"""The examples of a failure page, parsed once for as long as the page stays the same.

A launch asks all pages, and needs of their examples only how many there are of which sort. Loading the parser
of Markdown and parsing them takes longer than the launch of simulated nodes itself.
"""

from functools import cache
from importlib import resources
from typing import Any

from reaffirm.model.failure import EngineRange, Example, Origin, OriginKind
from reaffirm.model.finding import Finding
from reaffirm.model.node import Engine
from reaffirm.store.frontmatter import Page
from reaffirm.store.installed import version_of
from reaffirm.store.kept import keep, kept

_SORT = "failure-examples"


def examples_of(page: Page, engines: tuple[EngineRange, ...]) -> tuple[list[Example], list[Finding]]:
    """Return what :func:`reaffirm.store.failure_examples.read_examples` does.

    Only a page without findings is kept: who mends one wants to see them all each time.
    """
    named = ",".join(sorted({str(entry.engine) for entry in engines}))
    text = f"{page.body_line}\0{named}\0{page.body}"
    known = kept(_SORT, text, _maker())
    if known is not None:
        return [_example(*values) for values in known], []
    from reaffirm.store.failure_examples import read_examples  # with it the parser of Markdown

    examples, findings = read_examples(page, engines)
    if not findings:
        keep(_SORT, text, _maker(), [_plain(example) for example in examples])
    return examples, findings


def _plain(one: Example) -> tuple[Any, ...]:
    origin = (str(one.origin.kind), one.origin.text)
    about = (one.version, one.silent, one.ended)
    return (one.line, one.hit, one.title, origin, one.text, str(one.engine), *about)


def _example(line: int, hit: bool, title: str, origin: Any, text: str, engine: str, *about: Any) -> Example:
    kind, told = origin
    return Example(line, hit, title, Origin(OriginKind(kind), told), text, Engine(engine), *about)


@cache
def _maker() -> str:
    """What makes them: with other code, other examples."""
    here = resources.files(__package__)
    names = ("failure_examples.py", "kept_examples.py")
    return "".join(
        [version_of("markdown-it-py"), *(here.joinpath(name).read_text("utf-8") for name in names)]
    )
