"""Facts taken from answers: each recipe as data, and what it refuses to guess."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from reaffirm.errors import UsageError
from reaffirm.steps.extracting import MOST_TEXT, extracts, found

CASES = tomllib.loads((Path(__file__).parent / "specimens" / "extracts.toml").read_text())["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['recipe']} of {case['text'][:30]!r}")
def test_a_recipe_finds_the_value_or_says_why_not(case: dict[str, Any]) -> None:
    """A wrong number would be shown as measured, and a claim judged by it."""
    [extract] = extracts({"x": case["recipe"]})
    value, why = found(extract, case["text"])
    if "value" in case:
        assert (value, why) == (case["value"], "")
        assert type(value) is type(case["value"])
    else:
        assert value is None
        assert case["why"] in why


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"a b": {"text": "whole"}}, "one word"),
        ({"exit": {"text": "whole"}}, "the step itself finds 'exit'"),
        ({"x": "seconds"}, "as data"),
        ({"x": {"jsn": "a"}}, "did you mean 'json'"),
        ({"x": {"json": "a", "regex": "b"}}, "exactly one"),
        ({"x": {"unit": "ms"}}, "exactly one"),
        ({"x": {"regex": "a(b)"}}, "one named group"),
        ({"x": {"regex": "(?P<a>x)(?P<b>y)"}}, "one named group"),
        ({"x": {"regex": "(?P<a>"}}, "not a regular expression"),
        ({"x": {"number": "third line"}}, "stands on a line"),
        ({"x": {"text": "whole", "unit": "ms"}}, "has no unit"),
        ({"x": {"json": 3}}, "named by its keys"),
        ({"x": {"json": "a", "unit": 3}}, "a unit is a text"),
    ],
    ids=str,
)
def test_a_recipe_that_cannot_be_used_is_refused(facts: Any, says: str) -> None:
    """A typo would give a fact that is unknown for ever, after the command has run."""
    with pytest.raises(UsageError) as caught:
        extracts(facts, ("exit",))
    assert says in caught.value.message
    assert caught.value.hint


def test_a_flood_is_not_searched() -> None:
    """A pattern over megabytes of a log could keep the run busy for ever."""
    [extract] = extracts({"x": {"regex": "(?P<n>a)"}})
    value, why = found(extract, "a" * (MOST_TEXT + 1))
    assert value is None
    assert "more than" in why
