"""A step's report and facts, from the data in the notebook to Markdown."""

import re
from collections.abc import Mapping
from typing import Any

from reaffirm.model.evidence import Kind
from reaffirm.model.fact import FactValue
from reaffirm.site.ansi import html_lines
from reaffirm.site.links import Resolve, no_links
from reaffirm.site.log_box import log_box
from reaffirm.site.page import kind_badge
from reaffirm.site.raw_table import code_cell, fact_cell, folded, raw_table, text_cell
from reaffirm.site.svg import clean_svg
from reaffirm.site.text import admonition, attribute, cell, code, inline, table

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

#: A longer value may be broken anywhere, so that a table stays as wide as its page.
_LONG = 40
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
        # A table in the middle of a page is read without the card at its top.
        sign = kind_badge(Kind.SIMULATED) if data["kind"] == Kind.SIMULATED else ""
        whose = str(data["kind"]) if data["kind"] in (Kind.SIMULATED, Kind.LAB) else ""
        parts = [head, *(_block(block, resolve, sign, whose) for block in data.get("blocks", []))]
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
            (code_cell(name), fact_cell(fact["value"], fact.get("unit", ""), fact.get("by", "")))
            for name, fact in facts.items()
        ]
        title = f"{len(rows)} fact{'' if len(rows) == 1 else 's'} of {data['step']} ({data['kind']})"
    except (KeyError, TypeError, AttributeError):
        return None
    return folded(title, raw_table(("Fact", "Value"), rows)) if rows else ""


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
            shown = code(value) or "*empty*"
            return f'<span class="rf-long">{shown}</span>' if len(value) > _LONG else shown
        case _:
            return cell(f"{value} {unit}".rstrip())


def _block(block: Mapping[str, Any], resolve: Resolve, sign: str, whose: str) -> str:
    if "table" in block:
        columns = [str(column).strip().lower() for column in block["columns"]]
        # Nodes that stand in are often called like the machines that they stand for.
        but = f"({whose} nodes, whatever their names)" if whose and "node" in columns else ""
        return _titled(block["table"], _table(block, resolve), sign, but)
    if "log" in block:
        return _titled(block["log"], log_box("\n".join(map(str, block["lines"]))), sign)
    if "picture" in block:
        return picture(str(block["svg"]), str(block["alt"]), str(block["picture"]), sign)
    return ""


def _table(block: Mapping[str, Any], resolve: Resolve) -> str:
    """A table of a report. Where a cell names a failure page that is on the site, it is a link to it."""
    columns = [str(column) for column in block["columns"]]
    rows = [[str(value) for value in row] for row in block["rows"]]
    while (
        rows
        and len(columns) > 1
        and not any(row[len(columns) - 1 :] and row[len(columns) - 1].strip() for row in rows)
    ):
        columns.pop()  # a remark that none of the rows has
        rows = [row[: len(columns)] for row in rows]
    checks = bool(columns) and not columns[0].strip()
    if not any(_PAGE.match(value) for row in rows for value in row):
        cells = [[text_cell(value) for value in row] for row in rows]
        if checks:
            cells = [[_check(row[0]), *row[1:]] for row in cells if row]
        return raw_table([text_cell(column) for column in columns], cells)
    linked = [tuple(_cell(value, resolve) for value in row) for row in rows if row]
    if checks:
        linked = [(_check(row[0]), *row[1:]) for row in linked]
    return table(tuple(cell(column) or " " for column in columns), linked)


def _cell(text: str, resolve: Resolve) -> str:
    if not _PAGE.match(text):
        return cell(text)
    target = resolve(f"../{text}")
    return f"[{cell(text)}]({target})" if target and target != f"../{text}" else cell(text)


def _check(word: str) -> str:
    """How one check went; what did not pass is a badge."""
    kind = _CHECKS.get(word)
    return f'<span class="rf-badge rf-check-{kind}">{word}</span>' if kind else word


def picture(svg: str, alt: str, title: str, sign: str = "") -> str:
    """Return an inline picture with its caption; when it cannot be shown, the sentence that says the same.

    ``sign`` is a badge that stands before the caption.
    """
    drawn = clean_svg(svg)
    if drawn is None:
        return _titled(title, inline(alt), sign)
    words = " ".join(part for part in (sign, attribute(title)) if part)
    caption = f"<figcaption>{words}</figcaption>" if words else ""
    label = attribute(alt)
    return f'<figure class="rf-picture"><div role="img" aria-label="{label}">{drawn}</div>{caption}</figure>'


def _titled(title: str, body: str, sign: str = "", but: str = "") -> str:
    words = inline(str(title))
    head = " ".join(part for part in (sign, f"<strong>{words}</strong>" if words else "", but) if part)
    return f"{head}\n\n{body}" if head and body else body


def _sent(sent: list[Mapping[str, Any]]) -> str:
    """What the step sent, in its order, in a form in which a reader can paste it."""
    lines: list[str] = []
    count = 0
    for one in sent:
        times = one["times"] if isinstance(one.get("times"), int) else 1
        often = f'<span class="rf-often">  # {times} times</span>' if times > 1 else ""
        prompt = f'<span class="rf-prompt">{attribute(str(one["node"]))}$ </span>'
        lines.append(f"{prompt}{shell_text(str(one['shell']))}{often}")
        count += times
    requests = f"{count} request{'' if count == 1 else 's'}"
    return (
        f'<details class="rf-fold" data-search-exclude><summary>What was sent: {requests}</summary>'
        f"<pre><code>{'&#10;'.join(lines)}</code></pre></details>"
    )


def shell_text(shell: str) -> str:
    """Return a command as the inside of an element; one of several lines keeps them."""
    return "&#10;".join(html_lines(shell.rstrip().split("\n")))
