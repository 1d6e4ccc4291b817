"""The hash of a runbook changes with what it does and with nothing else."""

import pytest

from reaffirm.store.code_hash import bare_code, code_hash

CODE = 'def f(x):\n    return x + "# no comment"\n\n\nprint(f(1))'


@pytest.mark.parametrize(
    "same",
    [
        CODE + "  # why",
        "# above\n" + CODE,
        CODE.replace("\n\n\n", "\n\n\n\n\n"),
        CODE.replace("def f(x):\n", 'def f(x):\n    """Say it.\n\n    At length.\n    """\n'),
    ],
)
def test_prose_does_not_count(same: str) -> None:
    """Evidence must not go stale because a comment was improved."""
    assert code_hash([same]) == code_hash([CODE])
    assert code_hash(["# only words", same, ""]) == code_hash([CODE])


@pytest.mark.parametrize("other", [CODE.replace("+", "-"), CODE.replace("# no", "#no"), CODE + "\nprint(2)"])
def test_code_counts(other: str) -> None:
    """Evidence must go stale when the code changes, also inside of text."""
    assert code_hash([other]) != code_hash([CODE])


def test_odd_sources() -> None:
    """What is no Python is taken as it is; cells are not run together."""
    assert bare_code('class A:\n    """Doc."""') == "class A:"
    assert bare_code("%time x  # y") == "%time x  # y"
    assert bare_code("x = (") == "x = ("
    assert code_hash(["a", "b"]) != code_hash(["a\nb"])
