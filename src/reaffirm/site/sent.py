"""What a run sent to which node, on its page: pictures of it, then every request, by step and node."""

from collections.abc import Iterator, Mapping

from reaffirm.draw.latency import latency_svg
from reaffirm.draw.timeline import Span, brief, timeline_svg
from reaffirm.site.cells import cells_of
from reaffirm.site.report import shell_text
from reaffirm.site.requests import Request, RequestLog, StepRequests, by_node
from reaffirm.site.run_material import RunMaterial
from reaffirm.site.text import admonition, attribute, inline

#: Fewer answers make no picture.
_FEW = 20
#: So many different requests of a run are on its page; the recording has all.
_MOST = 400


def sent_section(material: RunMaterial) -> str:
    """Return the section of a run's page about what was sent; empty for a run that asked nobody."""
    log = material.requests
    if not log.count:
        return ""
    headings = {cell.number: cell.heading for cell in cells_of(material.notebook) if cell.kind == "code"}
    nodes = ", ".join(f"{inline(name)}{f' ({role})' if role else ''}" for name, role in log.nodes)
    took = f" in {brief(log.seconds)}" if log.seconds is not None else ""
    waited = f", of which the run waited {brief(log.waited)}" if log.waited >= 1 else ""
    virtual = " of virtual time" if material.run.kind == "simulated" and took else ""
    kind = "" if material.run.kind == "real" else f"the {material.run.kind} nodes "
    line = f"{log.count} requests to {kind}{nodes}{took}{virtual}{waited}, as the recording has them."
    parts = ["## What was sent { #run-sent }", line, *_damage(log), _timeline(material, headings)]
    parts += _latencies(material)
    left = _MOST
    for step in log.steps:
        if step.requests:
            parts.append(_step(step, headings.get(step.cell, ""), left, there=step.cell in headings))
            left = max(0, left - len(step.requests))
    return "\n\n".join(part for part in parts if part)


def _damage(log: RequestLog) -> Iterator[str]:
    if log.damaged or not log.whole:
        words = "The recording does not come to its end." if not log.whole else ""
        words += f" {log.damaged} of its lines cannot be read." if log.damaged else ""
        yield admonition("warning", "Not all of it", words.strip())


def _timeline(material: RunMaterial, headings: Mapping[int, str]) -> str:
    log = material.requests
    nodes = [name for name, _ in log.nodes]
    spans = []
    for step in log.steps:
        if step.begins is None or step.ends is None:
            continue
        marks = tuple(
            tuple(at for request in step.requests if request.node == node for at in request.starts)
            for node in nodes
        )
        title = f"{step.cell} · {headings.get(step.cell) or step.step}"
        spans.append(Span(title, step.begins, step.ends, marks))
    if len(spans) < 2 or len(spans) > 40:
        return ""
    told = "; ".join(f"{one.title}: {brief(one.ends - one.begins)}" for one in spans)
    label = f"{material.run.kind} run, steps over time. {told}."
    svg = timeline_svg(spans, nodes, label=label, kind=material.run.kind)
    caption = "Each step over time; a mark is a moment at which that node was asked"
    return f'<figure class="rf-picture">{svg}<figcaption>{caption}</figcaption></figure>'


def _latencies(material: RunMaterial) -> Iterator[str]:
    """A picture of each request that was asked often enough, with the percentiles that its step found."""
    kind = material.run.kind
    for step in material.requests.steps:
        for request in step.requests:
            if len(request.took) < _FEW or not request.shell.startswith("curl "):
                continue
            figures = _percentiles(material, step.cell, len(request.took))
            took = [round(one * 1000, 3) for one in request.took]
            levels = ", ".join(f"{name} {value:g} ms" for name, value in figures.items()) or "no percentiles"
            what = f"{request.node}$ {request.shell}"
            label = f"{kind} run: {len(took)} latencies from {min(took):g} to {max(took):g} ms; {levels}"
            svg = latency_svg(took, figures, label=label, kind=kind, what=what)
            yield f'<figure class="rf-picture">{svg}<figcaption>{attribute(label)}</figcaption></figure>'


def _percentiles(material: RunMaterial, cell: int, count: int) -> dict[str, float]:
    """The percentiles that a cell found about so many requests."""
    facts = {fact.name: fact for fact in material.run.facts if material.fact_cells.get(fact.name) == cell}
    heads = {
        name.partition(".")[0]
        for name, fact in facts.items()
        if name.endswith(".requests") and fact.value == count
    }
    found: dict[str, float] = {}
    if len(heads) == 1:
        head = next(iter(heads))
        for tail in ("p50", "p95", "p99"):
            fact = facts.get(f"{head}.{tail}")
            if fact is not None and isinstance(fact.value, int | float) and fact.unit == "ms":
                found[tail] = float(fact.value)
    return found


def _step(step: StepRequests, heading: str, left: int, *, there: bool) -> str:
    """One step as a box to unfold: a table for each node, in the order in which it was asked."""
    name = heading or step.step or "before the first cell"
    took = f", {brief(step.ends - step.begins)}" if step.begins is not None and step.ends is not None else ""
    count = f"{step.count} request{'' if step.count == 1 else 's'}"
    summary = f"{f'cell {step.cell} · ' if there else ''}{name}: {count}{took}"
    if left <= 0:
        body = "<p>Not shown on this page; the recording has them.</p>"
    else:
        body = "".join(_node(node, requests[:left]) for node, requests in by_node(step))
    link = f'<p><a href="#cell-{step.cell}">Go to cell {step.cell}</a></p>' if there else ""
    head = f"<summary>{attribute(summary)}</summary>{link}"
    return f'<details class="rf-fold" data-search-exclude>{head}{body}</details>'


def _node(node: str, requests: tuple[Request, ...]) -> str:
    rows = "".join(map(_row, requests))
    count = sum(request.times for request in requests)
    head = "<tr><th>after</th><th>sent</th><th>took</th><th>answer</th></tr>"
    table = f'<table class="rf-sent"><thead>{head}</thead><tbody>{rows}</tbody></table>'
    many = f"{count} request{'' if count == 1 else 's'}"
    return f'<p><strong>{attribute(node)}</strong>: {many}</p><div class="rf-frame">{table}</div>'


def _row(request: Request) -> str:
    often = f" ×{request.times}" if request.times > 1 else ""
    took = ""
    if request.took:
        low, high = min(request.took), max(request.took)
        took = brief(low) if len(request.took) == 1 else f"{brief(low)} to {brief(high)}"
    answer = attribute(request.ended)
    told = answer if request.good else f'<span class="rf-not-good">{answer}</span>'
    return (
        f"<tr><td>{brief(request.at)}</td><td><code>{shell_text(request.shell)}</code>{often}</td>"
        f"<td>{took}</td><td>{told}</td></tr>"
    )
