"""Facts held against expectations, case by case from a file."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from reaffirm.claims.expectation import evaluate
from reaffirm.model.claim import Expectation, Operator, Result

_CASES = tomllib.loads((Path(__file__).parent / "specimens/expectations.toml").read_text())["case"]


@pytest.mark.parametrize("case", _CASES, ids=str)
def test_expectation(case: dict[str, Any]) -> None:
    """A wrong comparison would affirm what was never seen."""
    words = dict(case["expect"])
    unit = words.pop("unit", "")
    terms = {Operator(key): tuple(v) if isinstance(v, list) else v for key, v in words.items()}
    result, why = evaluate(Expectation(terms, unit), case.get("value"), case.get("unit", ""))
    assert (result, bool(why)) == (Result(case["gives"]), True)


_VALUES = (
    some.none() | some.booleans() | some.integers() | some.floats() | some.text() | some.lists(some.text())
)


@given(value=_VALUES, operator=some.sampled_from(Operator), operand=_VALUES)
def test_no_pair_of_values_breaks_the_board(value: Any, operator: Operator, operand: Any) -> None:
    """One odd fact would take the whole board down; and what could not be told must never pass."""
    expect = Expectation({operator: tuple(operand) if isinstance(operand, list) else operand})
    result, _ = evaluate(expect, value)
    assert value is not None or result is Result.UNKNOWN
