"""The page of a container image: what it holds, from probes and from what is told; who uses it. Pure."""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reaffirm.model.evidence import Kind
from reaffirm.site.image_facts import ROWS, Probe
from reaffirm.site.page import day, kind_badge
from reaffirm.site.text import admonition, cell, code, inline, page_heading, table

#: How a thing is known, in words for readers, by the word of the page's front matter.
KNOWN = {
    "seen": "seen by a run of ours",
    "verified": "read in the released package",
    "reported": "told by others",
    "inferred": "inferred",
    "made-up": "made up for the simulated nodes",
    "unverified": "not verified",
}
# The key of the page that tells the same as a fact of a probe.
_TOLD = {
    "engine": "engine",
    "vllm_version": "engine-version",
    "sglang_version": "engine-version",
    "transformers_version": "transformers-version",
    "torch_version": "torch-version",
    "architecture": "platform",
    "digest": "digest",
}
_LEFT_OUT = ("title", "name", "render_macros", "support", "status", "source", "registry")
_SOURCE = "get-from"
_CLASSES = "[its classes](#model-classes)"
_SIMULATED = (
    "Simulated nodes are furnished from this page. What their probe reads shows that the procedure works, "
    "not what the image holds."
)


@dataclass(frozen=True)
class Uses:
    """What uses an image: links in Markdown to runbooks, and to claims of records."""

    runbooks: Sequence[str] = ()
    claims: Sequence[str] = ()


def with_head(
    markdown: str,
    data: Mapping[str, Any],
    seen: Sequence[Probe] = (),
    uses: Uses | None = None,
    path: str = "",
) -> str:
    """Return the page with what its image holds above its text. A page without front matter stays as it is.

    A quotation with which the text begins stays above: it is what a reader must know first.

    Args:
        markdown: the text below the front matter.
        data: the front matter.
        seen: what probes of published runs read, the best kind first.
        uses: who uses the image.
        path: the file of the page, from the root of the repository.
    """
    if not any(key not in _LEFT_OUT for key in data):
        return markdown
    parts = ["## What it holds", *_holds(data, seen, posixpath.dirname(path))]
    if "registry" in data:
        parts += ["### Model classes", _registry(data)]
    if uses is not None:
        parts.append(_uses(uses))
    head, _, rest = markdown.lstrip().partition("\n")
    if not head.startswith("# "):
        head, rest = page_heading(str(data.get("name", "Image"))), markdown
    first, rest = _quotation(rest)
    about = (
        f"<p>This page as a whole: {_badge(str(data.get('status', '')))}</p>" if data.get("status") else ""
    )
    source = f"Source: {inline(str(data['source']))}" if data.get("source") else ""
    written = f"## What is known of it\n\n{rest.strip()}" if rest.strip() else ""
    return "\n\n".join(part for part in (head, first, about, *parts, written, source) if part) + "\n"


def _quotation(markdown: str) -> tuple[str, str]:
    """The quotation with which a text begins, and what follows it."""
    lines = markdown.strip().split("\n")
    count = next((at for at, line in enumerate(lines) if not line.startswith(">")), len(lines))
    return "\n".join(lines[:count]), "\n".join(lines[count:])


def _holds(data: Mapping[str, Any], seen: Sequence[Probe], folder: str) -> list[str]:
    """A row for each thing that is told or was read: what the page tells, and each kind's newest probe."""
    columns = ["What", "Told by this page", *(_column(one, folder) for one in seen)]
    rows: list[tuple[str, ...]] = []
    told: set[str] = set()
    for word, name in ROWS:
        key = _TOLD.get(word, "")
        values = [one.shown(word) for one in seen]
        other = {"vllm_version": "sglang", "sglang_version": "vllm"}.get(word)
        if other and str(data.get("engine", "")) == other and not any(values):
            continue
        if (key and key in data and key not in told) or any(values):
            told.add(key)
            told_here = _CLASSES if word == "supports_model" and "registry" in data else _told(key, data)
            rows.append((name, told_here, *(value or "-" for value in values)))
    for key in data:
        if key not in _LEFT_OUT and key not in told:
            rows.append((cell(key.replace("-", " ").capitalize()), _told(key, data), *("-" for _ in seen)))
    notes = [f"-   {_stood_in(one)}" for one in seen if one.stood_in]
    parts = [table(tuple(columns), rows)]
    if not seen:
        parts.append("No published run has probed it: every value here is told, none was read in the image.")
    if notes:
        parts.append("\n".join(notes))
    if any(one.run.kind is Kind.SIMULATED for one in seen):
        parts.append(_SIMULATED)
    return parts


def _column(one: Probe, folder: str) -> str:
    run = one.run
    link = f"[{cell(run.run)}]({posixpath.relpath(run.path, folder)})"
    return f"Read by a probe<br>{kind_badge(run.kind, run.via)} {day(run.when)}<br>{link}"


def _stood_in(one: Probe) -> str:
    return f"{kind_badge(one.run.kind, one.run.via)} {'; '.join(one.stood_in)}"


def _told(key: str, data: Mapping[str, Any]) -> str:
    if not key or key not in data:
        return "-"
    known = _known(key, data)
    return f"{_value(data[key])}{f'<br>{known}' if known else ''}"


def _known(key: str, data: Mapping[str, Any]) -> str:
    """How this value is known: its own word, else that of the page."""
    if data[key] is None or key == _SOURCE:
        return ""
    support = data.get("support")
    return _badge(str((support if isinstance(support, dict) else {}).get(key, data.get("status", ""))))


def _badge(word: str) -> str:
    sign = "rf-made-up" if word in ("made-up", "unverified") else "rf-known"
    return f'<span class="rf-badge {sign}">{cell(KNOWN.get(word, word))}</span>' if word else ""


def _registry(data: Mapping[str, Any]) -> str:
    """The classes that the page names, and those that it says are not there."""
    value = data["registry"]
    known = _known("registry", data)
    if not isinstance(value, Mapping):
        names = list(value) if isinstance(value, list) else []
        value = {"names": names, "count": len(names)}
    names = [str(one) for one in value.get("names") or ()]
    absent = [str(one) for one in value.get("absent") or ()]
    count = value.get("count")
    of = f"{len(names)} of {count}" if count is not None else f"{len(names)}, an excerpt; nobody counted all"
    parts = [f"Told by this page: {known}"] if known else []
    if absent:
        parts.append("Known not to be there: " + ", ".join(map(code, absent)))
    if names:
        parts.append(admonition("abstract", f"Classes that are there ({of})", _list(names), folded=True))
    return "\n\n".join(parts)


def _list(names: Sequence[str]) -> str:
    return "\n".join(f"-   {code(name)}" for name in names)


def _uses(uses: Uses) -> str:
    rows = []
    if uses.runbooks:
        rows.append(("Runbooks", ", ".join(uses.runbooks)))
    if uses.claims:
        rows.append(("Claims of decisions", "<br>".join(uses.claims)))
    shown = table((" ", " "), rows) if rows else "No runbook and no claim names it."
    return f"## Who uses it\n\n{shown}"


def _value(value: Any) -> str:
    match value:
        case None | "unknown":
            return "*unknown*"
        case bool():
            return "true" if value else "false"
        case list():
            return "<br>".join(code(str(item)) for item in value)
        case Mapping():
            return "<br>".join(f"<em>{cell(str(key))}:</em> {_value(one)}" for key, one in value.items())
        case _:
            return cell(str(value))
