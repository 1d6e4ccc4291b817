"""What the cells of a notebook have bound to a secret's name is known before it could be written."""

from collections.abc import Iterator
from typing import Annotated, Any

import pytest

from reaffirm.nodes import secret_variables
from reaffirm.nodes.secret_variables import learn
from reaffirm.redact import redact, remembering


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The variables of a notebook: plain ones, looked at once."""
    found: dict[str, Any] = {"nodes": "simulated", "port": 8000, "__annotations__": {"nodes": str}}
    monkeypatch.setattr(secret_variables, "_namespaces", lambda: iter([found]))
    for kept in ("_plain", "_annotated", "_judged", "_last"):
        monkeypatch.setattr(secret_variables, kept, type(getattr(secret_variables, kept))())
    with remembering():
        learn()
        learn(quick=True)
        yield found


def test_a_secret_that_a_cell_asked_for_is_known_at_the_next_request(variables: dict[str, Any]) -> None:
    """A password that somebody typed would stand in the recording of the request that uses it."""
    variables["db_password"] = "correct-horse-battery"
    learn(quick=True)
    assert "horse" not in redact("connected with correct-horse-battery")


def test_a_secret_that_is_bound_anew_is_known(variables: dict[str, Any]) -> None:
    """The second of two tokens would be written."""
    for value in ("first-value-of-it-1", "second-value-of-it-2"):
        variables["api_token"] = value
        learn(quick=True)
        assert value not in redact(f"sent {value}")


def test_a_mark_on_a_name_that_says_nothing_is_known(variables: dict[str, Any]) -> None:
    """``site: Annotated[str, "secret"]`` would be a plain word."""
    variables["nodes"] = "a-very-hidden-host-1"
    variables["__annotations__"]["nodes"] = Annotated[str, "secret"]
    learn(quick=True)
    assert "hidden" not in redact("reached a-very-hidden-host-1")


def test_however_a_cell_moves_its_names_about_they_are_known_at_its_end(variables: dict[str, Any]) -> None:
    """As many names as before with the same last one may yet hold a new secret."""
    del variables["__annotations__"]
    learn()
    del variables["nodes"], variables["port"]
    variables |= {"api_token": "a-token-in-between-3", "port": 8000}
    learn()
    assert "between" not in redact("sent a-token-in-between-3")
