"""A launch that breaks off leaves nothing half-started, touches nothing of others, and says what it did."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from scripted_node import MODEL, ScriptedNode, pair
from test_launch import SERVES

from reaffirm.errors import NetworkError, StepFailedError
from reaffirm.model.evidence import Kind
from reaffirm.model.exchange import HttpAnswer, HttpRequest
from reaffirm.model.report import Outcome
from reaffirm.steps import launch


def _other(node: ScriptedNode) -> None:
    node.containers["their-database"] = {"began": 0.0, "label": None, "argv": [], "id": "dddddddddddd"}


@pytest.mark.parametrize("kind", [Kind.SIMULATED, Kind.REAL])
def test_a_worker_that_does_not_start_leaves_no_head_behind(kind: Kind, tmp_path: Path) -> None:
    """The head would wait for ever and hold its memory, and the next launch would find the name taken."""
    cluster, head, worker, _ = pair(tmp_path, kind=kind)
    _other(head)
    worker.script["docker run -d"] = (125, "", "docker: Error response from daemon: no such device.")
    result = launch(cluster, "vllm", image="img", model=MODEL)
    assert result.outcome is Outcome.FAILED
    assert result.containers == ()
    assert set(head.containers) == {"their-database"}
    assert "removed it: spark-1/vllm-head" in result.report.summary
    assert (tmp_path / "logs/spark-1/launch-vllm-head.log").is_file()
    assert (tmp_path / "logs/spark-1/launch-vllm-head.inspect.json").is_file()
    removals = [asked for asked in head.asked + worker.asked if "docker rm" in asked]
    assert len(removals) == 1
    assert removals[0].startswith("docker rm -f c0ffee")


def test_a_container_that_docker_created_and_could_not_start_is_removed() -> None:
    """Docker leaves such a container behind, created and never started; it would block the name."""
    cluster, _, worker, _ = pair()

    def refuse(node: ScriptedNode, argv: Sequence[str]) -> tuple[int, str, str]:
        node.containers["vllm-worker"] = {"began": 0.0, "label": "a_test", "argv": [], "id": "eeeeeeeeeeee"}
        return (127, "", "docker: Error response from daemon: OCI runtime create failed: no such file")

    worker.script["docker run -d"] = refuse
    launch(cluster, "vllm", image="img", model=MODEL)
    assert worker.containers == {}


def test_somebody_elses_container_of_that_name_is_left_alone() -> None:
    """A name that was taken between the look and the start is not ours to clear."""
    cluster, head, worker, _ = pair()

    def taken(node: ScriptedNode, argv: Sequence[str]) -> tuple[int, str, str]:
        node.containers["vllm-worker"] = {"began": 0.0, "label": "other", "argv": [], "id": "eeeeeeeeeeee"}
        return (125, "", 'docker: Conflict. The container name "/vllm-worker" is already in use.')

    worker.script["docker run -d"] = taken
    result = launch(cluster, "vllm", image="img", model=MODEL)
    assert set(worker.containers) == {"vllm-worker"}
    assert head.containers == {}
    assert "not of this launch" in str(result)
    assert "docker rm -f vllm-worker" not in str(result)


def test_what_is_on_a_lost_node_is_named_with_the_order_that_removes_it() -> None:
    """Nobody would know that a container runs on a machine that does not answer any more."""
    cluster, head, worker, _ = pair()

    def cut(request: HttpRequest, now: float) -> HttpAnswer:
        if not head.containers:
            return HttpAnswer(0, {}, (), now, now, "connection refused")
        head.gone = True
        msg = "spark-1: the connection was lost"
        raise NetworkError(msg, node="spark-1")

    head.starts["vllm-head"] = (SERVES, None, 0)
    head.answer_http = cut
    result = launch(cluster, "vllm", image="img", model=MODEL)
    assert result.outcome is Outcome.UNKNOWN
    assert result.containers == ("spark-1/vllm-head",)
    assert worker.containers == {}
    (id_,) = (one["id"] for one in head.containers.values())
    assert (
        f"NOT removed: spark-1/vllm-head; when you have looked at it: docker rm -f {id_} on spark-1"
        in str(result)
    )


def test_what_cannot_be_saved_is_not_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk would destroy the only evidence of what went wrong."""
    cluster, head, worker, _ = pair(tmp_path)
    worker.script["docker run -d"] = (125, "", "no")

    def full(name: str, text: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cluster.context, "save", full)
    result = launch(cluster, "vllm", image="img", model=MODEL)
    assert "vllm-head" in head.containers
    assert "could not be saved" in str(result)
    assert result.containers == ("spark-1/vllm-head",)


@pytest.mark.parametrize("keep", [False, True])
def test_a_launch_that_disappoints_is_cleared_away(keep: bool) -> None:
    """A failed run would leave its engine running over night."""
    cluster, head, worker, _ = pair()
    head.starts["vllm-head"] = worker.starts["vllm-worker"] = (SERVES[:2], None, 0)
    result = launch(cluster, "vllm", image="img", model=MODEL, keep=keep)
    assert result.outcome is Outcome.STUCK
    assert len(head.containers) == len(worker.containers) == 1
    assert result.expect("stuck") is result
    assert len(head.containers) == 1
    with pytest.raises(StepFailedError) as caught:
        result.expect("ready")
    assert len(head.containers) == len(worker.containers) == int(keep)
    assert ("they are still there" if keep else "removed it: spark-1/vllm-head, spark-2/vllm-worker") in (
        caught.value.hint
    )


def test_tidying_has_an_end() -> None:
    """Whoever pressed Ctrl-C would wait for a Docker that hangs."""
    cluster, head, worker, _ = pair()

    def slow(node: ScriptedNode, argv: Sequence[str]) -> str:
        node.clock.sleep(40)
        return "a line\n"

    def stop(request: HttpRequest, now: float) -> HttpAnswer:
        if not head.containers:
            return HttpAnswer(0, {}, (), now, now, "connection refused")
        raise KeyboardInterrupt

    head.starts["vllm-head"] = (SERVES, None, 0)
    head.answer_http = stop
    head.script["docker logs --timestamps"] = slow
    with pytest.raises(KeyboardInterrupt):
        launch(cluster, "vllm", image="img", model=MODEL)
    assert "vllm-worker" in worker.containers
