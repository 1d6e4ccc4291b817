"""Reads the examples of a failure page: fenced logs, each a test of the page's signatures."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from markdown_it import MarkdownIt

from reaffirm.model.failure import EngineRange, Example, Origin, OriginKind
from reaffirm.model.finding import Finding
from reaffirm.model.node import Engine
from reaffirm.store.frontmatter import Page

_PARSER = MarkdownIt("commonmark")
_INFO = re.compile(r"\{\s*(.*?)\s*\}\Z")
_WORD = re.compile(r'\s*(?:\.([A-Za-z][\w-]*)|([A-Za-z][\w-]*)=(?:"([^"]*)"|([^\s"]+)))')
_ATTRIBUTES = ("title", "origin", "engine", "version", "silent", "ended")
_CLASSES = ("match", "near-miss")
_ABOVE = re.compile(r"[*_]*origin[*_]*:[*_]*\s*(.+?)\s*\Z", re.IGNORECASE)
_THREAD = re.compile(r"thread [\w.-]+/[\w.-]+#\d+(?: .*)?\Z")
_PACKAGE = re.compile(r"package [\w.-]+ \d\S* format string\Z")
_RUN = re.compile(r"run \S.*\Z")

#: The sections that every page has, in this order.
SECTIONS = ("Meaning", "Impact", "Diagnosis", "Remedy", "Examples")
_HINT = 'write ```{.log .match title="…" origin="run …"} or .near-miss; see docs/failures/README.md'


def read_origin(text: str) -> Origin:
    """Return where an example comes from.

    Raises:
        ValueError: it is in none of the four forms.
    """
    text = " ".join(text.split())
    kind = text.split(" ", 1)[0] if text else ""
    forms = {
        "run": (_RUN, "run WHAT, DATE"),
        "thread": (_THREAD, "thread owner/repo#7"),
        "package": (_PACKAGE, "package NAME VERSION format string"),
        "made-up": (re.compile(r"made-up\Z"), "made-up"),
    }
    if kind not in forms:
        close = get_close_matches(kind, forms, n=1, cutoff=0.75)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        msg = f"an origin begins with one of {', '.join(forms)}, got {text!r}{meant}"
        raise ValueError(msg)
    pattern, form = forms[kind]
    if not pattern.match(text):
        msg = f"the origin must read '{form}', got {text!r}"
        raise ValueError(msg)
    return Origin(OriginKind(kind), text)


def read_examples(page: Page, engines: tuple[EngineRange, ...]) -> tuple[list[Example], list[Finding]]:
    """Return the examples of a page in their order, and what is wrong with them and its sections."""
    examples: list[Example] = []
    findings: list[Finding] = []
    titles: dict[str, int] = {}
    lines = page.body.split("\n")
    tokens = _PARSER.parse(page.body)
    for index, token in enumerate(tokens):
        line = page.body_line + (token.map[0] if token.map else 0)
        if token.type == "heading_open":
            titles.setdefault(tokens[index + 1].content.strip(), line)
            if token.tag == "h1":
                message = "the title belongs into the front matter; the text begins with '## Meaning'"
                findings.append(Finding(page.path, line, "failure-title", message))
        elif token.type == "fence" and (info := _INFO.match(token.info.strip())):
            above = lines[: token.map[0]] if token.map else []
            try:
                example = _example(info[1], token.content, above, line, engines)
            except ValueError as error:
                findings.append(Finding(page.path, line, "failure-example", str(error), _HINT))
                continue
            if example is not None:
                examples.append(example)
    findings += _sections(page, titles)
    return examples, findings


def _sections(page: Page, titles: Mapping[str, int]) -> Iterator[Finding]:
    for name in SECTIONS:
        if name not in titles:
            close = get_close_matches(name, titles, n=1)
            where = titles[close[0]] if close else page.body_line
            message = f"there is no section '## {name}'"
            hint = (
                f"is {close[0]!r} meant?" if close else f"every page has {', '.join(SECTIONS)}, in this order"
            )
            yield Finding(page.path, where, "failure-section", message, hint)


def _example(
    info: str, text: str, above: list[str], line: int, engines: tuple[EngineRange, ...]
) -> Example | None:
    classes, given = _words(info)
    marks = [name for name in classes if name in _CLASSES]
    if not marks:
        strange = next((c for c in classes if get_close_matches(c, _CLASSES, n=1)), "")
        if strange:
            msg = f"unknown class .{strange}; did you mean .{get_close_matches(strange, _CLASSES, n=1)[0]}?"
            raise ValueError(msg)
        return None
    if len(marks) > 1:
        raise ValueError("an example is either .match or .near-miss")  # noqa: EM101
    for key in given:
        if key not in _ATTRIBUTES:
            close = get_close_matches(key, _ATTRIBUTES, n=1)
            meant = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(_ATTRIBUTES)}"
            msg = f"unknown attribute {key!r}; {meant}"
            raise ValueError(msg)
    if not text.strip():
        raise ValueError("an example must hold at least one line of a log")  # noqa: EM101
    return Example(
        line=line,
        hit=marks[0] == "match",
        title=given.get("title", ""),
        origin=read_origin(given.get("origin") or _origin_above(above)),
        text=text.rstrip("\n"),
        engine=_engine(given.get("engine", ""), engines),
        version=given.get("version", ""),
        silent=_number(given, "silent") or 0.0,
        ended=int(number) if (number := _number(given, "ended")) is not None else None,
    )


def _words(info: str) -> tuple[list[str], dict[str, str]]:
    classes: list[str] = []
    given: dict[str, str] = {}
    at = 0
    while at < len(info):
        found = _WORD.match(info, at)
        if found is None:
            msg = f'cannot read {info[at:].strip()!r}; a word here is .class or name="value"'
            raise ValueError(msg)
        if found[1]:
            classes.append(found[1])
        else:
            given[found[2]] = found[3] if found[3] is not None else found[4]
        at = found.end()
    return classes, given


def _origin_above(above: list[str]) -> str:
    last = next((line.strip() for line in reversed(above) if line.strip()), "")
    found = _ABOVE.match(last)
    if found is None:
        msg = "an example needs its origin: origin=\"…\", or a line 'Origin: …' above it"
        raise ValueError(msg)
    return found[1].rstrip("*_")


def _engine(word: str, engines: tuple[EngineRange, ...]) -> Engine:
    if not word:
        if len({entry.engine for entry in engines}) != 1:
            msg = 'an example on a page of several engines names its own, such as engine="vllm"'
            raise ValueError(msg)
        return engines[0].engine
    if word not in list(Engine):
        close = get_close_matches(word, list(Engine), n=1)
        msg = f"unknown engine {word!r}" + (f"; did you mean {str(close[0])!r}?" if close else "")
        raise ValueError(msg)
    return Engine(word)


def _number(given: Mapping[str, str], key: str) -> float | None:
    if key not in given:
        return None
    try:
        return float(given[key])
    except ValueError:
        msg = f"{key} must be a number, got {given[key]!r}"
        raise ValueError(msg) from None
