"""A run's page says so where its runbook has another text today."""

import re
import shutil
from pathlib import Path

import pytest
from test_tree import _PROJECT, tree_of

from reaffirm.site.then_and_now import text_remark

_BOOK = "runbooks/measure_latency.py"
_RUN = "runs/measure_latency/2026-02-01-lab.md"


def _page(tmp_path: Path, old: str, new: str) -> str:
    root = tmp_path / "toy"
    shutil.copytree(_PROJECT, root)
    path = root / _BOOK
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return tree_of(root).pages[_RUN].markdown


def test_a_text_that_was_changed_is_told_at_the_top(tmp_path: Path) -> None:
    """Somebody would take the advice of then for that of today."""
    root = tmp_path / "same"
    shutil.copytree(_PROJECT, root)
    before = tree_of(root).pages[_RUN].markdown
    told = re.findall(r"differs in (\w+)", before)
    page = _page(tmp_path, "# %% [markdown]\n# ", "# %% [markdown]\n# Something else.\n#\n# ")
    assert "The text of the runbook was changed since this run" in page
    assert "[The runbook as it is today](../../runbooks/measure_latency.md) differs in " in page
    assert told or "The text of the runbook was changed" not in before
    assert page.index("was changed since this run") < page.index("## Facts")


@pytest.mark.parametrize(
    ("code", "words"), [(True, "Its code was changed, too."), (False, "Its code is the same.")]
)
def test_it_says_what_became_of_the_code(code: bool, words: str) -> None:
    """A reader would think that the run shows nothing any more, or that it still shows all."""
    assert words in text_remark(2, code=code, runbook_page="../a.md")
    assert text_remark(0, code=code, runbook_page="../a.md") == ""
