"""A step's report and facts, from the data in the notebook to Markdown."""

import re
from collections.abc import Mapping
from typing import Any

from reaffirm.model.fact import FactValue
from reaffirm.site.links import Resolve, no_links
from reaffirm.site.svg import clean_svg
from reaffirm.site.text import admonition, attribute, cell, code, fence, inline, plain, table

#: A log or an output with more lines is folded.
FOLD = 25
#: Of a text with more lines only the beginning and the end are shown; the notebook has it all.
MOST = 400

# How a step names a failure page of this project.
_PAGE = re.compile(r"docs/failures/[a-z0-9-]+\.md\Z")

# An outcome that is not listed is shown as one that nobody understands yet.
_BOX = {
    "pass": "success",
    "ready": "success",
    "reached": "success",
    "fail": "failure",
    "failed": "failure",
    "stuck": "failure",
    "timeout": "failure",
}

#: Verdicts of a row of checks that must not be overlooked.
_CHECKS = {"FAIL": "fail", "WARNING": "warning", "unknown": "unknown"}


def report_markdown(data: Mapping[str, Any], *, resolve: Resolve = no_links) -> str | None:
    """Return a report as Markdown; None when the data is no report that we understand.

    ``resolve`` says where a link leads that stands in a runbook.
    """
    try:
        outcome = str(data["outcome"])
        title = f"{data['step']}: {outcome} ({data['kind']})"
        head = admonition(_BOX.get(outcome, "question"), title, inline(str(data["summary"])) or "-")
        parts = [head, *(_block(block, resolve) for block in data.get("blocks", []))]
        if sent := data.get("sent"):
            parts.append(_sent(sent))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    return "\n\n".join(part for part in parts if part)


def facts_markdown(data: Mapping[str, Any]) -> str | None:
    """Return the facts of a step as a folded table; None when the data is not understood."""
    try:
        facts = data["facts"]
        rows = [
            (code(name), fact_value(fact["value"], fact.get("unit", ""), fact.get("by", "")))
            for name, fact in facts.items()
        ]
        title = f"{len(rows)} fact{'' if len(rows) == 1 else 's'} of {data['step']} ({data['kind']})"
    except (KeyError, TypeError, AttributeError):
        return None
    return admonition("abstract", title, table(("Fact", "Value"), rows), folded=True) if rows else ""


def fact_value(value: FactValue, unit: str = "", by: str = "") -> str:
    """Return a fact's value for a cell; what could not be told is ``unknown``.

    ``by`` is who worked it out, where that was not a step.
    """
    return _value(value, unit) + (" (by the notebook)" if by else "")


def _value(value: FactValue, unit: str) -> str:
    match value:
        case None:
            return "*unknown*"
        case bool():
            return "true" if value else "false"
        case list():
            return ", ".join(code(str(item)) for item in value) if value else "*none*"
        case str():
            return code(value) or "*empty*"
        case _:
            return cell(f"{value} {unit}".rstrip())


def lines_markdown(text: str, title: str, *, language: str = "text", mark: str = "rf-output") -> str:
    """Return an output as a code block; a long one is folded, a very long one is cut and says so."""
    lines = plain(text).rstrip("\n").split("\n")
    if lines == [""]:
        return ""
    note = ""
    if len(lines) > MOST:
        half = MOST // 2
        note = f"The first and the last {half} of {len(lines)} lines; the notebook has them all.\n\n"
        left_out = f"[… {len(lines) - MOST} lines left out here …]"
        shown = [*lines[:half], left_out, *lines[-half:]]
    else:
        shown = lines
    # A line of a million characters would be laid out by every reader's browser.
    shown = [line if len(line) <= 2000 else f"{line[:2000]} [… cut]" for line in shown]
    block = note + fence("\n".join(shown), language, mark=mark)
    if len(lines) <= FOLD:
        return block
    return admonition("quote", f"{title} ({len(lines)} lines)", block, folded=True)


def _block(block: Mapping[str, Any], resolve: Resolve) -> str:
    if "table" in block:
        columns = tuple(cell(str(column)) or " " for column in block["columns"])
        rows = [tuple(_cell(str(value), resolve) for value in row) for row in block["rows"]]
        if columns[0] == " ":
            rows = [(_check(row[0]), *row[1:]) for row in rows]
        return _titled(block["table"], table(columns, rows))
    if "log" in block:
        shown = lines_markdown("\n".join(map(str, block["lines"])), str(block["log"]))
        return shown if shown.startswith("???") else _titled(block["log"], shown)
    if "picture" in block:
        return picture(str(block["svg"]), str(block["alt"]), str(block["picture"]))
    return ""


def _cell(text: str, resolve: Resolve) -> str:
    """Escape a cell; the name of a failure page that is on the site becomes a link to it."""
    if not _PAGE.match(text):
        return cell(text)
    target = resolve(f"../{text}")
    return f"[{cell(text)}]({target})" if target and target != f"../{text}" else cell(text)


def _check(word: str) -> str:
    """How one check went; what did not pass is a badge."""
    kind = _CHECKS.get(word)
    return f'<span class="rf-badge rf-check-{kind}">{word}</span>' if kind else word


def picture(svg: str, alt: str, title: str) -> str:
    """Return an inline picture with its caption; when it cannot be shown, the sentence that says the same."""
    drawn = clean_svg(svg)
    if drawn is None:
        return _titled(title, inline(alt))
    caption = f"<figcaption>{attribute(title)}</figcaption>" if title else ""
    label = attribute(alt)
    return f'<figure class="rf-picture"><div role="img" aria-label="{label}">{drawn}</div>{caption}</figure>'


def _titled(title: str, body: str) -> str:
    head = inline(str(title))
    return f"<strong>{head}</strong>\n\n{body}" if head and body else body


def _sent(sent: list[Mapping[str, Any]]) -> str:
    parts: list[str] = []
    count = 0
    for one in sent:
        times = one["times"] if isinstance(one.get("times"), int) else 1
        often = f", {times} times" if times > 1 else ""
        where = code(str(one["node"])) or "the node"
        parts.append(f"On {where}{often}:\n\n{fence(str(one['shell']), 'bash')}")
        count += times
    title = f"What was sent ({count} request{'' if count == 1 else 's'})"
    return admonition("example", title, "\n\n".join(parts), folded=True)
