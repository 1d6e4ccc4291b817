"""The notebook of a run as its file has it: plain data, long text in lines, steady ids."""

import json
import logging
from collections.abc import Mapping
from typing import Any


def plain(node: Any) -> dict[str, Any]:
    """papermill's notebook as plain data of our own, long text in lines, as ``nbformat.writes`` has it."""
    import nbformat
    from nbformat.v4.nbjson import BytesEncoder
    from nbformat.v4.rwbase import split_lines, strip_transient

    try:
        nbformat.validate(node)
    except nbformat.ValidationError as error:
        logging.getLogger("papermill").error("Notebook JSON is invalid: %s", error)
    copy = nbformat.from_dict(json.loads(json.dumps(node, cls=BytesEncoder)))
    return dict(strip_transient(split_lines(copy)))


def in_lines(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """A copy with long text in lines, as files have it."""
    cells = []
    for cell in notebook["cells"]:
        made = {**cell, "source": cell["source"].splitlines(keepends=True)}
        if "outputs" in cell:
            made["outputs"] = [_output_in_lines(output) for output in cell["outputs"]]
        cells.append(made)
    return {**notebook, "metadata": json.loads(json.dumps(notebook["metadata"])), "cells": cells}


def _output_in_lines(output: Mapping[str, Any]) -> dict[str, Any]:
    if "text" in output:
        return {**output, "text": output["text"].splitlines(keepends=True)}
    if "data" not in output:
        return dict(output)
    data = {
        kind: value.splitlines(keepends=True) if isinstance(value, str) and _is_text(kind) else value
        for kind, value in output["data"].items()
    }
    return {**output, "data": data}


def _is_text(kind: str) -> bool:
    return kind.startswith("text/") or kind in ("application/javascript", "image/svg+xml")


def pretty(notebook: dict[str, Any]) -> str:
    """The text of its file."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def steady(notebook: dict[str, Any]) -> None:
    """Give the cells that papermill adds an id that is the same in every run."""
    for number, cell in enumerate(notebook["cells"]):
        tags = cell["metadata"].get("tags", ())
        if "injected-parameters" in tags:
            cell["id"] = "injected"
        elif "papermill-error-cell-tag" in tags:
            cell["id"] = f"banner-{number}"
