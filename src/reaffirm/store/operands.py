"""Whether a value can stand behind an operator of an expectation."""

import re
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from reaffirm.model.claim import Operator

_NUMERIC = (Operator.LESS_THAN, Operator.AT_MOST, Operator.GREATER_THAN, Operator.AT_LEAST)


def operand_problem(operator: Operator, value: Any) -> str:
    """Return what is wrong with the value, in words; empty when nothing is."""
    if operator in _NUMERIC and not _is_number(value):
        return f"'{operator}' needs a number, got {type_of(value)} {value!r}"
    if operator is Operator.BETWEEN and not (
        isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)) and value[0] <= value[1]
    ):
        return f"'between' needs [low, high], got {value!r}"
    if operator is Operator.MATCHES:
        try:
            re.compile(value)
        except (re.error, TypeError) as error:
            return f"'matches' needs a regular expression, got {value!r}: {error}"
    if operator is Operator.VERSION:
        try:
            SpecifierSet(value)
        except (InvalidSpecifier, AttributeError, TypeError):
            return f"'version' needs a range such as '>=0.14,<0.15', got {value!r}"
    if isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(one, list | dict) for one in value)
    ):
        return f"'{operator}' needs a value or a list of values, got {type_of(value)}"
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def type_of(value: Any) -> str:
    """Return what a value is, in the words of the people who write YAML."""
    names = {
        dict: "a mapping",
        list: "a list",
        str: "text",
        bool: "true/false",
        int: "a number",
        float: "a number",
    }
    return "nothing" if value is None else names.get(type(value), type(value).__name__)
