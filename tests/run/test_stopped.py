"""A signal that asks a run to end: the cell may tidy up, and the `finally` cells run."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .conftest import PAPERMILL, SECONDS, read

_REAFFIRM = (
    sys.executable,
    "-c",
    "import sys; from reaffirm.cli.main import main; sys.exit(main())",
    "run",
    "runbooks/tidies.py",
    "-o",
    "out.ipynb",
)
_PAPERMILL = (*PAPERMILL, "runbooks/tidies.py", "out.ipynb")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda n: n.name)
@pytest.mark.parametrize("argv", [_REAFFIRM, _PAPERMILL], ids=["reaffirm", "papermill"])
def test_a_signal_leaves_time_to_tidy_up(
    project: Path, argv: tuple[str, ...], number: signal.Signals
) -> None:
    """A service manager that stops a launch would leave half of it on the machines."""
    child = subprocess.Popen(
        argv,
        cwd=project,
        env={**os.environ, "REAFFIRM_GRACE": "20"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    until = time.monotonic() + SECONDS
    while not (project / "begun").exists() and time.monotonic() < until:
        time.sleep(0.02)
    child.send_signal(number)
    told = child.communicate(timeout=SECONDS)[1].decode()
    assert child.returncode == 128 + number, told
    assert [name for name in ("begun", "tidied", "never", "last") if (project / name).exists()] == [
        "begun",
        "tidied",
        "last",
    ]
    ended = read(project / "out.ipynb")["metadata"]["reaffirm"]["ended"]
    assert (ended["how"], ended["cell"]) == ("interrupted", 1)
    assert "was heard: the cell has 20 s to tidy up" in told
