"""The lock program itself, on this machine: reboots, files that are not its own, no folder."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAM = (Path(__file__).parents[2] / "scripts/node/node_lock.py").read_text(encoding="utf-8")


def _run(folder: Path, *words: str) -> tuple[int, dict[str, Any], str]:
    done = subprocess.run(
        [sys.executable, "-", *words],
        input=PROGRAM,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={"NODE_LOCK_FOLDER": str(folder)},
    )
    return done.returncode, json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}, done.stderr


def _holder(token: str) -> str:
    return json.dumps({"token": token, "run": f"run-{token}", "machine": token, "pid": 1, "born": token})


def test_a_lock_from_before_a_boot_is_void(tmp_path: Path) -> None:
    """After a power cut every node would be held by a run that cannot exist any more."""
    assert _run(tmp_path, "take", _holder("one"), "1800")[1] == {"taken": True, "after": None}
    lock = tmp_path / "reaffirm" / "node.lock"
    said = json.loads(lock.read_text(encoding="utf-8"))
    assert _run(tmp_path, "take", _holder("two"), "1800")[1]["taken"] is False
    lock.write_text(json.dumps({**said, "boot": "another"}), encoding="utf-8")
    told = _run(tmp_path, "take", _holder("two"), "1800")[1]
    assert told["taken"] is True
    assert told["after"]["void"] == "the machine was booted since"
    assert told["after"]["run"] == "run-one"


@pytest.mark.parametrize(
    "text",
    ["", "not JSON", "[1]", "{}", '{"token": 3}', "\x00\xff", "[" * 9_999, '{"token":' * 999],
    ids=["empty", "no JSON", "a list", "no token", "half", "binary", "deep lists", "deep objects"],
)
def test_a_file_that_is_no_lock_holds_nobody_up(tmp_path: Path, text: str) -> None:
    """A disk that was full when the lock was written would hold the node for ever."""
    (tmp_path / "reaffirm").mkdir()
    (tmp_path / "reaffirm" / "node.lock").write_text(text, encoding="latin-1")
    assert _run(tmp_path, "take", _holder("one"), "1800")[1]["taken"] is True


def test_a_pipe_in_place_of_the_lock_holds_nobody_up(tmp_path: Path) -> None:
    """Whoever may write there could have every run wait for ever, until its time is over."""
    (tmp_path / "reaffirm").mkdir()
    for name in ("node.lock", "broken.lock"):
        os.mkfifo(tmp_path / "reaffirm" / name)
    assert _run(tmp_path, "show")[1] == {"holder": None}
    assert _run(tmp_path, "keep", "one", "1800")[1]["kept"] is False
    assert _run(tmp_path, "take", _holder("one"), "1800")[1] == {"taken": True, "after": None}
    assert _run(tmp_path, "show")[1]["holder"]["run"] == "run-one"


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    """A lock that was never taken would be believed to be there."""
    (tmp_path / "reaffirm").write_text("a file")
    status, _, said = _run(tmp_path, "take", _holder("one"), "1800")
    assert status == 1
    assert said.strip().endswith("reaffirm is no folder")


def test_the_folder_is_for_every_user(tmp_path: Path) -> None:
    """The second user of a machine could neither take nor clear the lock of the first."""
    _run(tmp_path, "show")
    assert (tmp_path / "reaffirm").stat().st_mode & 0o777 == 0o777


def test_of_many_at_once_one_gets_it(tmp_path: Path) -> None:
    """Two runs that start in one moment would both believe to hold the node."""
    argv = [sys.executable, "-c", PROGRAM, "take"]
    env = {"NODE_LOCK_FOLDER": str(tmp_path)}
    running = [
        subprocess.Popen([*argv, _holder(str(n)), "1800"], stdout=subprocess.PIPE, text=True, env=env)
        for n in range(8)
    ]
    told = [json.loads(one.communicate(timeout=60)[0]) for one in running]
    assert [one["taken"] for one in told].count(True) == 1
