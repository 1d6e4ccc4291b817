"""Lines of several ranks in one paste, told apart by what engines put before them: ``ranks/*.toml``."""

import tomllib
from pathlib import Path

import pytest

from reaffirm.diagnose.paste import Paste, logs_of, read_paste
from reaffirm.diagnose.rank_marks import MOST_RANKS, whose
from reaffirm.store.failures import read_failures

MODES = read_failures((Path(__file__).parents[2] / "docs/failures", "docs/failures")).modes
_SPECIMENS = sorted((Path(__file__).parent / "ranks").glob("*.toml"))
_LINE = "CustomAllreduce is disabled because this process group spans across nodes."
_BEGIN = "Init torch distributed begin."


@pytest.mark.parametrize("file", _SPECIMENS, ids=lambda file: file.stem)
def test_each_line_is_its_rank_s(file: Path) -> None:
    """What one rank said would be laid to another one, or nobody would learn which rank is stuck."""
    said = tomllib.loads(file.read_text(encoding="utf-8"))["line"]
    assert whose([one["text"] for one in said]) == [one["rank"] for one in said]


def test_evidence_names_the_rank_and_the_line_of_the_paste() -> None:
    """Of two ranks that stall only the first would be shown, as "a rank"."""
    text = f"[2026-03-06 10:00:00 TP0] {_LINE}\n[2026-03-06 10:00:01] HTTP\n[2026-03-06 10:00:01 TP1] {_LINE}"
    [first, *_] = read_paste(MODES, Paste(text)).perhaps.matches
    assert [(one.node, one.number) for one in first.evidence] == [("TP0", 1), ("TP1", 3), ("all ranks", 0)]


def test_a_rank_that_is_behind_holds_the_stage_back() -> None:
    """A launch whose second rank never joined would be called a stall of both after they met."""
    text = f"[2026-03-06 10:00:00 TP0] {_LINE}\n[2026-03-06 10:00:01 TP1] {_BEGIN}"
    seen = read_paste(MODES, Paste(text))
    assert {one.stage for one in seen.symptoms} == {"group-formation"}
    assert "silent-stall-queue-address" not in seen.perhaps.pages


def test_lines_of_nobody_count_for_each_rank() -> None:
    """What the server or the library says would be lost between the ranks, or be laid to one of them."""
    lines = ["(APIServer pid=1) INFO a", "(Worker_TP0 pid=3) b", "  c", "(Worker_TP1 pid=3) d"]
    logs = logs_of(lines)
    assert [(log.node, log.lines, log.numbers) for log in logs.ranks] == [
        ("TP0", (lines[1],), (2,)),
        ("TP1", (lines[3],), (4,)),
    ]
    assert logs.shared is not None
    assert (logs.shared.node, logs.shared.lines, logs.shared.numbers) == (
        "a rank",
        (lines[0], lines[2]),
        (1, 3),
    )
    told = "zmq.error.ZMQError: Cannot assign requested address"
    [fit] = read_paste(MODES, Paste("\n".join([*lines, told]))).fits.matches
    assert [(one.node, one.number) for one in fit.evidence] == [("a rank", 5)]


def test_a_paste_of_very_many_ranks_is_read_as_one() -> None:
    """Marks that mean something else would make a paste slow to read, rank by rank."""
    lines = [f"[rank{number}]: x" for number in range(MOST_RANKS + 1)]
    assert set(whose(lines[1:])) == {f"rank{number}" for number in range(1, MOST_RANKS + 1)}
    assert set(whose(lines)) == {""}
