"""No secret may reach the notebook, and masked code stays code."""

import ast
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from reaffirm.run.secrets import Redactor, secret_values

TOKEN = "hf_abcdefghijklmnopqrstuvwxyz0123"


def test_secret_parameter_is_nowhere(project: Path, papermill: Callable[..., Any]) -> None:
    """A key given by -p would end up in the injected cell, in the metadata and in what a cell prints."""
    done: subprocess.CompletedProcess[str] = papermill(
        "runbooks/required.py", "out.ipynb", "-p", "model", "m", "-p", "api_key", "s3cr3t'value\"x"
    )
    assert done.returncode == 0, done.stderr
    text = (project / "out.ipynb").read_text()
    assert "s3cr3t" not in text
    assert "[redacted]" in text
    assert "the key is [redacted]" in text
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "code":
            ast.parse("".join(cell["source"]))


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("api_key: str | None = None  # never stored", None),
        ("hf_token = os.environ['HF_TOKEN']", None),
        ("password = 'abc'", "password = '[redacted]'"),
        ("login(user='u', password='abc', n=1)", "login(user='u', password='[redacted]', n=1)"),
        ("x = {'api_key': 'abc', 'b': 'c'}", "x = {'api_key': '[redacted]', 'b': 'c'}"),
        (f"é = 1; get('{TOKEN}')", "é = 1; get('hf_[redacted]')"),
        (f"x = 1  # {TOKEN}", "x = 1  # hf_[redacted]"),
        ('x = """\npassword=abc\n"""', "x = '\\npassword=[redacted]\\n'"),
        (f"x = f'{TOKEN} {{y}}'", "x = f'hf_[redacted] {y}'"),
        (f"x = b'{TOKEN}'", "x = b'hf_[redacted]'"),
        (f"x = {TOKEN}", "x = hf_[redacted]"),
        ("%magic password=abc", "%magic password=[redacted]"),
    ],
)
def test_code_stays_code(source: str, wanted: str | None) -> None:
    """Masking the text of a cell as if it were prose would make the published notebook a syntax error."""
    assert Redactor().code(source) == (source if wanted is None else wanted)


def test_every_place_of_a_notebook() -> None:
    """Sources, outputs of every shape and metadata are all masked; ids, tags and numbers stay."""
    stream = {
        "output_type": "stream",
        "name": "stdout",
        "text": ["-----BEGIN PRIVATE KEY-----\n", "abc\n", "d"],
    }
    data = {"text/plain": TOKEN, "application/x+json": {"a": [[TOKEN]], "password": "abc", "max_tokens": 5}}
    display = {"output_type": "display_data", "data": data, "metadata": {"t": TOKEN}}
    error = {"output_type": "error", "ename": "E", "evalue": TOKEN, "traceback": [TOKEN, "x"]}
    notebook: dict[str, Any] = {
        "metadata": {"papermill": {"parameters": {"api_key": "short", "tokens": 3, "hosts": ["a", "b"]}}},
        "cells": [
            {
                "cell_type": "markdown",
                "id": "c1",
                "metadata": {"tags": ["t"]},
                "source": [f"see {TOKEN}\n", "b"],
            },
            {
                "cell_type": "code",
                "id": "c2",
                "metadata": {},
                "source": f"x = '{TOKEN}'",
                "outputs": [stream, display, error],
                "execution_count": 1,
            },
        ],
    }
    Redactor().notebook(notebook)
    text = json.dumps(notebook)
    for secret in (TOKEN[3:], "abc", "short"):
        assert secret not in text
    assert notebook["metadata"]["papermill"]["parameters"]["hosts"] == ["a", "b"]
    code = notebook["cells"][1]
    assert code["outputs"][1]["data"]["application/x+json"]["max_tokens"] == 5
    assert len(code["outputs"][2]["traceback"]) == 2
    assert notebook["cells"][0]["metadata"] == {"tags": ["t"]}


def test_short_values_are_not_hunted() -> None:
    """A password ``no`` would black out every ``no`` of a notebook; it is masked only under its name."""
    assert secret_values({"password": "no", "api_key": "longer", "count": 5, "name": "visible"}) == (
        "longer",
    )


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
@given(
    some.lists(
        some.sampled_from(["password", "=", ": ", "'", '"', "\n", "x", f" {TOKEN} ", "#", "(", ")", " "])
    )
)
def test_masking_twice_changes_nothing(pieces: list[str]) -> None:
    """A notebook is masked on each write and again when it is published: it must not drift."""
    once = Redactor().code("".join(pieces))
    assert Redactor().code(once) == once
    assert TOKEN not in once


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
@given(
    some.recursive(
        some.none() | some.booleans() | some.floats(allow_nan=False) | some.sampled_from(["a\n", "b", TOKEN]),
        lambda inner: (
            some.lists(inner, max_size=3) | some.dictionaries(some.sampled_from(["a", "password"]), inner)
        ),
    )
)
def test_any_data_of_an_output(data: Any) -> None:
    """An output holds any JSON: masking it must neither fail nor change its shape."""
    masked = Redactor().data(data)
    assert TOKEN not in json.dumps(masked)
    assert Redactor().data(masked) == masked
    if TOKEN not in json.dumps(data) and "password" not in json.dumps(data):
        assert masked == data
