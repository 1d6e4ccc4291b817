"""command: what it sends, what it judges, and what it leaves unknown."""

from typing import Any

import pytest
from alone import alone, values
from scripted_node import pair

from reaffirm.errors import NodeTimeoutError, StepFailedError, UsageError
from reaffirm.model.report import Outcome
from reaffirm.steps import command


def test_a_command_that_ends_as_expected_gives_its_facts() -> None:
    """The figure of a benchmark would not reach the claim."""
    cluster, node = alone()
    node.script["bench --fast"] = 'starting\n{"p95": 12.5}\n'
    recipe = {"p95": {"json": "p95", "unit": "ms"}}
    result = command(cluster, ["bench", "--fast"], name="search", facts=recipe)
    assert result.outcome is Outcome.PASS
    found = values(result)
    assert found == {"search.passed": True, "search.exit": 0, "search.seconds": 0.1, "search.p95": 12.5}
    assert [fact.unit for fact in result.facts] == ["", "", "s", "ms"]
    assert cluster.context.facts["search.p95"].by == ""
    assert result["p95"] == 12.5
    assert result.expect("pass") is result
    assert [sent.shell for sent in result.report.sent] == ["bench --fast"]


def test_another_exit_status_fails_and_its_output_is_no_fact() -> None:
    """A number printed on the way to a crash would be taken for a measurement."""
    cluster, node = alone()
    node.script["bench"] = (3, "12 ms\n", "disk full\n")
    result = command(cluster, ["bench"], facts={"p95": {"number": "last line", "unit": "ms"}})
    assert result.outcome is Outcome.FAIL
    assert values(result)["command.passed"] is False
    assert values(result)["command.p95"] is None
    assert "disk full" in result.report.summary
    with pytest.raises(StepFailedError, match="expected pass, got fail"):
        result.expect("pass")
    assert command(cluster, ["bench"], expect_exit=3).outcome is Outcome.PASS
    assert command(cluster, ["bench"], expect_exit=(0, 3)).outcome is Outcome.PASS
    assert command(cluster, ["bench"], expect_exit=None).outcome is Outcome.PASS


def test_a_fact_that_cannot_be_told_is_no_pass() -> None:
    """A changed output format would be green until somebody looked."""
    cluster, node = alone()
    node.script["bench"] = "done\n"
    result = command(cluster, ["bench"], facts={"p95": {"number": "last line"}})
    assert result.outcome is Outcome.UNKNOWN
    assert values(result)["command.passed"] is True
    assert values(result)["command.p95"] is None


def test_a_program_that_is_not_there_is_unknown() -> None:
    """A missing tool would refute the claim that it was to check."""
    cluster, _ = alone()
    result = command(cluster, ["no-such-tool"])
    assert result.outcome is Outcome.UNKNOWN
    assert values(result)["command.passed"] is None
    assert "no such program" in result.report.summary


def test_a_node_that_is_gone_or_too_slow_is_unknown() -> None:
    """A broken cable would be a failed check."""
    cluster, node = alone()
    node.gone = True
    result = command(cluster, ["true"])
    assert result.outcome is Outcome.UNKNOWN
    assert set(values(result).values()) == {None}

    def slow(*_: Any, **__: Any) -> Any:
        msg = "true on here did not end within 60 s and was ended there"
        raise NodeTimeoutError(msg, node="here")

    node.run = slow  # type: ignore[method-assign]
    assert command(cluster, ["true"]).outcome is Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("argv", "more", "says"),
    [
        ("ls -l /", {}, "the text 'ls -l /'"),
        ([], {}, "list of texts"),
        (["head", "-n", 3], {}, "got 3"),
        (["a\0b"], {}, "list of texts"),
        (["true"], {"name": "launch"}, "found by the step of that name"),
        (["true"], {"name": "probe.mine"}, "found by the step of that name"),
        (["true"], {"name": "My Name"}, "lower-case words"),
        (["true"], {"timeout": 0}, "timeout"),
        (["true"], {"timeout": float("nan")}, "timeout"),
        (["true"], {"expect_exit": 256}, "exit status"),
        (["true"], {"expect_exit": True}, "exit status"),
        (["true"], {"node": "there"}, "no node named 'there'"),
    ],
    ids=str,
)
def test_what_cannot_be_used_is_refused_before_anything_is_sent(argv: Any, more: Any, says: str) -> None:
    """A mistake would be found after the command had its effect."""
    cluster, node = alone()
    with pytest.raises(UsageError) as caught:
        command(cluster, argv, **more)
    assert says in caught.value.message
    assert caught.value.hint
    assert node.asked == []


def test_secrets_among_the_words_are_not_shown() -> None:
    """A password would be published with the notebook."""
    cluster, node = alone()
    node.script["login"] = "fine\n"
    result = command(cluster, ["login", "--password", "hunter2", "--api-key", "abcdef"])
    bundle = str(result._repr_mimebundle_())
    assert "abcdef" not in bundle
    assert "hunter2" not in bundle


def test_on_two_nodes_the_head_is_asked_or_the_one_that_is_named() -> None:
    """A check would quietly look at another machine."""
    cluster, head, worker, _ = pair()
    command(cluster, ["hostname"])
    assert head.asked == ["hostname"]
    command(cluster, ["hostname"], node="spark-2")
    assert worker.asked == ["hostname"]
