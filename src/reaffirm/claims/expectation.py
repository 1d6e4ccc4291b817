"""Holds one value against one expectation. What cannot be compared is ``unknown``, never a pass."""

import math
import re
from collections.abc import Callable

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from reaffirm.model.claim import Expectation, Operand, Operator, Result
from reaffirm.model.fact import FactValue


def evaluate(expect: Expectation, value: FactValue, unit: str = "") -> tuple[Result, str]:
    """Return how the value fares and, in words, why.

    ``None`` is unknown. Booleans are strict: ``true`` is not 1 and not ``"true"``. A number in
    another unit than the one asked for is unknown: nothing is converted.
    """
    if value is None:
        return Result.UNKNOWN, "the step looked and could not tell"
    if isinstance(value, float) and math.isnan(value):
        return Result.UNKNOWN, "the value is not a number"
    if expect.unit and expect.unit != unit:
        return Result.UNKNOWN, f"expected the unit {expect.unit}, the fact has {unit or 'none'}"
    if not expect.terms:
        return Result.UNKNOWN, "nothing is expected"
    results = [
        (_term(operator, operand, value), operator, operand) for operator, operand in expect.terms.items()
    ]
    for wanted in (Result.FAILED, Result.UNKNOWN):
        for result, operator, operand in results:
            if result is wanted:
                if wanted is Result.FAILED:
                    expected = str(Expectation({operator: operand})).removeprefix("equals ")
                    return wanted, f"{_words(value)}, expected {expected}"
                return wanted, f"{_words(value)} cannot be compared with {Expectation({operator: operand})}"
    return Result.PASSED, f"{_words(value)} is as expected"


def _term(operator: Operator, operand: Operand, value: FactValue) -> Result:
    match operator:
        case Operator.EQUALS:
            return _result(_same(value, operand))
        case Operator.NOT:
            return _result(not _same(value, operand))
        case Operator.CONTAINS:
            if isinstance(value, list):
                return _result(any(_same(item, operand) for item in value))
            if isinstance(value, str) and isinstance(operand, str):
                return _result(operand in value)
            return Result.UNKNOWN
        case Operator.MATCHES:
            if not isinstance(value, str) or not isinstance(operand, str):
                return Result.UNKNOWN
            try:
                return _result(re.fullmatch(operand, value) is not None)
            except re.error:
                return Result.UNKNOWN
        case Operator.BETWEEN:
            if not isinstance(operand, tuple) or len(operand) != 2:
                return Result.UNKNOWN
            low, high = (_number(item) for item in operand)
            number = _number(value)
            if low is None or high is None or number is None:
                return Result.UNKNOWN
            return _result(low <= number <= high)
        case Operator.VERSION:
            return _version(operand, value)
        case _:
            return _compare(_ORDER[operator], value, operand)


_ORDER: dict[Operator, Callable[[float, float], bool]] = {
    Operator.LESS_THAN: lambda a, b: a < b,
    Operator.AT_MOST: lambda a, b: a <= b,
    Operator.GREATER_THAN: lambda a, b: a > b,
    Operator.AT_LEAST: lambda a, b: a >= b,
}


def _result(holds: bool) -> Result:
    return Result.PASSED if holds else Result.FAILED


def _same(value: FactValue | Operand, operand: Operand) -> bool:
    if isinstance(value, list):
        return isinstance(operand, tuple) and len(value) == len(operand) and all(map(_same, value, operand))
    if isinstance(value, bool) or isinstance(operand, bool):
        return value is operand
    return value == operand


def _number(value: FactValue | Operand) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value


def _compare(holds: Callable[[float, float], bool], value: FactValue, operand: Operand) -> Result:
    left, right = _number(value), _number(operand)
    if left is None or right is None or math.isnan(right):
        return Result.UNKNOWN
    return _result(holds(left, right))


def _version(operand: Operand, value: FactValue) -> Result:
    """Hold ``0.14.0rc2`` against ``>=0.14.0rc1,<0.15``; pre-releases count, they are what people run."""
    if not isinstance(operand, str) or not isinstance(value, str):
        return Result.UNKNOWN
    try:
        return _result(SpecifierSet(operand).contains(Version(value), prereleases=True))
    except (InvalidSpecifier, InvalidVersion):
        return Result.UNKNOWN


def _words(value: FactValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(value) if value else "an empty list"
    return f'"{value}"' if isinstance(value, str) else str(value)
