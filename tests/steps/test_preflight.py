"""preflight: what it lets pass, what it stops, and what it says."""

import json

import pytest
from scripted_node import MODEL, link, pair

from reaffirm.errors import StepFailedError, UsageError
from reaffirm.model.report import Outcome, Table
from reaffirm.steps import preflight

UNREACHED = json.dumps({"reached": False, "how": "timeout", "ms": 3000})


def _rows(report_blocks: tuple[object, ...]) -> list[tuple[str, ...]]:
    table = report_blocks[0]
    assert isinstance(table, Table)
    return [tuple(row) for row in table.rows]


def test_healthy_pair_passes() -> None:
    """A pair that could serve would be turned away."""
    cluster, _, _, _ = pair()
    result = preflight(cluster, images=["img"], model=MODEL)
    assert result.outcome is Outcome.PASS
    facts = {fact.name: fact.value for fact in result.facts}
    assert facts["preflight.fabric_address_head"] == "192.0.2.12"
    assert facts["preflight.advertised_address_reachable"] is True
    assert facts["preflight.same_image"] is True
    assert facts["preflight.weights_complete"] is True


def test_unreachable_advertised_address_warns_and_goes_on() -> None:
    """The runbook could not go on to reproduce the stall, or nobody would be told of its likeliest cause."""
    cluster, _, worker, _ = pair()
    worker.script["198.51.100.12 … Tell whether a TCP port"] = UNREACHED
    result = preflight(cluster, images=["img"], model=MODEL)
    warned = [row for row in _rows(result.report.blocks) if row[0] == "WARNING"]
    assert [row[1] for row in warned] == ["spark-1"]
    assert "SGLANG_HOST_IP" in warned[0][4]
    facts = {fact.name: fact.value for fact in result.facts}
    assert facts["preflight.advertised_address_reachable"] is False
    assert facts["preflight.passed"] is True


def test_dead_node_is_a_row_and_everything_else_is_asked() -> None:
    """One node down would hide what is wrong with the other."""
    cluster, head, worker, shown = pair()
    worker.gone = True
    head.script["ss -H -ltnp"] = 'LISTEN 0 9 0.0.0.0:8000 0.0.0.0:* users:(("python3",pid=7,fd=3))\n'
    with pytest.raises(StepFailedError) as caught:
        preflight(cluster, images=["img"], model=MODEL)
    assert "answers on spark-2" in str(caught.value)
    assert "port 8000 on spark-1" in str(caught.value)
    text = shown[-1]["text/plain"]
    assert "no route" in text
    assert "python3 (pid 7)" in text


@pytest.mark.parametrize(
    ("key", "told", "words"),
    [
        ("docker image inspect", (1, "[]", "Error: No such image: img"), "docker pull img"),
        (
            "docker image inspect",
            json.dumps([{"Id": "sha256:cc", "Architecture": "amd64"}]),
            "pull it by its digest",
        ),
        ("df -B1", "Avail Mounted on\n1000 /\n", "docker system df"),
        ("cat /proc/meminfo", "MemTotal: 127600000 kB\nMemAvailable: 1000 kB\n", "drop_caches"),
        ("Tell whether the weights", json.dumps({"found": False, "cache": "/cache"}), "hf download"),
        (
            "Tell whether the weights",
            json.dumps({"found": True, "path": "/c", "files": 1, "bytes": 9, "missing": ["b.safetensors"]}),
            "b.safetensors",
        ),
    ],
)
def test_failed_check_says_what_to_do(key: str, told: str, words: str) -> None:
    """A check that fails on the worker alone would be missed, or leave people without a next action."""
    cluster, _, worker, shown = pair()
    worker.script[key] = told
    with pytest.raises(StepFailedError, match="preflight failed"):
        preflight(cluster, images=["img"], model=MODEL)
    assert words in " ".join(shown[-1]["text/plain"].split())


def test_an_image_of_nearly_that_name_is_named() -> None:
    """Somebody would pull an image for half an hour, or in vain, that is there under another tag."""
    cluster, _, worker, shown = pair()
    worker.script["docker image inspect"] = (1, "[]", "Error: No such image: vllm-qwen53")
    worker.script["docker images"] = "vllm-qwen35:lab\n"
    with pytest.raises(StepFailedError):
        preflight(cluster, images=["vllm-qwen53"], model=MODEL)
    text = " ".join(shown[-1]["text/plain"].split())
    assert "did you mean vllm-qwen35:lab, which is there? Else docker pull vllm-qwen53 there; where" in text


def test_what_cannot_be_judged_is_unknown_and_never_a_pass() -> None:
    """A tool that is missing on a node would count as a healthy node."""
    cluster, _, worker, _ = pair()
    worker.script["ss -H -ltnp"] = (127, "", "ss: command not found")
    result = preflight(cluster, images=["img"], model=MODEL)
    assert result.outcome is Outcome.UNKNOWN
    assert ("unknown", "spark-2", "listening ports", "ss: command not found", "ask by hand") in _rows(
        result.report.blocks
    )


def test_fabric_is_found_by_reach_and_rdma_and_narrowed_by_subnet() -> None:
    """A launch would bind to a network that the nodes do not reach each other on."""
    cluster, _, worker, _ = pair()
    worker.script["192.0.2.12 … Tell whether a TCP port"] = UNREACHED
    result = preflight(cluster, images=["img"], model=MODEL)
    assert result.fabric.subnet == "198.51.100.0/24"
    assert result.fabric.tried[0].startswith("192.0.2.0/24")
    narrowed, _, worker, _ = pair(fabric_subnet="192.0.2.0/24")
    worker.script["192.0.2.12 … Tell whether a TCP port"] = UNREACHED
    with pytest.raises(StepFailedError, match="fabric"):
        preflight(narrowed, images=["img"], model=MODEL)


@pytest.mark.parametrize(
    ("mtu", "verdict", "seen"),
    [
        (9000, "WARNING", "spark-1 fab0: 9000, spark-2 fab0: 1500"),
        (1500, "pass", "spark-1 fab0: 1500, spark-2 fab0: 1500"),
        (None, "unknown", "spark-1 fab0: not told, spark-2 fab0: 1500"),
    ],
)
def test_two_sizes_of_packet_are_named(mtu: int | None, verdict: str, seen: str) -> None:
    """Connections would open and then hang on the first large packet, and nobody would look at the MTU."""
    cluster, head, worker, _ = pair()
    head.script["ip -j addr"] = json.dumps([link("fab0", "192.0.2.12", 24, mtu=mtu)])
    worker.script["ip -j addr"] = json.dumps([link("fab0", "192.0.2.13", 24)])
    result = preflight(cluster, images=["img"], model=MODEL)
    (row,) = (row for row in _rows(result.report.blocks) if row[2] == "MTU")
    assert (row[0], row[3]) == (verdict, seen)
    assert bool(row[4]) is (verdict != "pass")


def test_twin_interfaces_on_one_subnet_are_named() -> None:
    """Routing between the two halves of a port is ambiguous, and fails now and then."""
    cluster, head, _, _ = pair()
    head.script["ip -j addr"] = json.dumps([link("fab0", "192.0.2.12", 24), link("fab1", "192.0.2.112", 24)])
    head.script["ibdev2netdev"] = "roce0 port 1 ==> fab0 (Up)\nroce1 port 1 ==> fab1 (Up)\n"
    result = preflight(cluster, images=["img"], model=MODEL)
    assert any(
        row[2] == "twin interfaces" and "fab0 and fab1" in row[3] for row in _rows(result.report.blocks)
    )


@pytest.mark.parametrize("image", ["a b", "img;rm", "-img", "img'", 'im"g', ""])
def test_name_that_is_not_plain_stops_before_anything_is_sent(image: str) -> None:
    """A quote or a semicolon in a name would reach a machine."""
    cluster, head, worker, _ = pair()
    with pytest.raises(UsageError, match="nothing was sent"):
        preflight(cluster, images=[image], model=MODEL)
    with pytest.raises(UsageError, match="nothing was sent"):
        preflight(cluster, images=["img"], model="a model; rm -rf")
    assert head.asked == worker.asked == []
