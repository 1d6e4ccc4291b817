"""The writer of pages: only what changed is touched, nobody else's file is, and a kill does no harm."""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reaffirm.errors import DocumentError, LockedError, UsageError
from reaffirm.site.writer import MANIFEST, write

_OLD = 1_000_000_000  # seconds since 1970: a time at which nothing was written


def content(folder: Path) -> dict[str, str]:
    """Return what is in a folder, without the writer's own file."""
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MANIFEST
    }


def test_only_what_changed_is_touched(tmp_path: Path) -> None:
    """A generator that looks at times would build every page again."""
    folder, picture = tmp_path / "pages", tmp_path / "p.png"
    picture.write_bytes(b"\x89PNG")
    first = write(folder, {"a.md": "a", "b/c.md": "c", "b/d.md": "d", "p.png": picture})
    assert first.written == ("a.md", "b/c.md", "b/d.md", "p.png")
    for path in folder.rglob("*"):
        os.utime(path, (_OLD, _OLD))
    manifest = (folder / MANIFEST).read_bytes()
    same = write(folder, {"a.md": "a", "b/c.md": "c", "b/d.md": "d", "p.png": picture})
    assert (same.written, same.removed) == ((), ())
    assert {path.stat().st_mtime for path in folder.rglob("*") if path.is_file()} == {_OLD}
    assert (folder / MANIFEST).read_bytes() == manifest
    again = write(folder, {"a.md": "a", "b/c.md": "C", "e.md": "e"})
    assert (again.written, again.unchanged, again.removed) == (
        ("b/c.md", "e.md"),
        ("a.md",),
        ("b/d.md", "p.png"),
    )
    assert (folder / "a.md").stat().st_mtime == _OLD
    assert content(folder) == {"a.md": "a", "b/c.md": "C", "e.md": "e"}


def test_folders_that_became_empty_go_and_those_of_others_stay(tmp_path: Path) -> None:
    """A generator would make sections without pages."""
    write(tmp_path, {"a/b/c.md": "1", "a/d.md": "2"})
    (tmp_path / "a/mine.txt").write_text("not yours")
    write(tmp_path, {"e.md": "3"})
    assert content(tmp_path) == {"a/mine.txt": "not yours", "e.md": "3"}
    assert not (tmp_path / "a/b").exists()


def test_a_file_becomes_a_folder_and_back(tmp_path: Path) -> None:
    """A record that is renamed into a folder would stop the build."""
    for files in ({"a": "1"}, {"a/b.md": "2"}, {"a": "3", "c/d": "4"}, {"c": "5"}):
        write(tmp_path, dict(files))
        assert content(tmp_path) == files


@pytest.mark.parametrize("name", ["b.md", "b.md/inside.txt"])
def test_what_others_wrote_is_in_the_way_and_nothing_changes(name: str, tmp_path: Path) -> None:
    """Somebody's file would be lost."""
    write(tmp_path, {"a.md": "1"})
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match=r"b\.md was not written by reaffirm"):
        write(tmp_path, {"a.md": "2", "b.md": "2"})
    assert content(tmp_path) == {"a.md": "1", name: "mine"}


def test_a_page_that_somebody_changed_is_not_lost(tmp_path: Path) -> None:
    """An hour of work on the wrong file would be gone."""
    write(tmp_path, {"a.md": "1", "b.md": "1"})
    (tmp_path / "a.md").write_text("an hour of work")
    for files in ({"a.md": "2", "b.md": "2"}, {"b.md": "2"}):
        with pytest.raises(UsageError, match="a page is changed at its source"):
            write(tmp_path, dict(files))
        assert content(tmp_path) == {"a.md": "an hour of work", "b.md": "1"}


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A link in the folder would let pages be written anywhere."""
    folder, elsewhere = tmp_path / "pages", tmp_path / "elsewhere"
    elsewhere.mkdir()
    write(folder, {"x.md": "1"})
    (folder / "a").symlink_to(elsewhere)
    (folder / "b.md").symlink_to(elsewhere / "b.md")
    for name in ("a/c.md", "b.md"):
        with pytest.raises(UsageError, match="not written by reaffirm"):
            write(folder, {"x.md": "1", name: "2"})
    assert list(elsewhere.iterdir()) == []


def test_a_draft_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    """A folder that came with a repository could overwrite any file of whoever writes pages into it."""
    precious = tmp_path / "precious"
    precious.mkdir()
    for name in ("draft", "manifest"):
        (precious / name).write_text("mine", encoding="utf-8")
    out = tmp_path / "out"
    write(out, {"a.md": "old"})
    (out / ".reaffirm-pages.tmp").symlink_to(precious)
    with pytest.raises(UsageError):
        write(out, {"a.md": "new"})
    (out / ".reaffirm-pages.tmp").unlink()
    (out / ".reaffirm-pages.tmp").mkdir()
    for name in ("draft", "manifest"):
        (out / ".reaffirm-pages.tmp" / name).symlink_to(precious / name)
    write(out, {"a.md": "new"})
    assert (out / "a.md").read_text(encoding="utf-8") == "new"
    assert {one.read_text(encoding="utf-8") for one in precious.iterdir()} == {"mine"}


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """A pipe among the files of the documentation would hold the command for ever."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DocumentError):
        write(tmp_path / "out", {"a.png": tmp_path / "pipe"})


@pytest.mark.parametrize("text", ["[" * 100_000, '{"files": {"\\ud800": ["x"]}}'])
def test_a_manifest_that_was_made_to_harm_is_survived(text: str, tmp_path: Path) -> None:
    """It would end in a traceback."""
    write(tmp_path / "out", {})
    (tmp_path / "out" / MANIFEST).write_text(text, encoding="utf-8")
    with suppress(DocumentError):
        write(tmp_path / "out", {"a.md": "a"})


def test_a_folder_of_others_and_a_file_are_refused(tmp_path: Path) -> None:
    """A slip of the keyboard would fill somebody's folder with pages."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").write_text("mine")
    with pytest.raises(UsageError, match="is not empty, and reaffirm did not write it"):
        write(tmp_path / "full", {"a.md": "1"})
    with pytest.raises(UsageError, match="is a file"):
        write(tmp_path / "full/x", {"a.md": "1"})
    assert content(tmp_path / "full") == {"x": "mine"}


@pytest.mark.parametrize(
    "uri", ["../a.md", "/a.md", "a/../b.md", "a//b.md", "", MANIFEST, "a\\b.md", "a\0.md"]
)
def test_no_address_leads_out_of_the_folder(uri: str, tmp_path: Path) -> None:
    """A hostile name would write over any file."""
    with pytest.raises(UsageError, match="is no address of a file"):
        write(tmp_path / "pages", {uri: "x"})


def test_a_damaged_manifest_is_said_and_nothing_is_guessed(tmp_path: Path) -> None:
    """The writer would take everybody's files for its own, or for nobody's."""
    write(tmp_path, {"a.md": "1"})
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(DocumentError, match="is damaged"):
        write(tmp_path, {"a.md": "2"})
    assert content(tmp_path) == {"a.md": "1"}


def test_another_writer_is_waited_for(tmp_path: Path) -> None:
    """Two builds at once would mix their pages."""
    import fcntl

    write(tmp_path, {"a.md": "1"})
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(LockedError, match="another process has been writing"):
        write(tmp_path, {"a.md": "2"}, patience=0.1)
    threading.Timer(0.3, os.close, (handle,)).start()
    write(tmp_path, {"a.md": "2"}, patience=30)
    assert content(tmp_path) == {"a.md": "2"}


_PROGRAM = """
import sys
from pathlib import Path
from reaffirm.site.writer import write
number = int(sys.argv[2])
print("begins", flush=True)
while True:
    number += 1
    write(Path(sys.argv[1]), {f"{n % 7}/{n + number % 3}.md": f"{number} {n}" * 50 for n in range(80)})
"""


def _writer(folder: Path, number: int) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", _PROGRAM, str(folder), str(number)]
    return subprocess.Popen(words, stdout=subprocess.PIPE)


def test_writers_that_are_killed_leave_what_the_next_one_mends(tmp_path: Path) -> None:
    """A build that was stopped would leave pages that no later build dares to touch."""
    pause = random.Random(7)
    for number in range(6):
        with _writer(tmp_path, number) as process:
            assert process.stdout
            process.stdout.readline()
            time.sleep(pause.uniform(0.0, 0.15))
            process.send_signal(signal.SIGKILL)
            process.wait(30)
        wanted = {"a.md": str(number)}
        write(tmp_path, dict(wanted))
        assert content(tmp_path) == wanted


def test_two_writers_at_once_leave_the_pages_of_one(tmp_path: Path) -> None:
    """Half of the pages would be of one build and half of the other."""
    with _writer(tmp_path, 0) as one, _writer(tmp_path, 1000) as other:
        time.sleep(1.0)
        one.kill()
        other.kill()
        one.wait(30)
        other.wait(30)
    wanted = {f"{n}.md": f"last {n}" for n in range(50)}
    write(tmp_path, dict(wanted))
    assert content(tmp_path) == wanted
    assert set(json.loads((tmp_path / MANIFEST).read_text())["files"]) == set(wanted)


_NAME = st.sampled_from(("a", "b", "c.md"))
_URI = st.lists(_NAME, min_size=1, max_size=3).map("/".join)
_FILES = st.dictionaries(_URI, st.sampled_from(("", "x", "yy")), max_size=6)


def _possible(files: dict[str, str]) -> bool:
    return not any(other.startswith(f"{uri}/") for uri in files for other in files)


@settings(deadline=None, max_examples=60)
@given(st.lists(_FILES.filter(_possible), min_size=1, max_size=4))
def test_after_each_call_the_folder_holds_just_its_files(steps: list[dict[str, str]]) -> None:
    """Pages of records that are gone would stay on the site."""
    with tempfile.TemporaryDirectory() as name:
        for files in steps:
            write(Path(name), dict(files))
            assert content(Path(name)) == files
            assert write(Path(name), dict(files)).written == ()
