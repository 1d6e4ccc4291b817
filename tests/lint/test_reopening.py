"""A decision that asks to be reopened is found by lint, when evidence of the needed kind says so."""

import shutil
from pathlib import Path

import pytest

from reaffirm.cli.main import main

_PROJECT = Path(__file__).parents[1] / "site/specimens/project"
_WISH = """reopen-when:
  says: The cache answers fast.
  needs: lab
  check: {runbook: measure_latency, fact: latency.p95, expect: {less-than: LIMIT, unit: ms}}
"""


@pytest.mark.parametrize(("limit", "asks"), [("1000", True), ("0", False)])
def test_reopening(
    limit: str,
    asks: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """What was to bring a decision back to the table would come true unseen."""
    shutil.copytree(_PROJECT, tmp_path / "project")
    record = tmp_path / "project/adrs/0001-keep-the-cache.md"
    text = record.read_text(encoding="utf-8").replace("---\n", "---\n" + _WISH.replace("LIMIT", limit), 1)
    record.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "project")
    main(["lint", "adrs"])
    found = [line for line in capfd.readouterr().out.splitlines() if " reopen-asked " in line]
    assert bool(found) is asks
    if asks:
        start = "adrs/0001-keep-the-cache.md:2: reopen-asked a run shows it: The cache answers fast."
        assert found[0].startswith(start)
