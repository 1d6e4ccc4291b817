"""A log held against the failure pages in a terminal, as the box on the site does."""

from pathlib import Path

import pytest

from reaffirm.cli.main import main

_OTHER = "[2026-03-10 09:00:15 TP0] CustomAllreduce is disabled because it's not supported on two GPUs."
_LINE = "[2026-03-06 10:00:00 TP0] CustomAllreduce is disabled because this process group spans across nodes."


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["diagnose", *words])
    out, err = capsys.readouterr()
    return status, out, err


def test_the_line_of_the_story_names_both_rivals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody at a terminal would be told nothing, or a cause that the log cannot show."""
    log = tmp_path / "head.log"
    log.write_text(_LINE + "\n", encoding="utf-8")
    status, out, err = _run(capsys, str(log))
    assert status == 0
    assert "silent-stall-queue-address.md: fits if nothing new came: Both ranks fall silent" in out
    assert "silent-stall-nccl.md: fits if nothing new came: Both" in out
    assert out.count("(draft: rests on too little yet)\n") == 1
    assert "not decided: silent-stall-queue-address and silent-stall-nccl look the same" in out
    assert "speaks for the queue and against NCCL" in out
    assert err.startswith("reaffirm: 2 of ")
    assert "pages fit if nothing new came after the last line, read as sglang" in err
    status, out, _ = _run(capsys, str(log), "--silent", "300")
    assert "silent-stall-queue-address.md: fits: Both" in out
    status, out, _ = _run(capsys, str(log), "--silent", "4")
    assert status == 2
    assert "silent-stall-queue-address.md: near, does not fit: Both ranks fall silent" in out
    assert "  wants nothing new for 45 s after every rank has reached “Group created”, and no end" in out
    assert ": fits" not in out


def test_a_line_with_another_reason_names_what_is_near(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """That none fits would be all that somebody hears whose line is at the very place of the stall."""
    log = tmp_path / "head.log"
    log.write_text(_OTHER + "\nwhat nobody knows\n", encoding="utf-8")
    status, out, err = _run(capsys, str(log))
    assert status == 2
    assert f"these lines stop at the stage “Group created”, by\n  a rank, line 1: {_OTHER}\n" in out
    assert "harmless by itself: what comes after it counts" in out
    wants = "wants a line with “CustomAllreduce is disabled because this process group spans across nodes” or"
    assert wants in out
    assert "; yours begins “CustomAllreduce is disabled because ” and goes on otherwise\n" in out
    assert out.index("silent-stall-queue-address.md: near") < out.index("worker-gone.md: about this stage")
    assert "known to no page and no stage, so nothing above rests on it\n  a rank, line 2: what" in out
    assert ": fits" not in out
    assert " pages fits; 3 are near, read as vllm or sglang" in err
    assert "the lines of one rank only; whether the other one says the same is not known" in err


def test_a_rival_that_does_not_fit_is_named_beside_the_page_that_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of two causes that look alike would be taken for the cause, because a log says a little less."""
    log = tmp_path / "worker.log"
    log.write_text("[2026-03-06 10:00:00 TP1] Setup Custom allreduce failed with x\n", encoding="utf-8")
    _, out, _ = _run(capsys, str(log))
    assert "silent-stall-queue-address.md: fits if nothing new came" in out
    assert "  can look the same, and does not fit these lines: silent-stall-nccl (Both ranks fall" in out
    assert "  what tells them apart: Where the line about the disabled fast path" in out


def test_several_logs_are_several_ranks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lines of two ranks would be put together, or a rank's end be taken for that of another."""
    names = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        names.append(str(tmp_path / folder / "my rank.log"))
        Path(names[-1]).write_text(f"{_LINE}\r\n\r\n", encoding="utf-8")
    status, out, _ = _run(capsys, *names, "--silent", "90", "--engine", "sglang")
    assert status == 0
    assert "my-rank, line 1: [2026" in out
    assert "my-rank-2, line 1: [2026" in out
    _, out, _ = _run(capsys, *names, "--ended", "137")
    assert "worker-gone.md: fits" in out
    assert "my-rank-2: the container ended with status 137" in out


def test_a_log_that_no_page_knows_is_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Silence would look like an answer."""
    log = tmp_path / "x.log"
    log.write_bytes(b"\xff all is well\n")
    status, out, err = _run(capsys, str(log))
    assert status == 2
    assert out.startswith("the last line is known to no page and no stage")
    assert "none of " in err
    status, _, err = _run(capsys, str(tmp_path / "gone.log"))
    assert status == 3
    assert "gone.log: No such file" in err


def test_what_stands_in_the_way_of_a_page_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong engine, a killed container or a broken line would end in "none fits"."""
    log = tmp_path / "x.log"
    log.write_text(_LINE + "\n", encoding="utf-8")
    _, out, _ = _run(capsys, str(log), "--engine", "vllm", "--silent", "300")
    assert out.startswith(
        "written so by sglang, and you chose vllm: try --engine sglang, or none\n  a rank, line 1"
    )
    status, out, err = _run(capsys, str(log), "--ended", "-1")
    assert status == 2
    assert "silent-stall-nccl.md: look here too, it may have been silent before it was killed: Both" in out
    assert "and no end" not in out
    assert "2 would if it was silent before it was killed" in err
    status, out, _ = _run(capsys, str(log), "--silent", "-1")
    assert status == 0
    assert "(you said that nothing new came, not for how long)" in out
    log.write_text(_LINE.replace("spans ", "spans\n"), encoding="utf-8")
    status, out, _ = _run(capsys, str(log))
    assert status == 0
    assert out.startswith(f"read as one line: {_LINE}\n")
    log.write_text(f"{_LINE}\n" + "TP1: hello\n" * 300, encoding="utf-8")
    _, out, _ = _run(capsys, str(log))
    assert "one rank's lines stop at the stage “Group created”, by\n" in out
    assert "  the lines of another rank show no stage at all\n  more than 200 lines follow" in out
    assert "nothing new for" not in out
