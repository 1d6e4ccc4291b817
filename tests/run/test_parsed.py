"""What jupytext made of a runbook is kept; a wrong notebook from there would run other code."""

import json
from pathlib import Path

import pytest

from reaffirm.run import parsed
from reaffirm.run.runbook import runbook_from_text

TEXT = "# %% [markdown]\n# # One\n\n# %%\nprint(1)\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place where notebooks are kept."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "reaffirm" / "notebooks"


def test_kept(folder: Path) -> None:
    """The second time it is the same; a file that somebody changed, or cut off, is not believed."""
    first = runbook_from_text(TEXT, "x.py").notebook
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert runbook_from_text(TEXT, "x.py").notebook == first
    whole = file.read_text()
    for wrong in (whole.replace("print(1)", "print(2)"), whole[:-20], "", "[]", json.dumps({"hash": 1})):
        file.write_text(wrong)
        assert parsed.kept(TEXT) is None
        assert runbook_from_text(TEXT, "x.py").notebook == first
    assert runbook_from_text(TEXT + "\n# %%\nprint(3)\n", "x.py").notebook != first


def test_not_kept(folder: Path) -> None:
    """A secret in a runbook is in no second file, and no folder that others can write to is believed."""
    runbook_from_text(TEXT + "\n# %%\npassword = 'geheim-9f3k2'\n", "x.py")
    assert not folder.exists()
    runbook_from_text(TEXT, "x.py")
    folder.chmod(0o777)
    assert parsed.kept(TEXT) is None
