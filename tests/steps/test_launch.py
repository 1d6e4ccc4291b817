"""launch: how it ends, what it starts, and what it leaves."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

import pytest
from scripted_node import MODEL, ScriptedNode, pair

from reaffirm.errors import NetworkError, StepFailedError, UsageError
from reaffirm.model.exchange import Chunk, HttpAnswer, HttpRequest
from reaffirm.model.node import ContainersHere, LaunchHere, ModelHere
from reaffirm.model.report import Outcome
from reaffirm.steps import launch
from reaffirm.steps.result import StepResult

GROUPS = [
    (5.0, "world_size=2 rank=0 local_rank=0 distributed_init_method=tcp://192.0.2.12:29501 backend=gloo"),
    (6.0, "CPU SHM communicator disabled for group tp:0: ranks do not share the same SHM group name"),
]
SERVES = [
    *GROUPS,
    (7.0, "rank 0 in world size 2 is assigned as DP rank 0, PP rank 0"),
    (8.0, "Starting to load model x..."),
    (20.0, "Model loading took 59.2 GiB memory and 12.000000 seconds"),
    (40.0, "INFO:     Application startup complete."),
]


def _healthy_after(seconds: float, node: ScriptedNode) -> None:
    began = node.clock.now()

    def answer(request: HttpRequest, now: float) -> HttpAnswer:
        if now - began < seconds:
            return HttpAnswer(0, {}, (), now, now, "connection refused")
        return HttpAnswer(200, {}, (Chunk("", now),), now, now)

    node.answer_http = answer


def _facts(result: StepResult, prefix: str = "launch") -> Mapping[str, object]:
    return {fact.name.removeprefix(f"{prefix}."): fact.value for fact in result.facts}


def test_ready_when_the_head_is_healthy() -> None:
    """A service that answers would be called stuck, or one that does not, ready."""
    cluster, head, worker, shown = pair()
    head.starts["vllm-head"] = (SERVES, None, 0)
    worker.starts["vllm-worker"] = (SERVES[:5], None, 0)
    _healthy_after(43, head)
    result = launch(cluster, "vllm", image="img", model=MODEL).expect("ready")
    facts = _facts(result)
    assert facts["ready"] is True
    assert facts["outcome"] == "ready"
    assert facts["last_stage"] == "ready"
    assert isinstance(facts["seconds_to_ready"], float)
    assert 40 < facts["seconds_to_ready"] < 60
    assert facts["first_error"] == "none"
    assert all(stream.closed for stream in (*head.streams, *worker.streams))
    assert result.logs_saved == ()
    assert set(head.containers) == {"vllm-head"}
    assert any("application/vnd.reaffirm.facts+json" in bundle for bundle in shown)


def test_stuck_names_stage_and_what_is_not_known(tmp_path: Path) -> None:
    """A silent launch would hold people up for ever, or be given a cause that nobody measured."""
    cluster, head, worker, _ = pair(tmp_path)
    head.starts["vllm-head"] = (GROUPS, None, 0)
    worker.starts["vllm-worker"] = (
        [*GROUPS, (70.0, "No available shared memory broadcast block found in 60")],
        None,
        0,
    )
    result = launch(cluster, "vllm", image="img", model=MODEL, host_address=False, facts="stall")
    facts = _facts(result, "stall")
    assert facts["outcome"] == "stuck"
    assert facts["ready"] is False
    assert facts["last_stage"] == "group-created"
    assert isinstance(facts["silent_seconds"], float)
    assert 300 < facts["silent_seconds"] < 303
    text = result._repr_mimebundle_()["text/plain"]
    assert "silence alone names no cause" in text
    assert result.logs_saved == ("logs/spark-1/stall-vllm-head.log", "logs/spark-2/stall-vllm-worker.log")
    assert (tmp_path / result.logs_saved[0]).is_file()
    with pytest.raises(StepFailedError, match="ended in stuck, not in ready"):
        result.expect("ready")


def test_host_address_unset_leaves_the_rest_as_it_is() -> None:
    """The experiment would change two things at once, and prove nothing."""
    sent = {}
    for setting in (True, False):
        cluster, head, worker, _ = pair()
        launch(cluster, "sglang", image="img", model=MODEL, host_address=setting)
        sent[setting] = [
            next(a for a in node.asked if a.startswith("docker run -d")) for node in (head, worker)
        ]
    for with_it, without, address in zip(sent[True], sent[False], ("192.0.2.12", "192.0.2.13"), strict=True):
        assert with_it.replace(f" -e SGLANG_HOST_IP={address}", "") == without
        assert "SGLANG_HOST_IP" not in without
        assert "GLOO_SOCKET_IFNAME=fab0" in without


def test_limits_come_from_machine_file_and_step() -> None:
    """People with slow machines could not wait longer, nor tests shorter."""
    cluster, head, worker, _ = pair(limits={"group-created": 30.0})
    head.starts["vllm-head"] = worker.starts["vllm-worker"] = (GROUPS, None, 0)
    silent = _facts(launch(cluster, "vllm", image="img", model=MODEL))["silent_seconds"]
    assert isinstance(silent, float)
    assert 30 < silent < 33
    cluster, head, worker, _ = pair(limits={"group-created": 30.0})
    head.starts["vllm-head"] = worker.starts["vllm-worker"] = (GROUPS, None, 0)
    result = launch(cluster, "vllm", image="img", model=MODEL, limits={"group-created": 9})
    silent = _facts(result)["silent_seconds"]
    assert isinstance(silent, float)
    assert 9 < silent < 12
    with pytest.raises(UsageError, match="no stage 'weight'"):
        launch(cluster, "vllm", image="img", model=MODEL, limits={"weight": 9})


def test_failed_shows_the_first_error_of_both_nodes() -> None:
    """The head's lost connection would be shown in place of the worker's cause."""
    cluster, head, worker, _ = pair()
    lost = "RuntimeError: [pair.cc:534] Connection closed by peer [192.0.2.13]:40112"
    head.starts["vllm-head"] = (
        [*GROUPS, (30.0, "Traceback (most recent call last):"), (30.0, lost)],
        33.0,
        1,
    )
    cause = "torch.OutOfMemoryError: CUDA out of memory."
    worker.starts["vllm-worker"] = (
        [*GROUPS, (31.0, "Traceback (most recent call last):"), (31.0, cause)],
        32.0,
        1,
    )
    facts = _facts(launch(cluster, "vllm", image="img", model=MODEL))
    assert facts["outcome"] == "failed"
    assert facts["first_error"] == f"spark-2: {cause}"


def test_worker_that_dies_without_a_word_is_an_error() -> None:
    """A worker killed while the head waits would look like a stall."""
    cluster, head, worker, _ = pair()
    head.starts["vllm-head"] = (GROUPS, None, 0)
    worker.starts["vllm-worker"] = (GROUPS, 25.0, 137)
    result = launch(cluster, "vllm", image="img", model=MODEL)
    assert result.outcome is Outcome.FAILED
    assert "spark-2: the container ended with status 137" in str(_facts(result)["first_error"])


def test_service_that_answers_on_the_port_already_is_refused() -> None:
    """Somebody else's health would make a launch ready that has not even begun."""
    cluster, head, _, _ = pair()
    _healthy_after(0, head)
    with pytest.raises(StepFailedError, match="port 8000 of spark-1 already"):
        launch(cluster, "vllm", image="img", model=MODEL)
    assert head.containers == {}


def test_health_of_a_launch_whose_worker_died_is_not_ready() -> None:
    """A head that still answers would hide that its worker is gone."""
    cluster, head, worker, _ = pair()
    head.starts["vllm-head"] = (SERVES, None, 0)
    worker.starts["vllm-worker"] = (GROUPS, 40.0, 1)
    _healthy_after(40, head)
    assert launch(cluster, "vllm", image="img", model=MODEL).outcome is Outcome.FAILED


def test_program_in_place_of_a_server_ends_in_reached() -> None:
    """Where no server can run, the notebook would call a healthy group formation a failure, or a server."""
    note = "SGLang's own group formation runs; no server, no kernels."
    here = LaunchHere(program="reach.py", note=note, dist_port=50001)
    cluster, head, worker, _ = pair(launch={"sglang": here})
    lines = [(4.0, "Init torch distributed begin."), (9.0, "reaffirm: all_reduce of ones gave 2.0")]
    head.starts["sglang-head"] = worker.starts["sglang-worker"] = (lines, 9.5, 0)
    result = launch(cluster, "sglang", image="img", model=MODEL)
    assert result.outcome is Outcome.REACHED
    assert _facts(result)["ready"] is None
    text = result._repr_mimebundle_()["text/plain"]
    assert note in text
    assert '"$(cat scripts/node/reach.py)" --rank 1 --world-size 2 --init tcp://192.0.2.12:50001' in text
    with pytest.raises(StepFailedError, match="ended in reached"):
        result.expect("ready")


@pytest.mark.parametrize("label", [None, "another"])
def test_container_of_that_name_is_refused(label: str | None) -> None:
    """Somebody's running container would be replaced, or the launch would fail with Docker's words."""
    cluster, head, worker, _ = pair()
    worker.containers["vllm-worker"] = {"began": 0.0, "label": label}
    with pytest.raises(StepFailedError, match="spark-2/vllm-worker") as caught:
        launch(cluster, "vllm", image="img", model=MODEL)
    assert "cleanup" in caught.value.hint
    assert not any(asked.startswith("docker run") for asked in head.asked)


def test_image_that_does_not_exist_is_said() -> None:
    """Docker's own words would be lost."""
    cluster, head, _, _ = pair()
    head.script["docker run -d"] = (
        125,
        "",
        "docker: Error response from daemon: No such image: img:latest\n\n"
        "Run 'docker run --help' for more information",
    )
    result = launch(cluster, "vllm", image="img", model=MODEL)
    assert result.outcome is Outcome.FAILED
    assert "No such image" in str(_facts(result)["first_error"])


def test_no_network_between_nodes_starts_nothing() -> None:
    """Two ranks that cannot reach each other would wait for each other."""
    cluster, head, _, _ = pair()
    head.script["Tell whether a TCP port"] = json.dumps({"reached": False, "how": "no route", "ms": 1})
    with pytest.raises(StepFailedError, match="nothing was started"):
        launch(cluster, "vllm", image="img", model=MODEL)
    assert head.containers == {}


@pytest.mark.parametrize("keep", [False, True])
def test_interrupt_closes_streams_and_says_what_became_of_the_containers(keep: bool) -> None:
    """After Ctrl-C people would not know whether two containers hold their machines."""
    cluster, head, worker, shown = pair()

    def stop(request: HttpRequest, now: float) -> HttpAnswer:
        if not head.containers:
            return HttpAnswer(0, {}, (), now, now, "connection refused")
        raise KeyboardInterrupt

    head.starts["vllm-head"] = (SERVES, None, 0)
    head.answer_http = stop
    with pytest.raises(KeyboardInterrupt):
        launch(cluster, "vllm", image="img", model=MODEL, keep=keep)
    assert all(stream.closed for stream in (*head.streams, *worker.streams))
    text = shown[-1]["text/plain"]
    if keep:
        assert "steps.cleanup(cluster, 'vllm-head', 'vllm-worker') saves their logs" in text
        assert "vllm-worker on spark-2" in text
        assert (len(head.containers), len(worker.containers)) == (1, 1)
    else:
        assert "and removed it: spark-1/vllm-head, spark-2/vllm-worker" in text
        assert head.containers == worker.containers == {}


def test_lost_node_ends_in_unknown() -> None:
    """A cut connection would be called a failure of the engine."""
    cluster, head, worker, _ = pair()
    head.starts["vllm-head"] = worker.starts["vllm-worker"] = (SERVES[:2], None, 0)

    def cut(request: HttpRequest, now: float) -> HttpAnswer:
        if not head.containers:
            return HttpAnswer(0, {}, (), now, now, "connection refused")
        msg = "spark-1: the connection was lost"
        raise NetworkError(msg, node="spark-1")

    head.starts["vllm-head"] = (SERVES, None, 0)
    head.answer_http = cut
    result = launch(cluster, "vllm", image="img", model=MODEL)
    assert result.outcome is Outcome.UNKNOWN
    assert _facts(result)["ready"] is None


def test_whole_launch_has_a_limit() -> None:
    """A launch that always has something new to say would never end."""
    cluster, head, worker, _ = pair()
    chatter = [(float(n), f"loading {n}") for n in range(1, 400)]
    head.starts["vllm-head"] = worker.starts["vllm-worker"] = (chatter, None, 0)
    result = launch(cluster, "vllm", image="img", model=MODEL, timeout=60)
    assert result.outcome is Outcome.TIMEOUT
    assert _facts(result)["ready"] is False
    held = "its containers at that moment: vllm-head on spark-1, vllm-worker on spark-2"
    assert result.report.summary.endswith(held)


def test_a_launch_out_of_time_says_once_what_became_of_it() -> None:
    """The message called containers still there that its own next line had removed."""
    cluster, head, worker, _ = pair()
    chatter = [(float(n), f"loading {n}") for n in range(1, 400)]
    head.starts["vllm-head"] = worker.starts["vllm-worker"] = (chatter, None, 0)
    with pytest.raises(StepFailedError) as stopped:
        launch(cluster, "vllm", image="img", model=MODEL, timeout=60).expect("ready")
    told = str(stopped.value)
    assert head.containers == worker.containers == {}
    assert "still there" not in told
    assert told.count("removed it: spark-1/vllm-head, spark-2/vllm-worker") == 1


def test_same_script_gives_the_same_report() -> None:
    """Executed notebooks could not be compared."""

    def once() -> object:
        cluster, head, worker, _ = pair(
            models={MODEL: ModelHere(path="/models/tiny", stand_in="random weights")},
            containers=ContainersHere(ipc="", shm_size="1g", ulimits=()),
        )
        head.starts["vllm-head"] = worker.starts["vllm-worker"] = (GROUPS, None, 0)
        return launch(cluster, "vllm", image="img", model=MODEL)._repr_mimebundle_()

    assert once() == once()


def test_unknown_engine_and_outcome_are_named() -> None:
    """A typing error would run for minutes before it is found."""
    cluster, head, _, _ = pair()
    with pytest.raises(UsageError, match="unknown engine 'vlm'"):
        launch(cluster, "vlm", image="img", model=MODEL)
    assert head.asked == []
    head.script["docker run -d"] = (125, "", "no")
    with pytest.raises(UsageError, match="no outcome 'readdy'"):
        launch(cluster, "vllm", image="img", model=MODEL).expect("readdy")


@pytest.mark.parametrize("seconds", [0, -5, math.nan])
def test_a_limit_that_is_none_starts_nothing(seconds: float) -> None:
    """A launch that never times out, or at once, would leave containers behind that nobody waits for."""
    for limits in ({"timeout": seconds}, {"limits": {"group-created": seconds}}):
        cluster, head, worker, _ = pair()
        with pytest.raises(UsageError, match="a number of seconds above 0"):
            launch(cluster, "vllm", image="img", model=MODEL, **limits)  # type: ignore[arg-type]
        assert head.asked == worker.asked == []


def test_a_wrong_failure_page_is_named_and_ends_no_launch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A typing mistake in a page of text would lose the result of an hour's launch."""
    for folder in ("runbooks", "adrs", "docs/failures"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "docs/failures/ours.md").write_text("---\nid: ours\n---\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    cluster, head, worker, _ = pair()
    head.starts["vllm-head"] = worker.starts["vllm-worker"] = (GROUPS, None, 0)
    result = launch(cluster, "vllm", image="img", model=MODEL)
    assert _facts(result)["failure_pages"] == ["silent-stall-queue-address", "shared-dev-shm"]
    text = " ".join(result._repr_mimebundle_()["text/plain"].split())
    assert "docs/failures/ours.md:1 the key 'engines' is missing" in text
    assert "reaffirm:docs/failures/silent-stall-queue-address.md" in text
    assert str(tmp_path) not in text


def test_a_failure_that_no_page_tells_of_is_said() -> None:
    """A report without the word would look as if nobody had looked."""
    cluster, head, worker, _ = pair()
    head.starts["vllm-head"] = ([*GROUPS, (9.0, "RuntimeError: never seen before")], 10.0, 1)
    worker.starts["vllm-worker"] = (GROUPS, None, 0)
    result = launch(cluster, "vllm", image="img", model=MODEL)
    assert _facts(result)["failure_pages"] == []
    text = result._repr_mimebundle_()["text/plain"]
    assert "no page fits what the ranks said" in text
    assert "docs/failures/README.md tells how to add a page" in text


def test_a_launch_can_be_left_at_a_stage() -> None:
    """An experiment about groups would wait for 127 GB of weights, or call a launch ready that never was."""
    cluster, head, worker, _ = pair()
    head.starts["vllm-head"] = worker.starts["vllm-worker"] = (SERVES, None, 0)
    result = launch(cluster, "vllm", image="img", model=MODEL, until="groups-joined")
    facts = _facts(result)
    assert (facts["outcome"], facts["last_stage"], facts["ready"]) == ("reached", "groups-joined", None)
    assert "it was not followed further" in result.report.summary
    assert set(head.containers) == {"vllm-head"}
    with pytest.raises(UsageError, match="no stage 'groups'"):
        launch(cluster, "vllm", image="img", model=MODEL, until="groups")
