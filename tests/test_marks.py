"""Which request belongs to which cell: the marks in a recording."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reaffirm.model.node import NodeSpec, Role, Way
from reaffirm.nodes import marks
from reaffirm.nodes.local import LocalTransport
from reaffirm.nodes.marks import Mark
from reaffirm.nodes.recorder import Recorder
from reaffirm.nodes.recording import recording
from reaffirm.nodes.recording_format import read_tape
from reaffirm.nodes.replay import Replay


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    marks.forget()
    yield
    marks.forget()


def test_a_recording_says_which_cell_asked_what(tmp_path: Path) -> None:
    """Whoever takes a run up again must know which requests the finished cells made."""
    marks.cell_begins(4, "who-is-there")
    node = recording(LocalTransport(NodeSpec("here", Role.NONE, "here", transport=Way.LOCAL)), _to(tmp_path))
    node.run(["echo", "one"])
    marks.cell_begins(6, "a-clean-table")
    node.run(["echo", "two"])
    node.run(["echo", "three"])
    marks.cell_begins(8, "launch")
    node.close()
    marks.cell_begins(10, "after the recording was closed")
    tape = read_tape(tmp_path / "r.jsonl")
    assert tape.marks == ((0, Mark(4, "who-is-there")), (1, Mark(6, "a-clean-table")), (3, Mark(8, "launch")))
    assert [event.op for event in tape.events] == ["run", "run", "run"]


def test_a_replay_passes_over_the_marks(tmp_path: Path) -> None:
    """A replay without the engine, as under nbval, asks the same and must not stumble over them."""
    marks.cell_begins(2, "x")
    node = recording(LocalTransport(NodeSpec("here", Role.NONE, "here", transport=Way.LOCAL)), _to(tmp_path))
    node.run(["echo", "one"])
    marks.cell_begins(3, "y")
    node.run(["echo", "two"])
    node.close()
    replay = Replay(tmp_path / "r.jsonl")
    again = replay.transports["here"]
    assert [again.run(["echo", word]).stdout for word in ("one", "two")] == ["one\n", "two\n"]
    assert replay.left == 0


def test_without_an_engine_nothing_is_marked(tmp_path: Path) -> None:
    """A notebook opened by hand has no numbers of cells that anybody could trust."""
    node = recording(LocalTransport(NodeSpec("here", Role.NONE, "here", transport=Way.LOCAL)), _to(tmp_path))
    node.run(["echo", "one"])
    node.close()
    assert read_tape(tmp_path / "r.jsonl").marks == ()


def _to(folder: Path) -> Recorder:
    return Recorder(folder / "r.jsonl", machines="here", runbook="x")
