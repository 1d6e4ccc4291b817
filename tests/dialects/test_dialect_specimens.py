"""The specimens agree with themselves."""

import pytest
from check_specimens import check_expectation, expectations


def test_each_expectation_is_visible_in_its_file() -> None:
    """A line number or a path that is off would send whoever trusts the specimens to the wrong place."""
    assert [line for expected, root in expectations() for line in check_expectation(expected, root)] == []


@pytest.mark.parametrize("part", ["dialects", "hostile", "foreign"])
def test_there_are_expectations(part: str) -> None:
    """An empty folder would make every test of reading pass."""
    assert [expected for expected, _ in expectations() if part in expected.parts]
