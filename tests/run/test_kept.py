"""What jupytext made of a runbook is kept; a wrong notebook from there would run other code."""

import pickle
from pathlib import Path

import pytest

from reaffirm.run.runbook import runbook_from_text
from reaffirm.store.kept import keep, kept

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
    whole = file.read_bytes()
    for wrong in (whole.replace(b"print(1)", b"print(2)"), whole[:-20], b"", whole[:32]):
        file.write_bytes(wrong)
        assert runbook_from_text(TEXT, "x.py").notebook == first
    assert runbook_from_text(TEXT + "\n# %%\nprint(3)\n", "x.py").notebook != first


def test_not_kept(folder: Path) -> None:
    """A secret in a runbook is in no second file, and no folder that others can write to is believed."""
    runbook_from_text(TEXT + "\n# %%\npassword = 'geheim-9f3k2'\n", "x.py")
    assert not folder.exists()
    runbook_from_text(TEXT, "x.py")
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes().replace(b"print(1)", b"print(2)"))
    folder.chmod(0o777)
    keep("notebooks", "x", "y", 1)
    assert kept("notebooks", "x", "y") is None


def test_nothing_but_plain_data(folder: Path) -> None:
    """Whatever lies there, nothing of it is run."""
    keep("x", "text", "maker", [1, {"a": (2, None)}])
    assert kept("x", "text", "maker") == [1, {"a": (2, None)}]
    assert kept("x", "text", "other maker") is None
    keep("x", "text", "maker", pickle.Unpickler)
    assert kept("x", "text", "maker") is None
