"""The facts of a run as a table: name, value, unit, and the cell that shows it."""

from collections.abc import Mapping, Sequence

from reaffirm.model.fact import Fact
from reaffirm.site.raw_table import code_cell, fact_cell, folded, raw_table, remark, text_cell
from reaffirm.site.stand_ins import speed_remark, stood_words
from reaffirm.site.text import code, inline
from reaffirm.store.published import PublishedRun

#: More facts are folded.
_FOLD = 16


def facts_section(run: PublishedRun, cells: Mapping[str, int]) -> str:
    """Return the facts of a run.

    Args:
        run: whose they are; its kind stands in the title, so that no value is seen without it.
        cells: the number of the cell that shows each.
    """
    if not run.facts:
        return ""
    title = f"{len(run.facts)} fact{'' if len(run.facts) == 1 else 's'} of this {run.kind} run"
    stood = stood_words(run)
    but = f" {stood[:1].upper()}{stood[1:]}." if stood else ""
    rows = [_row(run, fact, cells) for fact in run.facts]
    columns = ("Fact", "Value", "Unit", "Shown in")
    filled = [at for at in range(len(columns)) if any(row[at].strip("-") for row in rows)]
    shown = raw_table([columns[at] for at in filled], [[row[at] for at in filled] for row in rows])
    if len(run.facts) > _FOLD:
        shown = folded(title, shown)
        return f"## Facts {{ #run-facts }}\n\n{_heads(run.facts)}{but}\n\n{shown}"
    return f"## Facts {{ #run-facts }}\n\n{inline(title)}{f', {stood}' if stood else ''}:\n\n{shown}"


def _row(run: PublishedRun, fact: Fact, cells: Mapping[str, int]) -> tuple[str, ...]:
    number = cells.get(fact.name)
    link = f'<a href="#cell-{number}">cell {number}</a>' if number is not None else "-"
    value = fact_cell(fact.value, by=fact.by) + remark(speed_remark(run, fact))
    return code_cell(fact.name), value, text_cell(fact.unit), link


def _heads(facts: Sequence[Fact]) -> str:
    """What the facts are about, by their first words: enough to know whether to unfold them."""
    counts: dict[str, int] = {}
    for fact in facts:
        head = fact.name.partition(".")[0]
        counts[head] = counts.get(head, 0) + 1
    return "About " + ", ".join(f"{code(head)} ({count})" for head, count in counts.items()) + "."
