"""What makes a run start quickly must not change what it does."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from reaffirm.run import warm
from reaffirm.run.runbook import runbook_from_text
from reaffirm.run.surroundings import kernel_options

from .conftest import printed, read

SECONDS = 60
RUNBOOK = Path(__file__).parents[2] / "runbooks" / "pivot_to_vllm.py"
EXTENSION = "--ext=reaffirm.run.warm"


@pytest.mark.parametrize("part", warm.PARTS)
def test_each_part_that_is_loaded_ahead_exists(part: str) -> None:
    """A part that was renamed would be passed over in silence, and each run would begin later."""
    module, _, function = part.partition(":")
    loaded = import_module(module)
    if function:
        getattr(loaded, function)()


def test_a_part_that_cannot_be_loaded_is_left_to_the_cell() -> None:
    """An error in the project's pages would end the kernel before the cell that can tell it."""
    warm.load("reaffirm.no_such_module")
    warm.load("reaffirm.run.warm:no_such_function")


@pytest.mark.parametrize(
    ("cell", "ahead"),
    [
        ("import reaffirm", True),
        ("print('nothing of ours')", False),
        ("import sys\nsys.path.insert(0, 'src')\nimport reaffirm", False),
        ("%cd src\nimport reaffirm", False),
    ],
)
def test_nothing_is_loaded_ahead_where_a_cell_decides_where_from(cell: str, ahead: bool) -> None:
    """A runbook that brings its own copy of the steps would silently run the installed ones."""
    runbook = runbook_from_text(f"# %%\n{cell}\n", "x.py")
    assert (EXTENSION in kernel_options(runbook)["extra_arguments"]) is ahead


def test_half_of_jupytext_reads_the_same(tmp_path: Path) -> None:
    """The command line would read another notebook than everybody else, or spoil other libraries' imports."""
    program = f"""
import sys
from pathlib import Path
from reaffirm.run import runbook
if sys.argv[1] == "half":
    runbook.command_line()
print(runbook.runbook_from_text(Path({str(RUNBOOK)!r}).read_text(), "x.py").as_json())
assert ("markdown_it" in sys.modules) is (sys.argv[1] == "whole")
import markdown_it
markdown_it.MarkdownIt
"""
    made = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", program, which],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / which)},
        )
        for which in ("half", "whole")
    ]
    assert [done.stderr for done in made] == ["", ""]
    assert made[0].stdout == made[1].stdout


def test_what_is_on_disk_is_up_to_date_while_a_cell_runs(
    project: Path, papermill: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """Whoever is killed leaves a journal that knows every line so far; the notebook follows soon."""
    look = [
        "# %%",
        "import json, os, time",
        "print('one')",
        "# %% [markdown]",
        "# Two",
        "# %%",
        "lines = [json.loads(line) for line in open('out.run/journal.jsonl')]",
        "told = [(line['op'], line.get('cell')) for line in lines]",
        "until = time.monotonic() + 30",
        "states = []",
        "while states != ['completed', 'completed', 'running', 'pending'] and time.monotonic() < until:",
        "    cells = json.load(open('out.ipynb'))['cells'] if os.path.exists('out.ipynb') else []",
        "    states = [cell['metadata']['papermill']['status'] for cell in cells]",
        "    time.sleep(0.05)",
        "print(told, states)",
        "# %% [markdown]",
        "# Three",
    ]
    (project / "runbooks" / "looks.py").write_text("\n".join(look) + "\n")
    done = papermill("runbooks/looks.py", "out.ipynb")
    assert done.returncode == 0, done.stderr
    told = [("begin", None), ("cell", 0), ("text", 0), ("done", 0), ("cell", 2)]
    states = ["completed", "completed", "running", "pending"]
    assert printed(read(project / "out.ipynb")) == f"one\n{told} {states}\n"


def test_a_notebook_of_prose_alone_is_written(
    project: Path, papermill: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """A runbook that is only a draft would leave no notebook."""
    (project / "runbooks" / "prose.py").write_text("# %% [markdown]\n# One\n\n# %% [markdown]\n# Two\n")
    done = papermill("runbooks/prose.py", "out.ipynb")
    assert done.returncode == 0, done.stderr
    states = [cell["metadata"]["papermill"]["status"] for cell in read(project / "out.ipynb")["cells"]]
    assert states == ["completed", "completed"]
