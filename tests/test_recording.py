"""Recording and strict replay of one node that answers from a list."""

import json
import os
import resource
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from reaffirm.clock import Clock, VirtualClock
from reaffirm.errors import NetworkError, RecordingError
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.exchange import Answer, Chunk, HttpAnswer, HttpRequest, Line
from reaffirm.model.node import NodeSpec, Role
from reaffirm.nodes import marks
from reaffirm.nodes.recorder import Recorder
from reaffirm.nodes.recording import recording
from reaffirm.nodes.recording_format import read_tape
from reaffirm.nodes.replay import Replay
from reaffirm.nodes.transport import LineStream, Transport

TOKEN = "hf_" + "a1B2c3D4e5F6g7H8i9"


class _Stream:
    """Lines in groups: one group per read; ``None`` in place of a group is a lost connection."""

    def __init__(self, groups: Sequence[Sequence[str] | None]) -> None:
        self.groups = list(groups)
        self.exit: int | None = None
        self.closed = False

    def read(self, seconds: float) -> list[Line]:
        if not self.groups:
            self.exit = 0
            return []
        group = self.groups.pop(0)
        if group is None:
            msg = "spark-1 went away"
            raise NetworkError(msg, node="spark-1", hint="look at its power")
        return [Line(text, 100.0 + n) for n, text in enumerate(group)]

    def close(self) -> None:
        self.closed = True


class _Node:
    """A node that answers every command with its own words."""

    kind = Kind.LAB
    via = Via.LIVE

    def __init__(self, name: str = "spark-1", role: Role = Role.HEAD) -> None:
        self.node = NodeSpec(name, role, "spark-1.example")
        self.clock: Clock = VirtualClock(1_700_000_000.25)
        self.groups: Sequence[Sequence[str] | None] = ()
        self.fails: BaseException | None = None
        self.says = ""
        self.closed = 0

    def run(self, argv: Sequence[str], *, stdin: str | None = None, timeout: float = 60.0) -> Answer:
        if self.fails:
            raise self.fails
        now = self.clock.now()
        return Answer(0, self.says or " ".join(argv), "", now, now)

    def follow(self, argv: Sequence[str], *, timeout: float = 3600.0) -> LineStream:
        return _Stream(self.groups)

    def http(self, request: HttpRequest, *, timeout: float = 30.0) -> HttpAnswer:
        return HttpAnswer(
            200, {"set-cookie": "id=1"}, (Chunk("data: hf_a1B2c3D4", 1.0), Chunk("e5F6g7H8i9", 2.0)), 1, 2
        )

    def close(self) -> None:
        self.closed += 1


def _recorded(path: Path, *nodes: _Node) -> list[Transport]:
    recorder = Recorder(path, machines="two", runbook="pivot")
    return [recording(node, recorder) for node in nodes]


def test_a_replay_gives_what_the_live_run_gave(tmp_path: Path) -> None:
    """Facts from a replay must be those of the run, across nodes, streams, HTTP and clocks."""

    def story(one: Transport, two: Transport) -> list[object]:
        seen: list[object] = [one.kind, one.clock.now(), two.run(["hostname"], stdin="print(1)")]
        stream = one.follow(["docker", "logs", "-f", "x"])
        while True:
            lines = stream.read(1)
            seen.append(lines)
            one.clock.sleep(2)
            seen.append(stream.exit)
            if not lines and stream.exit is not None:
                break
        stream.close()
        stream.close()
        seen.append(
            one.http(HttpRequest("GET", "http://127.0.0.1:8000/health", {"Authorization": "Bearer abc"}))
        )
        return [*seen, two.clock.now()]

    node = _Node()
    node.groups = [[], ["a", "b"], [], [], ["c"], []]
    live = _recorded(tmp_path / "r.jsonl", node, _Node("spark-2", Role.WORKER))
    told = story(*live)
    for transport in live:
        transport.close()
    replay = Replay(tmp_path / "r.jsonl")
    again = story(*replay.transports.values())
    assert again == told
    assert replay.left == 0
    assert all(t.via is Via.REPLAY for t in replay.transports.values())
    assert (replay.header.machines, replay.header.runbook) == ("two", "pivot")


def test_no_secret_reaches_the_file(tmp_path: Path) -> None:
    """A token in a command, its input, its answer, a log, a header or over two chunks must not be kept."""
    node = _Node()
    node.says = f"Env: HF_TOKEN={TOKEN}"
    node.groups = [
        [
            f"token {TOKEN}",
            "-----BEGIN OPENSSH PRIVATE KEY-----",
            "b3BlbnNzaC1rZXk",
            "-----END OPENSSH PRIVATE KEY-----",
        ]
    ]
    [transport] = _recorded(tmp_path / "r.jsonl", node)
    answer = transport.run(
        ["vllm", "serve", "--api-key", "plain-words", "-e", f"HF_TOKEN={TOKEN}"], stdin=f"key = '{TOKEN}'"
    )
    assert TOKEN not in answer.stdout, "the run sees what the recording holds"
    transport.follow(["cat"]).read(0)
    http = transport.http(
        HttpRequest("GET", "http://u:pa55word@x/", {"X-Api-Key": "k3y"}, body=f'{{"token": "{TOKEN}"}}')
    )
    assert len(http.chunks) == 2
    transport.close()
    text = (tmp_path / "r.jsonl").read_text()
    for secret in (TOKEN, TOKEN[4:], "plain-words", "b3BlbnNzaC1rZXk", "pa55word", "k3y", "id=1"):
        assert secret not in text, secret


def test_a_request_that_differs_shows_both(tmp_path: Path) -> None:
    """Someone who changed a step must see which request differs, and how its program did."""
    [live] = _recorded(tmp_path / "r.jsonl", _Node())
    live.run(["python3", "-"], stdin="import os\nprint(1)\n")
    live.run(["docker", "ps", "-a"])
    live.close()
    replay = Replay(tmp_path / "r.jsonl", shown="docs/runs/x/recording.jsonl").transports["spark-1"]
    with pytest.raises(RecordingError) as caught:
        replay.run(["python3", "-"], stdin="import os\nprint(2)\n")
    message = str(caught.value)
    assert "docs/runs/x/recording.jsonl:3: request 2 differs" in message
    assert "  -print(1)\n  +print(2)" in message
    replay.run(["python3", "-"], stdin="import os  # a comment is no other program\nprint(1)\n")
    with pytest.raises(
        RecordingError, match="recorded: spark-1: run docker ps -a\n  got:      spark-1: run docker ps"
    ):
        replay.run(["docker", "ps"])
    with pytest.raises(RecordingError, match="got:      spark-1: now"):
        replay.clock.now()
    replay.run(["docker", "ps", "-a"])
    with pytest.raises(RecordingError, match="asked nothing more, got spark-1: run true"):
        replay.run(["true"])


def test_errors_of_a_node_come_again(tmp_path: Path) -> None:
    """A run that met a dead node must replay to the same error with the same advice."""
    node = _Node()
    node.fails = NetworkError("spark-1 does not answer", node="spark-1", hint="ping it")
    node.groups = [["a"], None]
    [live] = _recorded(tmp_path / "r.jsonl", node)

    def story(transport: Transport) -> list[str]:
        seen = []
        with pytest.raises(NetworkError) as caught:
            transport.run(["hostname"])
        seen.append(f"{caught.value.node} {caught.value}")
        stream = transport.follow(["cat"])
        seen += [line.text for line in stream.read(1)]
        with pytest.raises(NetworkError) as caught:
            stream.read(1)
        stream.close()
        return [*seen, str(caught.value)]

    told = story(live)
    live.close()
    assert story(Replay(tmp_path / "r.jsonl").transports["spark-1"]) == told


def test_a_run_that_died_replays_to_its_end_and_says_so(tmp_path: Path) -> None:
    """kill -9 leaves no last line: what is there must still replay, and then say why it stops."""
    node = _Node()
    node.groups = [["a"]]
    [live] = _recorded(tmp_path / "r.jsonl", node)
    live.run(["hostname"])
    live.follow(["docker", "logs", "-f", "x"]).read(1)
    (tmp_path / "died.jsonl").write_bytes((tmp_path / "r.jsonl").read_bytes())
    live.close()
    replay = Replay(tmp_path / "died.jsonl").transports["spark-1"]
    replay.run(["hostname"])
    stream = replay.follow(["docker", "logs", "-f", "x"])
    assert [line.text for line in stream.read(1)] == ["a"]
    with pytest.raises(RecordingError, match="breaks off here, before spark-1: read"):
        stream.read(1)
    with pytest.raises(RecordingError, match=r"breaks off here[^\n]*\n  next: the run that wrote it died"):
        replay.run(["true"])


def test_ctrl_c_is_part_of_the_recording(tmp_path: Path) -> None:
    """A run stopped by hand must not replay as if the answer had come."""
    node = _Node()
    node.fails = KeyboardInterrupt()
    [live] = _recorded(tmp_path / "r.jsonl", node)
    with pytest.raises(KeyboardInterrupt):
        live.run(["sleep", "100"])
    live.close()
    with pytest.raises(
        RecordingError, match="was stopped here \\(KeyboardInterrupt\\): spark-1: run sleep 100"
    ):
        Replay(tmp_path / "r.jsonl").transports["spark-1"].run(["sleep", "100"])


def test_reading_a_stream_more_often_than_recorded_ends(tmp_path: Path) -> None:
    """A changed loop that only reads must stop with an error, not run for ever."""
    node = _Node()
    node.groups = [["a"], [], []]
    [live] = _recorded(tmp_path / "r.jsonl", node)
    stream = live.follow(["cat"])
    for _ in range(3):
        stream.read(0)
    live.run(["true"])
    live.close()
    replay = Replay(tmp_path / "r.jsonl").transports["spark-1"]
    stream = replay.follow(["cat"])
    assert [len(stream.read(0)) for _ in range(3)] == [1, 0, 0]
    with pytest.raises(RecordingError, match=r"recorded: spark-1: run true\n  got:      spark-1: read"):
        stream.read(0)


def test_every_line_is_written_as_it_happens(tmp_path: Path) -> None:
    """The recording of a run that is killed must hold everything up to the kill."""
    [live] = _recorded(tmp_path / "r.jsonl", _Node())
    live.run(["hostname"])
    lines = (tmp_path / "r.jsonl").read_text().splitlines()
    live.close()
    assert [json.loads(line)["op"] for line in lines] == ["begin", "run"]


DAMAGED = sorted((Path(__file__).parent / "recordings" / "damaged").glob("*.jsonl"))


@pytest.mark.parametrize("path", DAMAGED, ids=lambda path: path.stem)
def test_a_damaged_recording_says_where(path: Path) -> None:
    """Evidence that was cut or changed must never pass for evidence."""
    with pytest.raises(RecordingError) as caught:
        Replay(path, shown=path.name)
    assert f"{caught.value}\n" == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_the_kept_recording_still_replays() -> None:
    """A recording published today must be readable by every later version of this schema."""
    replay = Replay(Path(__file__).parent / "recordings" / "good.jsonl")
    node = replay.transports["spark-1"]
    assert node.clock.now() == 1_700_000_000.25
    assert node.run(["docker", "ps", "-a"]).stdout == "docker ps -a"
    assert node.run(["python3", "-"], stdin="print(1)\n").ok
    stream = node.follow(["docker", "logs", "-f", "vllm-head"])
    assert [line.text for line in stream.read(1)] == ["Application startup complete."]
    assert (stream.read(1), stream.exit) == ([], 0)
    stream.close()
    assert replay.left == 0


def test_half_a_line_at_the_end_is_left_out_where_that_is_asked_for(tmp_path: Path) -> None:
    """What a killed run had recorded could not be looked at, for the sake of the line it was writing."""
    path = DAMAGED[[path.stem for path in DAMAGED].index("cut_in_a_line")]
    tape = read_tape(path, torn=True)
    assert (len(tape.events), tape.ended) == (2, False)


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recording would end in half a line, and the message name no file and nothing to do."""
    recorder = Recorder(tmp_path / "recording.jsonl", machines="one")
    node = recording(_Node(), recorder)
    node.run(["hostname"])
    before, now = resource.getrlimit(resource.RLIMIT_FSIZE), recorder.path.stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (now + 40, before[1]))
    try:
        with pytest.raises(
            RecordingError, match=r"recording\.jsonl cannot be written: File too large"
        ) as caught:
            node.run(["hostname"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "make room" in caught.value.hint
    assert read_tape(recorder.path).events[-1].fields["argv"] == ["hostname"]


def test_an_interrupt_comes_before_a_line_or_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C just after a line was written made the next line take its number: nobody could read the rest."""
    recorder = Recorder(tmp_path / "recording.jsonl", machines="one")
    node = recording(_Node(), recorder)
    write = os.pwrite

    def interrupted(descriptor: int, data: bytes, at: int) -> int:
        write(descriptor, data, at)
        monkeypatch.undo()
        raise KeyboardInterrupt

    node.run(["hostname"])
    for _ in range(2):
        monkeypatch.setattr(os, "pwrite", interrupted)
        with pytest.raises(KeyboardInterrupt):
            node.clock.now()
    node.run(["hostname"])
    node.close()
    tape = read_tape(recorder.path)
    assert tape.ended
    assert [event.op for event in tape.events if event.op != "text"] == ["run", "now", "now", "run"]


@contextmanager
def _in_a_cell(folder: Path, monkeypatch: pytest.MonkeyPatch, kind: Kind) -> Iterator[tuple[Transport, Path]]:
    """A recorded node of this kind, and its recording, in a run that says when a cell ends."""
    monkeypatch.setattr(_Node, "kind", kind)
    marks.forget()
    marks.tell_ends()
    recorder = Recorder(folder / "recording.jsonl", machines="one")
    try:
        yield recording(_Node(), recorder), recorder.path
    finally:
        marks.forget()


@contextmanager
def _full(path: Path, room: int) -> Iterator[None]:
    """For this process no file may be larger than this one by more than ``room`` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_fork_writes_nothing_into_the_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork has a copy of what is kept back: each of both wrote it, and the recording was unreadable."""
    with _in_a_cell(tmp_path, monkeypatch, Kind.SIMULATED) as (node, path):
        node.clock.now()
        child = os.fork()
        if not child:  # pragma: no cover
            try:
                marks.cell_ends()
                with pytest.raises(RecordingError, match="a process that was forked asks"):
                    node.run(["hostname"])
                node.close()
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        node.run(["hostname"])
        node.close()
    assert [event.op for event in read_tape(path).events] == ["now", "run"]


@pytest.mark.parametrize("waits", [False, True], ids=["at-its-end", "while-it-waits"])
def test_what_could_not_be_written_is_told_when_the_cell_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, waits: bool
) -> None:
    """The last cell of a run looked well, and a replay of it ended for want of a line."""
    with _in_a_cell(tmp_path, monkeypatch, Kind.SIMULATED) as (node, path):
        node.run(["hostname"])
        node.clock.now()
        size = path.stat().st_size
        with _full(path, 10):
            if waits:
                marks.cell_waits()
            with pytest.raises(RecordingError, match="cannot be written"):
                marks.cell_ends()
        assert path.stat().st_size == size


@pytest.mark.parametrize("kind", [Kind.SIMULATED, Kind.LAB])
def test_only_what_simulated_nodes_said_is_kept_back_and_never_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    """A killed run on real machines must have recorded each answer; a simulated one loses few, if any."""
    with _in_a_cell(tmp_path, monkeypatch, kind) as (node, path):
        written: list[int] = []

        def count() -> int:
            return len(path.read_bytes().splitlines()) - 1

        node.run(["hostname"])
        written.append(count())
        marks.cell_waits()
        written.append(count())
        for _ in range(300):
            node.run(["hostname"])
        written.append(count())
        marks.cell_ends()
        written.append(count())
        node.close()
    assert written == ([0, 1, 257, 301] if kind is Kind.SIMULATED else [1, 1, 301, 301])
