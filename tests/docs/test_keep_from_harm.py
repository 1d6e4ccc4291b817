"""docs/how-to/keep-from-harm.md: its machine file keys, its Python and its commands are true."""

import re
import tomllib
from pathlib import Path

import pytest

from reaffirm.store.machine_rules import RULE_KEYS
from reaffirm.store.machines import parse_machines

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/keep-from-harm.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_rules_of_the_page_are_read() -> None:
    """Somebody would copy a key that the reader refuses."""
    [text] = [code for language, code in BLOCKS if language == "toml"]
    assert set(tomllib.loads(text)) == set(RULE_KEYS)
    machines = parse_machines(f'{text}\n[[node]]\nname = "spark-1"\n', shown="it.toml", name="it")
    rules = machines.rules_on("spark-1")
    assert rules.protected[0].match("prod-db")
    assert rules.protected[0].at == "it.toml:1"
    assert rules.read_only == "it.toml:3"


def test_the_python_of_the_page_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The page's own example would end in an error."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("REAFFIRM_RUN_DIR", str(tmp_path))
    [code] = [code for language, code in BLOCKS if language == "python"]
    names: dict[str, object] = {}
    exec(compile(code, "keep-from-harm.md", "exec"), names)
    names["cluster"].close()  # type: ignore[attr-defined]
