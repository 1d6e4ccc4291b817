"""The ledger: what somebody did to published runs, or to the ledger itself, is named with its line."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reaffirm.cli.main import main
from reaffirm.errors import DocumentError
from reaffirm.store.ledger import LEDGER, read_ledger
from reaffirm.store.ledger_check import file_hashes, local_findings, published_findings
from reaffirm.store.ledger_writing import writing

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """``docs/runs`` with two runs and a ledger that tells of them."""
    folder = tmp_path / "docs" / "runs"
    for run in ("one/first", "one/second"):
        (folder / run / "logs").mkdir(parents=True)
        (folder / run / "facts.json").write_text(f'{{"run": "{run}"}}')
        (folder / run / "logs" / "a.log").write_text("a line\n")
        with writing(folder / LEDGER) as ledger:
            ledger.append("published", run=run, supersedes=[], files=file_hashes(folder / run), kind="lab")
    return folder


def findings(published: Path) -> list[str]:
    """What is found, one line each, without the next step."""
    ledger = read_ledger(published / LEDGER, shown="docs/runs/ledger.jsonl")
    return [str(one).split("; ")[0] for one in published_findings(ledger, published, "docs/runs")]


def lines(published: Path) -> list[str]:
    """The lines of the ledger."""
    return (published / LEDGER).read_text().splitlines()


def write(published: Path, *them: str) -> None:
    """Put other lines into the ledger."""
    (published / LEDGER).write_text("".join(f"{line}\n" for line in them))


_TAMPERED: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "nothing": (lambda _: None, []),
    "a file changed": (
        lambda runs: (runs / "one/first/facts.json").write_text("{}"),
        ["docs/runs/one/first/facts.json:1: file-changed changed: docs/runs/ledger.jsonl:1 has "],
    ),
    "a file added": (
        lambda runs: (runs / "one/second/new.log").write_text(""),
        ["docs/runs/one/second/new.log:1: file-added added: docs/runs/ledger.jsonl:2 has no such file"],
    ),
    "a file removed": (
        lambda runs: (runs / "one/second/logs/a.log").unlink(),
        ["docs/runs/one/second/logs/a.log:1: file-removed removed: docs/runs/ledger.jsonl:2 has it with "],
    ),
    "a run removed": (
        lambda runs: shutil.rmtree(runs / "one/first"),
        ["docs/runs/one/first:1: run-removed removed: docs/runs/ledger.jsonl:1 says published on "],
    ),
    "a run added": (
        lambda runs: shutil.copytree(runs / "one/first", runs / "two/third"),
        ["docs/runs/two/third:1: run-added added: this run has no line in docs/runs/ledger.jsonl"],
    ),
    "a stray file": (
        lambda runs: (runs / "one/notes.txt").write_text(""),
        ["docs/runs/one/notes.txt:1: file-added added: it belongs to no run"],
    ),
    "a publish that was cut off": (
        lambda runs: (runs / "one/.part-x").mkdir(),
        ["docs/runs/one/.part-x:1: left-over a publish was cut off here"],
    ),
    "a link to the same bytes elsewhere": (
        lambda runs: (
            (runs / "one/first/facts.json").rename(runs.parent / "moved")
            and (runs / "one/first/facts.json").symlink_to(runs.parent / "moved")
        ),
        ["docs/runs/one/first/facts.json:1: no-file a link, a pipe or the like"],
    ),
    "a pipe": (
        lambda runs: os.mkfifo(runs / "one/first/pipe"),
        ["docs/runs/one/first/pipe:1: no-file a link, a pipe or the like"],
    ),
    "a line changed": (
        lambda runs: write(runs, lines(runs)[0].replace('"lab"', '"real"'), lines(runs)[1]),
        ["docs/runs/ledger.jsonl:1: ledger-changed this line about one/first was changed: its hash is "],
    ),
    "a line that a person reads otherwise": (
        lambda runs: write(
            runs, lines(runs)[0].replace('"kind":"lab"', '"kind":"real","kind":"lab"'), lines(runs)[1]
        ),
        ["docs/runs/ledger.jsonl:1: ledger-changed this line about one/first was changed: a ledger does"],
    ),
    "a line removed": (
        lambda runs: write(runs, lines(runs)[1]),
        [
            "docs/runs/ledger.jsonl:1: ledger-gap this line comes after one that is not here: ",
            "docs/runs/one/first:1: run-added added: this run has no line",
        ],
    ),
    "a line that is none": (
        lambda runs: write(runs, *lines(runs), "<<<<<<< HEAD"),
        ["docs/runs/ledger.jsonl:3: ledger-damaged not JSON, got … '<<<<<<< HEAD'"],
    ),
    "a newer schema": (
        lambda runs: write(runs, *lines(runs), '{"schema":2,"op":"published","h":"x"}'),
        ["docs/runs/ledger.jsonl:3: ledger-damaged schema 1 is what this version reads, got 2"],
    ),
}


@pytest.mark.parametrize(("tamper", "told"), _TAMPERED.values(), ids=list(_TAMPERED))
def test_what_was_done_to_it_is_named(
    published: Path, tamper: Callable[[Path], object], told: list[str]
) -> None:
    """An edited run would pass for the one that was published."""
    tamper(published)
    found = findings(published)
    assert len(found) == len(told), found
    for here, wanted in zip(found, told, strict=True):
        assert here.startswith(wanted)


def test_rewritten_with_new_hashes_is_not_noticed(published: Path) -> None:
    """What the documentation says of a chain without a signature: who rewrites all of it leaves no trace."""
    (published / "one/first/facts.json").write_text("{}")
    (published / LEDGER).unlink()
    for run in ("one/first", "one/second"):
        with writing(published / LEDGER) as ledger:
            ledger.append("published", run=run, supersedes=[], files=file_hashes(published / run))
    assert findings(published) == []


def test_a_line_that_a_crash_cut_short(published: Path) -> None:
    """The next run would be glued to the torn line, and both were lost."""
    whole = (published / LEDGER).read_bytes()
    (published / LEDGER).write_bytes(whole[:-40])
    torn, _ = findings(published)
    assert torn.startswith("docs/runs/ledger.jsonl:2: ledger-torn the last line breaks off after ")
    with writing(published / LEDGER) as ledger:
        ledger.append("adopted", run="one/second", supersedes=[], files=file_hashes(published / "one/second"))
        ledger.append("withdrawn", run="one/third", supersedes=[], because="never was; password=hunter22")
    assert findings(published) == [], "the line after it says that it was torn"
    assert "hunter22" not in (published / LEDGER).read_text()
    assert (published / LEDGER).read_bytes().startswith(whole[:-40]), "nothing is ever taken out"


def test_a_last_line_without_its_newline(published: Path) -> None:
    """An editor that saves without a last newline must not break the chain."""
    (published / LEDGER).write_bytes((published / LEDGER).read_bytes().rstrip(b"\n"))
    assert findings(published) == []
    with writing(published / LEDGER) as ledger:
        ledger.append("withdrawn", run="one/third", supersedes=[], because="x")
    assert len(lines(published)) == 3
    assert findings(published) == []


_APPENDS = """
import sys
from pathlib import Path
from reaffirm.store.ledger_writing import writing
for number in range(20):
    with writing(Path(sys.argv[1]), whole=False, sync=False) as ledger:
        ledger.append("ended", run=f"{sys.argv[2]}/{number}", supersedes=[], files={})
"""


def test_two_processes_append_at_once(tmp_path: Path) -> None:
    """Two runs that end together would write into each other's line, or each lose the other's."""
    path = tmp_path / "runs" / LEDGER
    both = [subprocess.Popen([sys.executable, "-c", _APPENDS, str(path), who]) for who in ("a", "b")]
    assert [process.wait(timeout=60) for process in both] == [0, 0]
    ledger = read_ledger(path)
    assert len(ledger.entries) == 40
    assert ledger.findings == ()
    assert len(ledger.heads) == 1, "each line names the one before it, whoever wrote that"


def test_a_ledger_that_somebody_holds(tmp_path: Path) -> None:
    """A process that hangs must not let all others wait for ever."""
    path = tmp_path / LEDGER
    with (
        writing(path),
        pytest.raises(DocumentError, match="for too long") as caught,
        writing(path, patience=0.05),
    ):
        pass
    assert "fuser" in caught.value.hint
    assert not path.exists(), "nobody wrote anything"


def git(folder: Path, *words: str) -> str:
    """Run git as somebody."""
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_two_branches_that_both_publish_merge(published: Path) -> None:
    """Whoever merges second would have a conflict in a file that nobody may edit."""
    root = published.parents[1]
    shutil.copy(REPOSITORY / ".gitattributes", root)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "two runs")
    for branch in ("left", "right"):
        git(root, "checkout", "-q", "-b", branch, "main")
        run = published / branch / "new"
        run.mkdir(parents=True)
        (run / "facts.json").write_text(branch)
        with writing(published / LEDGER) as ledger:
            ledger.append("published", run=f"{branch}/new", supersedes=[], files=file_hashes(run))
        if branch == "left":
            shutil.rmtree(published / "one/first")
            with writing(published / LEDGER) as ledger:
                old = [entry.hash for entry in ledger.ledger.runs["one/first"]]
                ledger.append("withdrawn", run="one/first", supersedes=old, because="a mistake")
        git(root, "add", "-A")
        git(root, "commit", "-qm", branch)
    git(root, "merge", "-q", "--no-edit", "left")
    ledger = read_ledger(published / LEDGER)
    assert len(ledger.heads) == 2
    assert findings(published) == []
    with writing(published / LEDGER) as book:
        book.append("withdrawn", run="none", supersedes=[], because="joins both")
    assert len(read_ledger(published / LEDGER).heads) == 1
    assert findings(published) == []


def test_lines_that_were_cut_off(
    published: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The newest lines can be cut off without a gap, with their runs; only the history of git has them."""
    root = published.parents[1]
    for name in ("runbooks", "adrs"):
        (root / name).mkdir()
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "two runs")
    monkeypatch.chdir(root)
    write(published, lines(published)[0])
    shutil.rmtree(published / "one/second")
    assert main(["ledger", "verify"]) == 0
    capsys.readouterr()
    assert main(["ledger", "verify", "--since", "main"]) == 1
    told = capsys.readouterr().out
    assert (
        "docs/runs/ledger.jsonl:2: ledger-cut removed: main:ledger.jsonl has published of one/second on"
        in told
    )
    assert main(["ledger", "verify", "--since", "nowhere"]) == 3


def test_two_branches_that_replace_one_run(published: Path) -> None:
    """After the merge one of both lies there; each was published, so neither is a change."""
    current = [entry.hash for entry in read_ledger(published / LEDGER).runs["one/first"]]
    whole = (published / LEDGER).read_bytes()
    added = []
    for text in ("left", "right"):
        (published / LEDGER).write_bytes(whole)
        (published / "one/first/facts.json").write_text(text)
        with writing(published / LEDGER) as ledger:
            ledger.append(
                "replaced", run="one/first", supersedes=current, files=file_hashes(published / "one/first")
            )
        added.append((published / LEDGER).read_bytes().removeprefix(whole))
    (published / LEDGER).write_bytes(whole + b"".join(added))
    assert findings(published) == []
    (published / "one/first/facts.json").write_text("neither")
    assert len(findings(published)) == 1


def test_the_ledger_of_this_checkout(tmp_path: Path) -> None:
    """A local run that was edited before it is published would be the run that somebody saw."""
    path = tmp_path / "runs" / LEDGER
    notebook = tmp_path / "runs" / "x" / "a.ipynb"
    notebook.parent.mkdir(parents=True)
    notebook.write_text("{}")
    with writing(path, whole=False) as ledger:
        begun = ledger.append("begun", run="runs/x/a.ipynb", supersedes=[])
        hashes = {"runs/x/a.ipynb": file_hashes(notebook.parent)["a.ipynb"]}
        ledger.append("ended", run="runs/x/a.ipynb", supersedes=[begun], files=hashes)
    assert not list(local_findings(read_ledger(path), tmp_path))
    notebook.write_text('{"edited": 1}')
    (found,) = local_findings(read_ledger(path), tmp_path)
    assert (found.path, found.code) == ("runs/x/a.ipynb", "file-changed")


def test_verify_as_a_command(
    published: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """CI would be green over an edited run, or a person would not know what to do about it."""
    root = published.parents[1]
    for name in ("runbooks", "adrs"):
        (root / name).mkdir()
    monkeypatch.chdir(root)
    assert main(["ledger", "verify"]) == 0
    assert "docs/runs/ledger.jsonl: 2 line(s), 2 run(s), 0 finding(s)" in capsys.readouterr().out
    shutil.rmtree(published / "one/second")
    assert main(["ledger", "verify", "docs/runs/ledger.jsonl"]) == 1
    assert "reaffirm withdraw one/second --because" in capsys.readouterr().out
    assert main(["withdraw", "one/second"]) == 3
    assert main(["withdraw", "one/second", "one/first", "--because", "both were tried out only"]) == 0
    capsys.readouterr()
    assert main(["ledger", "verify"]) == 0
    said = json.loads(lines(published)[-1])
    assert (said["op"], said["because"]) == ("withdrawn", "both were tried out only")
    assert main(["withdraw", "one/first", "--because", "x"]) == 3
    assert main(["ledger", "verify", "nowhere/ledger.jsonl"]) == 3


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_ledger_that_cannot_be_written(published: Path) -> None:
    """Publishing would leave a run that the ledger does not know."""
    (published / LEDGER).chmod(0o444)
    with pytest.raises(OSError, match="denied"), writing(published / LEDGER):
        pass
