"""Reads which facts there are: ``docs/reference/facts.md``, and the source of a runbook by AST."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from reaffirm.model.vocabulary import ANY_WORD, DocumentedFact, RunbookWords

_WORDS = r"(?:[A-Za-z0-9_-]|<[a-z]+>)+"
_NAME = re.compile(rf"`({_WORDS}(?:\.{_WORDS})+|\.{_WORDS})`")
_STEPS = re.compile(r"##\s+([a-z][a-z0-9_]*(?:, [a-z][a-z0-9_]*)*)\s*\Z")
#: A row of a table that several steps share may be about one of them: ``*http*: the HTTP status``.
_ONLY = re.compile(r"\*([a-z_]+)\*: ")
#: Where a call says what stands before the facts of its step.
_PREFIX = ("facts", "name")


def documented_facts(pages: Iterable[Path]) -> tuple[DocumentedFact, ...]:
    """Return the facts in the tables of these pages; a page that is not there documents none."""
    found: list[DocumentedFact] = []
    for page in pages:
        try:
            lines = page.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError):
            continue
        steps: list[str] = []
        for line in lines:
            if line.startswith("## "):
                match = _STEPS.match(line)
                steps = match[1].split(", ") if match else []
            elif line.startswith("| `"):
                found += _row(line, steps)
    return tuple(dict.fromkeys(found))


def _row(line: str, steps: list[str]) -> Iterator[DocumentedFact]:
    """Yield the facts of one row; ``<name>.p50`` stands for each step, ``.p95`` after it for the same."""
    cells = line.strip("|").split("|")
    only = _ONLY.match(cells[-1].strip())
    unit = cells[2].strip() if len(cells) > 3 else ""
    head = ""
    for name in _NAME.findall(cells[0]):
        head = head if name.startswith(".") else name.partition(".")[0]
        tail = name.partition(".")[2]
        for step in [only[1]] if only else steps or [""]:
            yield DocumentedFact(step, f"{step if head == '<name>' else head}.{tail}", unit)


def runbook_words(source: str, documented: Iterable[DocumentedFact] = ()) -> RunbookWords:
    """Return what the source of a runbook tells about the facts that it finds.

    A source that is no Python tells nothing, so no name can be called wrong.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return RunbookWords(open=True)
    ours = {one.step for one in documented}
    prefixes: dict[str, set[str]] = {}
    names: set[str] = set()
    patterns: list[str] = []
    heads: set[str] = set()
    units: dict[str, str] = {}
    computed = False
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        step = _called(call)
        if step == "fact":
            name = next(_values(call, "name"), call.args[0] if call.args else None)
            if text := _text(name):
                names.add(text)
                unit = next(_values(call, "unit"), call.args[2] if len(call.args) > 2 else ast.Constant(""))
                if isinstance(unit, ast.Constant) and isinstance(unit.value, str):
                    units[text] = unit.value
            elif isinstance(name, ast.JoinedStr):
                patterns.append(_pattern(name))
            else:
                computed = True
            continue
        given = [v for word in _PREFIX for v in _values(call, word) if not isinstance(v, ast.Dict)]
        words = {text for value in given if (text := _text(value))}
        if step not in ours:
            heads |= {step, *words} - {""}
            continue
        prefixes.setdefault(step, set()).update(words)
        computed |= any(not isinstance(value, ast.Constant) for value in given)
        for keys in (value.keys for value in _values(call, "facts") if isinstance(value, ast.Dict)):
            told = [text for key in keys if (text := _text(key))]
            names |= {f"{first}.{key}" for first in words or {step} for key in told}
            computed |= len(told) < len(keys)
    return RunbookWords(
        {step: frozenset(found) for step, found in prefixes.items()},
        frozenset(names),
        tuple(patterns),
        frozenset(heads),
        computed,
        frozenset(text for node in ast.walk(tree) if (text := _text(node))),
        units,
    )


def _text(node: ast.AST | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def _values(call: ast.Call, word: str) -> Iterator[ast.expr]:
    return (keyword.value for keyword in call.keywords if keyword.arg == word)


def _pattern(name: ast.JoinedStr) -> str:
    any_words = rf"{ANY_WORD}(?:\.{ANY_WORD})*"
    return "".join(re.escape(text) if (text := _text(part)) else any_words for part in name.values)
