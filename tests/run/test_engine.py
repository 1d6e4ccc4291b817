"""The record of a run is true whatever ends it, and it shows what Jupyter's kernel would have shown."""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reaffirm.run.journal import events

from .conftest import PAPERMILL, SECONDS, printed, read

Run = Callable[..., subprocess.CompletedProcess[str]]


def states(notebook: dict[str, Any]) -> list[str]:
    """The status of each cell of code."""
    return [
        cell["metadata"]["papermill"]["status"]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code" and "injected-parameters" not in cell["metadata"]["tags"]
    ]


def journal(folder: Path) -> list[dict[str, Any]]:
    """The events of a run."""
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


def gone(pid: int) -> bool:
    """Whether a process ends within a moment; one that only waits for its parent has ended."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.02)
    return False


def test_outputs_are_those_of_the_kernel(project: Path, papermill: Run) -> None:
    """Published notebooks are compared by nbval, which runs them in Jupyter's kernel."""
    ours = papermill("runbooks/rich.py", "ours.ipynb")
    theirs = papermill("runbooks/rich.py", "theirs.ipynb", "--engine", "nbclient")
    assert ours.returncode == 0, ours.stderr
    assert read(project / "theirs.ipynb")["metadata"]["reaffirm"]["engine"] == "nbclient"
    assert read(project / "ours.ipynb")["metadata"]["reaffirm"]["engine"] == "reaffirm"
    cells = zip(_code(project / "ours.ipynb"), _code(project / "theirs.ipynb"), strict=True)
    for number, (one, other) in enumerate(cells):
        assert one["execution_count"] == other["execution_count"]
        assert _comparable(one) == _comparable(other), f"cell of code {number}\n{theirs.stderr}"
    languages = [read(project / name)["metadata"]["language_info"] for name in ("ours.ipynb", "theirs.ipynb")]
    assert languages[0] == languages[1]


def _code(notebook: Path) -> list[dict[str, Any]]:
    return [cell for cell in read(notebook)["cells"] if cell["cell_type"] == "code"]


def _comparable(cell: dict[str, Any]) -> list[Any]:
    """Outputs as nbval compares them: text of one stream as one, and the rest in order."""
    streams: dict[str, str] = {}
    others = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            streams[output["name"]] = streams.get(output["name"], "") + "".join(output["text"])
        else:
            others.append({k: v for k, v in output.items() if k != "metadata"})
    if "%%time" in "".join(cell["source"]):
        return [list(streams)]
    return [streams, others]


@pytest.mark.parametrize(
    ("how", "status", "told", "middle"),
    [
        ("raise", 1, "FAILED at cell 5 \"The end\": ValueError: told to", "failed"),
        ("exit", 0, "", "completed"),
        ("exit 3", 1, 'FAILED at cell 5 "The end": SystemExit: 3', "failed"),
        ("_exit", 138, 'the Python process of the notebook died: it ended', "failed"),
        ("segfault", 138, "killed by SIGSEGV", "failed"),
        ("kill", 138, "killed by SIGKILL", "failed"),
        ("late", 1, "the cell did not end within its time limit of 1 s", "failed"),
        ("late, await", 1, "the cell did not end within its time limit of 1 s", "failed"),
        ("swallows", 1, "the cell did not end within its time limit of 1 s", "failed"),
        ("stubborn", 1, "it went on when it was interrupted", "failed"),
    ],
)  # fmt: skip
def test_how_a_cell_ends(
    project: Path, papermill: Run, how: str, status: int, told: str, middle: str
) -> None:
    """Each way is told, nothing that was written is lost, and what the cell left behind is ended."""
    env = {**os.environ, "REAFFIRM_GRACE": "0.5" if how == "stubborn" else "30"}
    done = papermill("runbooks/ends.py", "out.ipynb", "-p", "how", how, env=env)
    assert done.returncode == status, done.stderr
    assert told in done.stderr
    notebook = read(project / "out.ipynb")
    died = how in ("_exit", "segfault", "kill", "stubborn")
    assert "  The end · middle  " in done.stderr
    assert ("; tagged finally, but not run: tidy, tidy-2" in done.stderr) is died
    last = ["pending"] * 2 if died else ["failed" if how == "raise" else "completed", "completed"]
    assert states(notebook) == ["completed", "completed", middle, "pending", *last]
    text = printed(notebook)
    assert text.startswith("begun\nfrom C\nlast words")
    assert ("finally" in text) is not died
    assert gone(int((project / "child").read_text()))
    ended = notebook["metadata"]["reaffirm"]["ended"]
    assert ended["cell"] == 5
    assert ended["heading"] == "The end"
    if how == "swallows":
        assert "tidied" in text
    cell = next(c for c in notebook["cells"] if c["metadata"].get("step") == "middle")
    if status:
        assert [o["output_type"] for o in cell["outputs"]].count("error") == (how != "swallows")
    if how.startswith("late"):
        assert cell["metadata"]["reaffirm"] == {"status": "timed out", "why": told}
        error = next(o for o in cell["outputs"] if o["output_type"] == "error")
        assert (error["ename"], error["evalue"]) == ("KeyboardInterrupt", told)
    ops = [event["op"] for event in journal(project / "out.run")]
    assert (ops[0], ops[-1]) == ("begin", "end")


def test_order_of_what_is_written(project: Path, papermill: Run) -> None:
    """Jupyter's kernel shows the lines of programs before or after those of the cell that ran them."""
    cell = [
        "# %%",
        "import os, subprocess, sys",
        "from IPython.display import display",
        "for n in range(3):",
        "    print('python', n)",
        "    subprocess.run(['echo', f'program {n}'])",
        "    os.write(1, b'C\\n')",
        "    display({'text/plain': f'shown {n}'}, raw=True)",
        "    print('error', n, file=sys.stderr)",
    ]
    (project / "runbooks" / "order.py").write_text("\n".join(cell))
    assert papermill("runbooks/order.py", "out.ipynb").returncode == 0
    outputs = read(project / "out.ipynb")["cells"][0]["outputs"]
    found = ["".join(o.get("text") or o["data"]["text/plain"]) for o in outputs]
    wanted = []
    for n in range(3):
        wanted += [f"python {n}\nprogram {n}\nC\n", f"shown {n}", f"error {n}\n"]
    assert sorted(found) == sorted(wanted)
    assert [o for o in found if o.startswith("shown")] == ["shown 0", "shown 1", "shown 2"]


def test_a_flood_is_bounded(project: Path, papermill: Run) -> None:
    """A loop that prints for a night would make a notebook that nobody can open, or fill the disk."""
    cell = [
        "# %%",
        "for n in range(60_000):",
        "    print('line', n, 'and more of it', 'password=geheim' + str(n) if n % 1000 == 0 else '')",
        "# %%",
        "import subprocess",
        "done = subprocess.run('yes a line that is as long as lines are | head -c 70000000', shell=True)",
    ]
    (project / "runbooks" / "flood.py").write_text("\n".join(cell))
    done = papermill("runbooks/flood.py", "out.ipynb")
    assert done.returncode == 0, done.stderr
    assert (project / "out.ipynb").stat().st_size < 3_000_000
    first = printed({"cells": [read(project / "out.ipynb")["cells"][0]]})
    assert first.startswith("line 0 and more of it password=[redacted]\nline 1 and more")
    assert first.endswith("line 59999 and more of it \n")
    assert "characters of output are left out here; all of it is in outputs/001-start.txt …\n" in first
    kept = (project / "out.run" / "outputs" / "001-start.txt").read_text()
    masked = ("", "password=[redacted]")
    lines = [f"line {n} and more of it {masked[n % 1000 == 0]}" for n in range(60_000)]
    assert kept.splitlines() == lines
    second = printed({"cells": [read(project / "out.ipynb")["cells"][1]]})
    assert "without the last 2,891,136 characters" in second
    assert (project / "out.run" / "outputs" / "002-start-2.txt").stat().st_size == 64 << 20
    assert "geheim" not in (project / "out.run" / "journal.jsonl").read_text()


def test_many_pictures(project: Path, papermill: Run) -> None:
    """A loop that draws for a night would make a notebook that nobody can open."""
    cell = [
        "# %%",
        "from IPython.display import HTML, display",
        "for n in range(9):",
        "    display(HTML(f'{n}' * 2_000_000))",
    ]
    (project / "runbooks" / "draws.py").write_text("\n".join(cell))
    assert papermill("runbooks/draws.py", "out.ipynb").returncode == 0
    outputs = read(project / "out.ipynb")["cells"][0]["outputs"]
    assert [list(output["data"]) for output in outputs[:8]] == [["text/html", "text/plain"]] * 8
    line = "… an output of 2,000,034 characters is left out here; it is in outputs/001-start.1.json …"
    assert "".join(outputs[8]["data"]["text/plain"]) == line
    kept = json.loads((project / "out.run" / "outputs" / "001-start.1.json").read_text())
    assert kept["text/html"] == "8" * 2_000_000


def test_a_secret_in_two_pieces(project: Path, papermill: Run) -> None:
    """What is flushed in the middle of a key reaches the runner in two pieces, each of which is harmless."""
    cell = [
        "# %%",
        "import sys, time",
        "for piece in ('token is hf_abcdefgh', 'ijklmnopqrstuvwxyz', '0123\\n'):",
        "    print(piece, end='', flush=True)",
        "    time.sleep(0.2)",
        "print('-----BEGIN PRIVATE KEY-----', flush=True)",
        "time.sleep(0.2)",
        "print('c2VjcmV0', flush=True)",
        "time.sleep(0.2)",
        "print('-----END PRIVATE KEY-----')",
    ]
    (project / "runbooks" / "pieces.py").write_text("\n".join(cell))
    assert papermill("runbooks/pieces.py", "out.ipynb").returncode == 0
    for file in (project / "out.ipynb", project / "out.run" / "journal.jsonl"):
        text = file.read_text().replace("time.sleep", "")
        outputs = text if file.suffix == ".jsonl" else printed(read(file))
        outputs = "\n".join(line for line in outputs.splitlines() if '"op":"begin"' not in line)
        assert "ijklmnop" not in outputs
        assert "c2VjcmV0" not in outputs
        assert "token is hf_[redacted]" in outputs


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_runner_is_killed(project: Path, number: int) -> None:
    """No process stays behind, and the notebook says what the journal knows."""
    child = subprocess.Popen(
        [*PAPERMILL, "runbooks/ends.py", "out.ipynb", "-p", "how", "stubborn"],
        cwd=project,
        env={**os.environ, "REAFFIRM_GRACE": "0.5"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + SECONDS
    while not (project / "child").exists() and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.2)
    child.send_signal(number)
    assert child.wait(SECONDS) == (143 if number == signal.SIGTERM else -9)
    assert gone(int((project / "child").read_text()))
    notebook: dict[str, Any] = {}
    while time.monotonic() < until:
        notebook = read(project / "out.ipynb") if (project / "out.ipynb").exists() else {}
        if notebook and "ended" in notebook["metadata"]["reaffirm"]:
            break
        time.sleep(0.05)
    ended = notebook["metadata"]["reaffirm"]["ended"]
    assert ended["cell"] == 5
    assert ended["how"] == ("interrupted" if number == signal.SIGTERM else "killed")
    middle = "interrupted" if number == signal.SIGTERM else "failed"
    assert states(notebook) == ["completed", "completed", middle, "pending", "pending", "pending"]
    assert printed(notebook).startswith("begun\nfrom C\n")
    about = notebook["metadata"]["reaffirm"]
    assert about["code"]["runbook"] == about["runbook"]["sha256"], "what it was running is known all the same"


def test_render(project: Path, papermill: Run) -> None:
    """A machine that lost its power leaves a journal whose last line is half written."""
    assert papermill("runbooks/ends.py", "out.ipynb").returncode == 1
    whole = read(project / "out.ipynb")
    code = "import sys; from reaffirm.cli.entry import main; sys.exit(main())"

    def render(*words: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-c", code, "render", *words]
        return subprocess.run(argv, cwd=project, capture_output=True, text=True, timeout=SECONDS, check=False)

    (project / "out.ipynb").unlink()
    done = render("out.ipynb")
    assert done.returncode == 0, done.stderr
    assert 'FAILED at cell 5 "The end": ValueError: told to' in done.stdout
    again = read(project / "out.ipynb")
    assert again["cells"] == whole["cells"]
    about = again["metadata"]["reaffirm"]
    assert about.items() <= (whole["metadata"]["reaffirm"] | {"git": None}).items()
    assert {"run", "ran", "engine", "versions", "parameters", "ended", "facts", "runbook"} <= about.keys()
    path = project / "out.run" / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    cut = next(i for i, line in enumerate(lines) if b'"op":"text"' in line and b"last words" in line)
    path.write_bytes(b"".join(lines[:cut]) + lines[cut][:20])
    assert render("out.run").returncode == 0
    assert read(project / "out.ipynb")["metadata"]["reaffirm"]["ended"]["why"] == "the runner was killed"
    missing = render("nowhere")
    assert missing.returncode == 3
    assert "nowhere: there is no such run" in missing.stderr
    kept = project / "runs/ends/20261130T101500Z"
    kept.parent.mkdir(parents=True)
    shutil.copytree(project / "out.run", kept.with_suffix(".run"))
    for name in ("20261130T101500Z", "ends/20261130T101500Z"):
        assert render(name).returncode == 0, "other commands take the name of a run"
    path.write_bytes(b"{}\n" + b"".join(lines[1:]))
    assert "journal.jsonl:1: no line of a journal" in render("out.run").stderr


def test_time_limit_that_is_none(project: Path, papermill: Run) -> None:
    """A limit that nobody understands must not stop a run in its middle."""
    (project / "runbooks" / "wrong.py").write_text("# %%\nprint(1)\n\n# %% timeout='soon'\nprint(2)\n")
    done = papermill("runbooks/wrong.py", "out.ipynb")
    assert done.returncode == 2
    assert "runbooks/wrong.py, cell 2: timeout is a number of seconds above 0, got 'soon'" in done.stderr


def test_the_disk_is_full(project: Path) -> None:
    """A run that cannot be recorded any more must not go on doing things to machines."""
    cells = [
        "# %%",
        "import time",
        "try:",
        "    while True:",
        "        print('x' * 1000)",
        "        time.sleep(0.001)",
        "finally:",
        "    open('tidied', 'w').close()",
        "# %%",
        "open('never', 'w').close()",
    ]
    (project / "runbooks" / "full.py").write_text("\n".join(cells))
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f 100; exec {' '.join(PAPERMILL)} runbooks/full.py out.ipynb"],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 1
    assert "the journal cannot be written: File too large" in done.stderr
    assert (project / "tidied").exists()
    assert not (project / "never").exists()
    ops = [event["op"] for event in events(project / "out.run" / "journal.jsonl")]
    assert ops[:2] == ["begin", "cell"]


def test_a_question_to_the_person(project: Path) -> None:
    """Consent is asked for once, before anything is done; without a terminal there is nobody to ask."""
    cells = [
        "# %%",
        "from reaffirm.nodes.asking_runner import ask",
        "print('answered:', ask('May it go? '))",
    ]
    (project / "runbooks" / "asks.py").write_text("\n".join(cells))
    lead, follow = pty.openpty()
    try:
        argv = [*PAPERMILL, "runbooks/asks.py", "out.ipynb"]
        child = subprocess.Popen(argv, cwd=project, stdin=follow, stdout=follow, stderr=follow)
        os.close(follow)
        seen, until = b"", time.monotonic() + SECONDS
        while b"May it go? " not in seen and time.monotonic() < until:
            seen += os.read(lead, 4096)
        os.write(lead, b"yes\n")
        assert child.wait(SECONDS) == 0
    finally:
        os.close(lead)
    assert printed(read(project / "out.ipynb")) == "answered: yes\n"
    done = subprocess.run(
        argv, cwd=project, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0
    assert printed(read(project / "out.ipynb")) == "answered: None\n"
