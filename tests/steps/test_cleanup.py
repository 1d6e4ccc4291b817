"""cleanup: saved first, then removed, and only what was named."""

from pathlib import Path

import pytest
from scripted_node import ScriptedNode, pair

from reaffirm.errors import StepFailedError, UsageError
from reaffirm.model.evidence import Kind
from reaffirm.model.report import Outcome
from reaffirm.steps import cleanup


def _container(node: ScriptedNode, name: str, label: str | None = "pivot", port: int = 8000) -> None:
    node.containers[name] = {"began": 0.0, "label": label, "argv": ["vllm", "serve", "--port", str(port)]}


def test_saves_then_removes_and_says_what_stays(tmp_path: Path) -> None:
    """Logs would be lost, or a container that nobody named would be gone."""
    cluster, head, worker, _ = pair(tmp_path)
    _container(head, "vllm-head")
    _container(head, "other-of-ours")
    _container(head, "their-database", None)
    _container(worker, "vllm-worker", None)
    result = cleanup(cluster, "vllm-head", "vllm-worker")
    facts = {fact.name: fact.value for fact in result.facts}
    assert facts["cleanup.removed"] == ["spark-1/vllm-head", "spark-2/vllm-worker"]
    assert facts["cleanup.left_alone"] == ["spark-1/other-of-ours"]
    assert facts["cleanup.absent"] == ["spark-1/vllm-worker", "spark-2/vllm-head"]
    assert facts["cleanup.logs_saved"] == list(result.logs_saved)
    assert set(head.containers) == {"other-of-ours", "their-database"}
    assert "a line of vllm-head" in (tmp_path / "logs/spark-1/vllm-head.log").read_text()
    assert (tmp_path / "logs/spark-2/vllm-worker.inspect.json").is_file()
    text = result._repr_mimebundle_()["text/plain"]
    assert "not started by us; removed because it was named" in text
    first_rm = head.asked.index("docker rm -f vllm-head")
    assert head.asked.index("docker logs --timestamps vllm-head") < first_rm


def test_twice_does_nothing_more() -> None:
    """A runbook could not be run again after it was interrupted."""
    cluster, head, _, _ = pair()
    _container(head, "vllm-head")
    cleanup(cluster, "vllm-head")
    again = cleanup(cluster, "vllm-head")
    assert again.removed == ()
    assert head.asked.count("docker rm -f vllm-head") == 1


def test_a_name_that_nobody_has_and_one_like_it() -> None:
    """A misspelt name would look like a success, and the container it meant would go on serving."""
    cluster, head, worker, _ = pair()
    _container(head, "vllm-head")
    _container(worker, "vllm-worker")
    _container(worker, "sglang-worker")
    misspelt = cleanup(cluster, "vllm-haed", "vllm-worker")
    assert misspelt.report.summary == (
        "1 removed, 3 absent, 2 of ours left alone; "
        "vllm-haed is on no node: did you mean vllm-head on spark-1?"
    )
    assert misspelt.outcome is Outcome.PASS, "nothing is wrong with it where somebody else removed it before"
    other = cleanup(cluster, "sglang-head", "their-database", "vllm-head")
    assert other.report.summary == "1 removed, 5 absent, 1 of ours left alone"


def test_two_containers_of_one_name_keep_both_logs(tmp_path: Path) -> None:
    """The log of the retry would overwrite that of the stall."""
    cluster, head, _, _ = pair(tmp_path)
    _container(head, "sglang-head")
    first = cleanup(cluster, "sglang-head")
    _container(head, "sglang-head")
    second = cleanup(cluster, "sglang-head")
    assert not set(first.logs_saved) & set(second.logs_saved)


def test_nothing_is_removed_when_logs_cannot_be_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk would destroy the only evidence."""
    cluster, head, worker, _ = pair(tmp_path)
    _container(head, "vllm-head")
    _container(worker, "vllm-worker")

    def full(name: str, text: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cluster.context, "save", full)
    with pytest.raises(StepFailedError, match="nothing was removed"):
        cleanup(cluster, "vllm-head", "vllm-worker")
    assert "vllm-head" in head.containers
    assert "vllm-worker" in worker.containers


def test_real_machines_need_consent_for_each() -> None:
    """Somebody's containers would be removed without a word."""
    cluster, head, worker, _ = pair(kind=Kind.REAL, consent="spark-1/vllm-head")
    _container(head, "vllm-head")
    _container(worker, "vllm-worker")
    with pytest.raises(StepFailedError, match="no consent to remove spark-2/vllm-worker"):
        cleanup(cluster, "vllm-head", "vllm-worker")
    assert "vllm-head" in head.containers


def test_port_that_stays_taken_is_said() -> None:
    """The next launch would fail on a port that cleanup called free."""
    cluster, head, _, _ = pair()
    _container(head, "vllm-head")
    head.script["ss -H -ltnp"] = "LISTEN 0 9 0.0.0.0:8000 0.0.0.0:*\n"
    began = head.clock.now()
    result = cleanup(cluster, "vllm-head")
    assert {fact.name: fact.value for fact in result.facts}["cleanup.ports_free"] is False
    assert head.clock.now() - began < 60


@pytest.mark.parametrize("name", ["-rf", "a;b", "a b", "it's", ""])
def test_name_that_is_not_plain_is_refused(name: str) -> None:
    """A name would be read as an option or as shell text."""
    cluster, head, _, _ = pair()
    with pytest.raises(UsageError, match="nothing was sent"):
        cleanup(cluster, "vllm-head", name)
    assert head.asked == []


def test_no_name_is_refused() -> None:
    """A call without names would look like a success."""
    with pytest.raises(UsageError, match="needs the names"):
        cleanup(pair()[0])


def test_a_real_machine_beside_a_lab_host_needs_consent() -> None:
    """One lab host in the machine file would switch consent off for the real machine next to it."""
    cluster, head, worker, _ = pair(kind=Kind.LAB, consent="spark-1/vllm-head")
    worker.kind = Kind.REAL
    _container(head, "vllm-head")
    _container(worker, "vllm-worker")
    with pytest.raises(StepFailedError, match="no consent to remove spark-2/vllm-worker on real"):
        cleanup(cluster, "vllm-head", "vllm-worker")
    assert "vllm-head" in head.containers
    cluster, head, worker, _ = pair(kind=Kind.LAB, consent="spark-2/vllm-worker")
    worker.kind = Kind.REAL
    _container(head, "vllm-head")
    _container(worker, "vllm-worker")
    assert len(cleanup(cluster, "vllm-head", "vllm-worker").removed) == 2


def test_a_line_of_megabytes_is_cut_in_a_message() -> None:
    """One log line without an end would fill the terminal in place of a reason."""
    cluster, head, _, _ = pair()
    _container(head, "vllm-head")
    head.script["docker logs"] = (1, "x" * 2_000_000, "")
    with pytest.raises(StepFailedError, match="2000000 characters") as caught:
        cleanup(cluster, "vllm-head")
    assert len(str(caught.value)) < 1000
