"""Two runs into one notebook: the second one is refused before it writes anything."""

import subprocess
import sys
from pathlib import Path

import pytest

from reaffirm.errors import LockedError
from reaffirm.run import folder_lock

HOLD = "import sys, pathlib\nfrom reaffirm.run import folder_lock\n"
HOLD += "folder_lock.claim(pathlib.Path(sys.argv[1]))\nprint('held', flush=True)\nsys.stdin.read()\n"


def test_a_folder_that_another_process_runs_into_is_refused(tmp_path: Path) -> None:
    """Two runs would write over each other's notebook and mix their recordings."""
    folder = tmp_path / "out.run"
    argv = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(LockedError, match=rf"in use by another run, process {other.pid}, since .*Z"):
            folder_lock.claim(folder)
        folder_lock.claim(tmp_path / "other.run")
        other.kill()
    folder_lock.claim(folder)
    folder_lock.claim(folder)  # one run after another, in one process
    assert list(tmp_path.iterdir()) == []
