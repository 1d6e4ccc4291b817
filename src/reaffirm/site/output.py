"""What a cell showed, from the data of a notebook to Markdown: the richest form that is safe."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from reaffirm.model.fact import FACTS_MIME
from reaffirm.model.report import REPORT_MIME
from reaffirm.site.html_table import clean_table
from reaffirm.site.links import Resolve
from reaffirm.site.log_box import folded_box, log_box
from reaffirm.site.report import facts_markdown, picture, report_markdown
from reaffirm.site.text import admonition, attribute, code, inline, plain

#: A picture of more characters is left to the notebook.
_MAX_IMAGE = 4_000_000
_IMAGES = ("image/png", "image/jpeg")
_TEXTS = ("text/plain", "text/markdown", "application/json")
_PAGE = re.compile(r"docs/[a-z0-9/-]+\.md(#[a-z0-9-]+)?\Z")


def outputs_markdown(outputs: object, resolve: Resolve) -> Iterator[str]:
    """Yield each output of a cell; pieces of one stream that follow each other are one."""
    for one in _joined(outputs if isinstance(outputs, list) else []):
        if text := _output(one, resolve):
            yield text


def text_of(value: Any) -> str:
    """A notebook holds text as one string or as a list of lines."""
    if isinstance(value, list):
        return "".join(str(part) for part in value)
    if isinstance(value, dict):
        return repr(value)
    return "" if value is None else str(value)


def _joined(outputs: list[Any]) -> Iterator[Mapping[str, Any]]:
    held: dict[str, Any] | None = None
    pieces: list[str] = []
    for one in outputs:
        if not isinstance(one, dict):
            continue
        stream = one.get("output_type") == "stream"
        if held is not None and not (stream and held.get("name") == one.get("name")):
            yield {**held, "text": "".join(pieces)}
            held, pieces = None, []
        if stream:
            held = held or one
            pieces.append(text_of(one.get("text")))
        else:
            yield one
    if held is not None:
        yield {**held, "text": "".join(pieces)}


def _output(output: Mapping[str, Any], resolve: Resolve) -> str:
    match output.get("output_type"):
        case "stream":
            return log_box(
                text_of(output.get("text")), name="stderr" if output.get("name") == "stderr" else ""
            )
        case "error":
            return _error(output, resolve)
        case "display_data" | "execute_result":
            data = output.get("data")
            return _data(data, resolve) if isinstance(data, dict) else ""
        case _:
            return ""


def _error(output: Mapping[str, Any], resolve: Resolve) -> str:
    """What went wrong, first in the words that its author chose; how Python came there is folded."""
    lines = plain(text_of(output.get("evalue"))[:20_000]).split("\n")
    message, told = [], []
    for line in lines:
        word, _, rest = line.strip().partition(": ")
        if word == "next" and rest:
            told.append(f"<strong>What to do next</strong>: {inline(rest)}")
        elif word == "page" and rest:
            target = resolve(f"../{rest}") if _PAGE.match(rest) else None
            there = target is not None and target != f"../{rest}"
            told.append(f"<strong>More</strong>: {f'[{inline(rest)}]({target})' if there else code(rest)}")
        elif line.strip():
            message.append(inline(line[:2000]))
    shown = "<br>\n".join(message[:12]) or "It gave no message."
    body = "\n\n".join([shown, *told])
    name = plain(text_of(output.get("ename")))[:200].strip() or "Error"
    frames = output.get("traceback")
    trace = "\n".join(map(str, frames)) if isinstance(frames, list) else text_of(frames)
    parts = [
        admonition("failure rf-error", f"This cell failed: {name}", body),
        folded_box(trace, "Traceback"),
    ]
    return "\n\n".join(part for part in parts if part)


def _data(data: Mapping[str, Any], resolve: Resolve) -> str:
    """Return the richest form that is safe. Of HTML only tables are; JavaScript and LaTeX never."""
    for mime, render in (
        (REPORT_MIME, partial(report_markdown, resolve=resolve)),
        (FACTS_MIME, facts_markdown),
    ):
        value = data.get(mime)
        if isinstance(value, dict) and (text := render(value)) is not None:
            return text
    if "image/svg+xml" in data:
        return picture(text_of(data["image/svg+xml"]), text_of(data.get("text/plain")), "")
    alt = text_of(data.get("text/plain"))
    for mime in _IMAGES:
        if mime in data and (text := _image(mime, text_of(data[mime]), alt)):
            return text
    if "text/html" in data and (text := clean_table(text_of(data["text/html"]))):
        return text
    for mime in _TEXTS:
        if mime in data:
            return log_box(text_of(data[mime]))
    kinds = ", ".join(code(plain(str(mime))[:80]) for mime in sorted(map(str, data)))
    return f"*An output of type {kinds} is not shown here; the notebook has it.*" if kinds else ""


def _image(mime: str, encoded: str, alt: str) -> str:
    packed = re.sub(r"\s+", "", encoded)
    if not packed:
        return ""
    if len(packed) > _MAX_IMAGE:
        return f"*A picture of {len(packed) * 3 // 4_000_000} MB is not shown here; the notebook has it.*"
    try:
        base64.b64decode(packed, validate=True)
    except (binascii.Error, ValueError):
        return ""
    words = attribute(alt[:300]) or "Picture of this cell"
    return f'<figure class="rf-picture"><img alt="{words}" src="data:{mime};base64,{packed}"></figure>'
