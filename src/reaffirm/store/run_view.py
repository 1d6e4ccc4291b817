"""Reads a notebook as a run that can be compared."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from reaffirm.model.fact import FACTS_MIME, Fact, is_fact_name
from reaffirm.model.report import REPORT_MIME
from reaffirm.model.run_view import CellView, Output, RunView, StepView

_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$", re.MULTILINE)
#: Cells that papermill puts in: they are no part of the source.
_PUT_IN = ("injected-parameters", "papermill-error-cell-tag")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def view_of(
    notebook: Mapping[str, Any], *, name: str = "", about: Mapping[str, Any] | None = None
) -> RunView:
    """Return a notebook as a run.

    Args:
        notebook: the data of an ``.ipynb`` file.
        name: how the run is named.
        about: ``provenance.json``, or ``metadata.reaffirm`` (default: that of the notebook).
    """
    metadata = notebook.get("metadata")
    said = metadata.get("reaffirm") if isinstance(metadata, dict) else None
    told: Mapping[str, Any] = about if about is not None else said if isinstance(said, dict) else {}
    cells = tuple(_cells(notebook))
    facts = {fact.name: fact for cell in cells for fact in cell.facts}
    parameters = told.get("parameters")
    return RunView(
        name,
        cells,
        facts,
        _ended(told.get("ended")),
        parameters if isinstance(parameters, dict) else {},
        {group: values for group, values in _rests(told).items() if values},
    )


def _cells(notebook: Mapping[str, Any]) -> Iterator[CellView]:
    heading, number = "", 0
    cells = notebook.get("cells")
    for cell in cells if isinstance(cells, list) else ():
        if not isinstance(cell, dict):
            continue
        tags = (cell.get("metadata") or {}).get("tags") or ()
        if any(tag in _PUT_IN for tag in tags):
            continue
        number += 1
        source = _joined(cell.get("source"))
        if cell.get("cell_type") == "markdown":
            if found := _HEADING.findall(source):
                heading = str(found[-1])
        elif cell.get("cell_type") == "code":
            outputs = [one for one in cell.get("outputs") or () if isinstance(one, dict)]
            facts = {fact.name: fact for output in outputs for fact in _facts(output)}
            steps = tuple(step for output in outputs for step in _step(output))
            yield CellView(number, heading, source, tuple(facts.values()), steps, tuple(_outputs(outputs)))


def _facts(output: Mapping[str, Any]) -> Iterator[Fact]:
    payload = _data(output).get(FACTS_MIME)
    facts = payload.get("facts") if isinstance(payload, dict) else None
    for name, one in facts.items() if isinstance(facts, dict) else ():
        if isinstance(one, dict) and is_fact_name(str(name)):
            yield Fact(str(name), one.get("value"), str(one.get("unit", "")), str(one.get("by", "")))


def _step(output: Mapping[str, Any]) -> Iterator[StepView]:
    report = _data(output).get(REPORT_MIME)
    if isinstance(report, dict):
        words = [str(report.get(key, "")) for key in ("step", "outcome", "summary")]
        yield StepView(*words)


def _outputs(outputs: list[dict[str, Any]]) -> Iterator[Output]:
    """Outputs in order; streams of one name are one output, where the first of them stood."""
    streams: dict[str, list[str]] = {}
    for output in outputs:
        if output.get("output_type") == "stream":
            streams.setdefault(str(output.get("name")), []).append(_joined(output.get("text")))
    for output in outputs:
        kind = output.get("output_type")
        if kind == "stream":
            if (parts := streams.pop(str(output.get("name")), None)) is not None:
                yield Output(str(output.get("name")), "".join(parts))
        elif kind == "error":
            text = f"{output.get('ename')}: {output.get('evalue')}"
            yield Output("error", _ANSI.sub("", text))
        else:
            yield _display(_data(output))


def _display(data: Mapping[str, Any]) -> Output:
    if FACTS_MIME in data:
        payload = data[FACTS_MIME]
        step = str(payload.get("step", "")) if isinstance(payload, dict) else ""
        # the facts are compared by name; what else it says is its kind
        return Output(f"facts of {step}", _joined(data.get("text/plain")), _rest(data, FACTS_MIME), step)
    report = data.get(REPORT_MIME)
    if isinstance(report, dict):
        step = str(report.get("step", ""))
        return Output(f"report of {step}", _joined(data.get("text/plain")), _rest(data), step)
    what = "output" if "text/plain" in data else ", ".join(sorted(data)) or "output"
    return Output(what, _joined(data.get("text/plain")), _rest(data))


def _rest(data: Mapping[str, Any], *keys: str) -> str:
    """All forms of an output but its plain text."""
    rest = {k: _joined(v) if k.startswith("text/") else v for k, v in data.items() if k != "text/plain"}
    return json.dumps(rest, sort_keys=True, ensure_ascii=False)


def _data(output: Mapping[str, Any]) -> Mapping[str, Any]:
    data = output.get("data")
    return data if isinstance(data, dict) else {}


def _ended(said: object) -> str:
    if not isinstance(said, dict):
        return ""
    where = f" at cell {said['cell']}" if said.get("cell") else ""
    why = f": {said['why']}" if said.get("why") else ""
    return f"{said.get('how', '')}{where}{why}"


def _rests(told: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What a run rests on, flat: group → name → value."""
    machines = told.get("machines")
    file = told.get("machine_file") or (machines if isinstance(machines, dict) else {})
    found = {"machines": {"machine file": str(machines)} if isinstance(machines, str) else {}}
    if isinstance(file, dict) and file:
        found["machines"] = {"machine file": str(file.get("name", machines))}
        if settings := file.get("settings_sha256"):
            found["machines"]["what it says"] = str(settings)[:12]
    images = told.get("node_images") or told.get("images")
    for node, refs in images.items() if isinstance(images, dict) else ():
        for reference, one in refs.items() if isinstance(refs, dict) else ():
            identity = image_identity(one) if isinstance(one, dict) else str(one)
            found.setdefault("images", {})[f"{reference} on {node}"] = identity
    found["versions"] = _flat(told.get("versions"))
    for key, words in (("node_versions", "{inner} on {outer}"), ("image_versions", "{inner} in {outer}")):
        nested = told.get(key)
        for outer, inner in nested.items() if isinstance(nested, dict) else ():
            for name, version in _flat(inner).items():
                found["versions"][words.format(inner=name, outer=outer)] = version
    git = told.get("git")
    if isinstance(git, dict):
        dirty = ", with changes" if git.get("dirty") else ""
        found["versions"]["git commit"] = f"{str(git.get('commit'))[:12]}{dirty}"
    found["kind"] = {key: str(told[key]) for key in ("kind", "via") if told.get(key)}
    return found


def image_identity(told: Mapping[str, Any]) -> str:
    """By what a node knows an image, each number with the word for what it is: they differ by nature.

    Args:
        told: ``id``, and ``digests`` such as ``registry/name@sha256:…``, as provenance has them.
    """
    shown = [f"image id {str(told['id']).removeprefix('sha256:')[:12]}"] if told.get("id") else []
    digests = told.get("digests")
    for digest in sorted(
        {str(one).rpartition("@")[2] for one in digests} if isinstance(digests, list) else ()
    ):
        shown.append(f"registry digest {digest.removeprefix('sha256:')[:12]}")
    return ", ".join(shown)


def _flat(value: object) -> dict[str, str]:
    return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}


def _joined(value: object) -> str:
    if isinstance(value, list):
        return "".join(str(one) for one in value)
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, sort_keys=True)
