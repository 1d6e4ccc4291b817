"""The page of a failure mode on the site: the remedy first, how it is recognised, where it was seen. Pure."""

import posixpath
import re
from collections.abc import Mapping, Sequence

from reaffirm.diagnose.match import match
from reaffirm.diagnose.prove import symptoms_of
from reaffirm.model.failure import Example, FailureMode, OriginKind
from reaffirm.site.failure_sections import sections, shown
from reaffirm.site.failure_signs import engines, own_runs, rail, signatures, status_badge, symptom
from reaffirm.site.failure_signs import seen as what_one_sees
from reaffirm.site.page import kind_badge, minute
from reaffirm.site.text import admonition, attribute, cell, code, inline, page_heading, table
from reaffirm.store.published import PublishedRun

_FENCE = re.compile(r"^(`{3,}|~{3,})(.*)$")
_EXAMPLE = re.compile(r"\{.*\.(?:match|near-miss)\b.*\}\s*\Z")

#: Runs of a page that are listed; the newest ones.
_MOST_RUNS = 12


def failure_page(
    markdown: str,
    mode: FailureMode,
    titles: Mapping[str, str],
    records: Mapping[str, str],
    seen: Sequence[tuple[PublishedRun, str]] = (),
) -> str:
    """Return a page for the operator at night: title, remedy, how it is recognised, then all that is known.

    Args:
        markdown: the text below the front matter.
        mode: the same page, read.
        titles: the title of each failure mode by id.
        records: the path of each record by id, from the root of the repository.
        seen: the published runs whose report named the page, newest first, each with the launch that did.
    """
    parts = sections(_examples(markdown, mode))
    then = "\n\n".join(part for part in (_recognised(mode, titles, records), _runs(mode, seen)) if part)
    return f"{page_heading(mode.title)}\n\n{_head(mode)}\n\n{shown(parts, _rivals(mode, titles), then)}\n"


def _head(mode: FailureMode) -> str:
    told = [cell(symptom(mode).value), engines(mode.engines, ", "), status_badge(mode)]
    return f'<p class="rf-failure-head">{" · ".join(told)}</p>\n\n{what_one_sees(mode)}\n\n{rail(mode.stage)}'


def _rivals(mode: FailureMode, titles: Mapping[str, str]) -> str:
    """What must be told apart from it, and how, before anybody acts on it."""
    if not mode.rivals:
        return ""
    links = " and ".join(f"[{cell(titles.get(rival, rival))}]({rival}.md)" for rival in mode.rivals)
    check = f"\n\n**Cheapest check:** {inline(mode.deciding_check)}." if mode.deciding_check else ""
    if mode.told_apart:
        check = f"\n\n{inline(mode.told_apart)}."
    return admonition(
        "warning", "First make sure which one it is", f"Looks the same in a log: {links}.{check}"
    )


def _recognised(mode: FailureMode, titles: Mapping[str, str], records: Mapping[str, str]) -> str:
    folder = posixpath.dirname(mode.path)
    rows = []
    if mode.mistaken_for:
        rows.append(("Often taken for", "<br>".join(map(cell, mode.mistaken_for))))
    if mode.rivals:
        links = [f"[{cell(titles.get(rival, rival))}]({rival}.md)" for rival in mode.rivals]
        rows.append(("Can look the same", "<br>".join(links)))
    if mode.serves:
        rows.append(("The engine serves", "yes, nevertheless"))
    if mode.decisions:
        named = [
            f"[{cell(one)}]({posixpath.relpath(records[one], folder)})" if one in records else cell(one)
            for one in mode.decisions
        ]
        rows.append(("Decisions touched", ", ".join(named)))
    one_of = "one of these fits:" if len(mode.signatures) > 1 else "this fits:"
    return "\n\n".join(
        part
        for part in (
            "## How it is recognised",
            f"A log is taken for this failure when {one_of}",
            signatures(mode),
            table((" ", " "), rows) if rows else "",
        )
        if part
    )


def _runs(mode: FailureMode, seen: Sequence[tuple[PublishedRun, str]]) -> str:
    """The runs of ours that it was seen in, each with its kind and date."""
    heading = "## Seen in published runs"
    if not seen:
        told = "In none so far: no report of a published run names this page."
        if which := own_runs(mode.examples, dated=True):
            told += (
                f" The examples that are from a run of ours ({cell(which)}) are lines that were kept of "
                "trial runs, which are not among the published ones."
            )
        return f"{heading}\n\n{told}"
    folder = posixpath.dirname(mode.path)
    launches: dict[str, list[str]] = {}
    for run, launch in seen:
        launches.setdefault(run.path, []).append(launch)
    runs = list({run.path: run for run, _ in seen}.values())
    rows = [
        (
            f"[{cell(run.runbook)} {cell(run.run)}]({posixpath.relpath(run.path, folder)})",
            f'{kind_badge(run.kind, run.via)} <span class="rf-nowrap">{minute(run.when)}</span>',
            ", ".join(map(code, sorted(launches[run.path]))),
        )
        for run in runs[:_MOST_RUNS]
    ]
    more = f"\n\nAnd {len(runs) - _MOST_RUNS} more." if len(runs) > _MOST_RUNS else ""
    note = "The reports of these launches named this page. Their logs looked like it; that proves no cause."
    shown_rows = table(("Run", "Kind and day", "Launches"), rows)
    return f"{heading}\n\n{note}\n\n{shown_rows}{more}"


def _examples(markdown: str, mode: FailureMode) -> str:
    """Give each example a title that says whether it matches, its origin, and marks on the lines that do."""
    left = list(mode.examples)
    out: list[str] = []
    closing, pending = "", ""
    for line in markdown.split("\n"):
        found = _FENCE.match(line)
        if closing:
            out.append(line)
            if found and found[1].startswith(closing) and not found[2].strip():
                closing = ""
                out += ["", pending] if pending else []
                pending = ""
            continue
        if found:
            closing = found[1]
            if _EXAMPLE.match(found[2].strip()) and left:
                line, pending = _example(mode, left.pop(0), closing)
        out.append(line)
    return "\n".join(out)


def _example(mode: FailureMode, example: Example, ticks: str) -> tuple[str, str]:
    mark = "rf-hit" if example.hit else "rf-near-miss"
    word = "matches" if example.hit else "does not match"
    # The title is escaped by the highlighter; what would end it or the head is left out.
    title = re.sub(r'["{}]', "", f"{word}: {example.title}" if example.title else word)
    told = [_origin(example), cell(f"{example.engine} {example.version}".rstrip())]
    if example.silent:
        told.append(f"silent for {example.silent:g} s after it")
    if example.ended is not None:
        told.append(f"the container ended with {example.ended}")
    lines = " ".join(map(str, _hits(mode, example)))
    marked = f' hl_lines="{lines}"' if lines else ""
    head = f'{ticks} {{ .text .{mark} title="{title}"{marked} }}'
    return head, f'<p class="rf-origin">{"; ".join(told)}</p>'


def _hits(mode: FailureMode, example: Example) -> list[int]:
    """Return the lines of an example that show the failure, from 1."""
    if not example.hit:
        return []
    symptoms = symptoms_of(example)
    wanted = {(line.node, line.number) for one in match([mode], symptoms) for line in one.evidence}
    if any(rank.numbers for rank in symptoms.ranks):  # those of the example's own lines
        return sorted({number for _, number in wanted if number})
    nodes = {rank.node for rank in symptoms.ranks}
    counted: dict[str, int] = {}
    found = []
    for place, line in enumerate(example.text.split("\n"), 1):
        node = line.partition(" | ")[0].strip()
        node = node if len(nodes) > 1 or node in nodes else "a rank"
        counted[node] = counted.get(node, 0) + 1
        if (node, counted[node]) in wanted:
            found.append(place)
    return found


def _origin(example: Example) -> str:
    origin = example.origin
    if origin.url:
        return f'from <a href="{attribute(origin.url)}">{attribute(origin.text.removeprefix("thread "))}</a>'
    if origin.kind is OriginKind.MADE_UP:
        return "made up"
    return (
        f"from a {attribute(origin.text)}"
        if origin.kind is OriginKind.RUN
        else f"from the {attribute(origin.text)}"
    )
