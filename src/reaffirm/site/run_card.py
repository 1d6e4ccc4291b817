"""The head of a run's page: its kind and what that means, when, how long, how it ended, with what."""

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from reaffirm.draw.timeline import brief
from reaffirm.model.evidence import Kind, Via
from reaffirm.site.page import kind_badge, minute
from reaffirm.site.parts_of_run import rows as rows_of_part
from reaffirm.site.stand_ins import STOOD, box_lines, stood_words
from reaffirm.site.text import admonition, code, inline
from reaffirm.store.published import PublishedRun

_SAID = {
    Kind.SIMULATED: (
        "warning",
        "Simulated run",
        "No machine was touched. A simulated run shows that the procedure works; it never shows that the "
        "world is so.",
    ),
    Kind.LAB: (
        "info",
        "Lab run",
        "Hosts made of namespaces on one Linux machine: real SSH, real containers, no GPU, and not the "
        "machines of the story. A lab run shows what is a property of the software alone.",
    ),
    Kind.REAL: ("success", "Real run", "This ran on the machines themselves."),
}


def run_card(
    run: PublishedRun,
    *,
    runbook_page: str,
    seconds: float | None,
    cells: Container[int] = (),
    lab_page: str = "",
    decides: Sequence[str] = (),
) -> str:
    """Return the card at the top of a run's page.

    Args:
        run: the run.
        runbook_page: where the page of its runbook is, relative to this one; empty: there is none.
        seconds: how long it took by the clock of its nodes; None where nobody can know.
        cells: the numbers of the cells that are on the page.
        lab_page: where it says what the lab is, relative to this page; empty: nowhere.
        decides: the claims whose verdict rests on the run, as links.
    """
    box, title, sentence = _SAID[run.kind]
    if run.kind is Kind.LAB and lab_page:
        sentence += f" [What the lab is]({lab_page})."
    if run.via is Via.REPLAY:
        sentence += " It was replayed from a recording; the date is that of the recording."
    parts = [
        sentence,
        "\n".join(
            f"-   <strong>{name}</strong> {value}"
            for name, value in _rows(run, runbook_page, seconds, decides)
        ),
    ]
    if run.kind is Kind.LAB and (lines := box_lines(run)):
        parts.append(f'<strong id="{STOOD}">What stood for what</strong>:\n\n' + "\n".join(lines))
    return "\n\n".join(
        [admonition(f"{box} rf-card rf-card-{run.kind}", title, "\n\n".join(parts)), *_warnings(run, cells)]
    )


def ended_words(run: PublishedRun) -> str:
    """How a run ended, in a word or two; *unknown* where nobody wrote it down."""
    ended = run.provenance.get("ended")
    if not isinstance(ended, dict) or not ended.get("how"):
        return "unknown"
    how = str(ended["how"])
    where = f" at cell {ended['cell']}" if how != "completed" and ended.get("cell") else ""
    part = ", a part only" if run.provenance.get("partial") else ""
    return f"{how}{where}{part}"


def ended_badge(run: PublishedRun) -> str:
    """How a run ended, as a badge."""
    words = ended_words(run)
    sort = "ok" if words == "completed" else "unknown" if words == "unknown" else "broken"
    return f'<span class="rf-badge rf-ended-{sort}">{inline(words)}</span>'


def took_words(seconds: float | None, kind: Kind) -> str:
    """How long a run took, by which clock: from its first request to its last answer."""
    if seconds is None:
        return "not known"
    return f"{brief(seconds)}{' (virtual)' if kind is Kind.SIMULATED else ''}"


def _rows(
    run: PublishedRun, runbook_page: str, seconds: float | None, decides: Sequence[str]
) -> Iterator[tuple[str, str]]:
    told = run.provenance
    yield "Kind", f"{kind_badge(run.kind, run.via)} {stood_words(run)}".rstrip()
    yield "Ended", ended_badge(run)
    yield "Runbook", f"[{code(run.runbook)}]({runbook_page})" if runbook_page else code(run.runbook)
    if decides:
        yield "Verdicts that rest on it", "<br>".join(decides)
    if isinstance(machines := told.get("machines"), str):
        yield "Machines", code(machines)
    yield from _times(run)
    yield "Took", took_words(seconds, run.kind)
    yield "Run", code(run.run)
    yield from rows_of_part(told)
    if isinstance(given := told.get("parameters"), dict):
        yield "Parameters", _parameters(given)
    if commit := _commit(told.get("git")):
        yield "Code", commit
    if agreed := _consent(told.get("consent")):
        yield "Agreed to", agreed
    if run.versions:
        yield "Versions", ", ".join(code(f"{k} {v}") for k, v in sorted(run.versions.items()))


def _warnings(run: PublishedRun, cells: Container[int]) -> Iterator[str]:
    """What a reader must know before the rest: that it did not complete, is a part only, or is outdated."""
    ended = run.provenance.get("ended")
    if isinstance(ended, dict) and ended.get("how") not in (None, "", "completed"):
        told = f": {why.rstrip('.')}" if (why := str(ended.get("why") or "")) else ""
        why = inline(f"The run {ended['how']}{told}.")
        cell = ended.get("cell")
        link = f" [Go to cell {cell}](#cell-{cell})." if cell in cells else ""
        yield admonition("failure", "Not completed", why + link)
    if part := run.provenance.get("partial"):
        yield admonition("warning", "Not all of the runbook", inline(f"Only some cells ran: {part}"))
    if run.changed:
        words = (
            f"Since this run, what it rests on has changed: {run.changed}. Claims that it decides are stale."
        )
        yield admonition("warning", "Changed since", inline(words))


def _times(run: PublishedRun) -> Iterator[tuple[str, str]]:
    """When it was, by whose clock. A virtual clock dates nothing."""
    if run.kind is not Kind.SIMULATED:
        yield "Started", f"{minute(run.started)}, by the clock of the nodes"
        return
    yield "Ran", minute(run.when)
    yield "Virtual clock", f"began at {minute(run.started)}; it dates nothing"


def _parameters(value: Mapping[str, Any]) -> str:
    if not value:
        return "all at their defaults"
    return "<br>".join(
        code(f"{name} = {json.dumps(value[name], ensure_ascii=False)}") for name in sorted(value)
    )


def _commit(git: Any) -> str:
    if not isinstance(git, dict) or not isinstance(git.get("commit"), str):
        return ""
    dirty = " and changes that are in no commit" if git.get("dirty") else ""
    own = git.get("own")
    files = (
        f"; of the run's own: {', '.join(code(name) for name in own)}"
        if isinstance(own, dict) and own
        else ""
    )
    return f"git commit {code(git['commit'][:12])}{dirty}{files}"


def _consent(told: object) -> str:
    """What somebody agreed to on real machines, and how."""
    lines = []
    for one in told if isinstance(told, list) else ():
        if isinstance(one, dict):
            targets = ", ".join(map(str, one.get("targets") or ()))
            lines.append(inline(f"{one.get('action')} {targets} (by {one.get('how')})"))
    return "<br>".join(lines)
