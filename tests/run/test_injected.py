"""``reaffirm run`` makes the cell of given values itself: it has to be papermill's, to the letter."""

import json
import math
from typing import Any

import nbformat
from hypothesis import given, settings
from hypothesis import strategies as some
from papermill.parameterize import parameterize_notebook

from reaffirm.run.injected import as_code, with_values

_SCALARS = some.none() | some.booleans() | some.integers() | some.floats() | some.text()
_VALUES = _SCALARS | some.lists(_SCALARS) | some.dictionaries(some.text(), _SCALARS)


@settings(deadline=None, database=None)
@given(some.dictionaries(some.sampled_from(["a", "b_1", "nodes"]), _VALUES))
def test_values_as_code(values: dict[str, Any]) -> None:
    """A value that is spelled differently would be another value, or a syntax error."""
    from papermill.translators import PythonTranslator

    assert as_code(values) == PythonTranslator.codify(values)
    found: dict[str, Any] = {}
    exec(as_code(values), found)
    for name, value in values.items():
        if not (isinstance(value, float) and math.isnan(value)) and "nan" not in repr(value):
            assert found[name] == value


def test_notebook() -> None:
    """Tools that read papermill's metadata read ours."""
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "id": "a", "metadata": {"tags": []}, "source": "# x"},
        {
            "cell_type": "code",
            "id": "b",
            "metadata": {"tags": ["parameters"]},
            "source": "a = 1",
            "outputs": [],
            "execution_count": None,
        },
    ]
    kernel = {"name": "python3", "language": "python", "display_name": "x"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    ours = with_values(notebook, {"a": 2}, source="x.py", output="o.ipynb")
    node = nbformat.from_dict(json.loads(json.dumps(notebook)))
    node.metadata.papermill = {}
    theirs = parameterize_notebook(node, {"a": 2})
    assert [cell["source"] for cell in ours["cells"]] == [cell["source"] for cell in theirs["cells"]]
    assert ours["cells"][2]["metadata"] == theirs["cells"][2]["metadata"]
    assert ours["metadata"]["papermill"]["parameters"] == {"a": 2}
    assert set(ours["metadata"]["papermill"]) == {
        "default_parameters",
        "environment_variables",
        "input_path",
        "output_path",
        "parameters",
        "version",
    }
    assert with_values(notebook, {}, source="x", output="y")["cells"][0]["source"] == "# x"
