"""Checks of claims: a name that nothing can ever find is one line in the list of mistakes."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reaffirm.claims.checks import Vocabulary, without_mistakes
from reaffirm.model.claim import Check, Claim, Condition, Evidence, Expectation, Operator
from reaffirm.model.evidence import Kind, Via
from reaffirm.model.record import Record, Status
from reaffirm.model.vocabulary import RunbookWords
from reaffirm.store.fact_names import documented_facts, runbook_words

_ROOT = Path(__file__).parents[2]
_SOURCE = Path(__file__).parent / "specimens/runbook.py"
_DOCUMENTED = documented_facts([_ROOT / "docs/reference/facts.md"])


def claim(fact: str, runbook: str = "book") -> Claim:
    """Return a claim as it stands in line 5 of a record, its runbook in line 7, its fact in line 8."""
    condition = Condition(fact, Expectation({Operator.EQUALS: True}), line=8)
    check = Check(runbook, (condition,), line=7)
    return Claim("one", "Says.", check=check, path="adrs/0001-x.md", line=5)


def vocabulary(**more: RunbookWords) -> Vocabulary:
    """Return what the runbook of the specimens and the documents tell."""
    words = runbook_words(_SOURCE.read_text(encoding="utf-8"), _DOCUMENTED)
    return Vocabulary({"book": words, **more}, _DOCUMENTED, images=["vllm-node"])


@pytest.mark.parametrize(
    "fact",
    [
        "launch.outcome",
        "stall.outcome",
        "before.removed",
        "probe.toy-image.supports_model",
        "probe.vllm-node.supports_model",
        "probe.an-image-of-somebody.supports_model",
        "search.recall",
        "search.size_3",
        "files.count",
        "query.p95",
        "query.hits",
        "file.exists",
        "experiment.sglang.set.always_stuck",
        "unset_2.outcome",
        "count_files.anything",
    ],
)
def test_what_a_runbook_can_find_is_known(fact: str) -> None:
    """A right check would fail the build."""
    assert vocabulary().findings(claim(fact)) == ()


@pytest.mark.parametrize(
    ("fact", "hint"),
    [
        ("verify.tokens_per_secnd", "did you mean 'verify.tokens_per_second'?"),
        ("stal.outcome", "did you mean 'stall.outcome'?"),
        ("stall.removed", "docs/reference/facts.md lists"),
        ("before.outcome", "docs/reference/facts.md lists"),
        ("probe.toy-image.suports_model", "did you mean 'probe.toy-image.supports_model'?"),
        ("probe.vllm-nod.supports_model", "did you mean 'probe.vllm-node.supports_model'?"),
        ("search.recal", "did you mean 'search.recall'?"),
        ("query.exit", "did you mean 'query.hits'?"),
        ("query.hit", "did you mean 'query.hits'?"),
        ("weather.rain", "docs/reference/facts.md lists"),
    ],
)
def test_a_fact_that_nothing_finds_is_named_with_its_line(fact: str, hint: str) -> None:
    """A misspelt fact would leave its claim 'told' for ever, and every gate would be green."""
    (finding,) = vocabulary().findings(claim(fact))
    assert (finding.path, finding.line, finding.code) == ("adrs/0001-x.md", 8, "check-fact")
    assert finding.message == f"no run of book finds the fact {fact!r}"
    assert finding.hint.startswith(hint)


def of_own_steps(*facts: str, whole: bool = True, changed: str = "") -> Vocabulary:
    """A runbook with a step of its own, and a published run of it that found these facts."""
    words = RunbookWords(heads=frozenset({"time_command", "start"}))
    moment = datetime(2026, 11, 30, tzinfo=UTC)
    evidence = [
        Evidence(fact, 1.0, "ms", Kind.REAL, Via.LIVE, moment, "one", "book", changed=changed, whole=whole)
        for fact in facts
    ]
    return Vocabulary({"book": words}, _DOCUMENTED, evidence)


@pytest.mark.parametrize(
    ("fact", "hint"),
    [
        ("start.p59", "did you mean 'start.p95'?"),
        ("start.P95", "did you mean 'start.p95'?"),
        ("start.foo", "its published runs find start.p95, start.runs"),
    ],
)
def test_a_fact_that_a_step_of_ones_own_did_not_find(fact: str, hint: str) -> None:
    """The claim would stay 'told', and the board say that its check never ran: its run lies published."""
    (finding,) = of_own_steps("start.p95", "start.runs").findings(claim(fact))
    assert (finding.line, finding.code) == (8, "check-fact")
    assert finding.hint.startswith(hint)


@pytest.mark.parametrize(
    "known",
    [
        of_own_steps(),
        of_own_steps("start.p95", changed="the runbook"),
        of_own_steps("start.p95", whole=False),
        of_own_steps("time_command.p95"),
    ],
    ids=["no run", "a run of other code", "a run that broke off", "a run without this step"],
)
def test_what_no_run_can_tell_is_not_called_wrong(known: Vocabulary) -> None:
    """A record could not name a fact that its runbook is about to find."""
    assert known.findings(claim("start.p59")) == ()


def in_unit(fact: str, unit: str) -> Claim:
    """A claim that asks for a number in this unit."""
    condition = Condition(fact, Expectation({Operator.AT_MOST: 5}, unit), line=8)
    return replace(claim(fact), check=Check("book", (condition,), line=7))


@pytest.mark.parametrize(
    ("known", "fact", "told"),
    [
        (of_own_steps("start.p95"), "start.p95", "'ms'"),
        (vocabulary(), "launch.silent_seconds", "'s'"),
        (vocabulary(), "launch.outcome", "no unit"),
        (vocabulary(), "query.p95", "'ms'"),
        (Vocabulary({"book": runbook_words('fact("a.b", 1, unit="MB")')}), "a.b", "'MB'"),
        (Vocabulary({"book": runbook_words('fact("a.b", 1)')}), "a.b", "no unit"),
    ],
    ids=["a published run", "a step", "a step without", "a step of another name", "a notebook", "without"],
)
def test_a_unit_that_the_fact_does_not_have_is_named(known: Vocabulary, fact: str, told: str) -> None:
    """The claim would be 'unknown' for ever, and only who looks at its reason would learn why."""
    (finding,) = known.findings(in_unit(fact, "min"))
    assert (finding.path, finding.line, finding.code) == ("adrs/0001-x.md", 8, "check-unit")
    assert finding.message == f"book finds {fact} in {told}, and the check asks for 'min'"


@pytest.mark.parametrize(
    ("known", "fact", "unit"),
    [
        (of_own_steps("start.p95"), "start.p95", "ms"),
        (of_own_steps("start.p95"), "start.p95", ""),
        (of_own_steps("start.p95", changed="the runbook"), "start.p95", "s"),
        (Vocabulary({"book": runbook_words('fact("a.b", 1, unit)')}), "a.b", "s"),
        (vocabulary(), "launch.silent_seconds", "s"),
    ],
    ids=["the same", "none asked for", "a run of other code", "computed", "a step"],
)
def test_a_unit_that_may_be_right_is_no_mistake(known: Vocabulary, fact: str, unit: str) -> None:
    """A right check would be left out of the board."""
    assert known.findings(in_unit(fact, unit)) == ()


def test_a_runbook_that_is_not_there_is_named_with_its_line() -> None:
    """So would a misspelt runbook."""
    (finding,) = vocabulary().findings(claim("launch.outcome", "bok"))
    assert str(finding) == ("adrs/0001-x.md:7: check-runbook there is no runbook 'bok'; did you mean 'book'?")
    (finding,) = vocabulary().findings(claim("launch.outcome", "weather"))
    assert finding.hint == "runbooks here: book"


@pytest.mark.parametrize(
    "source", ["reaffirm.fact(name, 1)", "steps.launch(c, facts=prefix)", "this is no Python"]
)
def test_computed_names_are_never_called_wrong(source: str) -> None:
    """A linter that guesses would refuse a right record."""
    words = runbook_words(source, _DOCUMENTED)
    assert vocabulary(other=words).findings(claim("weather.rain", "other")) == ()


def test_a_claim_with_a_misspelt_check_decides_nothing() -> None:
    """Half of a check would be taken for all of it."""
    good, bad = claim("launch.outcome"), claim("launch.outcom")
    record = Record("adrs/0001-x.md", "0001", "X", Status.ACCEPTED, claims=(good,))
    assert without_mistakes(record, vocabulary().findings(good)).claims == (good,)
    assert without_mistakes(record, vocabulary().findings(bad)).claims == ()


def test_our_own_checks_name_what_there_is() -> None:
    """The records that teach the format would teach it wrongly."""
    from reaffirm.site.material import read_material

    material = read_material(_ROOT, docs="docs", records="adrs", runbooks="runbooks")
    assert [str(finding) for finding in material.findings] == []
    assert len(_DOCUMENTED) > 40
