"""The general steps on every transport: the same words, whichever kind of node answers."""

from conftest import Web

from reaffirm.model.node import Machines
from reaffirm.model.report import Outcome
from reaffirm.nodes.cluster import Cluster, RunContext
from reaffirm.nodes.transport import Transport
from reaffirm.steps import command, file, http


def of(node: Transport) -> Cluster:
    """A cluster of one node, for a test that is run again on its replay."""
    return Cluster(
        Machines("one", "", (node.node,)), {node.node.name: node}, RunContext(None, show=lambda _: None)
    )


def test_a_command_and_its_facts(node: Transport) -> None:
    """A check would work on the author's machine only."""
    recipe = {"took": {"number": "last line", "unit": "ms"}}
    result = command(of(node), ["printf", "%s\\n", "hello", "took 12.5 ms"], facts=recipe)
    assert result.outcome is Outcome.PASS
    assert (result["took"], result["exit"]) == (12.5, 0)
    assert command(of(node), ["false"]).outcome is Outcome.FAIL
    assert command(of(node), ["no-such-command-of-ours"], changes="nothing").outcome is Outcome.UNKNOWN
    late = command(of(node), ["sleep", "3017.5"], timeout=1)
    assert late.outcome is Outcome.UNKNOWN
    assert "did not end" in late.report.summary or "no end" in late.report.summary


def test_a_file(node: Transport) -> None:
    """What stat does not tell on one kind of node must not count as absent."""
    found = file(of(node), "/proc/meminfo", matches=r"^MemTotal: +\d+ kB$")
    assert found.outcome is Outcome.PASS
    assert found["exists"] is True
    missing = file(of(node), "/no/such/file")
    assert (missing.outcome, missing["exists"]) == (Outcome.FAIL, False)
    assert file(of(node), "/no/such/file", exists=False).outcome is Outcome.PASS


def test_a_request(node: Transport, web: Web) -> None:
    """Latency would be taken from another clock than the node's."""
    result = http(of(node), web.found, repeat=20)
    assert result.outcome is Outcome.PASS, result.report.summary
    assert (result["status"], result["requests"]) == (200, 20)
    assert all(isinstance(result[key], float) and result[key] >= 0 for key in ("p50", "p95"))
    assert result["p99"] is None
    assert http(of(node), web.absent, expect_status=404).outcome is Outcome.PASS
    nobody = http(of(node), "http://127.0.0.1:9/")
    assert (nobody.outcome, nobody["status"]) == (Outcome.FAIL, None)
