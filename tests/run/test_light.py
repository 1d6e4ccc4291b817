"""A run loads nothing that it does not need: each of these takes longer to load than a cell takes to run."""

import subprocess
import sys

import pytest

#: What a process loads, and what must not be among it.
LOADED = {
    "the runner": (
        "reaffirm.cli.main, reaffirm.cli.runs, reaffirm.run.direct",
        "rich papermill IPython asyncssh",
    ),
    "the worker": (
        "reaffirm.steps, reaffirm.nodes.connect",
        "markdown_it importlib.metadata asyncssh statistics",
    ),
    "the simulation": ("reaffirm.nodes.simulated", "markdown_it rich asyncssh papermill"),
}


@pytest.mark.parametrize("who", LOADED)
def test_what_is_not_needed_is_not_loaded(who: str) -> None:
    """Each run would begin later than it must, on every machine and in every CI job."""
    modules, heavy = LOADED[who]
    code = f"import {modules}, sys; print(*sorted(set({heavy.split()!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == []
