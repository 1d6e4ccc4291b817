"""An executed notebook as a page: prose, code and what came out, with the kind of run at the top."""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import quote

from reaffirm.model.evidence import Kind, Via
from reaffirm.model.fact import FACTS_MIME
from reaffirm.model.report import REPORT_MIME
from reaffirm.site.links import Resolve
from reaffirm.site.page import SitePage, day, kind_badge, minute
from reaffirm.site.parts_of_run import cell_note
from reaffirm.site.parts_of_run import rows as rows_of_part
from reaffirm.site.prose import first_heading, rebuild
from reaffirm.site.report import facts_markdown, lines_markdown, picture, report_markdown
from reaffirm.site.stand_ins import box_lines
from reaffirm.site.text import admonition, code, fence, front_matter, inline, plain, table
from reaffirm.store.published import PublishedRun

_MAX_IMAGE = 4_000_000
_MOST_SAVED = 20

_SAID = {
    Kind.SIMULATED: (
        "warning",
        "Simulated",
        "No machine was touched. A simulated run shows that the procedure works; it never shows that the "
        "world is so.",
    ),
    Kind.LAB: (
        "info",
        "Lab",
        "Real hosts, real SSH and real containers, but not the machines of the story. A lab run shows what "
        "is a property of the software alone.",
    ),
    Kind.REAL: ("success", "Real", "This ran on the machines themselves."),
}


def notebook_page(
    notebook: Mapping[str, Any], run: PublishedRun, *, uri: str, resolve: Resolve, runbook_page: str = ""
) -> SitePage:
    """Return the page of a published run.

    Args:
        notebook: the executed notebook as JSON data.
        run: whose notebook it is; its kind is said in the title and at the top.
        uri: where the page will be.
        resolve: where links of the notebook's prose lead.
        runbook_page: where the page of the runbook is, relative to this one.
    """
    cells = [cell for cell in notebook.get("cells", []) if isinstance(cell, dict)]
    heading = ""
    if cells and cells[0].get("cell_type") == "markdown":
        heading, rest = first_heading(_text(cells[0].get("source")))
        if heading:
            cells = [{**cells[0], "source": rest}, *cells[1:]]
    heading = heading or run.runbook.replace("_", " ")
    title = f"{heading} ({run.kind} run, {day(run.when)})"
    parts = [front_matter(title) + f"\n# {inline(title)}", _head(run, uri, runbook_page)]
    parts += [text for cell in cells if (text := _cell(cell, resolve))]
    return SitePage(uri, title, "\n\n".join(parts) + "\n")


def kind_box(run: PublishedRun) -> str:
    """Return the box that says what a run of this kind can show and what it cannot."""
    box, word, sentence = _SAID[run.kind]
    replayed = (
        " It was replayed from a recording; the date is that of the recording."
        if run.via is Via.REPLAY
        else ""
    )
    lines = box_lines(run) if run.kind is Kind.LAB else ()
    body = (
        f"{sentence}{replayed} What stood for what:\n\n" + "\n".join(lines) if lines else sentence + replayed
    )
    return admonition(box, f"{word} run", body)


def _head(run: PublishedRun, uri: str, runbook_page: str) -> str:
    here = uri.rsplit("/", 1)[-1].removesuffix(".md")
    runbook = f"[{code(run.runbook)}]({runbook_page})" if runbook_page else code(run.runbook)
    rows: list[tuple[str, ...]] = [
        ("Runbook", runbook),
        ("Kind", kind_badge(run.kind, run.via)),
        *_times(run),
        ("Run", code(run.run)),
        *rows_of_part(run.provenance),
    ]
    if isinstance(given := run.provenance.get("parameters"), dict):
        rows.append(("Parameters", _parameters(given)))
    if commit := _commit(run.provenance.get("git")):
        rows.append(("Code", commit))
    if agreed := _consent(run.provenance.get("consent")):
        rows.append(("Agreed to", agreed))
    if run.versions:
        rows.append(("Versions", ", ".join(code(f"{k} {v}") for k, v in sorted(run.versions.items()))))
    if isinstance(machines := run.provenance.get("machines"), str):
        rows.insert(2, ("Machines", code(machines)))
    downloads = [
        f"[{label}]({here}/{name})"
        for name, label in (
            ("notebook.ipynb", "notebook"),
            ("facts.json", "facts"),
            ("recording.jsonl", "recording"),
            ("provenance.json", "provenance"),
        )
        if name in run.files
    ]
    if downloads:
        rows.append(("Download", ", ".join(downloads)))
    saved = [name for name in run.files if "/" in name]
    if saved:
        links = [f"[{inline(name)}]({here}/{quote(name)})" for name in saved[:_MOST_SAVED]]
        more = f"<br>and {len(saved) - _MOST_SAVED} more" if len(saved) > _MOST_SAVED else ""
        rows.append(("Saved by the run", "<br>".join(links) + more))
    return "\n\n".join([kind_box(run), *_warnings(run), table(("Run", " "), rows)])


def _warnings(run: PublishedRun) -> Iterator[str]:
    """What a reader must know before the rest: that it did not complete, is a part only, or is outdated."""
    ended = run.provenance.get("ended")
    if isinstance(ended, dict) and ended.get("how") not in (None, "", "completed"):
        why = inline(f"The run {ended['how']}. {ended.get('why') or ''}")
        yield admonition("failure", "Not completed", why)
    if part := run.provenance.get("partial"):
        yield admonition("warning", "Not all of the runbook", inline(f"Only some cells ran: {part}"))
    if run.changed:
        words = (
            f"Since this run, what it rests on has changed: {run.changed}. Claims that it decides are stale."
        )
        yield admonition("warning", "Changed since", inline(words))


def _consent(told: object) -> str:
    """What somebody agreed to on real machines, and how."""
    lines = []
    for one in told if isinstance(told, list) else ():
        if isinstance(one, dict):
            targets = ", ".join(map(str, one.get("targets") or ()))
            lines.append(inline(f"{one.get('action')} {targets} (by {one.get('how')})"))
    return "<br>".join(lines)


def _times(run: PublishedRun) -> list[tuple[str, ...]]:
    """When it was, by whose clock. A virtual clock dates nothing."""
    if run.kind is not Kind.SIMULATED:
        return [("Started", f"{minute(run.started)}, by the clock of the nodes")]
    return [
        ("Ran", minute(run.when)),
        ("Virtual clock", f"began at {minute(run.started)}; it dates nothing"),
    ]


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


def _cell(cell: Mapping[str, Any], resolve: Resolve) -> str:
    source = _text(cell.get("source"))
    if cell.get("cell_type") == "markdown":
        return rebuild(source, resolve)
    if cell.get("cell_type") != "code":
        return fence(source) if source.strip() else ""
    metadata = cell.get("metadata")
    tags = metadata.get("tags", []) if isinstance(metadata, dict) else []
    parts = [told] if (told := cell_note(metadata)) else []
    if source.strip():
        if "injected-parameters" in tags:
            parts.append("<strong>Parameters of this run</strong>")
        parts.append(fence(source, "python"))
    outputs = cell.get("outputs", [])
    parts += [
        text
        for one in _joined(outputs if isinstance(outputs, list) else [])
        if (text := _output(one, resolve))
    ]
    return "\n\n".join(parts)


def _joined(outputs: list[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the outputs; pieces of one stream that follow each other become one."""
    held: dict[str, Any] | None = None
    for one in outputs:
        if not isinstance(one, dict):
            continue
        if one.get("output_type") == "stream":
            if held and held.get("name") == one.get("name"):
                held["text"] += _text(one.get("text"))
                continue
            if held:
                yield held
            held = {**one, "text": _text(one.get("text"))}
            continue
        if held:
            yield held
            held = None
        yield one
    if held:
        yield held


def _output(output: Mapping[str, Any], resolve: Resolve) -> str:
    match output.get("output_type"):
        case "stream":
            name = "Errors" if output.get("name") == "stderr" else "Output"
            return lines_markdown(_text(output.get("text")), name)
        case "error":
            trace = "\n".join(map(str, output.get("traceback") or [])) or str(output.get("evalue", ""))
            summary = inline(f"{output.get('ename', 'Error')}: {output.get('evalue', '')}"[:2000])
            body = "\n\n".join(part for part in (summary, lines_markdown(trace, "Traceback")) if part)
            return admonition("failure", "This cell failed", body)
        case "display_data" | "execute_result":
            data = output.get("data")
            return _data(data, resolve) if isinstance(data, dict) else ""
        case _:
            return ""


def _data(data: Mapping[str, Any], resolve: Resolve) -> str:
    """Return the richest form that is safe; HTML, JavaScript and LaTeX of an output never are."""
    for mime, render in (
        (REPORT_MIME, partial(report_markdown, resolve=resolve)),
        (FACTS_MIME, facts_markdown),
    ):
        value = data.get(mime)
        if isinstance(value, dict) and (text := render(value)) is not None:
            return text
    if "image/svg+xml" in data:
        return picture(_text(data["image/svg+xml"]), _text(data.get("text/plain")), "")
    for mime in ("image/png", "image/jpeg"):
        if mime in data and (text := _image(mime, _text(data[mime]))):
            return text
    for mime in ("text/plain", "text/markdown", "application/json"):
        if mime in data:
            return lines_markdown(_text(data[mime]), "Output")
    kinds = ", ".join(code(plain(str(mime))[:80]) for mime in sorted(data))
    return f"*An output of type {kinds} is not shown here; the notebook has it.*" if kinds else ""


def _image(mime: str, encoded: str) -> str:
    packed = re.sub(r"\s+", "", encoded)
    if not packed or len(packed) > _MAX_IMAGE:
        return ""
    try:
        base64.b64decode(packed, validate=True)
    except (binascii.Error, ValueError):
        return ""
    image = f'<img alt="Picture of this cell" src="data:{mime};base64,{packed}">'
    return f'<figure class="rf-picture">{image}</figure>'


def _text(value: Any) -> str:
    """A notebook holds text as one string or as a list of lines."""
    if isinstance(value, list):
        return "".join(str(part) for part in value)
    if isinstance(value, dict):
        return repr(value)
    return "" if value is None else str(value)
