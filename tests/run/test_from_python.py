"""Runbooks from Python: ``execute_notebook`` and ``inspect_notebook`` of papermill."""

import subprocess
import sys
from pathlib import Path

import papermill

from .conftest import SECONDS, notebooks, printed, read


def python(project: Path, code: str) -> str:
    """Run code in the project and return what it printed.

    A process of its own, since jupyter_client leaves event loops and sockets to the garbage collector.
    """
    argv = [sys.executable, "-W", "error", "-W", "ignore::ResourceWarning", "-c", code]
    done = subprocess.run(
        argv,
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_execute(project: Path) -> None:
    """A Path, values to be typed, and the notebook that comes back says what the written one says."""
    code = """
import os, json
from pathlib import Path
os.environ["REAFFIRM_RUN_DIR"] = "/that/of/another/run"
from papermill import execute_notebook
made = execute_notebook(
    Path("runbooks/small.py"), Path("out.ipynb"), {"count": "5", "dry_run": "false"}, progress_bar=False
)
assert made.metadata["reaffirm"] == json.load(open("out.ipynb"))["metadata"]["reaffirm"]
assert os.environ["REAFFIRM_RUN_DIR"] == "/that/of/another/run"
none = execute_notebook("runbooks/plain.py", None, progress_bar=False)
assert none.metadata["reaffirm"]["ended"]["how"] == "completed"
"""
    python(project, code)
    told = printed(read(project / "out.ipynb"))
    assert '["simulated", 5, false, "abc", null, ["a", "b"]]' in told
    assert f'"REAFFIRM_RUN_DIR": "{project}/out.run"' in told
    assert [path.name for path in notebooks(project)] == ["out.ipynb"]
    assert [path.name for path in (project / "runs").iterdir()] == ["ledger.jsonl"]


def test_inspect(project: Path) -> None:
    """papermill's own reader of parameters drops most types and cuts defaults at a ``#``."""
    found = papermill.inspect_notebook(project / "runbooks" / "small.py")
    assert list(found) == ["nodes", "count", "dry_run", "sha", "limit", "images"]
    assert found["limit"] == {
        "name": "limit",
        "inferred_type_name": "float | None",
        "default": "None",
        "help": "seconds; none: no limit",
    }


def test_folder_of_an_earlier_run_is_kept(project: Path) -> None:
    """Logs that an earlier run saved under the same name would be lost, or taken for this run's."""
    old = project / "out.run"
    old.mkdir()
    (old / "recording.jsonl").write_text('{"op": "begin", "nodes": [{"kind": "real"}]}\n')
    python(project, "import papermill; papermill.execute_notebook('runbooks/plain.py', 'out.ipynb')")
    assert read(project / "out.ipynb")["metadata"]["reaffirm"]["kind"] is None
    assert (project / "out.run.1" / "recording.jsonl").exists()


def test_two_threads(project: Path) -> None:
    """papermill changes the folder of the whole process; two threads must not get each other's run folder."""
    code = """
import threading, papermill
def run(name):
    papermill.execute_notebook("runbooks/small.py", f"{name}.ipynb", progress_bar=False)
threads = [threading.Thread(target=run, args=(name,)) for name in ("one", "two")]
[t.start() for t in threads]
[t.join(60) for t in threads]
"""
    python(project, code)
    for name in ("one", "two"):
        assert f'"REAFFIRM_RUN_DIR": "{project}/{name}.run"' in printed(read(project / f"{name}.ipynb"))
