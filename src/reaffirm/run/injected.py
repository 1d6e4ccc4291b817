"""The notebook that is run: a runbook's own, with a cell of the given values, as papermill makes it.

This is what ``reaffirm run`` uses, so that papermill need not be loaded; a test holds it to papermill's own.
"""

import json
import math
from collections.abc import Mapping
from typing import Any

from reaffirm.run.cells import tags_of
from reaffirm.store.installed import version_of


def with_values(
    notebook: Mapping[str, Any], values: Mapping[str, Any], *, source: str, output: str
) -> dict[str, Any]:
    """Return a copy of a runbook's notebook with papermill's metadata and the cell of given values."""
    made: dict[str, Any] = json.loads(json.dumps(notebook))
    cells = made["cells"]
    for cell in cells:
        cell["metadata"].setdefault("tags", [])
    if values:
        injected: dict[str, Any] = {
            "cell_type": "code",
            "execution_count": None,
            "id": "injected",
            "metadata": {"tags": ["injected-parameters"]},
            "outputs": [],
            "source": as_code(values),
        }
        tagged = [i for i, cell in enumerate(cells) if "parameters" in tags_of(cell)]
        cells.insert(tagged[0] + 1 if tagged else 0, injected)
    made["metadata"]["papermill"] = {
        "default_parameters": {},
        "environment_variables": {},
        "input_path": source,
        "output_path": output,
        "parameters": dict(values),
        "version": version_of("papermill"),
    }
    return made


def as_code(values: Mapping[str, Any]) -> str:
    """The values as lines of Python, in papermill's spelling."""
    lines = [f"{name} = {_literal(value)}\n" for name, value in values.items()]
    return "# Parameters\n" + "".join(lines)


def _literal(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "float('nan')" if math.isnan(value) else f"float('{'-' if value < 0 else ''}inf')"
    if value is None or isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(str(k))}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    text = str(value).encode("unicode_escape").decode("utf-8").replace('"', r"\"")
    return f'"{text}"'
