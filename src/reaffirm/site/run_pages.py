"""Which runs there are: one table of all, one page per runbook."""

import ast
import posixpath
from collections.abc import Mapping, Sequence

from reaffirm.site.links import Resolve
from reaffirm.site.page import SitePage, kind_badge, minute
from reaffirm.site.prose import first_heading, rebuild
from reaffirm.site.text import admonition, cell, code, fence, front_matter, inline, table
from reaffirm.store.published import PublishedRun


def runs_table(
    runs: Sequence[PublishedRun], pages: Mapping[str, str], *, uri: str, runbook: bool = True
) -> str:
    """Return a table of runs, each with its kind and its date.

    Args:
        runs: in the order in which they are shown.
        pages: page of each run by the path of its folder.
        uri: the page on which the table stands.
        runbook: whether the runbook has a column.
    """
    if not runs:
        return "There are no published runs yet."
    folder = posixpath.dirname(uri)
    rows = []
    for run in runs:
        link = f"[{cell(run.run)}]({posixpath.relpath(pages[run.path], folder)})"
        started = f'<span class="rf-nowrap">{minute(run.when)}</span>'
        row = (link, kind_badge(run.kind, run.via), started)
        rows.append((code(run.runbook), *row) if runbook else row)
    columns = ("Run", "Kind", "When")
    return table(("Runbook", *columns) if runbook else columns, rows)


def runbook_page(
    name: str,
    source: str,
    runs: Sequence[PublishedRun],
    *,
    path: str,
    uri: str,
    resolve: Resolve,
    run_pages: Mapping[str, str],
) -> SitePage:
    """Return the page of a runbook: what it says it does, its runs, its text.

    Args:
        name: such as ``pivot_to_vllm``.
        source: the text of the ``py:percent`` file.
        runs: its published runs, newest first.
        path: the file as readers know it.
        uri: where the page will be.
        resolve: where links of its prose lead.
        run_pages: page of each run by the path of its folder.
    """
    heading, introduction = _introduction(source)
    title = heading or name.replace("_", " ")
    parts = [
        front_matter(title) + f"\n# {inline(title)}",
        rebuild(introduction, resolve),
        "## Run it",
        fence(f"papermill {path}", "bash"),
        "## Published runs",
        runs_table(runs, run_pages, uri=uri, runbook=False),
        admonition("example", f"The whole runbook, {path}", fence(source, "python"), folded=True),
    ]
    return SitePage(uri, title, "\n\n".join(part for part in parts if part) + "\n")


def _introduction(source: str) -> tuple[str, str]:
    """Return heading and prose of the first Markdown cell of a ``py:percent`` file."""
    lines = source.split("\n")
    for number, line in enumerate(lines):
        if line.startswith("# %% [markdown]"):
            return first_heading(_markdown_cell(lines[number + 1 :]))
    return "", ""


def _markdown_cell(lines: list[str]) -> str:
    text: list[str] = []
    for line in lines:
        if line.startswith("# %%"):
            break
        text.append(line)
    joined = "\n".join(text).strip()
    if joined.startswith(('"""', 'r"""')):  # jupytext also takes a cell as one string
        try:
            return str(ast.literal_eval(joined)).strip()
        except (SyntaxError, ValueError):
            return joined
    return "\n".join(line.removeprefix("#").removeprefix(" ") for line in text).strip()
