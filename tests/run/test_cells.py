"""The names of steps: people write them into commands, recordings keep them."""

from typing import Any

import pytest

from reaffirm.errors import DocumentError
from reaffirm.run.cells import step_ids, timeout_of


def _code(**metadata: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": "pass", "metadata": metadata}


def _prose(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def test_step_ids() -> None:
    """Two steps of one id, or an id that is a comment in a shell example, would resume the wrong cell."""
    cells = [
        _code(),
        _prose("# The pivot: SGLang → vLLM\n\nText."),
        _code(tags=["parameters"]),
        _code(tags=["injected-parameters"]),
        _prose("No heading here.\n\n```bash\n# not a heading\n```"),
        _code(),
        _prose("## Way out 1\n### Größe_x"),
        _code(),
        _code(step="Stall"),
        _prose("## The pivot, SGLang vLLM"),
        _code(),
    ]
    assert step_ids(cells) == [
        "start",
        "",
        "the-pivot-sglang-vllm",
        "",
        "",
        "the-pivot-sglang-vllm-2",
        "",
        "grösse-x",
        "stall",
        "",
        "the-pivot-sglang-vllm-3",
    ]


@pytest.mark.parametrize("value", [0, -1, True, "600", float("inf"), [1]])
def test_time_limit_that_is_none(value: Any) -> None:
    """A limit that is not understood would be no limit, and the night would be spent waiting."""
    with pytest.raises(DocumentError, match=r"x\.py, cell 3: timeout is a number of seconds above 0"):
        timeout_of(_code(timeout=value), where="x.py, cell 3")
    assert timeout_of(_code(timeout=1.5), where="") == 1.5
    assert timeout_of(_code(), where="") is None
