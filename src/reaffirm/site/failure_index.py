"""The index of failure modes: a box to paste a log into, by what one sees, and by stage. Pure."""

import posixpath
from collections.abc import Mapping, Sequence

from reaffirm.diagnose.stages import stage_book
from reaffirm.model.failure import FailureMode, FailureStatus
from reaffirm.site.failure_data import DATA
from reaffirm.site.failure_signs import (
    Symptom,
    engines,
    examples,
    in_one_line,
    status_badge,
    symptom,
)
from reaffirm.site.page import SitePage
from reaffirm.site.text import attribute, cell, front_matter, inline, table

#: The anchor of the box; other pages link to it.
LOG_BOX = "log-box"


def failures_index(
    modes: Sequence[FailureMode],
    *,
    uri: str,
    heading: str,
    introduction: str,
    remedies: Mapping[str, str] | None = None,
    findings: str = "",
    source: str = "",
) -> SitePage:
    """Return the index of all failure modes.

    Args:
        modes: listed by stage, within a stage the proven ones first.
        uri: where the page will be.
        heading: its title.
        introduction: Markdown; its first section goes before the lists, the others after them.
        remedies: what to do in brief, as Markdown for this page, by the id of a mode.
        findings: Markdown that tells what is wrong with pages.
        source: the file of the introduction, from the root of the repository.
    """
    order = stage_book().ids
    ranked = sorted(
        modes,
        key=lambda mode: (
            order.index(mode.stage) if mode.stage in order else len(order),
            mode.status is not FailureStatus.PROVEN,
            mode.title,
        ),
    )
    first, found, rest = introduction.partition("\n## ")
    parts = [
        f"{front_matter(heading)}\n# {inline(heading)}",
        first,
        findings,
        *(_lists(ranked, uri, remedies or {}) if ranked else ()),
        found.strip("\n") + rest,
    ]
    return SitePage(uri, heading, "\n\n".join(part for part in parts if part) + "\n", source=source)


def _lists(modes: Sequence[FailureMode], uri: str, remedies: Mapping[str, str]) -> tuple[str, ...]:
    return _log_box(uri), _by_symptom(modes, uri, remedies), _by_stage(modes, uri)


def _log_box(uri: str) -> str:
    data = posixpath.relpath(DATA, posixpath.dirname(uri))
    return (
        f"## Paste the last lines of your log {{ #{LOG_BOX} }}\n\n"
        "The lines are held against the signatures of all pages, in your browser. Nothing leaves it.\n\n"
        '<div class="rf-log-box" data-rf-log-box="">\n'
        "<p>The box needs JavaScript. In a terminal, <code>reaffirm diagnose LOG</code> does the same.</p>\n"
        "</div>\n\n"
        f"A page that fits is not yet a cause. The signatures are here as data: [failures.json]({data})."
    )


def _by_symptom(modes: Sequence[FailureMode], uri: str, remedies: Mapping[str, str]) -> str:
    parts = ["## By what you see"]
    for one in Symptom:
        rows = [_row(mode, uri, remedies) for mode in modes if symptom(mode) is one]
        if rows:
            parts.append(f"### {one.value}")
            parts.append(table(("What goes wrong", "What to do, in brief"), rows))
    return "\n\n".join(parts)


def _row(mode: FailureMode, uri: str, remedies: Mapping[str, str]) -> tuple[str, ...]:
    taken = "; ".join(map(cell, mode.mistaken_for))
    quiet = [
        *([f"taken for: {taken}"] if taken else []),
        f"in {engines(mode.engines, ' and ')}",
        f"examples: {examples(mode.examples)}",
    ]
    told = [
        f"{_link(mode, uri)} {status_badge(mode)}",
        f'<span class="rf-symptom">{in_one_line(mode)}</span>',
        *(f'<span class="rf-quiet">{text}</span>' for text in quiet),
    ]
    return "<br>".join(told), remedies.get(mode.id, "").replace("|", "&#124;")


def _by_stage(modes: Sequence[FailureMode], uri: str) -> str:
    """The stages of a launch one below the other, with the failures hung where they show themselves."""
    lines = [
        "## By stage",
        "",
        "A launch goes through these stages, from top to bottom. A failure hangs where its log stops.",
        "",
    ]
    for number, stage in enumerate(stage_book().stages, 1):
        hung = [mode for mode in modes if mode.stage == stage.id]
        mark = "rf-stage" if hung else "rf-stage rf-stage-free"
        lines.append(f'{number}.  <span class="{mark}">{cell(stage.title)}</span>')
        lines += [f"    -   {_link(mode, uri, marked=False)}" for mode in hung]
    strangers = [mode for mode in modes if mode.stage not in stage_book().ids]
    if strangers:
        lines += ["", "At a stage that nobody knows:", ""]
        lines += [f"-   {_link(mode, uri, marked=False)}" for mode in strangers]
    return "\n".join(lines)


def _link(mode: FailureMode, uri: str, *, marked: bool = True) -> str:
    beside = posixpath.relpath(f"failures/{mode.id}.md", posixpath.dirname(uri))
    link = f"[{cell(mode.title)}]({beside})"
    # The box finds the page by this mark, whatever the generator makes of the link.
    return f'<span data-rf-failure="{attribute(mode.id)}">{link}</span>' if marked else link
