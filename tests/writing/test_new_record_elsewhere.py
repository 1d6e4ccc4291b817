"""`reaffirm new record` in repositories that have their own form: names, templates and languages."""

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reaffirm.cli.main import main

_CASES = tomllib.loads((Path(__file__).parent / "specimens/new_records.toml").read_text())["case"]


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case["name"])
def test_new_record(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A team would get a record with a name, a form or a language that none of its others has."""
    folder = tmp_path / "docs/adr"
    for name, text in case["files"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.lstrip("\n"))
    monkeypatch.chdir(tmp_path)
    before = sorted(folder.rglob("*"))
    status = main(["new", "record", "Use: a cache"])
    told = capfd.readouterr()
    if "refused" in case:
        assert status == 3
        assert case["refused"] in told.err
        assert sorted(folder.rglob("*")) == before
        return
    assert status == 0, told.err
    today = datetime.now(UTC).date().isoformat()
    wanted = case["made"].replace("DAY8", today.replace("-", "")).replace("DAY", today)
    assert told.out.strip() == f"docs/adr/{wanted}"
    text = (folder / wanted).read_text()
    assert re.sub(r"\d{4}-\d\d-\d\d", "DAY", text) == case["text"].lstrip("\n")
    assert main(["records", str(folder / wanted)]) == 0
    said = capfd.readouterr().out
    assert "Use: a cache" in said
    assert "proposed" in said
