"""The page of a run: the executed notebook between its card and what it rests on."""

import posixpath
from collections.abc import Iterator, Sequence

from reaffirm.site.cells import Cell, cells_of
from reaffirm.site.links import Resolve, lab_page
from reaffirm.site.output import outputs_markdown
from reaffirm.site.page import SitePage, day
from reaffirm.site.path_line import path_of_run
from reaffirm.site.prose import rebuild
from reaffirm.site.prose_words import first_heading
from reaffirm.site.run_card import run_card
from reaffirm.site.run_facts import facts_section
from reaffirm.site.run_files import provenance_section
from reaffirm.site.run_material import RunMaterial
from reaffirm.site.sent import sent_section
from reaffirm.site.stand_ins import speed_remark
from reaffirm.site.text import code, fence, inline, page_heading
from reaffirm.site.then_and_now import text_changed, text_remark
from reaffirm.site.wide import wide_front_matter

_SIGN = {
    "replayed": "answers of an earlier run",
    "skipped": "not run",
    "never run": "never run",
    "not ended": "was running when the run died",
}


def notebook_page(
    material: RunMaterial,
    *,
    uri: str,
    resolve: Resolve,
    runbook_page: str = "",
    beside: Sequence[tuple[str, str]] = (),
    decides: Sequence[str] = (),
    searched: bool = True,
    now: Sequence[str] | None = None,
) -> SitePage:
    """Return the page of a published run, but for its downloads, which come last.

    Args:
        material: the run with its notebook and what its recording says.
        uri: where the page will be.
        resolve: where links of the notebook's prose lead.
        runbook_page: where the page of the runbook is, relative to this one.
        beside: pages that hold this run against another, relative to this one, each with the other's name.
        decides: the claims whose verdict rests on it, as links.
        searched: whether search finds it; of a hundred runs that say the same the newest is enough.
        now: the text of the runbook as it is, by passages; None: nobody can read it.
    """
    run = material.run
    cells = list(cells_of(material.notebook, run.provenance.get("ended")))
    passages = text_changed(cells, now) if now is not None and runbook_page else 0
    other = f"the code of {run.provenance.get('runbook_path')}" in run.changed
    heading = ""
    if cells and cells[0].kind == "markdown":
        heading, rest = first_heading(cells[0].source)
        if heading:
            cells[0] = Cell(**{**vars(cells[0]), "source": rest})
    heading = heading or run.runbook.replace("_", " ")
    # What may be cut off on a narrow screen is not the kind.
    title = f"{str(run.kind).capitalize()} run: {heading} ({day(run.when)})"
    numbers = {cell.number for cell in cells if cell.kind == "code"}
    remarks = _remarks(material)
    parts = [
        f"{wide_front_matter(title, searched=searched)}\n{page_heading(title)}",
        path_of_run(run, uri, runbook_page),
        run_card(
            run,
            runbook_page=runbook_page,
            seconds=material.requests.seconds,
            cells=numbers,
            lab_page=lab_page(resolve),
            decides=decides,
        ),
        text_remark(passages, code=other, runbook_page=runbook_page),
        _contents(material, beside),
        facts_section(run, material.fact_cells),
        "## The notebook { #run-notebook }" if cells and cells[0].source.strip() else "",
        *(text for cell in cells for text in (*_cell(cell, resolve), remarks.get(cell.number, "")) if text),
        sent_section(material),
        _beside(material, beside),
        provenance_section(run),
    ]
    return SitePage(uri, title, "\n\n".join(part for part in parts if part) + "\n")


def _remarks(material: RunMaterial) -> dict[int, str]:
    """What stands below the outputs of a cell whose speeds are of a stand-in, by the number of the cell."""
    found = {}
    for fact in material.run.facts:
        number = material.fact_cells.get(fact.name)
        if number is not None and (told := speed_remark(material.run, fact)):
            found[number] = f'<span class="rf-remark">Speeds and times of this cell are {told}.</span>'
    return found


def _contents(material: RunMaterial, beside: Sequence[tuple[str, str]]) -> str:
    """One line that says what is on the page besides the notebook."""
    links = []
    if material.run.facts:
        links.append(f"[{len(material.run.facts)} facts](#run-facts)")
    if material.requests.count:
        links.append(f"[{material.requests.count} requests](#run-sent)")
    if beside:
        links.append("[beside other runs](#run-beside)")
    links += ["[provenance](#run-provenance)", "[downloads](#run-files)"]
    return f"On this page, around the notebook: {' · '.join(links)}"


def _cell(cell: Cell, resolve: Resolve) -> Iterator[str]:
    shown = bool(cell.source.strip())
    if cell.injected:
        yield "<strong>Parameters of this run</strong>"
    elif cell.kind == "code" and shown:
        yield _mark(cell)
    else:  # nothing of it need be seen for a link to lead there
        yield f'<span id="{cell.anchor}" class="rf-place"></span>'
    if cell.kind == "markdown":
        yield rebuild(cell.source, resolve)
    elif shown:
        yield fence(cell.source, "python" if cell.kind == "code" else "text")
    if cell.kind == "code":
        yield from outputs_markdown(cell.outputs, resolve)


def _mark(cell: Cell) -> str:
    """The line above a cell: its number, which is a link to it, and what is to be said of its state."""
    link = f"[cell {cell.number}](#{cell.anchor}){{ #{cell.anchor} .rf-cell }}"
    if not cell.state:
        return link
    word = inline(_SIGN.get(cell.state, cell.state))
    why = f" {cell.why}" if cell.why else ""
    sort = "quiet" if cell.state in ("replayed", "skipped", "never run") else "bad"
    return f'{link} <span class="rf-badge rf-state-{sort}">{word}</span>{why}'


def _beside(material: RunMaterial, beside: Sequence[tuple[str, str]]) -> str:
    run = material.run
    lines = [f"-   [{words}]({target})" for target, words in beside]
    parts = ["## Beside other runs { #run-beside }"]
    if lines:
        parts.append("\n".join(lines))
    other = f"reaffirm diff {run.path} {posixpath.dirname(run.path)}/RUN"
    parts += [f"With any other run, {code('RUN')}:", fence(other, "bash")]
    return "\n\n".join(parts)
