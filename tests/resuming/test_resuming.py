"""Taking up a run that died: recorded answers for what was finished, then live."""

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.resuming.conftest import Bench, Cell, Lasting

import reaffirm
from reaffirm.errors import RecordingError, StepFailedError, UsageError
from reaffirm.model.evidence import Kind
from reaffirm.nodes import connect as module
from reaffirm.nodes import marks
from reaffirm.nodes.cluster import Cluster
from reaffirm.nodes.recording_format import read_tape
from reaffirm.nodes.wrapping import Wrapping

RUN = ["docker", "run", "-d", "--name", "ours", "--network", "host", "vllm-qwen35", "sleep", "100000"]


def _first(cluster: Cluster) -> object:
    began = cluster.one().clock.now()
    cluster.one().clock.sleep(0.05)
    stream = cluster.one().follow(["printf", "%s\\n", "a", "b"])
    lines = stream.read(1)
    stream.close()
    return began, cluster.one().run(["hostname"], stdin="x").stdout, lines, cluster.one().clock.now()


def _second(cluster: Cluster) -> object:
    return cluster.one().run(["echo", "second"]).stdout


def _dies(cluster: Cluster) -> object:
    cluster.one().run(["echo", "before it died"])
    raise KeyboardInterrupt


CELLS: list[Cell] = [("first", _first), ("second", _second)]


@pytest.fixture(params=["simulated", "local"])
def machines(request: pytest.FixtureRequest, bench: Bench) -> Bench:
    """Nodes whose world ends with a run, and nodes that stay."""
    bench.machines = request.param
    return bench


def test_a_run_goes_on_where_it_died(machines: Bench) -> None:
    """Finished steps show what they showed, at the times of then; the unfinished one is asked anew."""
    with pytest.raises(KeyboardInterrupt):
        machines.run("one", [CELLS[0], ("second", _dies)])
    told = machines.said["one"][0]
    folder = machines.run("two", CELLS, resume=machines.earlier("one", 3))
    assert machines.said["two"] == [told, "second\n"]
    tape = read_tape(folder / "recording.jsonl")
    assert tape.ended
    assert [mark.step for _, mark in tape.marks] == ["connect", "first", "second"]
    assert tape.header.resumed["run"] == "one"
    assert (tape.header.resumed["cell"], tape.header.resumed["step"]) == (3, "second")
    old = read_tape(folder.with_name("one.run") / "recording.jsonl")
    assert tape.header.started == old.header.started, "the run is as old as its oldest answer"
    lines = [json.loads(line) for line in (folder / "recording.jsonl").read_text().splitlines()]
    ops = [line["op"] for line in lines]
    assert ops[ops.index("live") :] == ["live", "run", "end"]


def test_the_new_recording_is_whole(machines: Bench) -> None:
    """A resumed run is published and replayed like any other, and can be taken up again itself."""
    with pytest.raises(KeyboardInterrupt):
        machines.run("one", [CELLS[0], ("second", _dies)])
    with pytest.raises(KeyboardInterrupt):
        machines.run("two", [*CELLS, ("third", _dies)], resume=machines.earlier("one", 3))
    third: Cell = ("third", lambda cluster: cluster.one().run(["echo", "third"]).stdout)
    folder = machines.run("three", [*CELLS, third], resume=machines.earlier("two", 4, "third"))
    published = machines.root / "docs" / "runs" / "x" / "three"
    shutil.copytree(folder, published)
    (published / "provenance.json").write_text(json.dumps({"kind": "lab"}))
    machines.patch.setattr(module, "_process", module._Process())
    os.chdir(published)
    cluster = reaffirm.connect(machines.machines)
    assert [cell(cluster) for _, cell in [*CELLS, third]] == machines.said["three"]
    os.chdir(machines.root)


def test_it_says_so_where_it_begins(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody may take a replayed step for a fresh one, in the run nor in its replay."""
    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [CELLS[0], ("second", _dies)])
    capsys.readouterr()
    bench.run("two", CELLS, resume=bench.earlier("one", 3))
    said = capsys.readouterr().out
    assert "RESUMED: the steps before second were not run again." in said
    assert "the run one was answered" in said


def test_prose_may_move_the_cells(bench: Bench) -> None:
    """A paragraph more above the step changes its number, and nothing else."""
    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [CELLS[0], ("second", _dies)])
    cells: list[Cell] = [CELLS[0], ("prose", lambda _: None), CELLS[1]]
    folder = bench.run("two", cells, resume=bench.earlier("one", 3, here=4))
    assert bench.said["two"][2] == "second\n"
    assert read_tape(folder / "recording.jsonl").header.resumed["cell"] == 4


def test_a_finished_step_that_asks_otherwise_is_named(machines: Bench) -> None:
    """The recorded answer to another question would be evidence for nothing."""
    with pytest.raises(KeyboardInterrupt):
        machines.run("one", [CELLS[0], ("second", _dies)])

    def changed(cluster: Cluster) -> object:
        return cluster.one().run(["uptime"])

    with pytest.raises(RecordingError, match="the step 'first' of one cannot be replayed") as raised:
        machines.run("two", [("first", changed), CELLS[1]], resume=machines.earlier("one", 3))
    assert "a step, a node program or a parameter changed since one" in raised.value.hint


def test_a_finished_step_that_asks_less_is_named(machines: Bench) -> None:
    """What was left out may have been what the next step rests on."""
    with pytest.raises(KeyboardInterrupt):
        machines.run("one", [CELLS[0], ("second", _dies)])

    def less(cluster: Cluster) -> object:
        return cluster.one().clock.now()

    with pytest.raises(RecordingError, match="was asked in the step 'first' and is not asked any more"):
        machines.run("two", [("first", less), CELLS[1]], resume=machines.earlier("one", 3))


def test_a_simulated_world_that_answers_otherwise_is_noticed(bench: Bench) -> None:
    """Its state at the unfinished step would be another one than that of the recorded run."""
    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [CELLS[0], ("second", _dies)])
    world = module.simulated_nodes

    def renamed(*given: object) -> object:
        nodes = world(*given)  # type: ignore[arg-type]
        nodes["spark-1"]._node.hostname = "another"  # type: ignore[attr-defined]
        return nodes

    bench.patch.setattr(module, "simulated_nodes", renamed)
    with pytest.raises(RecordingError, match="in the step 'first' the simulated nodes answered otherwise"):
        bench.run("two", CELLS, resume=bench.earlier("one", 3))


def test_a_torn_last_line_is_no_loss(bench: Bench) -> None:
    """A killed process leaves half a line; what was finished before it is as good as ever."""
    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [CELLS[0], ("second", _dies)])
    path = bench.root / "runs" / "one.run" / "recording.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    bench.run("two", CELLS, resume=bench.earlier("one", 3))
    assert bench.said["two"][1] == "second\n"


def test_damage_before_the_step_stops_it(bench: Bench) -> None:
    """From a chain that is broken before the step nobody can tell what was answered."""
    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [CELLS[0], ("second", _dies)])
    path = bench.root / "runs" / "one.run" / "recording.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    lines[4] = lines[4].replace("spark-1", "spark-9")
    path.write_text("".join(lines))
    with pytest.raises(
        RecordingError, match=r"one: recording.jsonl:5: this line or one before it was changed"
    ) as e:
        bench.run("two", CELLS, resume=bench.earlier("one", 3))
    assert "damaged before that step began" in e.value.hint


def test_damage_after_the_step_is_no_loss(bench: Bench) -> None:
    """What the unfinished step recorded is not needed."""
    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [CELLS[0], ("second", _dies)])
    path = bench.root / "runs" / "one.run" / "recording.jsonl"
    path.write_text(path.read_text().replace("before it died", "before it lied"))
    bench.run("two", CELLS, resume=bench.earlier("one", 3))


def test_a_recording_without_marks_is_refused(bench: Bench) -> None:
    """Nobody knows where its steps begin; guessing would replay half of one."""
    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [CELLS[0], ("second", _dies)])
    folder = bench.root / "runs" / "one.run"
    good = Path(__file__).parents[1] / "recordings" / "good.jsonl"
    (folder / "recording.jsonl").write_bytes(good.read_bytes())
    with pytest.raises(RecordingError, match="does not say which request belongs to which cell"):
        bench.run("two", CELLS, resume=bench.earlier("one", 3))


def test_another_machine_file_is_refused(bench: Bench) -> None:
    """Half a run on one description of the machines and half on another is a run of neither."""
    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [CELLS[0], ("second", _dies)])
    path = bench.root / "runbooks" / "nodes" / "simulated.toml"
    path.write_text(path.read_text().replace("master-port = 29501", "master-port = 29502"))
    with pytest.raises(UsageError, match="the machine file changed since one: 'master-port = 29501' then"):
        bench.run("two", CELLS, resume=bench.earlier("one", 3))


def test_what_a_finished_step_follows_ends_with_it(bench: Bench) -> None:
    """A log that was followed across two steps on machines that stay cannot be followed on."""
    bench.machines = "local"
    opened: list[object] = []

    def follows(cluster: Cluster) -> object:
        opened.append(cluster.one("here").follow(["sleep", "5"]))
        return None

    def reads(cluster: Cluster) -> object:
        return opened[-1].read(0.01)  # type: ignore[attr-defined]

    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [("first", follows), ("second", _dies)])
    opened[-1].close()  # type: ignore[attr-defined]
    with pytest.raises(RecordingError, match="reads on in what a finished step of one began to follow"):
        bench.run("two", [("first", follows), ("second", reads)], resume=bench.earlier("one", 3))


def _starts(cluster: Cluster) -> object:
    cluster.one().run(["docker", "rm", "-f", "old"])
    cluster.one().run(["docker", "image", "inspect", "vllm-qwen35"])
    cluster.one().run(["ss", "-H", "-ltnp"])
    return cluster.one().run(RUN).stdout, cluster.one().run(["docker", "inspect", "ours"]).ok


def test_machines_that_are_as_they_were_left_go_on(bench: Bench, lasting: Lasting) -> None:
    """Checked before anything is sent that could change something, and kept beside the run."""
    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [("first", _starts), ("second", _dies)])
    before = len(lasting.world.requests)
    folder = bench.run("two", [("first", _starts), CELLS[1]], resume=bench.earlier("one", 3))
    assert bench.said["two"][1] == "second\n"
    asked = [" ".join(one.argv) for one in lasting.world.requests[before:]]
    assert asked == [
        "docker inspect ours",
        "docker inspect old",
        "docker image inspect vllm-qwen35",
        "echo second",
    ]
    ops = [json.loads(line)["op"] for line in (folder / "recording.jsonl").read_text().splitlines()]
    assert ops.count("checked") == 3
    assert read_tape(folder / "recording.jsonl").events[-1].fields["argv"] == ["echo", "second"]


def _removed(lasting: Lasting) -> None:
    lasting.world.transport("spark-1").run(["docker", "rm", "-f", "ours"])


def _replaced(lasting: Lasting) -> None:
    _removed(lasting)
    lasting.world.transport("spark-1").run(RUN)


def _stopped(lasting: Lasting) -> None:
    lasting.world.transport("spark-1").run(["docker", "stop", "ours"])


def _back(lasting: Lasting) -> None:
    lasting.world.transport("spark-1").run(["old" if word == "ours" else word for word in RUN])


def _no_image(lasting: Lasting) -> None:
    node = lasting.world.node("spark-1")
    node.images = {ref: image for ref, image in node.images.items() if not ref.startswith("vllm-qwen35")}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_removed, "spark-1: the container ours was started"),
        (_replaced, "spark-1: the container ours is another one"),
        (_stopped, "spark-1: the container ours ran and is exited now"),
        (_back, "spark-1: the container old was removed and is there again"),
        (_no_image, "spark-1: the image vllm-qwen35 was sha256:"),
    ],
)
def test_machines_that_changed_are_told(bench: Bench, lasting: Lasting, change: object, told: str) -> None:
    """The step would go on from a state that the finished ones did not leave."""
    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [("first", _starts), ("second", _dies)])
    change(lasting)  # type: ignore[operator]
    before = len(lasting.world.requests)
    with pytest.raises(RecordingError, match="not as the finished steps of one left them") as raised:
        bench.run("two", [("first", _starts), CELLS[1]], resume=bench.earlier("one", 3))
    assert told in str(raised.value)
    assert all("inspect" in one.argv for one in lasting.world.requests[before:]), "only looked at"


class _OfTheLab(Wrapping):
    """A node that says that it is one of the lab."""

    @property
    def kind(self) -> Kind:
        """Another one than that of the node behind it."""
        return Kind.LAB


def test_machines_of_another_kind_are_refused(
    bench: Bench, lasting: Lasting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a run on simulated nodes and half on others would be evidence of neither."""
    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [CELLS[0], ("second", _dies)])
    others = {name: _OfTheLab(node) for name, node in lasting.nodes().items()}
    monkeypatch.setattr("reaffirm.nodes.connect._live", lambda *_: others)
    with pytest.raises(RecordingError, match="ran on other machines"):
        bench.run("two", CELLS, resume=bench.earlier("one", 3))


def test_a_port_that_was_taken_meanwhile_is_told(bench: Bench, lasting: Lasting) -> None:
    """Whoever listens there now would answer in place of the engine."""

    def looks(cluster: Cluster) -> object:
        return cluster.one().run(["ss", "-H", "-ltnp"]).ok

    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [("first", looks), ("second", _dies)])
    node = lasting.world.node("spark-1")
    lasting.world.node("spark-1").listeners.append(
        type(node.listeners[0])("0.0.0.0", 8000, "nginx", 77, "root")
    )
    with pytest.raises(RecordingError, match="port 8000 was free, and somebody listens there now"):
        bench.run("two", [("first", looks), CELLS[1]], resume=bench.earlier("one", 3))


def test_a_connection_of_the_unfinished_part_is_live(bench: Bench) -> None:
    """A run may connect again later; that part has no recorded answers to take."""

    def again(_: Cluster) -> object:
        cluster = reaffirm.connect("simulated")
        said = cluster.one().run(["echo", "again"]).stdout
        cluster.close()
        return said

    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [CELLS[0], ("second", _dies)])
    folder = bench.run("two", [CELLS[0], ("second", again)], resume=bench.earlier("one", 3))
    assert bench.said["two"][1] == "again\n"
    assert read_tape(folder / "recording-2.jsonl").header.resumed == {}
    assert marks.current() is None


def _agrees(cluster: Cluster) -> object:
    cluster.need_consent("remove", ["here/old"])
    return "removed"


def test_consent_of_then_counts_for_the_finished_steps_alone(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever resumes a run is not the one who said yes to the next removal."""
    bench.machines = "local"
    monkeypatch.setattr("reaffirm.nodes.consent.ask", lambda _: "yes")
    with pytest.raises(KeyboardInterrupt):
        bench.run("one", [("first", _agrees), ("second", _dies)])
    monkeypatch.setattr("reaffirm.nodes.consent.ask", lambda _: None)
    with pytest.raises(StepFailedError, match="no consent to remove here/old"):
        bench.run("two", [("first", _agrees), ("second", _agrees)], resume=bench.earlier("one", 3))
    assert bench.said["two"] == ["removed"]
    notes = read_tape(bench.root / "runs" / "two.run" / "recording.jsonl").notes
    assert [note.fields["how"] for note in notes if note.op == "consent"] == ["prompt"], "a replay needs it"
