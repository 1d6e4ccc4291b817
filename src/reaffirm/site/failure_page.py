"""Failure modes on the site: the head of a page, its examples as tests, and the index of all. Pure."""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence

from reaffirm.diagnose.stages import stage_book
from reaffirm.model.failure import Example, FailureMode, FailureStatus, LinePattern, OriginKind, Signature
from reaffirm.site.page import SitePage
from reaffirm.site.text import attribute, cell, code, front_matter, inline, table

_FENCE = re.compile(r"^(`{3,}|~{3,})(.*)$")
_EXAMPLE = re.compile(r"\{.*\.(?:match|near-miss)\b.*\}\s*\Z")

_STATUS = {
    FailureStatus.PROVEN: "a hit and a near-miss of its signatures come from a run, a thread or a package",
    FailureStatus.DRAFT: "its signatures, or what it says of the cause, rest on too little yet",
}


def failure_page(
    markdown: str, mode: FailureMode, titles: Mapping[str, str], records: Mapping[str, str]
) -> str:
    """Return a page with its title, a table of what its front matter says, and its examples told apart.

    Args:
        markdown: the text below the front matter.
        mode: the same page, read.
        titles: the title of each failure mode by id.
        records: the path of each record by id, from the root of the repository.
    """
    folder = posixpath.dirname(mode.path)
    rows = [
        ("Shows itself", _stage(mode.stage)),
        ("Engines", _engines(mode)),
        ("Page", status_badge(mode.status)),
    ]
    if mode.serves:
        rows.append(("Serves", "yes, nevertheless"))
    if mode.mistaken_for:
        rows.append(("Mistaken for", "<br>".join(map(cell, mode.mistaken_for))))
    if mode.rivals:
        links = [f"[{cell(titles.get(rival, rival))}]({rival}.md)" for rival in mode.rivals]
        rows.append(("Can look the same", "<br>".join(links)))
        rows.append(("Cheapest check", cell(mode.deciding_check)))
    if mode.decisions:
        links = [
            f"[{cell(one)}]({posixpath.relpath(records[one], folder)})" if one in records else cell(one)
            for one in mode.decisions
        ]
        rows.append(("Decisions", ", ".join(links)))
    rows.append(("Recognised by", "<br>".join(_signature(one) for one in mode.signatures)))
    head = f"# {inline(mode.title)}\n\n{table((' ', ' '), rows)}"
    return f"{head}\n\n{_examples(markdown, mode.examples)}"


def failures_index(
    modes: Sequence[FailureMode], *, uri: str, heading: str, introduction: str, findings: str = ""
) -> SitePage:
    """Return the index of all failure modes.

    Args:
        modes: in the order in which they are listed within a stage.
        uri: where the page will be.
        heading: its title.
        introduction: Markdown; its first section goes before the table, the others after it.
        findings: Markdown that tells what is wrong with pages.
    """
    order = stage_book().ids
    ranked = sorted(
        modes, key=lambda mode: (order.index(mode.stage) if mode.stage in order else len(order), mode.title)
    )
    rows = [
        (
            f'<span class="rf-wrap">[{cell(mode.title)}]({_beside(mode.id, uri)})</span>',
            f'<span class="rf-wrap">{cell(_stage_title(mode.stage))}</span>',
            _engines(mode),
            status_badge(mode.status),
            "<br>".join(map(cell, mode.mistaken_for)),
        )
        for mode in ranked
    ]
    shown = table(("What goes wrong", "Stage", "Engines", "Page", "Mistaken for"), rows) if rows else ""
    first, found, rest = introduction.partition("\n## ")
    parts = [
        f"{front_matter(heading)}\n# {inline(heading)}",
        first,
        findings,
        shown,
        found.strip("\n") + rest,
    ]
    return SitePage(uri, heading, "\n\n".join(part for part in parts if part) + "\n")


def status_badge(status: FailureStatus) -> str:
    """Return the status of a page as a badge."""
    return f'<span class="rf-badge rf-page-{status}" title="{attribute(_STATUS[status])}">{status}</span>'


def _stage(stage: str) -> str:
    return f"in “{cell(_stage_title(stage))}”"


def _stage_title(stage: str) -> str:
    return next((one.title for one in stage_book().stages if one.id == stage), stage)


def _beside(mode_id: str, uri: str) -> str:
    return posixpath.relpath(f"failures/{mode_id}.md", posixpath.dirname(uri))


def _engines(mode: FailureMode) -> str:
    return "<br>".join(f'<span class="rf-nowrap">{cell(str(entry))}</span>' for entry in mode.engines)


def _signature(one: Signature) -> str:
    parts = []
    if one.engines:
        parts.append(f"<em>{cell(', '.join(map(str, one.engines)))}</em>")
    parts += [
        f"{word} {_patterns(found)}" for word, found in (("all of", one.all), ("one of", one.any)) if found
    ]
    if one.none:
        parts.append(f"none of {_patterns(one.none)}")
    if one.ended:
        parts.append(f"a container that ended with {' or '.join(map(str, one.ended))}")
    if one.silence is not None:
        parts.append(f"then {one.silence.seconds:g} s of silence {_stage(one.silence.stage)}")
    return "; ".join(parts)


def _patterns(patterns: Iterable[LinePattern]) -> str:
    return ", ".join(code(pattern.text) for pattern in patterns)


def _examples(markdown: str, examples: Sequence[Example]) -> str:
    """Give each example a title that says whether it matches, and its origin below it."""
    left = list(examples)
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
                line, pending = _example(left.pop(0), closing)
        out.append(line)
    return "\n".join(out)


def _example(example: Example, ticks: str) -> tuple[str, str]:
    mark = "rf-hit" if example.hit else "rf-near-miss"
    word = "matches" if example.hit else "does not match"
    # The title is escaped by the highlighter; what would end it or the head is left out.
    title = re.sub(r'["{}]', "", f"{word}: {example.title}" if example.title else word)
    told = [_origin(example), cell(f"{example.engine} {example.version}".rstrip())]
    if example.silent:
        told.append(f"silent for {example.silent:g} s after it")
    if example.ended is not None:
        told.append(f"the container ended with {example.ended}")
    return f'{ticks} {{ .text .{mark} title="{title}" }}', f'<p class="rf-origin">{"; ".join(told)}</p>'


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
