"""Links from a page to records, runs, cells and runbooks, and the commands that check claims again."""

import posixpath
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from reaffirm.model.claim import Claim, Evidence, Judged, Standing
from reaffirm.model.evidence import Kind
from reaffirm.model.record import Record
from reaffirm.site.asked_images import Asked
from reaffirm.site.page import day, kind_badge
from reaffirm.site.page_map import INDEX_URI
from reaffirm.site.record_label import label
from reaffirm.site.report import fact_value
from reaffirm.site.run_places import Places
from reaffirm.site.stand_ins import behind
from reaffirm.site.text import UNSEARCHED, code, inline
from reaffirm.store.published import PublishedRun

#: Stands in a command for a machine file that only its reader has: how the guides call it.
MACHINES = "mine"


def machines_of(run: PublishedRun) -> str:
    """Return the name of the machine file of a run; empty where it is not known."""
    name = run.provenance.get("machines")
    return name if isinstance(name, str) else ""


def known_machines(runs: Iterable[PublishedRun]) -> dict[tuple[str, Kind], str]:
    """Return the machines on which a runbook gave evidence of a kind or better: those of the first run.

    Args:
        runs: newest first.
    """
    found: dict[tuple[str, Kind], str] = {}
    for run in runs:
        if name := machines_of(run):
            for kind in Kind:
                if run.kind.suffices(kind):
                    found.setdefault((run.runbook, kind), name)
    return found


@dataclass(frozen=True)
class Ways:
    """What can be reached from one page.

    ``uri`` is that page; ``records`` are pages by the key of a record and by the ids that a record names,
    ``runs`` those of runs by the path of their folder, ``runbooks`` by name. ``published`` are the runs
    themselves by the path of their folder. ``titles`` are what records are called, by the page of each;
    ``machines`` are what :func:`known_machines` returns; ``asked`` what runbooks ask of machines;
    ``at_home`` are real runs that asked no other machine than the one that ran them.
    """

    uri: str
    records: Mapping[str, str] = field(default_factory=dict)
    runs: Mapping[str, str] = field(default_factory=dict)
    runbooks: Mapping[str, str] = field(default_factory=dict)
    published: Mapping[str, PublishedRun] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    machines: Mapping[tuple[str, Kind], str] = field(default_factory=dict)
    asked: Asked = field(default_factory=Asked)
    at_home: Places = field(default_factory=dict)

    def to(self, page: str) -> str:
        """Return the way to another page."""
        return posixpath.relpath(page, posixpath.dirname(self.uri) or ".")

    def record(self, ident: str) -> str:
        """Return a link to the record that an id means, by its name where that is known."""
        page = self.records.get(ident)
        return self._link(inline(self.titles.get(page or "", "") or ident), page)

    def named(self, record: Record) -> str:
        """Return a link to a record by its name."""
        return self._link(inline(label(record)), self.records.get(record.key))

    def runbook(self, name: str) -> str:
        """Return a link to a runbook."""
        return self._link(code(name), self.runbooks.get(name))

    def run(self, judged: Judged, *, cells_too: bool = True) -> str:
        """Return a link to a run, at the first cell that shows what its result follows from.

        The cells that show what it found are linked behind it where ``cells_too``.
        """
        page = self.runs.get(judged.path)
        said = [one.split(": ", 1)[0] for one in judged.reason.split("; ")]
        first = [number for one in judged.found if one.fact in said and (number := self.cell(one))]
        cells = sorted({number for one in judged.found if (number := self.cell(one))})
        if not page or not cells:
            return self._link(code(judged.run), page)
        link = self._link(code(judged.run), f"{page}#cell-{min(first or cells)}")
        if not cells_too:
            return link
        if len(cells) == 1:
            return f"{link} ([cell {cells[0]}]({self.to(page)}#cell-{cells[0]}))"
        return f"{link} (cells {', '.join(f'[{one}]({self.to(page)}#cell-{one})' for one in cells)})"

    def cell(self, evidence: Evidence) -> int:
        """Return the number of the cell that shows a fact; 0 where nobody knows."""
        run = self.published.get(evidence.path)
        return run.cells.get(evidence.fact, 0) if run else 0

    def evidence(self, judged: Judged) -> str:
        """Return what a run found, each fact with the cell that shows it, its kind, its date and the run."""
        run, page = self.published.get(judged.path), self.runs.get(judged.path)
        lines = []
        for one in judged.found:
            number = self.cell(one)
            shown = f" ([cell {number}]({self.to(page)}#cell-{number}))" if number and page else ""
            lines.append(f"{code(one.fact)} = {fact_value(one.value, one.unit, one.by)}{shown}")
        lines += behind(run, [one.fact for one in judged.found]) if run else ()
        when = f"{kind_badge(judged.kind, judged.via)} {day(judged.started)}"
        lines.append(f"{when}, run {self.run(judged, cells_too=False)} of {self.runbook(judged.runbook)}")
        return "<br>".join(lines)

    def recheck(self, record: Record, claim: Claim, stands: Standing) -> str:
        """Return the command that runs what decides a claim, and nothing more; empty without a check.

        On machines that only its reader has, it publishes nothing.
        """
        if claim.check is None:
            return ""
        words = ["reaffirm", "recheck", record.id, "--claim", claim.id]
        machines = self._machines(claim, stands)
        if machines:
            words += ["--nodes", machines]
        return shlex.join([*words, "--no-publish"] if machines == MACHINES else words)

    def part(self, claim: Claim) -> str:
        """Return the command that runs, on machines of one's own, the part of a runbook that decides a claim.

        Empty where there is no such part, or none is needed.
        """
        part = self.asked.part(claim)
        if claim.check is None or part is None:
            return ""
        given = [word for name, value in claim.check.parameters for word in ("-p", name, str(value))]
        words = ["reaffirm", "run", claim.check.runbook, "-p", "nodes", MACHINES, *given, *part.options]
        return shlex.join(words)

    def rehearse(self, record: Record, claim: Claim) -> str:
        """Return the command that runs the same on simulated nodes and publishes nothing; empty for none."""
        if claim.check is None or not (nodes := self.asked.simulated(claim)):
            return ""
        words = ["reaffirm", "recheck", record.id, "--claim", claim.id, "--nodes", nodes, "--no-publish"]
        return shlex.join(words)

    def _machines(self, claim: Claim, stands: Standing) -> str:
        """The machines of the run that decides; of another that would suffice; else the reader's own."""
        if claim.check is None or (claim.needs is Kind.SIMULATED and stands.deciding is None):
            return ""
        own = self.published.get(stands.deciding.path) if stands.deciding else None
        if own is not None and own.kind.suffices(claim.needs) and (name := machines_of(own)):
            return name
        return self.machines.get((claim.check.runbook, claim.needs), MACHINES)

    def around(self, before: Record | None, after: Record | None) -> str:
        """Return the way to the neighbours and to the index."""
        line = [f"[← {inline(label(before))}]({self.to(self.records[before.key])})"] if before else []
        line.append(f"[All decisions]({self.to(INDEX_URI)})")
        if after:
            line.append(f"[{inline(label(after))} →]({self.to(self.records[after.key])})")
        return f"---\n\n{' · '.join(line)}\n{{ {UNSEARCHED} }}" if before or after else ""

    def _link(self, text: str, page: str | None) -> str:
        return f"[{text}]({self.to(page)})" if page else text
