"""Two runs side by side: what they found, how their steps went, what they showed."""

import posixpath
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from reaffirm.claims.comparison import aligned
from reaffirm.model.evidence import Kind
from reaffirm.model.fact import Fact
from reaffirm.model.run_view import CellView, Difference
from reaffirm.site.beside import Pair
from reaffirm.site.log_box import diff_box
from reaffirm.site.page import SitePage, day, kind_badge, minute
from reaffirm.site.path_line import path_of_run
from reaffirm.site.raw_table import code_cell, fact_cell, folded, raw_table, remark, text_cell
from reaffirm.site.report import fact_value
from reaffirm.site.run_card import ended_badge, took_words
from reaffirm.site.run_material import RunMaterial
from reaffirm.site.run_pages import run_link
from reaffirm.site.stand_ins import speed_remark, stood_words
from reaffirm.site.text import admonition, cell, code, fence, inline, page_heading, table
from reaffirm.site.wide import wide_front_matter

_SAME, _OTHER = "same", '<span class="rf-differs">≠ differs</span>'
#: Longer differences of one output are folded (lines).
_FOLD = 12
#: So many facts that differ are linked to the cells that show them.
_LINKED = 40
_AREAS = {
    "parameters": "Parameters",
    "ending": "How they ended",
    "kind": "Kind",
    "machines": "Machines",
    "images": "Images",
    "versions": "Versions",
}


def beside_page(
    pair: Pair,
    old: RunMaterial,
    new: RunMaterial,
    found: Sequence[Difference],
    *,
    pages: Mapping[str, str],
    deciding: AbstractSet[str] = frozenset(),
    book: str = "",
) -> SitePage:
    """Return the page that holds two runs against each other.

    Args:
        pair: the two.
        old: the older of them.
        new: the newer.
        found: in what they differ.
        pages: page of each run by the path of its folder.
        deciding: facts that claims are decided by; they come first.
        book: the page of the runbook; empty: there is none.
    """
    folder = posixpath.dirname(pair.uri)
    links = [posixpath.relpath(pages[one.run.path], folder) for one in (old, new)]
    heads = [_head(one, link) for one, link in zip((old, new), links, strict=True)]
    runs = [f"{run.kind} run of {day(run.when)}" for run in (pair.old, pair.new)]
    title = f"{pair.new.runbook}: {' beside '.join(runs)}"
    parts = [
        f"{wide_front_matter(title, searched=False)}\n{page_heading(title)}",
        path_of_run(pair.new, pair.uri, posixpath.relpath(book, folder) if book else "", "side by side"),
        f'<div class="rf-beside rf-older-{pair.old.kind} rf-newer-{pair.new.kind}" hidden></div>',
        _kinds(old, new),
        _summary(found),
        _about(old, new, heads, links),
        *_facts(old, new, found, links, heads, deciding),
        *_steps(old, new, links, heads),
        *_outputs(found, old, new, links),
        *_rest(found),
        "## Any other pair { #others }",
        "This page is made by the same comparison as the command:",
        fence(f"reaffirm diff {old.run.path} {new.run.path}", "bash"),
    ]
    return SitePage(pair.uri, title, "\n\n".join(part for part in parts if part) + "\n", in_nav=False)


def _head(material: RunMaterial, link: str) -> str:
    run = material.run
    return f"{run_link(run, link)}<br>{kind_badge(run.kind, run.via)}"


def _kinds(old: RunMaterial, new: RunMaterial) -> str:
    kinds = {old.run.kind, new.run.kind}
    if len(kinds) == 1:
        return ""
    words = " and ".join(f"{one.run.run} is a {one.run.kind} run" for one in (old, new))
    simulated = (
        " What the simulated one found shows that the procedure works, not that the world is so: where the "
        "two disagree, the simulated nodes are to be doubted first."
        if Kind.SIMULATED in kinds
        else ""
    )
    return admonition("warning", "Two kinds of run", inline(f"{words}.{simulated}"))


def _summary(found: Sequence[Difference]) -> str:
    if not found:
        return "**They are the same**, but for what varies from run to run by nature."
    counts: dict[str, int] = {}
    for one in found:
        counts[one.area] = counts.get(one.area, 0) + 1
    words = ", ".join(f"{count} in {area}" for area, count in counts.items())
    many = f"{len(found)} difference{'' if len(found) == 1 else 's'}"
    return (
        f"**{many}**: {inline(words)}. What varies from run to run by nature, such as times, is passed over "
        "in outputs."
    )


def _about(old: RunMaterial, new: RunMaterial, heads: Sequence[str], links: Sequence[str]) -> str:
    both = (old, new)
    stood = [stood_words(one.run, link) for one, link in zip(both, links, strict=True)]
    rows = [
        ("When", *(minute(one.run.when) for one in both)),
        ("Ended", *(ended_badge(one.run) for one in both)),
        ("Took", *(took_words(one.requests.seconds, one.run.kind) for one in both)),
        ("Machines", *(code(str(one.run.provenance.get("machines") or "-")) for one in both)),
        ("Requests", *(str(one.requests.count) for one in both)),
    ]
    if any(stood):
        rows.insert(0, ("Stood in", *(words or "nothing" for words in stood)))
    return table(("Run", *heads), rows)


def _facts(
    old: RunMaterial,
    new: RunMaterial,
    found: Sequence[Difference],
    links: Sequence[str],
    heads: Sequence[str],
    deciding: AbstractSet[str],
) -> list[str]:
    names = dict.fromkeys((*old.view.facts, *new.view.facts))
    other = {one.what for one in found if one.area == "facts"}
    if not names:
        return []
    places = {name: at for at, name in enumerate(names)}
    differing = sorted(other, key=lambda one: (one not in deciding, places.get(one, 0)))
    rows = []
    for name in differing[:_LINKED]:
        mark = f"{_OTHER}<br>decides a claim" if name in deciding else _OTHER
        values = (_value(one, name, link) for one, link in zip((old, new), links, strict=True))
        rows.append((mark, code(name), *values))
    parts = ["## Facts { #facts }"]
    parts.append(table(("State", "Fact", *heads), rows) if rows else "All facts are the same.")
    if more := differing[_LINKED:]:
        parts.append(folded(f"{len(more)} more facts that differ", _plain_table(more, old, new)))
    if same := [name for name in names if name not in other]:
        title = "1 fact that is the same" if len(same) == 1 else f"{len(same)} facts that are the same"
        parts.append(folded(title, _plain_table(same, old, new)))
    return parts


def _plain_table(names: Sequence[str], old: RunMaterial, new: RunMaterial) -> str:
    rows = []
    for name in names:
        shown = (_plain_value(one, one.view.facts.get(name)) for one in (old, new))
        rows.append((code_cell(name), *shown))
    return raw_table(("Fact", f"Older ({old.run.kind})", f"Newer ({new.run.kind})"), rows)


def _plain_value(material: RunMaterial, fact: Fact | None) -> str:
    if fact is None:
        return "<em>not found</em>"
    return fact_cell(fact.value, fact.unit, fact.by) + remark(speed_remark(material.run, fact))


def _value(material: RunMaterial, name: str, link: str) -> str:
    fact: Fact | None = material.view.facts.get(name)
    if fact is None:
        return "*not found*"
    shown = fact_value(fact.value, fact.unit, fact.by)
    told = remark(speed_remark(material.run, fact))
    number = material.fact_cells.get(name)
    place = f" ([cell {number}]({link}#cell-{number}))" if link and number is not None else ""
    return f"{shown}{place}{told}"


def _steps(old: RunMaterial, new: RunMaterial, links: Sequence[str], heads: Sequence[str]) -> list[str]:
    rows = []
    for was, now in aligned(old.view.cells, new.view.cells):
        cells = (was, now)
        if not any(one and one.steps for one in cells):
            continue
        heading = next(one.heading for one in (now, was) if one)
        ended = [
            " ".join(f"{step.step}: {step.outcome}" for step in one.steps) if one else "" for one in cells
        ]
        shown = [
            _step(one, material, link) for one, material, link in zip(cells, (old, new), links, strict=True)
        ]
        rows.append((_SAME if ended[0] == ended[1] else _OTHER, cell(heading) or "-", *shown))
    return ["## Steps { #steps }", table(("State", "Step", *heads), rows)] if rows else []


def _step(one: CellView | None, material: RunMaterial, link: str) -> str:
    """How the steps of one cell ended, and how long they took by the nodes' clock."""
    if one is None or not one.steps:
        return "*not there*"
    words = "<br>".join(f"{code(step.step)} {inline(step.outcome)}" for step in one.steps)
    took = material.requests.took(one.number)
    time = f", {took_words(took, material.run.kind)}" if took is not None else ""
    return f"{words}{time} ([cell {one.number}]({link}#cell-{one.number}))"


def _outputs(
    found: Sequence[Difference], old: RunMaterial, new: RunMaterial, links: Sequence[str]
) -> list[str]:
    shown = [one for one in found if one.area in ("outputs", "code") and one.lines]
    if not shown:
        return []
    parts = [
        "## Outputs and code that differ { #outputs }",
        "Lines with `-` are those of the older run, with `+` those of the newer.",
    ]
    for one in shown:
        # of what is gone only the older run has a cell
        side = 0 if one.area == "code" and one.change == "gone" else 1
        there = any(cell.number == one.cell for cell in (old, new)[side].view.cells)
        place = f"[{inline(one.place)}]({links[side]}#cell-{one.cell})" if there else inline(one.place)
        block = diff_box(one.lines)
        parts.append(f"In {place}: {inline(f'{one.what}, {one.change}')}")
        many = len(one.lines)
        parts.append(folded(f"{many} lines", block, "quote") if many > _FOLD else block)
    return parts


def _rest(found: Sequence[Difference]) -> list[str]:
    rows = [
        (
            _AREAS.get(one.area, one.area),
            text_cell(one.what),
            text_cell(one.was) or "-",
            text_cell(one.now) or "-",
        )
        for one in found
        if one.area not in ("facts", "steps", "outputs", "code")
    ]
    head = ("Area", "What", "Older", "Newer")
    return ["## What they rest on { #rests }", raw_table(head, rows)] if rows else []
